// Option lists: one record per option gives parsing, bounds, --help, `alidade list` and the docs.
// An option is a pointer to a member of a plain options struct; the struct's initialiser is its default.
// Unknown keys, wrong kinds and values out of bounds throw ConfigError with the place in the file.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "problems/core/bounds.hpp"
#include "problems/core/error.hpp"
#include "problems/core/index.hpp"
#include "problems/core/text.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// The description of an option in `list`, `--help` and the docs.
struct OptionInfo {
  std::string name;
  std::string
      kind;  // "number", "whole number", "true/false", "text", "file", "list of texts", "solver", "list of solvers"
  Value default_value;
  Bounds bounds;
  std::vector<std::string> choices;
  std::string doc;
};

/// Checks one value against its record: kind, bounds, choices. Returns the value in the record's kind
/// (a whole number is accepted for a number, a text for a list of texts). @throws ConfigError
[[nodiscard]] Value checked_option(const OptionInfo& info, const Value& value, std::string_view owner);

/// All options of `Options`, in the order in which they are shown.
template <class Options>
class OptionList {
 public:
  /// `defaults`: where they are not the initialisers of the struct.
  explicit OptionList(Options defaults = Options()) : defaults_(std::move(defaults)) {}

  OptionList& real(std::string name, double Options::*member, Bounds bounds, std::string doc) {
    Field field{{std::move(name), "number", {}, bounds, {}, std::move(doc)}, {}, {}};
    field.set = [member](Options& o, const Value& v) { o.*member = *v.get_if<double>(); };
    field.get = [member](const Options& o) { return Value(o.*member); };
    return add(std::move(field));
  }
  /// A number that `place` finds in the options.
  OptionList& real(std::string name, std::function<double&(Options&)> place, Bounds bounds, std::string doc) {
    Field field{{std::move(name), "number", {}, bounds, {}, std::move(doc)}, {}, {}};
    field.set = [place](Options& o, const Value& v) { place(o) = *v.get_if<double>(); };
    field.get = [place](Options o) { return Value(place(o)); };
    return add(std::move(field));
  }
  OptionList& integer(std::string name, Index Options::*member, Bounds bounds, std::string doc) {
    Field field{{std::move(name), "whole number", {}, bounds, {}, std::move(doc)}, {}, {}};
    field.set = [member](Options& o, const Value& v) { o.*member = *v.get_if<std::int64_t>(); };
    field.get = [member](const Options& o) { return Value(static_cast<std::int64_t>(o.*member)); };
    return add(std::move(field));
  }
  /// The seed of a problem's own draws. 0, the default: a number that the run draws from its own seed.
  OptionList& seed(Index Options::*member, const std::string& of) {
    return integer("seed", member, between(0, 1e15), "seed of " + of + "; 0: drawn from the run's seed");
  }
  OptionList& flag(std::string name, bool Options::*member, std::string doc) {
    Field field{{std::move(name), "true/false", {}, {}, {}, std::move(doc)}, {}, {}};
    field.set = [member](Options& o, const Value& v) { o.*member = *v.get_if<bool>(); };
    field.get = [member](const Options& o) { return Value(o.*member); };
    return add(std::move(field));
  }
  /// One of `choices`; without choices, any text.
  OptionList& text(std::string name, std::string Options::*member, std::vector<std::string> choices, std::string doc) {
    Field field{{std::move(name), "text", {}, {}, std::move(choices), std::move(doc)}, {}, {}};
    field.set = [member](Options& o, const Value& v) { o.*member = *v.get_if<std::string>(); };
    field.get = [member](const Options& o) { return Value(o.*member); };
    return add(std::move(field));
  }
  /// The path of a file.
  OptionList& file(std::string name, std::string Options::*member, std::string doc) {
    text(std::move(name), member, {}, std::move(doc));
    fields_.back().info.kind = "file";
    return *this;
  }
  /// One text or a list of them, none empty.
  OptionList& texts(std::string name, std::vector<std::string> Options::*member, std::string doc) {
    Field field{{std::move(name), "list of texts", {}, {}, {}, std::move(doc)}, {}, {}};
    field.set = [member](Options& o, const Value& v) {
      (o.*member).clear();
      for (const Value& text : *v.get_if<ValueArray>()) (o.*member).push_back(*text.get_if<std::string>());
    };
    field.get = [member](const Options& o) { return Value(ValueArray((o.*member).begin(), (o.*member).end())); };
    return add(std::move(field));
  }
  /// A value that its owner interprets, for example an inner solver `{ name = "ceres", ... }`.
  OptionList& nested(std::string name, Value Options::*member, std::string kind, std::string doc) {
    Field field{{std::move(name), std::move(kind), {}, {}, {}, std::move(doc)}, {}, {}};
    field.set = [member](Options& o, const Value& v) { o.*member = v; };
    field.get = [member](const Options& o) { return o.*member; };
    return add(std::move(field));
  }
  /// A value that `reader` checks and turns into the member, where `info` asks for no more than its kind; not for
  /// options that are resolved: resolve() gives its default.
  template <class T, class Base, class Reader>
  OptionList& read(OptionInfo info, T Base::*member, Reader reader) {
    return add({info, [member, reader](Options& o, const Value& v) { o.*member = reader(v); },
                [value = info.default_value](const Options&) { return value; }});
  }
  /// Includes the options of a base struct.
  template <class Base>
  OptionList& include(const OptionList<Base>& base) {
    for (const auto& field : base.fields())
      fields_.push_back({field.info, [set = field.set](Options& o, const Value& v) { set(o, v); },
                         [get = field.get](const Options& o) { return get(o); }});
    return *this;
  }

