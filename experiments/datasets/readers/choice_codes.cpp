#include "experiments/datasets/readers/choice_codes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "experiments/datasets/readers/odd_names.hpp"
#include "problems/core/text.hpp"

namespace alidade::datasets {
namespace {

bool is_code_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// A code at `at`, such as "1 =", "(1)", "1)", "1:" or "1."; where its choice begins, or npos.
struct CodeAt {
  std::string code;
  std::size_t choice = std::string_view::npos;
};
CodeAt code_at(std::string_view text, std::size_t at) {
  const auto blanks = [&](std::size_t& from) {
    while (from < text.size() && text[from] == ' ') ++from;
  };
  if (at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0 || text[at - 1] == '.')) return {};
  const bool bracket = text[at] == '(' || text[at] == '[';
  std::size_t end = at + (bracket ? 1 : 0);
  const std::size_t first = end;
  while (end < text.size() && end < first + 3 && is_code_digit(text[end])) ++end;
  if (end == first) return {};
  CodeAt out{std::string(text.substr(first, end - first))};
  if (bracket) {
    if (end == text.size() || (text[end] != ')' && text[end] != ']')) return {};
    out.choice = end + 1;
    return out;
  }
  blanks(end);
  if (end == text.size() || std::string_view("=:).").find(text[end]) == std::string_view::npos) return {};
  if (text[end] == '.' && end + 1 < text.size() && text[end + 1] != ' ') return {};  // 1.5
  out.choice = end + 1;
  return out;
}

/// A choice without the blanks, signs and "or" that lead to the next one.
std::string_view plain_choice(std::string_view text) {
  constexpr std::array<std::string_view, 7> kJoining = {"or", "and", "oder", "und", "ou", "o", "vs"};
  constexpr std::string_view kSigns = " \t\r\n,;|/?!.\"'-";
  while (true) {
    while (!text.empty() && kSigns.find(text.back()) != kSigns.npos) text.remove_suffix(1);
    while (!text.empty() && kSigns.find(text.front()) != kSigns.npos) text.remove_prefix(1);
    const std::size_t blank = text.rfind(' ');
    if (blank == text.npos || std::ranges::find(kJoining, text.substr(blank + 1)) == kJoining.end()) return text;
    text = text.substr(0, blank);
  }
}

std::string_view name_of(const std::vector<CodedChoice>& choices, std::string_view response) {
  const auto number = parse_double(response);
  for (const CodedChoice& choice : choices)
    if (number && number == parse_double(choice.code)) return choice.name;
  return "";
}

constexpr std::size_t kFewestCoded = 3;

}  // namespace

std::vector<CodedChoice> coded_choices(std::string_view text) {
  std::vector<CodedChoice> out;
  std::vector<std::size_t> begins, ends;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const CodeAt found = code_at(text, at);
    if (found.choice == text.npos) continue;
    if (!begins.empty()) ends.push_back(at);
    begins.push_back(found.choice);
    out.push_back({found.code, ""});
    at = found.choice - 1;
  }
  if (out.size() < 2) return {};
  ends.push_back(text.size());
  std::set<std::string> codes, names;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].name = plain_choice(text.substr(begins[i], ends[i] - begins[i]));
    if (out[i].name.empty() || !codes.insert(out[i].code).second || !names.insert(out[i].name).second) return {};
  }
  return out;
}

std::string write_out_choices(ExportTable& table, std::deque<std::string>& names) {
  // The choices of each column: of a line below the header, of the question, or of a first row of labels.
  std::vector<const ExportFields*> lines;
  for (const ExportFields& line : table.further_headers) lines.push_back(&line);
  lines.push_back(&table.header);
  const bool may_have_labels = table.further_headers.empty() && !table.rows.empty();
  if (may_have_labels) lines.insert(lines.begin(), &table.rows.front());
  std::vector<std::vector<CodedChoice>> choices(table.header.size());
  std::size_t count = 0, of_labels = 0, first = table.header.size();
  for (std::size_t c = 0; c < table.header.size(); ++c)
    for (const ExportFields* line : lines) {
      std::vector<CodedChoice> found = coded_choices((*line)[c]);
      const bool labels = may_have_labels && line == &table.rows.front();
      std::size_t responses = 0;
      const bool all = !found.empty() && std::ranges::all_of(table.rows, [&](const ExportFields& row) {
        if ((labels && &row == &table.rows.front()) || marks_missing(row[c])) return true;
        ++responses;
        return !name_of(found, row[c]).empty();
      });
      if (!all || responses == 0) continue;
      choices[c] = std::move(found);
      ++count;
      of_labels += labels ? 1 : 0;
      first = std::min(first, c);
      break;
    }
  if (count < kFewestCoded) return "";
  if (of_labels > 0) {
    table.rows.erase(table.rows.begin());
    table.lines.erase(table.lines.begin());
  }
  for (std::size_t c = 0; c < table.header.size(); ++c)
    for (ExportFields& row : table.rows)
      if (!choices[c].empty() && !marks_missing(row[c])) row[c] = names.emplace_back(name_of(choices[c], row[c]));
  return fmt::format(
      "Codes were read as the choices that the file gives them, such as {} for '{}' and {} for '{}' in '{}'.",
      choices[first][0].code, shown(choices[first][0].name), choices[first][1].code, shown(choices[first][1].name),
      shown(table.header[first]));
}

bool holds_codes(const ExportTable& table) {
  constexpr std::size_t kMost = 6;
  std::size_t coded = 0;
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    std::set<std::string_view> values;
    for (const ExportFields& row : table.rows)
      if (values.size() <= kMost && !marks_missing(row[c])) values.insert(row[c]);
    coded += !values.empty() && values.size() <= kMost && std::ranges::all_of(values, [](std::string_view value) {
      return value.size() <= 3 && std::ranges::all_of(value, is_code_digit);
    });
  }
  return coded >= kFewestCoded && 2 * coded > table.header.size();
}

}  // namespace alidade::datasets
