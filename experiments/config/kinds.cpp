#include "experiments/config/kinds.hpp"

#include <sentences/config.hpp>

#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/printable.hpp"

namespace alidade {

ValueTable table_with(std::initializer_list<ValueTable::Entry> entries) {
  ValueTable out;
  for (const auto& [key, value] : entries) out.set(key, value);
  return out;
}

}  // namespace alidade

namespace alidade::config_keys {

OptionInfo key(std::string name, std::string kind, std::string doc, Value default_value) {
  return {std::move(name), std::move(kind), std::move(default_value), {}, {}, std::move(doc)};
}

OptionInfo choice(std::string name, std::span<const std::string_view> choices, std::string doc) {
  return {std::move(name), "text", std::string(choices.front()), {}, {choices.begin(), choices.end()}, std::move(doc)};
}

const ValueTable& table_of(const Value& value, std::string_view what) {
  const auto* table = value.get_if<ValueTable>();
  if (!table) refuse_at(value.at, "{} must be a table, not {}.", what, value.kind());
  return *table;
}

const std::string& text_of(const Value& value, std::string_view what) {
  const auto* text = value.get_if<std::string>();
  if (!text || text->empty()) refuse_at(value.at, "{} must be text, not {}.", what, value.to_text());
  // Names and ids occur in tables, file names and messages.
  if (printable(*text) != *text) refuse_at(value.at, words::kUnprintable, what, *text);
  return *text;
}

std::vector<std::string> texts_of(const Value& value, std::string_view what) {
  const auto* list = value.get_if<ValueArray>();
  if (!list) return {text_of(value, what)};
  require_at(value.at, !list->empty(), "{} is an empty list. Give at least one name.", what);
  return mapped<std::string>(*list, [&](const Value& item) { return text_of(item, what); });
}

std::vector<ZippedOptions> zip_of(const Value& value, std::string_view example) {
  const auto* groups = value.get_if<ValueArray>();
  if (!groups) refuse_at(value.at, "zip must be a list of lists of options, not {}.", value.to_text());
  std::vector<ZippedOptions> out;
  for (const Value& group : *groups) {
    const auto* names = group.get_if<ValueArray>();
    if (!names || names->size() < 2) refuse_at(group.at, words::kZipOfTwo, example, group.to_text());
    out.push_back({{}, group.at});
    for (const Value& name : *names) out.back().names.push_back({text_of(name, "An option in zip"), name.at});
  }
  return out;
}

const ValueArray& only_section(const ValueTable& content, std::string_view section, const std::filesystem::path& file) {
  for (const auto& [key, value] : content)
    require_at(value.at, key == section || key == "schema", words::kUnknownSection, key, section, section);
  const Value* list = content.find(section);
  const auto* out = list ? list->get_if<ValueArray>() : nullptr;
  require<ConfigError>(out && !out->empty(), "{}: there is no [[{}]].", file.string(), section);
  return *out;
}

}  // namespace alidade::config_keys