  [[nodiscard]] std::vector<OptionInfo> infos() const {
    std::vector<OptionInfo> out;
    for (const Field& field : fields_) {
      out.push_back(field.info);
      out.back().default_value = field.get(defaults_);
    }
    return out;
  }
  /// Options from `table`; `owner` names their owner in messages ("problem 'ete'").
  /// @throws ConfigError
  [[nodiscard]] Options parse(const ValueTable& table, std::string_view owner) const;
  /// The same options, if they are what a table could give. @throws ConfigError
  [[nodiscard]] Options checked(Options options, std::string_view owner) const {
    for (const Field& field : fields_) static_cast<void>(checked_option(field.info, field.get(options), owner));
    return options;
  }
  /// Every option with its value; rows call these "resolved".
  [[nodiscard]] ValueTable resolve(const Options& options) const {
    ValueTable out;
    for (const Field& field : fields_) out.set(field.info.name, field.get(options));
    return out;
  }

  struct Field {
    OptionInfo info;
    std::function<void(Options&, const Value&)> set;  // called with a checked value
    std::function<Value(const Options&)> get;
  };
  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }

 private:
  OptionList& add(Field field) {
    fields_.push_back(std::move(field));
    return *this;
  }

  Options defaults_;
  std::vector<Field> fields_;
};

/// Checks `table` against `infos` and adds defaults, in the order of `infos`. @throws ConfigError
[[nodiscard]] ValueTable resolve_options(std::span<const OptionInfo> infos, const ValueTable& table,
                                         std::string_view owner);
[[nodiscard]] const OptionInfo* find_option(std::span<const OptionInfo> infos, std::string_view name);
[[noreturn]] void unknown_option(std::string_view key, const Value& value, std::string_view owner,
                                 std::span<const OptionInfo> infos);

template <class Options>
Options OptionList<Options>::parse(const ValueTable& table, std::string_view owner) const {
  Options out = defaults_;
  for (const auto& [key, value] : table) {
    const Field* match = nullptr;
    for (const Field& field : fields_)
      if (field.info.name == key) match = &field;
    if (!match) unknown_option(key, value, owner, infos());
    match->set(out, checked_option(match->info, value, owner));
  }
  return out;
}

}  // namespace alidade
