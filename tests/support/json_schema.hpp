// Checks a value against a JSON Schema: the keywords of draft 7 that config_schema() uses, and no other.
// Whole reals are integers, as draft 7 has it. A keyword that is not known here fails the check, so that none is
// overlooked. For tests: slow, recursive, and only `#/definitions/NAME` is followed.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "problems/core/options.hpp"
#include "problems/core/value.hpp"

namespace alidade::testing {

class JsonSchema {
 public:
  explicit JsonSchema(ValueTable schema) : root_(std::move(schema)) {}

  /// Why `value` does not fit, with its path; nothing where it does.
  [[nodiscard]] std::optional<std::string> complaint(const Value& value) const { return check(value, root_, "$"); }

 private:
  using Complaint = std::optional<std::string>;

  static bool is_type(const Value& value, std::string_view type) {
    if (type == "object") return value.get_if<ValueTable>() != nullptr;
    if (type == "array") return value.get_if<ValueArray>() != nullptr;
    if (type == "string") return value.get_if<std::string>() != nullptr;
    if (type == "boolean") return value.get_if<bool>() != nullptr;
    const auto* real = value.get_if<double>();
    if (type == "number") return real || value.get_if<std::int64_t>();
    if (type == "integer") return value.get_if<std::int64_t>() || (real && *real == std::floor(*real));
    return false;
  }
  static bool same(const Value& a, const Value& b) { return a == b; }

  Complaint check(const Value& value, const ValueTable& schema, const std::string& path) const {
    for (const auto& [keyword, asked] : schema)
      if (Complaint out = check_keyword(value, schema, keyword, asked, path)) return out;
    return std::nullopt;
  }

  Complaint check_keyword(const Value& value, const ValueTable& schema, const std::string& keyword, const Value& asked,
                          const std::string& path) const {
    const auto refuse = [&](const std::string& why) { return Complaint(path + ": " + why); };
    const auto* table = value.get_if<ValueTable>();
    const auto* list = value.get_if<ValueArray>();
    if (keyword == "$schema" || keyword == "title" || keyword == "description" || keyword == "default" ||
        keyword == "definitions" || keyword == "then")
      return std::nullopt;
    if (keyword == "$ref") {
      if (schema.size() != 1) return refuse("a $ref with something beside it");
      const std::string name = asked.get_if<std::string>()->substr(std::string("#/definitions/").size());
      const Value* definition = root_.find("definitions")->get_if<ValueTable>()->find(name);
      if (!definition) return refuse("no definition " + name);
      return check(value, *definition->get_if<ValueTable>(), path);
    }
    if (keyword == "type") {
      if (const auto* one = asked.get_if<std::string>())
        return is_type(value, *one) ? std::nullopt : refuse(value.to_text() + " is not of type " + *one);
      for (const Value& type : *asked.get_if<ValueArray>())
        if (is_type(value, *type.get_if<std::string>())) return std::nullopt;
      return refuse(value.to_text() + " is of none of the types " + asked.to_text());
    }
    if (keyword == "enum") {
      for (const Value& allowed : *asked.get_if<ValueArray>())
        if (same(allowed, value)) return std::nullopt;
      return refuse(value.to_text() + " is none of " + asked.to_text());
    }
    if (keyword == "const") return same(asked, value) ? std::nullopt : refuse("not " + asked.to_text());
    if (keyword == "anyOf") {
      std::string all;
      for (const Value& option : *asked.get_if<ValueArray>()) {
        const Complaint no = check(value, *option.get_if<ValueTable>(), path);
        if (!no) return std::nullopt;
        all += (all.empty() ? "" : "; or ") + *no;
      }
      return Complaint(all);
    }
    if (keyword == "allOf") {
      for (const Value& part : *asked.get_if<ValueArray>())
        if (Complaint out = check(value, *part.get_if<ValueTable>(), path)) return out;
      return std::nullopt;
    }
    if (keyword == "if") {
      if (check(value, *asked.get_if<ValueTable>(), path)) return std::nullopt;
      return check(value, *schema.find("then")->get_if<ValueTable>(), path);
    }
    if (keyword == "minItems")
      return list && list->size() < static_cast<std::size_t>(*asked.get_if<std::int64_t>()) ? refuse("too short a list")
                                                                                            : std::nullopt;
    if (keyword == "items") {
      if (list)
        for (std::size_t i = 0; i < list->size(); ++i)
          if (Complaint out = check((*list)[i], *asked.get_if<ValueTable>(), path + "." + std::to_string(i)))
            return out;
      return std::nullopt;
    }
    if (keyword == "required") {
      if (table)
        for (const Value& key : *asked.get_if<ValueArray>())
          if (!table->find(*key.get_if<std::string>())) return refuse("no " + key.to_text());
      return std::nullopt;
    }
    if (keyword == "properties") {
      if (table)
        for (const auto& [key, property] : *asked.get_if<ValueTable>())
          if (const Value* own = table->find(key))
            if (Complaint out = check(*own, *property.get_if<ValueTable>(), path + "." + key)) return out;
      return std::nullopt;
    }
    if (keyword == "additionalProperties") {
      if (asked != Value(false)) return refuse("additionalProperties is not known to be other than false");
      if (table)
        for (const auto& [key, own] : *table)
          if (!schema.find("properties")->get_if<ValueTable>()->find(key))
            return refuse("no key '" + key + "' is known");
      return std::nullopt;
    }
    if (!value.get_if<double>() && !value.get_if<std::int64_t>() &&
        (keyword == "minimum" || keyword == "maximum" || keyword == "exclusiveMinimum" ||
         keyword == "exclusiveMaximum"))
      return std::nullopt;
    const double bound = asked.number().value_or(0);
    bool in = false;
    if (keyword == "minimum")
      in = value.number().value() >= bound;
    else if (keyword == "maximum")
      in = value.number().value() <= bound;
    else if (keyword == "exclusiveMinimum")
      in = value.number().value() > bound;
    else if (keyword == "exclusiveMaximum")
      in = value.number().value() < bound;
    else
      return refuse("the check does not know the keyword " + keyword);
    return in ? std::nullopt : refuse(value.to_text() + " is beyond the " + keyword + " " + asked.to_text());
  }

  ValueTable root_;
};

}  // namespace alidade::testing
