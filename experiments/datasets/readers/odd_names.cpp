#include "experiments/datasets/readers/odd_names.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "experiments/datasets/readers/missing_values.hpp"
#include "experiments/datasets/readers/name_table.hpp"
#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/files/text_grid.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

constexpr std::size_t kShown = 10;

std::string in_quotes(std::string_view name) { return fmt::format("'{}'", shown(name)); }

/// Names that are codes of missing values: among texts each of them, among numbers those that lie far from the others.
std::vector<std::string> codes_among(std::span<const std::string> names) {
  std::vector<double> numbers;
  for (const std::string& name : names)
    if (const auto value = parse_double(name)) numbers.push_back(*value);
  const auto is_text = [&] { return 2 * numbers.size() < names.size(); };
  std::vector<double> codes = suspected_codes(numbers);
  if (is_text()) {
    codes = std::move(numbers);
    std::erase_if(codes, [](double value) { return !is_code(value); });
  }
  std::vector<std::string> out;
  for (const std::string& name : names)
    if (const auto value = parse_double(name); value && std::ranges::find(codes, *value) != codes.end())
      out.push_back(in_quotes(name));
  return out;
}

}  // namespace

bool marks_missing(std::string_view text) {
  constexpr std::array<std::string_view, 15> kMarks = {"",     "?",    "-",   "--",   ".",    "na",  "<na>", "n/a",
                                                       "n.a.", "#n/a", "nan", "null", "none", "\\n", "nat"};
  constexpr std::size_t kLongest = 40;  // with blanks around it
  return text.size() <= kLongest && std::ranges::find(kMarks, lower_ascii(trim(text))) != kMarks.end();
}

bool lacks_category(std::string_view text) { return marks_missing(text) && text != "none"; }

std::vector<std::string> notes_on_names(std::span<const std::string> names, bool can_merge) {
  std::vector<std::string> missing, formulas, out;
  for (const std::string& name : names) {
    if (marks_missing(name)) missing.push_back(in_quotes(name));
    if (is_formula(name)) formulas.push_back(in_quotes(name));
  }
  std::ranges::move(codes_among(names), std::back_inserter(missing));
  if (!missing.empty()) {
    const bool one = missing.size() == 1;
    out.push_back(fmt::format("{} {} on the map, but often {} a missing value. If {}, remove the rows that have {}.",
                              join_some(std::move(missing), kShown, ", "), one ? "is an object" : "are objects",
                              one ? "marks" : "mark", one ? "it does" : "they do", one ? "it" : "them"));
  }
  std::ranges::move(notes_on_likeness(names, "object", can_merge), std::back_inserter(out));
  if (!formulas.empty()) {
    const bool one = formulas.size() == 1;
    out.push_back(fmt::format(
        "A spreadsheet takes {} for {}. Before you open a CSV file of this map in one, rename {}, or import "
        "the names as text.",
        join_some(std::move(formulas), kShown, ", "), one ? "a formula" : "formulas", one ? "it" : "them"));
  }
  return out;
}

}  // namespace alidade::datasets
