// Which rows of a file of answers are read, by conditions on its columns: "phase=test, status!=bad".
// As in `table --where`: several "=" conditions on one column are alternatives; all other conditions must hold together.
// An empty value is an empty field. Equal numbers are equal (1 and 1.0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::datasets {

class AnswerRows {
 public:
  /// Of the columns that `header` names; `place` begins messages about them.
  /// @throws ConfigError on a condition that is none, DataError on a column that the header lacks.
  AnswerRows(std::string_view conditions, std::span<const std::string_view> header, const std::string& place);

  /// Whether a row meets all conditions. @pre it has as many fields as the header.
  [[nodiscard]] bool keeps(std::span<const std::string_view> fields);
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  /// Call after the last row. @throws DataError naming `file` on a value that its column never has, with those it has.
  void require_known_values(const std::string& file) const;

 private:
  struct Condition {
    std::size_t column;
    std::string name;
    bool equal;
    std::vector<std::string> values;
    std::vector<std::uint64_t> counts;     // rows, one per value
    std::vector<std::string> others = {};  // some values that no alternative names
  };
  std::vector<Condition> conditions_;
  std::uint64_t left_out_ = 0;
};

}  // namespace alidade::datasets
