// Fields of a typed row by their names in runs.jsonl, as `alidade table` finds them.
#pragma once

#include "experiments/results/rows.hpp"

namespace alidade {

inline std::optional<double> number_field(const ResultRow& row, std::string_view dotted) {
  return number_field(to_table(row), dotted);
}
inline std::string text_field(const ResultRow& row, std::string_view dotted) {
  return text_field(to_table(row), dotted);
}
/// Whether it is there, and null.
inline bool is_null_field(const ResultRow& row, std::string_view dotted) {
  const ValueTable table = to_table(row);
  const Value* value = field(table, dotted);
  return value != nullptr && value->is_null();
}

}  // namespace alidade
