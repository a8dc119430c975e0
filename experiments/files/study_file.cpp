#include "experiments/files/study_file.hpp"

#ifdef ALIDADE_HAS_READSTAT
#include <fmt/core.h>
#include <readstat.h>

#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "experiments/files/delimited_text.hpp"
#endif

#include <algorithm>
#include <array>

#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade {

bool is_study_file(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 4> kEndings = {".sav", ".zsav", ".dta", ".sas7bdat"};
  return contains(kEndings, lower_ascii(path.extension().string()));
}

#ifdef ALIDADE_HAS_READSTAT

namespace {

/// What the numbers of a variable count, by its format: units of so many seconds since a day; 0: they are numbers.
struct Calendar {
  double seconds = 0;
  std::chrono::sys_days from{};
  bool days = false;  // no time of day
};

/// Formats begin with letters: Stata's "%td", SPSS's "ADATE10", the "DATETIME20" of SPSS and SAS.
Calendar calendar_of(std::string_view ending, std::string_view format) {
  using namespace std::chrono_literals;
  constexpr std::chrono::sys_days k1960{1960y / 1 / 1}, k1582{1582y / 10 / 14};
  constexpr double kDay = 86'400;
  constexpr std::array kDates = {"date", "adate", "edate", "sdate", "jdate", "mmddyy", "ddmmyy", "yymmdd"};
  format.remove_prefix(std::min(format.size(), format.find_first_not_of("%-")));
  const std::string name = lower_ascii(format.substr(0, format.find_first_of("0123456789.")));
  if (ending == ".dta") {
    if (name.starts_with("tc")) return {1e-3, k1960};
    return name.starts_with("td") || name.starts_with("d") ? Calendar{kDay, k1960, true} : Calendar{};
  }
  const bool of_sas = ending == ".sas7bdat";
  if (name == "datetime" || name == "ymdhms") return {1, of_sas ? k1960 : k1582};
  if (!contains(kDates, name)) return {};
  return {of_sas ? kDay : 1, of_sas ? k1960 : k1582, true};
}

std::string text_of(double value, const Calendar& calendar) {
  constexpr double kMost = 1e11;  // seconds: some 3,000 years
  const double since = value * calendar.seconds;
  if (calendar.seconds == 0 || !(std::abs(since) < kMost)) return shortest(value);
  const std::chrono::sys_seconds at = calendar.from + std::chrono::seconds(std::llround(since));
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(at - day);
  std::string out = fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                                static_cast<unsigned>(date.day()));
  if (!calendar.days)
    out += fmt::format(" {:02}:{:02}:{:02}", time.hours().count(), time.minutes().count(), time.seconds().count());
  return out;
}

/// What ReadStat's callbacks gather.
struct StudyTable {
  std::string ending;               // of the file's name
  std::vector<Calendar> calendars;  // of each variable
  std::vector<std::string> names;
  std::vector<std::string> labels_of;  // of each variable: the name of its set of labels, or "" where codes stay
  std::map<std::string, std::map<std::string, std::string>> labels;  // by name of the set, then by value
  std::vector<std::vector<std::string>> rows;
};

std::string text_of(readstat_value_t value, const Calendar& calendar = {}) {
  if (readstat_value_type_class(value) == READSTAT_TYPE_CLASS_NUMERIC)
    return text_of(readstat_double_value(value), calendar);
  const char* text = readstat_string_value(value);
  return text != nullptr ? text : "";
}

int take_variable(int, readstat_variable_t* variable, const char* labels, void* to) {
  auto& out = *static_cast<StudyTable*>(to);
  const readstat_measure_t measure = readstat_variable_get_measure(variable);
  const bool is_scale = measure == READSTAT_MEASURE_SCALE || measure == READSTAT_MEASURE_ORDINAL;
  out.names.emplace_back(readstat_variable_get_name(variable));
  const char* format = readstat_variable_get_format(variable);
  out.calendars.push_back(calendar_of(out.ending, format != nullptr ? format : ""));
  out.labels_of.emplace_back(labels != nullptr && !is_scale ? labels : "");
  return READSTAT_HANDLER_OK;
}

int take_value(int row, readstat_variable_t* variable, readstat_value_t value, void* to) {
  auto& out = *static_cast<StudyTable*>(to);
  if (static_cast<std::size_t>(row) >= out.rows.size()) out.rows.emplace_back(out.names.size());
  const auto at = static_cast<std::size_t>(readstat_variable_get_index(variable));
  if (!readstat_value_is_missing(value, variable)) out.rows.back()[at] = text_of(value, out.calendars[at]);
  return READSTAT_HANDLER_OK;
}

int take_label(const char* labels, readstat_value_t value, const char* label, void* to) {
  static_cast<StudyTable*>(to)->labels[labels][text_of(value)] = label;
  return READSTAT_HANDLER_OK;
}

}  // namespace

TableText read_study_file(const std::filesystem::path& path) {
  const std::unique_ptr<readstat_parser_t, void (*)(readstat_parser_t*)> parser(readstat_parser_init(),
                                                                                readstat_parser_free);
  readstat_set_variable_handler(parser.get(), take_variable);
  readstat_set_value_handler(parser.get(), take_value);
  readstat_set_value_label_handler(parser.get(), take_label);
  const std::string ending = lower_ascii(path.extension().string());
  StudyTable table{.ending = ending, .calendars = {}, .names = {}, .labels_of = {}, .labels = {}, .rows = {}};
  const auto parse = ending == ".dta"        ? readstat_parse_dta
                     : ending == ".sas7bdat" ? readstat_parse_sas7bdat
                                             : readstat_parse_sav;
  const readstat_error_t error = parse(parser.get(), path.c_str(), &table);
  require<DataError>(error == READSTAT_OK, "'{}' cannot be read ({}). Export it again, or save it as CSV.",
                     path.string(), readstat_error_message(error));
  TableText out;
  std::vector<std::string> labelled;
  out.text = csv_line(table.names) + '\n';
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    const auto& labels = table.labels[table.labels_of[c]];
    if (!labels.empty()) labelled.push_back(shown(table.names[c]));
    for (std::vector<std::string>& row : table.rows)
      if (const auto label = labels.find(row[c]); label != labels.end()) row[c] = label->second;
  }
  for (const std::vector<std::string>& row : table.rows) out.text += csv_line(row) + '\n';
  if (!labelled.empty())
    out.guesses.push_back(fmt::format("Codes were read as their labels: {}. If codes are meant, save the file as CSV.",
                                      join(labelled, ", ")));
  return out;
}

#else

TableText read_study_file(const std::filesystem::path& path) {
  throw DataError(fmt::format(
      "'{}' is a file of SPSS, Stata or SAS, but this alidade was built without ReadStat, which reads them. "
      "Install it (Debian: libreadstat-dev) and build again, or save the file as CSV.",
      path.string()));
}

#endif

}  // namespace alidade
