#include <fmt/core.h>
#include <sentences/report.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/report/charts.hpp"
#include "experiments/report/html.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/regular_file.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

std::string candidates_html(const Row& row) {
  const ValueArray& list = list_field(row, "chosen.candidates");
  if (list.empty()) return {};
  const std::string chosen = options_text(table_field(row, "chosen"), judgement_fields());
  const bool by_share = field(row, "chosen.eigenvalue_share") != nullptr;
  const char* judged_by = by_share ? "eigenvalue_share" : "validation_error";
  HtmlTable table{"Candidates with their validation errors",
                  "listing sorted",
                  {"Candidate", by_share ? "Share of variance on the map" : "Validation error", ""},
                  {}};
  for (const Value& entry : list) {
    const ValueTable* candidate = entry.get_if<ValueTable>();
    if (!candidate) continue;
    const std::string name = options_text(*candidate, judgement_fields());
    std::string error = shown_number(*candidate, judged_by);
    if (const std::string spread = shown_number(*candidate, "standard_error"); !error.empty() && !spread.empty())
      error += "<span class=\"pm\"> ± " + spread + "</span>";
    table.lines.push_back({{"<code>" + escaped(name) + "</code>",
                            {error.empty() ? "failed" : error, number_field(*candidate, judged_by)},
                            name == chosen                             ? "<strong>chosen</strong>"
                            : text_field(*candidate, "tied") == "true" ? "within one standard error"
                                                                       : ""},
                           ""});
  }
  return fold_html(fmt::format("{} of repeat {}", counted(table.lines.size(), "candidate"), text_field(row, "repeat")),
                   table_html(table));
}

// " (validation errors 0.1 to 0.2)"
std::string errors_text(const ReportModel& all, const std::vector<std::size_t>& rows) {
  Range errors;
  for (const std::size_t row : rows)
    if (const auto error = number_field(all.rows[row], "chosen.validation_error")) errors.add(*error);
  if (!errors.any) return {};
  return errors.low == errors.high ? fmt::format(" (validation error {:.4g})", errors.low)
                                   : fmt::format(" (validation errors {:.4g} to {:.4g})", errors.low, errors.high);
}

}  // namespace

Section choice_section(const ReportModel& all) {
  using Choice = std::tuple<std::string, std::string, std::string>;  // dataset, method, options
  InOrder<Choice, std::vector<std::size_t>> choices;
  std::map<std::pair<std::string, std::string>, std::size_t> of_pair;
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    const Row& row = all.rows[i];
    const ValueTable& chosen = table_field(row, "chosen");
    if (chosen.empty()) continue;
    choices.of({row.dataset.id, row.method, options_text(chosen, judgement_fields())}).push_back(i);
    ++of_pair[{row.dataset.id, row.method}];
  }
  if (choices.empty()) return {};
  std::ranges::stable_sort(choices, {}, [&](const auto& choice) {
    const auto& [dataset, method, text] = choice.first;
    return std::pair(std::ranges::find(all.datasets, dataset) - all.datasets.begin(),
                     std::ranges::find(all.methods, method) - all.methods.begin());
  });
  std::string out = "<ul class=\"choices\">";
  for (const auto& [choice, rows] : choices) {
    const auto& [dataset, method, text] = choice;
    const std::size_t first = rows.front();
    out += fmt::format("<li><strong dir=\"auto\">{}</strong> on <strong dir=\"auto\">{}</strong> chose <code>{}</code>",
                       escaped_name(method), escaped_name(dataset), escaped(text));
    const std::size_t runs = of_pair.at({dataset, method});
    if (runs > 1) out += fmt::format(" in {} of {}", rows.size(), counted(runs, "run"));
    out += errors_text(all, rows);
    if (const std::string why = text_field(all.rows[first], "chosen.why"); !why.empty())
      out += "<small class=\"why\">Why: " + escaped(why) + "</small>";
    out += charts_html(dimension_charts(all, first), "dimensions") + candidates_html(all.rows[first]) + "</li>";
  }
  return titled_section("choices", "Chosen by validation", out + "</ul>");
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLinks = 3;  // log files linked beside one reason
constexpr std::size_t kMaxInlined = 40;
constexpr std::size_t kLogLines = 30;
constexpr std::size_t kLogBytes = std::size_t{8} << 10;

