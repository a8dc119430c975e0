// A value of a configuration as the kind that a key takes, and the records of such keys.
// Every function throws ConfigError with the place of the value and what it must be.
// Options of problems, solvers and data sets have kinds of their own: problems/core/options.hpp.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/config/sweeps.hpp"
#include "problems/core/enum_names.hpp"
#include "problems/core/options.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// Throws ConfigError with the formatted message after the place.
template <class... Args>
[[noreturn]] void refuse_at(const TextPosition& at, FormatHere<std::type_identity_t<Args>...> text, Args&&... args) {
  throw ConfigError(at.prefix() + fmt::vformat(text.format, fmt::make_format_args(args...)), text.where);
}
/// The same unless `condition` holds.
template <class... Args>
void require_at(const TextPosition& at, bool condition, FormatHere<std::type_identity_t<Args>...> text,
                Args&&... args) {
  if (!condition) refuse_at<Args...>(at, text, std::forward<Args>(args)...);
}
[[nodiscard]] ValueTable table_with(std::initializer_list<ValueTable::Entry> entries);

}  // namespace alidade

namespace alidade::config_keys {

/// The record of a key.
[[nodiscard]] OptionInfo key(std::string name, std::string kind, std::string doc, Value default_value = {});
/// The record of a key that is one of a few words; the first is its default.
[[nodiscard]] OptionInfo choice(std::string name, std::span<const std::string_view> choices, std::string doc);
/// A reader of such a key: the value of an enumeration with these names, in its order.
template <class E, std::size_t N>
auto choice_reader(const std::array<std::string_view, N>& names) {
  return [&names](const Value& value) { return enum_named<E>(names, *value.get_if<std::string>(), "choice"); };
}

/// `value` as a table; `what` names it in messages.
[[nodiscard]] const ValueTable& table_of(const Value& value, std::string_view what);
/// `value` as text that is not empty and can be printed.
[[nodiscard]] const std::string& text_of(const Value& value, std::string_view what);
/// One text or a list of them, none empty.
[[nodiscard]] std::vector<std::string> texts_of(const Value& value, std::string_view what);

/// A list of lists of options, as `example` shows.
[[nodiscard]] std::vector<ZippedOptions> zip_of(const Value& value, std::string_view example);

/// A reader for OptionList::read(): `read` with what its value is called.
template <class Read>
auto reader(Read read, std::string what) {
  return [read, what = std::move(what)](const Value& value) { return read(value, what); };
}

/// The list [[section]] of a file that holds nothing else but `schema`.
[[nodiscard]] const ValueArray& only_section(const ValueTable& content, std::string_view section,
                                             const std::filesystem::path& file);

}  // namespace alidade::config_keys
