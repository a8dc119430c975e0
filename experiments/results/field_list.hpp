// Field lists: one record per field of a struct writes it, reads it and documents it, as option lists do for options.
// A struct of fields has `static const FieldList<T>& fields()`. Its members may be such structs, lists and optional
// values.
// Example: to_table(row) gives a row as a ValueTable; read_fields(table, row) sets the fields that the table has.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "problems/core/value.hpp"

namespace alidade {

/// What the documents say about a field.
struct FieldInfo {
  std::string group;  // the heading above it
  std::string name;
  std::string summary;               // followed by the meaning of its own fields
  bool has_fields = false;           // fields of its own, "NAME.*"
  std::vector<std::string> inner{};  // their names, with those of their own: "name", "options"
};

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
  static std::string meaning() { return T::fields().meaning(); }
  static std::vector<std::string> names() { return T::fields().names(); }
};

/// Base for kinds of values without fields of their own.
struct WholeValue {
  static constexpr bool kHasFields = false;
  static std::string meaning() { return ""; }
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
  static std::string meaning() { return FieldCodec<T>::meaning(); }
  static std::vector<std::string> names() { return FieldCodec<T>::names(); }
};
template <class T>
struct FieldCodec<std::vector<T>> {
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
  static constexpr bool kHasFields = false;
  static std::string meaning() { return FieldCodec<T>::meaning(); }
  static std::vector<std::string> names() { return {}; }
};
/// Values with their own names.
template <class T>
struct FieldCodec<std::vector<std::pair<std::string, T>>> {
  static constexpr bool kHasFields = true;
  static std::string meaning() { return ""; }
  static std::vector<std::string> names() { return {}; }
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
    FieldInfo info;
    bool left_out;  // when it has no value; otherwise written as null
    std::function<Value(const T&)> get;
    std::function<void(T&, const Value&)> set;
  };

  /// The heading of the fields that follow.
  FieldList& group(std::string heading) {
    group_ = std::move(heading);
    return *this;
  }
  /// `summary` "": shares the next field's.
  template <class M>
  FieldList& add(std::string name, M T::*member, std::string summary) {
    return push(std::move(name), member, std::move(summary), false);
  }
  /// A field that is left out when it has no value.
  template <class M>
  FieldList& where_any(std::string name, M T::*member, std::string summary) {
    return push(std::move(name), member, std::move(summary), true);
  }

  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }
  [[nodiscard]] std::vector<FieldInfo> infos() const {
    std::vector<FieldInfo> out;
    for (const Field& field : fields_) out.push_back(field.info);
    return out;
  }
  /// The names of the fields, each followed by those of its own: "dataset", "dataset.id".
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const Field& field : fields_) {
      out.push_back(field.info.name);
      for (const std::string& inner : field.info.inner) out.push_back(field.info.name + "." + inner);
    }
    return out;
  }
  /// "`count`: how many; `max`, `sum`: by how much".
  [[nodiscard]] std::string meaning() const {
    std::string out, waiting;
    for (const Field& field : fields_) {
      waiting += (waiting.empty() ? "`" : ", `") + field.info.name + "`";
      if (field.info.summary.empty()) continue;
      out += (out.empty() ? "" : "; ") + waiting + ": " + field.info.summary;
      waiting.clear();
    }
    return out;
  }

 private:
  template <class M>
  FieldList& push(std::string name, M T::*member, std::string summary, bool left_out) {
    using Codec = FieldCodec<M>;
    if (const std::string inner = Codec::meaning(); !inner.empty() && !summary.empty()) summary += ". " + inner;
    fields_.push_back({{group_, std::move(name), std::move(summary), Codec::kHasFields, Codec::names()},
                       left_out,
                       [member](const T& object) { return Codec::write(object.*member); },
                       [member](T& object, const Value& v) { static_cast<void>(Codec::read(v, object.*member)); }});
    return *this;
  }

  std::string group_;
  std::vector<Field> fields_;
};

template <class T>
ValueTable to_table(const T& object) {
  ValueTable out;
  for (const auto& field : T::fields().fields())
    if (Value value = field.get(object); !field.left_out || !value.is_null())
      out.set(field.info.name, std::move(value));
  return out;
}

template <class T>
void read_fields(const ValueTable& table, T& object) {
  for (const auto& field : T::fields().fields())
    if (const Value* value = table.find(field.info.name)) field.set(object, *value);
}

}  // namespace alidade