struct LogEnd {
  std::string text;
  bool whole = false;
};

// The last lines of a log; "" if there is none or it is empty.
LogEnd end_of_log(const fs::path& file) {
  if (!is_file_itself(file)) return {};
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in.is_open()) return {};
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(in.tellg(), 0));
  const std::size_t read = std::min(size, kLogBytes);
  std::string text(read, '\0');
  in.seekg(static_cast<std::streamoff>(size - read));
  in.read(text.data(), static_cast<std::streamsize>(read));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  LogEnd out{std::string(trim(text)), read == size};
  if (!out.whole) {  // the first line may be truncated, and its first character too
    const auto line = out.text.find('\n');
    std::size_t from = line == std::string::npos ? 0 : line + 1;
    while (from < out.text.size() && (static_cast<unsigned char>(out.text[from]) & 0xC0) == 0x80) ++from;
    out.text.erase(0, from);
  }
  std::size_t at = out.text.size();
  for (std::size_t lines = 0; at > 0; --at)
    if (out.text[at - 1] == '\n' && ++lines == kLogLines) break;
  if (at > 0) {
    out.text.erase(0, at);
    out.whole = false;
  }
  return out;
}

using Reason = std::tuple<std::string, std::string, std::string, std::string>;  // status, dataset, method, message

}  // namespace

std::string log_link_html(const ReportModel& all, std::size_t row, const fs::path& page_folder) {
  const std::string file = all.rows[row].named_files().log.value_or("");
  const auto path = all.inside(row, file);
  std::error_code error;
  if (!path || !is_there(*path)) return escaped(file);
  const fs::path relative = fs::relative(*path, page_folder, error);
  if (error) throw UnreadFile(fmt::format(words::kFileUnread, path->string(), error.message()));
  if (relative.empty()) return escaped(file);
  return fmt::format("<a href=\"{}\">{}</a>", url_of_path(relative.generic_string()), escaped(file));
}

Section failure_section(const ReportModel& all, const fs::path& page_folder) {
  InOrder<Reason, std::vector<std::size_t>> reasons;
  for (std::size_t i = 0; i < all.rows.size(); ++i)
    if (const Row& row = all.rows[i]; !row.ended_well())
      reasons.of({std::string(to_string(row.status)), row.dataset.id, row.method, row.message.value_or("")})
          .push_back(i);
  if (reasons.empty()) return {};
  HtmlTable table{"Failed, skipped and interrupted runs",
                  "listing stacked sorted",
                  {"Status", "Dataset", "Method", "Repeat", "Reason", "Log"},
                  {}};
  std::size_t inlined = 0;
  for (const auto& [reason, places] : reasons) {
    const auto& [status, dataset, method, message] = reason;
    std::vector<const Row*> rows;
    std::vector<std::string> links;
    for (const std::size_t row : places) {
      rows.push_back(&all.rows[row]);
      if (links.size() < kMaxLinks)
        if (std::string link = log_link_html(all, row, page_folder); !link.empty()) links.push_back(std::move(link));
    }
    if (rows.size() > kMaxLinks && !links.empty()) links.push_back(fmt::format("and {} more", rows.size() - kMaxLinks));
    std::string why =
        message.empty() ? "<em>no reason recorded</em>" : "<span dir=\"auto\">" + escaped(message) + "</span>";
    if (const auto& ended = rows.front()->termination) why += "<small>" + escaped(spaced(*ended)) + "</small>";
    if (const auto path = all.inside(places.front(), rows.front()->named_files().log.value_or(""));
        path && inlined < kMaxInlined)
      if (const LogEnd log = end_of_log(*path); !log.text.empty()) {
        ++inlined;
        why += fold_html(log.whole ? "Log" : "End of the log",
                         "<pre class=\"log\" tabindex=\"0\">" + escaped(log.text) + "</pre>", all.single());
      }
    table.lines.push_back({{fmt::format("<span class=\"status {0}\">{0}</span>", escaped(status)),
                            "<span dir=\"auto\">" + escaped_name(dataset) + "</span>",
                            "<span dir=\"auto\">" + escaped_name(method) + "</span>", escaped(repeats_text(rows)), why,
                            links.empty() ? "–" : join(links, "<br>")},
                           status});
  }
  return titled_section("trouble", "Failed and skipped runs", table_html(table));
}

