#include "experiments/datasets/readers/missing_codes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {

bool is_code(double value) {
  const double size = std::abs(value);
  if (value == -9 || value == -8 || value == -7) return true;
  if (size < 77 || size > 99'999 || size != std::floor(size)) return false;
  const std::string digits = fmt::format("{:.0f}", size);
  return digits[0] >= '7' && std::ranges::all_of(digits, [&](char c) { return c == digits[0]; });
}

std::vector<double> suspected_codes(std::span<const double> values) {
  constexpr Index kFewest = 3;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  Index others = 0;
  std::vector<double> codes;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    if (!is_code(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
      ++others;
    } else if (std::ranges::find(codes, value) == codes.end()) {
      codes.push_back(value);
    }
  }
  const double range = high - low;
  if (others < kFewest || !(range > 0)) return {};
  std::erase_if(codes, [&](double code) {
    const bool only_negative = code < 0 && low >= 0;
    return !only_negative && code >= low - range && code <= high + range;
  });
  std::ranges::sort(codes);
  return codes;
}

MissingCodes MissingCodes::of(std::string_view option) {
  MissingCodes out{.ask = option == "auto", .listed = {}};
  if (out.ask || option == "no") return out;
  for (std::size_t at = 0; at <= option.size();) {
    const std::size_t comma = std::min(option.find(',', at), option.size());
    const std::string_view code = trim(option.substr(at, comma - at));
    const auto value = parse_double(code);
    require<ConfigError>(
        value || (!code.empty() && std::string_view("+-0123456789").find(code.front()) == code.npos),
        "--missing-codes (in a config: missing_codes) is auto, no, or numbers and words separated by commas, such "
        "as -99,refused. '{}' is none of these.",
        option);
    if (value)
      out.listed.push_back(*value);
    else
      out.words.push_back(lower_ascii(code));
    at = comma + 1;
  }
  return out;
}

Index MissingCodes::forget(Eigen::Ref<Matrix> values) const {
  Index count = 0;
  for (double& value : values.reshaped())
    if (std::ranges::find(listed, value) != listed.end()) {
      value = std::numeric_limits<double>::quiet_NaN();
      ++count;
    }
  return count;
}

void MissingCodes::refuse_suspected(std::span<const double> values,
                                    const std::function<std::string(std::size_t)>& place_of) const {
  if (!ask) return;
  const std::vector<double> suspects = suspected_codes(values);
  if (suspects.empty()) return;
  const double code = suspects.front();
  const auto times = std::ranges::count(values, code);
  const auto first = static_cast<std::size_t>(std::ranges::find(values, code) - values.begin());
  throw DataError(
      fmt::format("{} holds {}, {}, far from the other numbers. If it marks a missing value: --missing-codes={} and "
                  "what to do with those, such as --missing drop. If it is a number like the others: "
                  "--missing-codes=no (in a config: missing_codes = \"{}\" or \"no\").",
                  place_of(first), shortest(code), times == 1 ? "once" : fmt::format("{} times", times), shortest(code),
                  shortest(code)));
}

}  // namespace alidade::datasets
