#include "experiments/tables/natural_order.hpp"

#include "problems/core/text.hpp"

namespace alidade {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::weak_ordering natural_order(std::string_view a, std::string_view b) {
  const auto x = parse_double(a);
  const auto y = parse_double(b);
  if (x && y) {
    if (*x < *y) return std::weak_ordering::less;
    if (*x > *y) return std::weak_ordering::greater;
    return a.compare(b) <=> 0;
  }
  if (x.has_value() != y.has_value()) return x ? std::weak_ordering::less : std::weak_ordering::greater;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto run = [](std::string_view text, std::size_t& at) {
        while (at < text.size() && text[at] == '0') ++at;
        const std::size_t start = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return text.substr(start, at - start);
      };
      const std::string_view digits_a = run(a, i);
      const std::string_view digits_b = run(b, j);
      if (digits_a.size() != digits_b.size()) return digits_a.size() <=> digits_b.size();
      if (const int order = digits_a.compare(digits_b); order != 0) return order <=> 0;
      continue;
    }
    if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) <=> static_cast<unsigned char>(b[j]);
    ++i;
    ++j;
  }
  if (const auto order = (a.size() - i) <=> (b.size() - j); order != 0) return order;
  return a.compare(b) <=> 0;
}

}  // namespace alidade