namespace {

constexpr std::size_t kMaxListedRuns = 1000;

std::string definitions_html(const ValueTable& table, const std::string& prefix = "") {
  std::string out;
  for (const auto& [key, value] : table) {
    if (const ValueTable* inner = value.get_if<ValueTable>())
      out += definitions_html(*inner, prefix + key + ".");
    else
      out += fmt::format("<dt>{}</dt><dd>{}</dd>", escaped(prefix + key), escaped(plain_text(value)));
  }
  return out;
}

/// Whether two commands were the same program on the same machine.
bool same_place(const ValueTable& a, const ValueTable& b) {
  return std::ranges::all_of(std::array{"program", "machine"}, [&](const char* part) {
    const Value* x = a.find(part);
    const Value* y = b.find(part);
    return x && y && *x == *y;
  });
}

// "360 of 4000" as "# of #".
std::string without_numbers(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || !out.ends_with('#')) out += digit ? '#' : c;
  }
  return out;
}

std::string runs_html(const ReportModel& all, const std::filesystem::path& page_folder) {
  HtmlTable table{"All runs",
                  "listing runs sorted",
                  {"Run", "Dataset", "Method", "Repeat", "Seed", "Status", "Objects", "Triplets", "Objective"},
                  {}};
  const std::vector<std::string> metrics = metric_fields(all.rows);
  for (const std::string& name : metrics) table.head.push_back(escaped(title_of(name)));
  for (const char* name : {"Iterations", "Solving (s)", "CPU (s)", "Memory (MB)", "Log"}) table.head.emplace_back(name);
  const bool warned = std::ranges::any_of(all.rows, [](const Row& row) { return !warnings_of(row).empty(); });
  if (warned) table.head.emplace_back("Warnings");
  for (std::size_t i = 0; i < all.rows.size() && i < kMaxListedRuns; ++i) {
    const Row& row = all.rows[i];
    const Row* only[] = {&row};
    const std::string status(to_string(row.status));
    const auto number = [&](const std::string& name) {
      return HtmlCell(shown_number(row, name), number_field(row, name));
    };
    HtmlLine line{{"<code>" + escaped(row.run_id) + "</code>", escaped(row.dataset.id), escaped(row.method),
                   escaped(repeats_text(only)), number("seed"),
                   escaped(row.ended_well() ? spaced(row.termination.value_or("")) : status), number("n"),
                   number("triplets"), number("objective")},
                  status};
    for (const std::string& name : metrics) line.cells.push_back(number(name));
    for (const char* name : {"counts.iterations", "seconds.solve", "seconds.cpu", "memory_mb"})
      line.cells.push_back(number(name));
    line.cells.emplace_back(log_link_html(all, i, page_folder));
    if (warned) line.cells.emplace_back(escaped(join(mapped<std::string>(warnings_of(row), warning_phrase), "; ")));
    table.lines.push_back(std::move(line));
  }
  std::string out = table_html(table);
  if (all.rows.size() > table.lines.size())
    out += fmt::format("<p class=\"caption\">The first {} of {} runs. All are in runs.jsonl.</p>", table.lines.size(),
                       all.rows.size());
  return out;
}

}  // namespace

std::string now_and_where(const ValueTable& manifest) {
  std::string when = text_field(manifest, "written");
  if (when.size() == 20 && when[10] == 'T' && when.back() == 'Z')
    when = when.substr(0, 10) + " " + when.substr(11, 5) + " UTC";
  const std::string version = text_field(manifest, "program.version"), cores = text_field(manifest, "machine.cores"),
                    processor = text_field(manifest, "machine.processor");
  std::vector<std::string> parts{when, version.empty() ? "" : "alidade " + version,
                                 processor.empty() || cores.empty() ? processor : cores + " × " + processor};
  std::erase(parts, "");
  return join(parts, " · ");
}

