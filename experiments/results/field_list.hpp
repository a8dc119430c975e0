// Field lists: one record per field of a struct writes it and reads it.
// A struct of fields has `static const FieldList<T>& fields()`. Its members may be such structs, lists and optional
// values.
// Example: to_table(row) gives a row as a ValueTable; read_fields(table, row) sets the fields that the table has.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "problems/core/value.hpp"

namespace alidade {

template <class T>
class FieldList;

template <class T>
[[nodiscard]] ValueTable to_table(const T& object);
/// Sets the fields that `table` has with values that fit; others are unchanged. This reads rows of earlier versions.
template <class T>
void read_fields(const ValueTable& table, T& object);

/// How a member of type T is written as a Value. `read` returns whether the value fitted. Null stands for no value.
template <class T>
struct FieldCodec {
  static Value write(const T& v) { return to_table(v); }
  static bool read(const Value& value, T& out) {
    const ValueTable* table = value.get_if<ValueTable>();
    if (table) read_fields(*table, out);
    return table != nullptr;
  }
  static constexpr bool kHasFields = true;
  static std::vector<std::string> names() { return T::fields().names(); }
};

/// Base for kinds of values without fields of their own.
struct WholeValue {
  static constexpr bool kHasFields = false;
  static std::vector<std::string> names() { return {}; }
};
template <class T>
struct PlainCodec : WholeValue {
  static Value write(const T& v) { return v; }
  static bool read(const Value& value, T& out) {
    const T* typed = value.get_if<T>();
    if (typed) out = *typed;
    return typed != nullptr;
  }
};
template <>
struct FieldCodec<bool> : PlainCodec<bool> {};
template <>
struct FieldCodec<std::int64_t> : PlainCodec<std::int64_t> {};
template <>
struct FieldCodec<std::string> : PlainCodec<std::string> {};
template <>
struct FieldCodec<ValueTable> : PlainCodec<ValueTable> {};
/// Counts, which are only written.
// clang-format off
template <class T> requires std::is_unsigned_v<T>
struct FieldCodec<T> : WholeValue {
  static Value write(T v) { return static_cast<std::int64_t>(v); }
};
// clang-format on
/// Infinite values and NaN are written as null.
template <>
struct FieldCodec<double> : WholeValue {
  static Value write(double v) { return std::isfinite(v) ? Value(v) : Value(); }
  static bool read(const Value& value, double& out) {
    const std::optional<double> number = value.number();
    if (number) out = *number;
    return number.has_value();
  }
};
/// Written unchanged: only its maker can interpret it.
template <>
struct FieldCodec<Value> : WholeValue {
  static Value write(const Value& v) { return v; }
  static bool read(const Value& value, Value& out) {
    out = value;
    return true;
  }
};
template <class T>
struct FieldCodec<std::optional<T>> {
  static Value write(const std::optional<T>& v) { return v ? FieldCodec<T>::write(*v) : Value(); }
  static bool read(const Value& value, std::optional<T>& out) {
    if (T decoded{}; !value.is_null() && FieldCodec<T>::read(value, decoded))
      out = std::move(decoded);
    else
      out.reset();
    return true;
  }
  static constexpr bool kHasFields = FieldCodec<T>::kHasFields;
  static std::vector<std::string> names() { return FieldCodec<T>::names(); }
};
template <class T>
struct FieldCodec<std::vector<T>> : WholeValue {
  static Value write(const std::vector<T>& v) {
    ValueArray out;
    for (const T& item : v) out.push_back(FieldCodec<T>::write(item));
    return out;
  }
  static bool read(const Value& value, std::vector<T>& out) {
    const ValueArray* list = value.get_if<ValueArray>();
    if (!list) return false;
    out.clear();
    for (const Value& item : *list)
      if (T decoded{}; FieldCodec<T>::read(item, decoded)) out.push_back(std::move(decoded));
    return true;
  }
};
/// Values with their own names.
template <class T>
struct FieldCodec<std::vector<std::pair<std::string, T>>> : WholeValue {
  static constexpr bool kHasFields = true;
  using Named = std::vector<std::pair<std::string, T>>;
  static Value write(const Named& v) {
    ValueTable out;
    for (const auto& [name, item] : v) out.set(name, FieldCodec<T>::write(item));
    return out;
  }
  static bool read(const Value& value, Named& out) {
    const ValueTable* table = value.get_if<ValueTable>();
    if (!table) return false;
    out.clear();
    for (const auto& [name, item] : *table)
      if (T decoded{}; FieldCodec<T>::read(item, decoded)) out.emplace_back(name, std::move(decoded));
    return true;
  }
};

/// All fields of a T, in the order they are written.
template <class T>
class FieldList {
 public:
  struct Field {
    std::string name;
    bool left_out;                   // when it has no value; otherwise written as null
    bool has_fields;                 // fields of its own, "NAME.*"
    std::vector<std::string> inner;  // their names, with those of their own: "name", "options"
    std::function<Value(const T&)> get;
    std::function<void(T&, const Value&)> set;
  };

  /// Fields of these names, with blanks between; "NAME?" is left out when it has no value. @pre as many as members
  template <class... M>
  FieldList& add(std::string_view names, M T::*... members) {
    const auto next = [&names] {
      const std::string_view name = names.substr(0, names.find(' '));
      names.remove_prefix(std::min(names.size(), name.size() + 1));
      return name;
    };
    (push(next(), members), ...);
    return *this;
  }
  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }
  /// The names of the fields, each followed by those of its own: "dataset", "dataset.id".
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const Field& field : fields_) {
      out.push_back(field.name);
      for (const std::string& inner : field.inner) out.push_back(field.name + "." + inner);
    }
    return out;
  }

 private:
  template <class M>
  void push(std::string_view name, M T::*member) {
    using Codec = FieldCodec<M>;
    fields_.push_back({std::string(name.substr(0, name.find('?'))), name.ends_with('?'), Codec::kHasFields,
                       Codec::names(), [member](const T& object) { return Codec::write(object.*member); },
                       [member](T& object, const Value& v) { static_cast<void>(Codec::read(v, object.*member)); }});
  }
  std::vector<Field> fields_;
};

template <class T>
ValueTable to_table(const T& object) {
  ValueTable out;
  for (const auto& field : T::fields().fields())
    if (Value value = field.get(object); !field.left_out || !value.is_null()) out.set(field.name, std::move(value));
  return out;
}

template <class T>
void read_fields(const ValueTable& table, T& object) {
  for (const auto& field : T::fields().fields())
    if (const Value* value = table.find(field.name)) field.set(object, *value);
}

/// A name and its value in a table, of any type that a field may have.
struct NamedValue {
  template <class T>
  NamedValue(std::string key, const T& v) : name(std::move(key)), value(FieldCodec<T>::write(v)) {}
  NamedValue(std::string key, std::string_view v) : name(std::move(key)), value(std::string(v)) {}
  NamedValue(std::string key, const char* v) : name(std::move(key)), value(v) {}
  std::string name;
  Value value;
};
[[nodiscard]] inline ValueTable value_table(std::initializer_list<NamedValue> fields) {
  ValueTable out;
  for (const NamedValue& field : fields) out.set(field.name, field.value);
  return out;
}

}  // namespace alidade
