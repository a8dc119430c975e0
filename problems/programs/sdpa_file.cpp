#include "problems/programs/sdpa_file.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/printable.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

/// Characters that SDPA's own files put between numbers.
constexpr std::string_view kBetween = " \t\r,(){}";
constexpr std::size_t kShown = 40;  // bytes of a word in a message

/// The text line by line, and each line word by word.
class Words {
 public:
  Words(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  /// The next line; false at the end.
  bool next_line() {
    if (rest_.empty()) return false;
    const auto end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    ++number_;
    return true;
  }
  /// The next word of the line; "" at its end.
  std::string_view word() {
    const auto begin = line_.find_first_not_of(kBetween);
    line_.remove_prefix(begin == line_.npos ? line_.size() : begin);
    const auto end = std::min(line_.find_first_of(kBetween), line_.size());
    const std::string_view out = line_.substr(0, end);
    line_.remove_prefix(end);
    return out;
  }
  /// The next word, of this line or a later one. @throws DataError at the end of the text
  std::string_view word_anywhere(std::string_view what) {
    for (std::string_view out = word();; out = word()) {
      if (!out.empty()) return out;
      if (!next_line()) fail("ends before {}", what);
    }
  }
  [[nodiscard]] std::string_view line() const { return line_; }

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) const {
    throw DataError(fmt::format("{}: {}.", at_line(file_, std::max<std::size_t>(number_, 1)),
                                printable(fmt::format(text, std::forward<Args>(args)...))));
  }

  [[nodiscard]] Index whole(std::string_view word, std::string_view what) const {
    std::string_view digits = word;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    Index out = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.starts_with("+-"))
      fail("{} must be a whole number, not '{}'", what, word.substr(0, kShown));
    return out;
  }
  [[nodiscard]] double number(std::string_view word, std::string_view what) const {
    const std::optional<double> out = parse_double(word);
    if (!out) fail("{} must be a number, not '{}'", what, word.substr(0, kShown));
    if (!std::isfinite(*out)) fail("{} is {}, but numbers must be finite", what, word.substr(0, kShown));
    return *out;
  }

 private:
  std::string_view rest_, line_;
  const std::string& file_;
  std::size_t number_ = 0;
};

/// The whole number at the beginning of the next line with any word; the rest of the line is a remark.
Index header(Words& words, std::string_view what) {
  const Index out = words.whole(words.word_anywhere(what), what);
  while (!words.word().empty()) {
  }
  return out;
}

}  // namespace

