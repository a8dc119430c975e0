#include "problems/core/options.hpp"

#include <algorithm>
#include <cmath>

namespace alidade {

bool Bounds::contain(double value) const {
  if (!(lower_open ? value > lower : value >= lower)) return false;
  return upper_open ? value < upper : value <= upper;
}

std::string Bounds::to_text() const {
  const bool low = std::isfinite(lower), high = std::isfinite(upper);
  if (low && high)
    return fmt::format("in {}{}, {}{}", lower_open ? '(' : '[', shortest(lower), shortest(upper),
                       upper_open ? ')' : ']');
  if (low) return fmt::format("{} {}", lower_open ? ">" : ">=", shortest(lower));
  if (high) return fmt::format("{} {}", upper_open ? "<" : "<=", shortest(upper));
  return "";
}

Value checked_option(const OptionInfo& info, const Value& value, std::string_view owner) {
  const auto refuse = [&](std::string_view expected) {
    throw ConfigError(fmt::format("{}{}: option '{}' must be {}, not {}.", value.at.prefix(), owner, info.name,
                                  expected, value.to_text()));
  };
  if (info.kind == "true/false") {
    if (!value.get_if<bool>()) refuse("true or false");
  } else if (info.kind == "text" || info.kind == "file") {
    const auto* text = value.get_if<std::string>();
    if (!text) refuse("text");
    if (!info.choices.empty() && std::ranges::find(info.choices, *text) == info.choices.end())
      throw ConfigError(fmt::format("{}{}: option '{}' has no choice '{}'.{}", value.at.prefix(), owner, info.name,
                                    *text, suggestion(*text, info.choices)));
  } else if (info.kind == "list of texts") {
    Value list = value;
    if (value.get_if<std::string>()) list = ValueArray{value};
    const auto* texts = list.get_if<ValueArray>();
    const auto is_text = [](const Value& item) {
      const auto* text = item.get_if<std::string>();
      return text && !text->empty();
    };
    if (!texts || texts->empty() || !std::ranges::all_of(*texts, is_text))
      refuse("a text or a list of texts, none empty");
    return list;
  } else if (info.kind == "number" || info.kind == "whole number") {
    Value number = value;
    if (info.kind == "whole number") {
      if (const auto* real = value.get_if<double>())
        if (std::abs(*real) < 9e15 && *real == std::floor(*real)) number = Value(static_cast<std::int64_t>(*real));
      if (!number.get_if<std::int64_t>()) refuse("a whole number");
    } else if (value.get_if<std::int64_t>()) {
      number = Value(*value.number());
    }
    const std::optional<double> real = number.number();
    if (!real) refuse("a number");
    if (!info.bounds.contain(*real) || !std::isfinite(*real))
      refuse(
          fmt::format("a {} {}", info.kind, info.bounds.to_text().empty() ? "that is finite" : info.bounds.to_text()));
    return number;
  }
  return value;
}

const OptionInfo* find_option(std::span<const OptionInfo> infos, std::string_view name) {
  const auto it = std::ranges::find(infos, name, &OptionInfo::name);
  return it == infos.end() ? nullptr : &*it;
}

ValueTable resolve_options(std::span<const OptionInfo> infos, const ValueTable& table, std::string_view owner) {
  for (const auto& [key, value] : table)
    if (!find_option(infos, key)) unknown_option(key, value, owner, infos);
  ValueTable out;
  for (const OptionInfo& info : infos) {
    const Value* value = table.find(info.name);
    out.set(info.name, value ? checked_option(info, *value, owner) : info.default_value);
  }
  return out;
}

void unknown_option(std::string_view key, const Value& value, std::string_view owner,
                    std::span<const OptionInfo> infos) {
  std::vector<std::string> names;
  for (const OptionInfo& info : infos) names.push_back(info.name);
  throw ConfigError(fmt::format("{}{} has no option '{}'.{}", value.at.prefix(), owner, key, suggestion(key, names)));
}

}  // namespace alidade
