// Claims about results: what a paper or a study says, and whether rows of results bear it out, by a rule.
// Tests are those of comparison tables (statistics/paired_tests.hpp, Holm's correction within a column). A claim about
// several columns must hold in each of them, so it needs no correction over columns (Berger 1982).
// Example: {rule = "better", method = "A", than = ["B"], cols = "dataset"} holds if A is significantly better than B on
// every data set, does not hold if it is significantly worse on one, and can not be told otherwise.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/files/text_grid.hpp"
#include "experiments/statistics/paired_tests.hpp"
#include "problems/core/options.hpp"
#include "problems/core/value.hpp"

namespace alidade {

/// One [[claim]] of a file. Fields are those of rows.hpp.
struct Claim {
  TextPosition at;
  std::string name, paper, figure, says, published, results;
  std::string rule;
  std::vector<std::string> where;  // conditions of row_filter.hpp
  std::string rows = "method", cols, value, over = "repeat", better, test = "wilcoxon";
  double alpha = 0.05, confidence = 0.95;
  std::string method, size;
  std::vector<std::string> than, order;
  std::optional<double> equals, at_least, at_most, widest;
  double margin = 0;
};

/// The keys of a claim.
[[nodiscard]] const OptionList<Claim>& claim_keys();

/// @throws DataError if the file cannot be read; ConfigError "file:line:column: ..." for an unknown key, a rule without
/// its keys or with another's, and two claims of one name
[[nodiscard]] std::vector<Claim> read_claims(const std::filesystem::path& file);

/// not_run: there are no results of the claim's configuration.
enum class Verdict { holds, does_not_hold, can_not_be_told, not_run };
[[nodiscard]] std::string_view to_string(Verdict verdict);

struct Judgement {
  Verdict verdict = Verdict::can_not_be_told;
  std::string evidence = {};  // one line: values, intervals, p
  std::size_t repeats = 0;    // fewest that a comparison has
  /// About how many further repeats would tell, with a power of 80 %, if the difference and its spread are those seen;
  /// nothing if none would, or if it is told. At most kMostRepeats, which stands for "as many or more".
  std::optional<std::size_t> more_repeats = {};
};
constexpr std::size_t kMostRepeats = 10'000;

/// Judges a claim by rows of its results.
/// @throws ConfigError with the place of the claim for a field, condition or method that no row has, and for a method
/// of which a repetition has several setups
[[nodiscard]] Judgement judge(const Claim& claim, std::span<const ValueTable> rows);

/// One line per claim. @pre as many judgements as claims; markdown or csv
[[nodiscard]] std::string to_text(std::span<const Claim> claims, std::span<const Judgement> judgements,
                                  TableFormat format);

}  // namespace alidade
