#include "experiments/tables/folder_differences.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "experiments/results/rows.hpp"
#include "experiments/statistics/summary.hpp"
#include "experiments/tables/tables.hpp"
#include "problems/core/lists.hpp"

namespace alidade {
namespace {

using Setup = std::pair<std::string, std::string>;             // data set, method
using Repetition = std::pair<std::int64_t, ResultRow::Whole>;  // repeat, fold
using Repetitions = std::map<Repetition, const Row*>;

Setup setup_of(const Row& row) { return {row.dataset.id, row.method}; }

/// Rows with the value, of runs that ended well, by repetition. Where a name stands for several setups, it is added to
/// `several`.
std::map<Setup, Repetitions> rows_with(std::span<const Row> rows, const std::string& value, std::set<Setup>& several) {
  std::map<Setup, Repetitions> out;
  for (const Row& row : rows)
    if (number_field(row, value) && row.ended_well())
      if (!out[setup_of(row)].emplace(Repetition{row.repeat, row.fold}, &row).second) several.insert(setup_of(row));
  return out;
}

std::vector<Setup> setups_of(std::span<const Row> rows) {
  std::vector<Setup> out;
  for (const Row& row : rows) add_new(out, setup_of(row));
  return out;
}

/// Every plain value of some fields, by its path.
std::map<std::string, std::string> facts_of(const Row& row, std::initializer_list<const char*> fields) {
  std::map<std::string, std::string> out;
  for (const char* name : fields)
    if (const Value* value = field(row, name)) flatten(*value, name, out);
  return out;
}

/// By what their files hold where that is known, else by the names of these; and by how they are read.
std::map<std::string, std::string> data_of(const Row& row) {
  auto out = facts_of(row, {"dataset.name", "dataset.options", "dataset.content"});
  if (const auto content = out.extract("dataset.content")) out["dataset.options.file"] = content.mapped();
  return out;
}

std::string both_names(const std::string& first, const std::string& second) {
  return first == second ? first : first + " -> " + second;
}

std::vector<std::string> missing(const std::vector<Setup>& from, const std::vector<Setup>& in) {
  std::vector<std::string> out;
  for (const Setup& setup : from)
    if (!contains(in, setup)) out.push_back(setup.first + ", " + setup.second);
  return out;
}

}  // namespace

void flatten(const Value& value, const std::string& path, std::map<std::string, std::string>& out) {
  const auto below = [&](const std::string& name) { return path.empty() ? name : path + "." + name; };
  if (const auto* table = value.get_if<ValueTable>()) {
    for (const auto& [key, inner] : *table) flatten(inner, below(key), out);
    return;
  }
  const auto* array = value.get_if<ValueArray>();
  const bool tables =
      array && std::ranges::any_of(*array, [](const Value& v) { return v.get_if<ValueTable>() != nullptr; });
  if (!tables) {
    out[path] = value.to_text();
    return;
  }
  for (std::size_t i = 0; i < array->size(); ++i) {
    const ValueTable* table = (*array)[i].get_if<ValueTable>();
    std::string name;
    for (const char* key : {"id", "name"})
      if (name.empty() && table)
        if (const Value* entry = table->find(key)) name = plain_text(*entry);
    const std::string place = name.empty() ? std::to_string(i) : name;
    flatten((*array)[i], array->size() == 1 ? path : path + "[" + place + "]", out);
  }
}

std::vector<std::string> differing_facts(const Row& first, const Row& second) {
  std::vector<std::string> out;
  const auto kParts = {"n",           "triplets",      "heldout_triplets", "problem.name", "problem.options",
                       "solver.name", "solver.options"};
  const auto before = facts_of(first, kParts), after = facts_of(second, kParts);
  for (const auto& [path, value] : before)
    if (const auto other = after.find(path); other != after.end() && other->second != value)
      out.push_back(fmt::format("{}: {} -> {}", path, value, other->second));
  const auto only = [&](const std::vector<std::string>& notes, const std::vector<std::string>& others,
                        const char* folder) {
    for (const std::string& note : notes)
      if (std::ranges::find(others, note) == others.end()) out.push_back(fmt::format("only {}: {}", folder, note));
  };
  const std::vector<std::string> notes = first.notes.value_or(std::vector<std::string>()),
                                 other_notes = second.notes.value_or(std::vector<std::string>());
  only(notes, other_notes, "A");
  only(other_notes, notes, "B");
  return out;
}

std::vector<std::string> differing_parts(const Row& first, const Row& second) {
  std::vector<std::string> out;
  if (data_of(first) != data_of(second)) out.emplace_back("the data");
  const bool told = first.split_digest && second.split_digest;
  if (!told || first.split_digest != second.split_digest) {
    if (first.seed != second.seed) out.emplace_back("the seed");
    if ((told && out.empty()) || first.heldout_triplets != second.heldout_triplets)
      out.emplace_back("the answers held out");
  }
  const auto kMethod = {"problem.name", "problem.options"};
  if (facts_of(first, kMethod) != facts_of(second, kMethod)) out.emplace_back("the method");
  return out;
}

FolderDifferences differences_of(std::span<const Row> first, std::span<const Row> second, const std::string& value,
                                 statistics::PairedTest test) {
  FolderDifferences out;
  const std::vector<Setup> ours = setups_of(first), theirs = setups_of(second);
  out.only_first = missing(ours, theirs);
  out.only_second = missing(theirs, ours);

  std::set<Setup> several;
  auto before = rows_with(first, value, several), after = rows_with(second, value, several);
  for (const auto& [dataset, method] : several) out.of_several_setups.push_back(dataset + ", " + method);
  const bool one_each = ours.size() == 1 && theirs.size() == 1;  // two maps: compared whatever their names
  if (one_each) out.only_first.clear(), out.only_second.clear();
  std::vector<double> p;
  std::vector<std::size_t> tested;
  for (const Setup& setup : ours) {
    const Setup& other_setup = one_each ? theirs.front() : setup;
    if (std::ranges::find(theirs, other_setup) == theirs.end() || several.contains(setup) ||
        several.contains(other_setup))
      continue;
    const Repetitions &a = before[setup], &b = after[other_setup];
    out.left_out[0] += a.size();
    out.left_out[1] += b.size();
    std::vector<double> x, y, changes;
    std::map<std::int64_t, std::pair<std::vector<double>, std::vector<double>>> folds;  // of a repeat: they share data
    const Row *first_row = nullptr, *second_row = nullptr;
    bool other_data = false;
    SplitsOfRuns of_runs;
    for (const auto& [repetition, row] : a)
      if (const auto other = b.find(repetition); other != b.end()) {
        --out.left_out[0], --out.left_out[1];
        out.cut[0] += row->ended_by_time() ? 1 : 0;
        out.cut[1] += other->second->ended_by_time() ? 1 : 0;
        of_runs.add(*row, value);
        auto& [ours_of, theirs_of] = folds[repetition.first];
        ours_of.push_back(*number_field(*row, value));
        theirs_of.push_back(*number_field(*other->second, value));
        const std::vector<std::string> parts = differing_parts(*row, *other->second);
        const bool differ = !parts.empty() && parts.front() != "the method";
        if (!other_data && (differ || a.size() == 1)) first_row = row, second_row = other->second;
        other_data = other_data || differ;
      }
    if (folds.empty()) continue;
    for (const auto& [repeat, values] : folds) {
      x.push_back(statistics::mean(values.first));
      y.push_back(statistics::mean(values.second));
      changes.push_back(y.back() - x.back());
    }
    ValueDifference difference{both_names(setup.first, other_setup.first),
                               both_names(setup.second, other_setup.second),
                               x.size(),
                               statistics::mean(x),
                               statistics::mean(y),
                               0,
                               {},
                               {},
                               other_data,
                               false,
                               first_row,
                               second_row};
    difference.difference = difference.second - difference.first;
    if (other_data) {
      out.values.push_back(std::move(difference));
      continue;
    }
    const bool copies = of_runs.copies(x) && of_runs.copies(y);
    difference.no_sample = changes.size() > 1 && (of_runs.same_answers() || (copies && difference.difference != 0));
    if (changes.size() > 1 && !copies) difference.half_width = statistics::t_half_width(changes, 0.95);
    const auto result = statistics::paired_test(test, x, y);
    if (result.p && changes.size() > 1 && !difference.no_sample) {
      tested.push_back(out.values.size());
      p.push_back(*result.p);
    }
    out.values.push_back(std::move(difference));
  }
  const std::vector<double> corrected = statistics::holm_corrected(p);
  for (std::size_t i = 0; i < tested.size(); ++i) out.values[tested[i]].p = corrected[i];

  std::map<std::string, const Row*> by_id;
  for (const Row& row : first)
    if (!row.run_id.empty()) by_id.emplace(row.run_id, &row);
  for (const Row& row : second)
    if (const auto same = by_id.find(row.run_id); same != by_id.end()) {
      ++out.same_runs;
      if (const std::string field = disagreement(*same->second, row); !field.empty())
        out.disagreeing.push_back(fmt::format("{}, {}, {}: {} is {} and {}", row.dataset.id, row.method,
                                              repetition_text(row), field, text_field(*same->second, field),
                                              text_field(row, field)));
    }
  return out;
}

}  // namespace alidade