Section note_section(const ReportModel& all) {
  struct Places {
    std::set<std::string> datasets{}, methods{};
  };
  using Note = std::pair<std::string, Places>;
  InOrder<std::string, Places> notes;
  for (const std::string& text : all.notes) notes.of(text);
  const auto add = [&](const Row& row, const std::string& text) {
    Places& places = notes.of(text);
    places.datasets.insert(row.dataset.id);
    places.methods.insert(row.method);
  };
  for (const Row& row : all.rows) {
    for (const std::string& note : row.notes.value_or(std::vector<std::string>())) add(row, note);
    if (row.uncertainty && row.uncertainty->message) add(row, "Ellipses: " + *row.uncertainty->message);
  }
  if (notes.empty()) return {};
  const auto places_of = [&](const Places& note) {
    std::set<std::string> able;  // methods that ended well there
    for (const Row& row : all.rows)
      if (row.ended_well() && note.datasets.contains(row.dataset.id)) able.insert(row.method);
    std::vector<std::string> places;
    const auto add_some = [&](const std::set<std::string>& some, std::size_t whole) {
      if (!some.empty() && some.size() < whole)
        places.push_back(join(std::vector<std::string>(some.begin(), some.end()), ", "));
    };
    add_some(note.datasets, all.datasets.size());
    add_some(note.methods, std::min(able.size(), all.methods.size()));
    return places.empty() ? std::string() : " <small>(" + escaped(join(places, "; ")) + ")</small>";
  };
  const auto item = [&](const Note& note) {
    return "<span dir=\"auto\">" + prose_html(note.first) + "</span>" + places_of(note.second);
  };
  // Notes that differ only in numbers, such as those of repeats, are folded behind the first.
  InOrder<std::string, std::vector<const Note*>> kinds;
  for (const Note& note : notes) kinds.of(without_numbers(note.first)).push_back(&note);
  std::string out = "<ul>";
  for (const auto& [kind, alike] : kinds) {
    out += "<li>" + item(*alike.front());
    if (alike.size() == 2) out += "</li><li>" + item(*alike.back());
    if (alike.size() > 2) {
      std::string rest = "<ul>";
      for (const Note* note : std::span(alike).subspan(1)) rest += "<li>" + item(*note) + "</li>";
      out += fold_html(fmt::format("{} more that differ only in numbers", alike.size() - 1), rest + "</ul>");
    }
    out += "</li>";
  }
  return titled_section("notes", "Notes", out + "</ul>");
}

Section record_section(const ReportModel& all, const std::filesystem::path& page_folder) {
  const bool several = all.sources.size() > 1;
  std::string out;
  if (!all.rows.empty())
    out = fold_html(all.single() ? "All numbers of this run" : "All runs", runs_html(all, page_folder));
  for (const ReportModel::Source& source : all.sources) {
    if (several) out += "<h3 dir=\"auto\">" + escaped_name(source.experiment) + "</h3>";
    if (const std::string where = now_and_where(source.last_command()); several && !where.empty())
      out += "<p class=\"where\">" + escaped(where) + "</p>";
    std::vector<std::string> commands{""};
    for (const ValueTable& entry : source.manifest) add_new(commands, text_field(entry, "command"));
    for (const std::string& command : std::span(commands).subspan(1))
      out += "<pre class=\"command\">" + escaped(command) + "</pre>";
    if (source.configuration)
      out += fold_html("Configuration with every option",
                       "<pre tabindex=\"0\">" + escaped(*source.configuration) + "</pre>");
    for (std::size_t e = source.manifest.size(); e-- > 0;) {
      const ValueTable& entry = source.manifest[e];
      if (e + 1 < source.manifest.size() && same_place(entry, source.manifest.back())) continue;
      out += fold_html(e + 1 == source.manifest.size() ? "Program and machine" : "Program and machine of earlier runs",
                       "<dl class=\"manifest\">" + definitions_html(entry) + "</dl>");
    }
  }
  return titled_section("made", "Reproduce this", out);
}

}  // namespace alidade::report
