// Claims about results: what a paper or a study says, and whether rows of results bear it out, by a rule.
// Tests are those of comparison tables (statistics/paired_tests.hpp). A claim about several columns must hold in each,
// which needs no correction over columns (Berger 1982), only Holm's within a column. Whatever is said against it,
// and of a part of its columns, is corrected by Holm over all its comparisons: of many columns one differs by chance.
// Example: {rule = "better", method = "A", than = ["B"], cols = "dataset"} holds if A is significantly better than B on
// every data set, holds in part if it is so on some, does not hold if it is significantly worse on one and better on
// none, and can not be told otherwise.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  bool ours = false;                    // not the paper's claim but one about our own methods
  std::string tried, earlier, changed;  // to make it hold; its verdict before, and what has changed since
  std::string rule;
  std::vector<std::string> where;  // conditions of rows.hpp
  std::string rows = "method", cols, value, over = "repeat", better, test = "wilcoxon";
  double alpha = 0.05, confidence = 0.95;
  std::string method, size;
  std::vector<std::string> than, order;
  std::optional<double> equals, at_least, at_most, widest, margin;
  bool each_step = false;
};

/// The keys of a claim.
[[nodiscard]] const OptionList<Claim>& claim_keys();

/// @throws DataError if the file cannot be read; ConfigError "file:line:column: ..." for an unknown key, a rule without
/// its keys or with another's, and two claims of one name
[[nodiscard]] std::vector<Claim> read_claims(const std::filesystem::path& file);

/// not_reached: a published number lies outside the interval. not_run: there are no results of the claim's
/// configuration.
enum class Verdict { holds, holds_in_part, does_not_hold, not_reached, can_not_be_told, not_run };
inline constexpr std::array<std::string_view, 6> kVerdictNames = {
    "holds", "holds in part", "does not hold", "paper's figure not reached", "can not be told", "not run"};
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

/// The field of a row that names the instruction set of the machine that made it. Where the rows have several, a claim
/// is judged on each, and can not be told where they disagree.
inline constexpr std::string_view kInstructionSet = "machine.instruction_set";

/// Judges a claim by rows of its results.
/// @throws ConfigError with the place of the claim for a field, condition or method that no row has, and for a method
/// of which a repetition has several setups
[[nodiscard]] Judgement judge(const Claim& claim, std::span<const Row> rows);

/// One line per claim. @pre here and below: as many judgements as claims; markdown or csv
[[nodiscard]] std::string to_text(std::span<const Claim> claims, std::span<const Judgement> judgements,
                                  TableFormat format);
/// How many claims of each paper hold, hold in part and so on, those about our own methods apart, in Markdown.
[[nodiscard]] std::string summary_text(std::span<const Claim> claims, std::span<const Judgement> judgements);
/// The claims that had a verdict before: that one, the one of now, and what has changed, in Markdown.
[[nodiscard]] std::string changes_text(std::span<const Claim> claims, std::span<const Judgement> judgements);

}  // namespace alidade
