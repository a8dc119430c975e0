#include "experiments/results/row_filter.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

struct Condition {
  std::string field;
  std::vector<std::string> values;
  bool negated = false;
};

std::vector<Condition> parsed(std::span<const std::string> texts) {
  std::vector<Condition> out;
  for (const std::string& text : texts) {
    const auto sign = text.find('=');
    const bool negated = sign != text.npos && sign > 0 && text[sign - 1] == '!';
    const std::string field(trim(std::string_view(text).substr(0, sign == text.npos ? 0 : sign - (negated ? 1 : 0))));
    require<ConfigError>(!field.empty(),
                         "'{}' is not a condition. Write field=value or field!=value, such as "
                         "dataset=europe.",
                         text);
    std::string value(trim(std::string_view(text).substr(sign + 1)));
    const auto same =
        std::ranges::find_if(out, [&](const Condition& c) { return c.field == field && c.negated == negated; });
    if (same == out.end())
      out.push_back({field, {std::move(value)}, negated});
    else
      same->values.push_back(std::move(value));
  }
  return out;
}

bool same_value(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto x = parse_double(a), y = parse_double(b);
  return x && y && *x == *y;
}

bool meets(const ValueTable& row, const Condition& condition) {
  const std::string text = text_field(row, condition.field);
  const bool any =
      std::ranges::any_of(condition.values, [&](const std::string& value) { return same_value(text, value); });
  return any != condition.negated;
}

std::string values_there(std::span<const ValueTable> rows, std::span<const std::size_t> places,
                         const std::string& field) {
  constexpr std::size_t kShown = 12;
  std::vector<std::string> values;
  for (const std::size_t i : places) {
    std::string value = text_field(rows[i], field);
    if (value.empty()) value = "(absent)";
    if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
  }
  const std::size_t count = values.size();
  if (count > kShown) {
    values.resize(kShown);
    values.push_back(fmt::format("and {} more", count - kShown));
  }
  return join(values, ", ");
}

}  // namespace

std::vector<std::size_t> places_where(std::span<const ValueTable> rows, std::span<const std::string> conditions) {
  std::vector<std::size_t> places(rows.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (rows.empty()) return places;
  for (const Condition& condition : parsed(conditions)) {
    const auto has_field = [&](std::size_t i) { return field(rows[i], condition.field) != nullptr; };
    if (std::ranges::none_of(places, has_field)) {
      std::vector<ValueTable> left;
      for (const std::size_t i : places) left.push_back(rows[i]);
      throw ConfigError(
          fmt::format("No row has a field '{}'.{}", condition.field, field_suggestion(condition.field, left)));
    }
    std::vector<std::size_t> left;
    for (const std::size_t i : places)
      if (meets(rows[i], condition)) left.push_back(i);
    require<ConfigError>(!left.empty(), "No row matches {}{}{}. There is {}.", condition.field,
                         condition.negated ? "!=" : "=", join(condition.values, " or "),
                         values_there(rows, places, condition.field));
    places = std::move(left);
  }
  return places;
}

std::vector<ValueTable> rows_where(std::vector<ValueTable> rows, std::span<const std::string> conditions) {
  std::vector<ValueTable> out;
  for (const std::size_t i : places_where(rows, conditions)) out.push_back(std::move(rows[i]));
  return out;
}

}  // namespace alidade
