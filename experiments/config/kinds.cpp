#include "experiments/config/kinds.hpp"

#include "problems/core/error.hpp"
#include "problems/core/printable.hpp"

namespace alidade::config_keys {

OptionInfo key(std::string name, std::string kind, std::string doc, Value default_value) {
  return {std::move(name), std::move(kind), std::move(default_value), {}, {}, std::move(doc)};
}

OptionInfo choice(std::string name, std::vector<std::string> choices, std::string doc) {
  Value first = choices.front();
  return {std::move(name), "text", std::move(first), {}, std::move(choices), std::move(doc)};
}

const ValueTable& table_of(const Value& value, std::string_view what) {
  const auto* table = value.get_if<ValueTable>();
  if (!table) throw ConfigError(fmt::format("{}{} must be a table, not {}.", value.at.prefix(), what, value.kind()));
  return *table;
}

const std::string& text_of(const Value& value, std::string_view what) {
  const auto* text = value.get_if<std::string>();
  if (!text || text->empty())
    throw ConfigError(fmt::format("{}{} must be text, not {}.", value.at.prefix(), what, value.to_text()));
  // Names and ids occur in tables, file names and messages.
  if (printable(*text) != *text)
    throw ConfigError(fmt::format("{}{} has characters that cannot be printed: '{}'. Leave them out.",
                                  value.at.prefix(), what, *text));
  return *text;
}

std::vector<std::string> texts_of(const Value& value, std::string_view what) {
  const auto* list = value.get_if<ValueArray>();
  if (!list) return {text_of(value, what)};
  require<ConfigError>(!list->empty(), "{}{} is an empty list. Give at least one name.", value.at.prefix(), what);
  std::vector<std::string> out;
  for (const Value& item : *list) out.push_back(text_of(item, what));
  return out;
}

std::vector<ZippedOptions> zip_of(const Value& value, std::string_view example) {
  const auto* groups = value.get_if<ValueArray>();
  if (!groups)
    throw ConfigError(
        fmt::format("{}zip must be a list of lists of options, not {}.", value.at.prefix(), value.to_text()));
  std::vector<ZippedOptions> out;
  for (const Value& group : *groups) {
    const auto* names = group.get_if<ValueArray>();
    if (!names || names->size() < 2)
      throw ConfigError(fmt::format("{}zip must hold lists of two or more options, such as {}, not {}.",
                                    group.at.prefix(), example, group.to_text()));
    out.push_back({{}, group.at});
    for (const Value& name : *names) out.back().names.push_back({text_of(name, "An option in zip"), name.at});
  }
  return out;
}

const ValueArray& only_section(const ValueTable& content, std::string_view section, const std::filesystem::path& file) {
  for (const auto& [key, value] : content)
    require<ConfigError>(key == section || key == "schema", "{}unknown key '{}'. A file of {}s holds [[{}]].",
                         value.at.prefix(), key, section, section);
  const Value* list = content.find(section);
  const auto* out = list ? list->get_if<ValueArray>() : nullptr;
  require<ConfigError>(out && !out->empty(), "{}: there is no [[{}]].", file.string(), section);
  return *out;
}

}  // namespace alidade::config_keys
