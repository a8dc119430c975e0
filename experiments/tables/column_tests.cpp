#include "experiments/tables/tables.hpp"

#include <fmt/core.h>
#include <sentences/tables.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "experiments/files/counted.hpp"
#include "experiments/files/notes.hpp"
#include "problems/core/lists.hpp"

namespace alidade {
namespace {

void compare_with_reference(ComparisonTable& table, std::size_t col, std::size_t reference_row) {
  const SignificanceRequest& request = *table.request.significance;
  const std::size_t cols = table.col_keys.size();
  const Cell& reference = table.cell(reference_row, col);
  std::vector<Comparison*> tested;
  std::vector<double> p;
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
    Cell& cell = table.cells[r * cols + col];
    if (r == reference_row || cell.samples.empty()) continue;
    const PairedValues values = paired_values(cell, reference);
    Comparison& comparison = cell.comparison.emplace();
    comparison.test = statistics::paired_test(request.test, values.cell, values.reference);
    if (!values.cell.empty())
      comparison.difference = statistics::mean(values.cell) - statistics::mean(values.reference);
    const bool equal = comparison.test.equal == comparison.test.pairs;
    if (values.same_answers || (values.copies && !equal)) comparison.test.p.reset();
    if (!comparison.test.p) continue;
    tested.push_back(&comparison);
    p.push_back(*comparison.test.p);
  }
  const std::vector<double> corrected = statistics::holm_corrected(p);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->corrected = corrected[i];
    tested[i]->different = corrected[i] <= request.alpha;
  }
  // The means that are shown leave out what a third row lacks; all pairs may tell the contrary.
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
    Cell& cell = table.cells[r * cols + col];
    if (!cell.comparison || !cell.comparison->different || table.request.differences) continue;
    cell.comparison->contrary = cell.comparison->difference * (cell.mean - reference.mean) < 0;
    if (!cell.comparison->contrary) continue;
    cell.comparison->different = false;
    cell.comparison->test.p.reset();
    cell.comparison->corrected.reset();
  }
  const bool any_can = tests_of(table, col).conclusive();
  const std::size_t least_pairs =
      request.test == statistics::PairedTest::wilcoxon ? statistics::fewest_pairs_for_wilcoxon(request.alpha) : 0;
  for (Comparison* comparison : tested) comparison->conclusive = any_can && comparison->test.pairs >= least_pairs;
  if (!request.baseline.empty()) return;
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
    Cell& cell = table.cells[r * cols + col];
    cell.tied = !cell.best && cell.comparison && cell.comparison->corrected && !cell.comparison->different &&
                cell.comparison->conclusive;
  }
}

// Notes on limits of the tests: too few pairs to find a difference, or no basis for a test.
void note_limits(ComparisonTable& table) {
  const SignificanceRequest& request = *table.request.significance;
  std::size_t without_reference = 0, fruitless = 0, fewest = 0, most_comparisons = 0, columns = 0;
  std::size_t same_differences = 0, unpaired = 0, contrary = 0;
  for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
    if (!table.references[c]) {
      ++without_reference;
      continue;
    }
    ++columns;
    for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
      const auto& comparison = table.cell(r, c).comparison;
      if (comparison && !comparison->test.p && !table.cell(r, c).same_answers)  // of which a note tells
        ++(comparison->contrary ? contrary : comparison->test.pairs < 2 ? unpaired : same_differences);
    }
    const ColumnTests tests = tests_of(table, c);
    if (tests.comparisons == 0 || tests.conclusive()) continue;
    ++fruitless;
    fewest = fewest == 0 ? tests.pairs : std::min(fewest, tests.pairs);
    most_comparisons = std::max(most_comparisons, tests.comparisons);
  }
  if (without_reference > 0)
    add_note(table.test_notes, "{} of {} columns {} not tested: {}.", without_reference, table.col_keys.size(),
             without_reference == 1 ? "was" : "were",
             request.baseline.empty() ? words::kNoBestMethod : "the baseline has no value there");
  if (fruitless > 0) {
    const std::string one = table.request.over == "repeat" ? "repeat" : "pair", over = one + "s";
    const bool by_baseline = !request.baseline.empty();
    add_note(table.test_notes, words::kTestFindsNothing,
             fruitless == columns ? std::string("Nothing")
                                  : fmt::format("In {} of {} tested columns nothing", fruitless, columns),
             by_baseline ? " as better or worse" : "", fewest, fewest == 1 ? one : over,
             std::min(1.0, std::ldexp(1.0, 1 - static_cast<int>(fewest))), most_comparisons,
             most_comparisons == 1 ? "" : "s", request.alpha / static_cast<double>(most_comparisons),
             statistics::fewest_pairs_for_wilcoxon(request.alpha / static_cast<double>(most_comparisons)), over);
  }
  if (unpaired > 0) add_note(table.test_notes, words::kUnpaired, unpaired, table.request.over);
  if (contrary > 0)
    add_note(table.test_notes, words::kContraryPairs, counted(contrary, "comparison is", "comparisons are"));
  if (same_differences > 0) add_note(table.test_notes, words::kEqualDifferences, same_differences);
}

}  // namespace