SemidefiniteProgram parse_sdpa(std::string_view text, const std::string& file) {
  Words words(text, file);
  do {  // remarks
    if (!words.next_line()) words.fail("ends before the number of constraints");
  } while (words.line().starts_with('"') || words.line().starts_with('*'));
  const Index rows = header(words, "the number of constraints");
  if (rows < 1) words.fail("the number of constraints is {}, but a program needs at least one", rows);
  const Index blocks = header(words, "the number of blocks");
  if (blocks < 1) words.fail("the number of blocks is {}, but a program needs at least one", blocks);

  SemidefiniteProgram out;
  for (Index b = 0; b < blocks; ++b) {
    const std::string what = fmt::format("the size of block {} of {}", b + 1, blocks);
    const Index size = words.whole(words.word_anywhere(what), what);
    if (size == 0) words.fail("{} is 0, but a block needs at least one row", what);
    if (size < -(Index{1} << 40) || size > (Index{1} << 40))
      words.fail("{} is {}, more than fits in memory", what, size);
    out.blocks.push_back({"", std::abs(size), size < 0});
  }
  while (!words.word().empty()) {  // a remark may end the line of sizes
  }
  for (Index r = 0; r < rows; ++r) {
    const std::string what = fmt::format("the right side of constraint {} of {}", r + 1, rows);
    SemidefiniteConstraint row;
    row.bound = words.number(words.word_anywhere(what), what);
    out.constraints.push_back(std::move(row));
  }
  if (const auto more = words.word(); !more.empty())
    words.fail("'{}' follows the last of {} right sides", more.substr(0, kShown), rows);

  std::map<std::tuple<Index, Index, Index, Index>, char> seen;
  while (words.next_line()) {
    const std::string_view first = words.word();
    if (first.empty()) continue;
    const Index matrix = words.whole(first, "the matrix of an entry");
    const auto field = [&](std::string_view what) {
      const std::string_view word = words.word();
      if (word.empty()) words.fail("an entry needs matrix, block, row, column and value, but {} is missing", what);
      return word;
    };
    const Index block = words.whole(field("the block"), "the block of an entry");
    Index row = words.whole(field("the row"), "the row of an entry");
    Index col = words.whole(field("the column"), "the column of an entry");
    const double value = words.number(field("the value"), "the value of an entry");
    if (const auto more = words.word(); !more.empty())
      words.fail("'{}' follows an entry, but an entry has only five numbers", more.substr(0, kShown));
    if (matrix < 0 || matrix > rows)
      words.fail("matrix {} does not exist; matrices are 0 (the objective) to {}", matrix, rows);
    if (block < 1 || block > blocks) words.fail("block {} does not exist; blocks are 1 to {}", block, blocks);
    const SemidefiniteBlock& shape = out.blocks[static_cast<std::size_t>(block - 1)];
    if (row < 1 || row > shape.size || col < 1 || col > shape.size)
      words.fail("block {} has rows and columns 1 to {}; there is no ({}, {})", block, shape.size, row, col);
    if (shape.diagonal && row != col) words.fail("block {} is diagonal and has no entry ({}, {})", block, row, col);
    if (row > col) std::swap(row, col);
    if (!seen.emplace(std::tuple(matrix, block, row, col), '\0').second)
      words.fail("the entry ({}, {}) of block {} of matrix {} is given a second time", row, col, block, matrix);
    if (value == 0) continue;
    auto& entries = matrix == 0 ? out.cost : out.constraints[static_cast<std::size_t>(matrix - 1)].entries;
    entries.push_back({block - 1, row - 1, col - 1, matrix == 0 ? -value : value});
  }
  for (std::size_t r = 0; r < out.constraints.size(); ++r)
    if (out.constraints[r].entries.empty()) words.fail("ends, but constraint {} has no entry other than 0", r + 1);
  return out;
}

SemidefiniteProgram read_sdpa_file(const std::filesystem::path& path) {
  std::error_code failed;
  require<DataError>(!std::filesystem::is_directory(path, failed), "{} is a folder. Name an SDPA file.", path.string());
  std::ifstream in(path, std::ios::binary);
  require<DataError>(in.is_open(), "Cannot open {}. Check its name and that you may read it.", path.string());
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  require<DataError>(!in.bad(), "Cannot read {} to its end. Check its disk.", path.string());
  return parse_sdpa(text, path.string());
}

std::string to_sdpa(const SemidefiniteProgram& program) {
  require_valid(program);
  const SemidefiniteProgram form = equality_form(program).program;
  std::string out = fmt::format("{}\n{}\n", form.constraints.size(), form.blocks.size());
  for (const SemidefiniteBlock& block : form.blocks)
    out += fmt::format("{}{}", &block == &form.blocks.front() ? "" : " ", block.diagonal ? -block.size : block.size);
  out += '\n';
  for (const SemidefiniteConstraint& row : form.constraints)
    out += fmt::format("{}{}", &row == &form.constraints.front() ? "" : " ", shortest(row.bound));
  out += '\n';
  const auto write = [&](std::size_t matrix, const std::vector<SymmetricEntry>& entries, double sign) {
    for (const SymmetricEntry& e : entries)
      if (e.value != 0)
        out += fmt::format("{} {} {} {} {}\n", matrix, e.block + 1, e.row + 1, e.col + 1, shortest(sign * e.value));
  };
  write(0, form.cost, -1);
  for (std::size_t r = 0; r < form.constraints.size(); ++r) write(r + 1, form.constraints[r].entries, 1);
  return out;
}

}  // namespace alidade