Sample averaged(Sample sample) {
  sample.value = 0;
  for (const auto& [source, value] : sample.runs) sample.value += value;
  sample.value /= static_cast<double>(sample.runs.size());
  return sample;
}

std::size_t run_count(std::span<const Sample> samples) {
  std::size_t out = 0;
  for (const Sample& sample : samples) out += sample.runs.size();
  return out;
}

std::vector<double> sample_values(std::span<const Sample> samples) { return mapped(samples, &Sample::value); }

const Sample* sample_of(const Cell& cell, const std::string& over) {
  const auto found = std::ranges::find(cell.all, over, &Sample::over);
  return found == cell.all.end() ? nullptr : &*found;
}

std::vector<Sample> alike(std::vector<Sample> samples) {
  const auto source = [](const auto& run) -> const std::string& { return run.first; };
  std::map<std::string, std::size_t> having;
  for (const Sample& sample : samples) {
    std::set<std::string> own;
    std::ranges::transform(sample.runs, std::inserter(own, own.end()), source);
    for (const std::string& of : own) ++having[of];
  }
  for (Sample& sample : samples) {
    std::erase_if(sample.runs, [&](const auto& run) { return having[run.first] < samples.size(); });
    if (sample.runs.empty()) return {};
    sample = averaged(std::move(sample));
  }
  return samples;
}

std::vector<Sample> shared_samples(const Cell& cell, const Cell& other) {
  std::vector<Sample> out;
  for (const Sample& sample : cell.all)
    if (const Sample* partner = sample_of(other, sample.over))
      if (std::vector<Sample> both = alike({sample, *partner}); !both.empty()) out.push_back(std::move(both.front()));
  return out;
}

PairedValues paired_values(const Cell& cell, const Cell& reference) {
  const std::vector<Sample> ours = shared_samples(cell, reference), theirs = shared_samples(reference, cell);
  return {sample_values(ours), sample_values(theirs),
          run_count(cell.all) + run_count(reference.all) - run_count(ours) - run_count(theirs),
          cell.same_answers || reference.same_answers, cell.copies && reference.copies};
}

void test_columns(ComparisonTable& table) {
  const SignificanceRequest& request = *table.request.significance;
  table.references.assign(table.col_keys.size(), std::nullopt);
  std::optional<std::size_t> baseline;
  if (!request.baseline.empty()) baseline = row_named(key_names(table.row_keys), request.baseline);
  for (std::size_t c = 0; c < table.col_keys.size(); ++c) {
    for (std::size_t r = 0; r < table.row_keys.size() && !table.references[c]; ++r) {
      const Cell& cell = table.cell(r, c);
      if (baseline ? r == *baseline && !cell.samples.empty() : cell.best) table.references[c] = r;
    }
    if (table.references[c]) compare_with_reference(table, c, *table.references[c]);
  }
  note_limits(table);
}

ColumnTests tests_of(const ComparisonTable& table, std::size_t col) {
  ColumnTests out;
  if (!table.request.significance) return out;
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
    const auto& comparison = table.cell(r, col).comparison;
    if (!comparison || !comparison->test.p) continue;
    out.fewest_pairs =
        out.comparisons == 0 ? comparison->test.pairs : std::min(out.fewest_pairs, comparison->test.pairs);
    out.pairs = std::max(out.pairs, comparison->test.pairs);
    ++out.comparisons;
  }
  const SignificanceRequest& request = *table.request.significance;
  if (out.comparisons > 0 && request.test == statistics::PairedTest::wilcoxon)
    out.needed = statistics::fewest_pairs_for_wilcoxon(request.alpha / static_cast<double>(out.comparisons));
  return out;
}

bool marks_best(const ComparisonTable& table, std::size_t col) {
  bool alone = false, compared = false;
  for (std::size_t r = 0; r < table.row_keys.size(); ++r) {
    const Cell& cell = table.cell(r, col);
    if (cell.comparison && cell.comparison->contrary) return false;
    (cell.compared ? compared : alone) |= !cell.samples.empty();
  }
  if (alone && !compared) return false;
  if (!table.request.significance || !table.request.significance->baseline.empty()) return true;
  const ColumnTests tests = tests_of(table, col);
  return tests.comparisons == 0 || tests.conclusive();
}

}  // namespace alidade
