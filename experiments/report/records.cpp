#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "experiments/report/html.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
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
    if (!digit)
      out += c;
    else if (out.empty() || out.back() != '#')
      out += '#';
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
  const bool warned = std::ranges::any_of(all.rows, [](const ValueTable& row) { return !warnings_of(row).empty(); });
  if (warned) table.head.emplace_back("Warnings");
  for (std::size_t i = 0; i < all.rows.size() && i < kMaxListedRuns; ++i) {
    const ValueTable& row = all.rows[i];
    const ValueTable* only[] = {&row};
    const std::string status = text_field(row, "status");
    const auto number = [&](const std::string& name) {
      return HtmlCell(shown_number(row, name), number_field(row, name));
    };
    HtmlLine line{{"<code>" + escaped(run_id_of(row)) + "</code>", escaped(dataset_of(row)), escaped(method_of(row)),
                   escaped(repeats_text(only)), number("seed"),
                   escaped(status == "ok" ? spaced(text_field(row, "termination")) : status), number("n"),
                   number("triplets"), number("objective")},
                  status};
    for (const std::string& name : metrics) line.cells.push_back(number(name));
    for (const char* name : {"counts.iterations", "seconds.solve", "seconds.cpu", "memory_mb"})
      line.cells.push_back(number(name));
    line.cells.emplace_back(log_link_html(all, i, page_folder));
    std::vector<std::string> phrases;
    for (const RowWarning warning : warnings_of(row)) phrases.emplace_back(warning_phrase(warning));
    if (warned) line.cells.emplace_back(escaped(join(phrases, "; ")));
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
  std::vector<std::string> parts;
  const auto add = [&](std::string text) {
    if (!text.empty()) parts.push_back(std::move(text));
  };
  std::string when = text_field(manifest, "written");
  if (when.size() == 20 && when[10] == 'T' && when.back() == 'Z')
    when = when.substr(0, 10) + " " + when.substr(11, 5) + " UTC";
  add(when);
  const std::string version = text_field(manifest, "program.version");
  add(version.empty() ? "" : "alidade " + version);
  const std::string cores = text_field(manifest, "machine.cores");
  const std::string processor = text_field(manifest, "machine.processor");
  add(processor.empty() || cores.empty() ? processor : cores + " × " + processor);
  return join(parts, " · ");
}

Section note_section(const ReportModel& all) {
  struct Note {
    std::string text;
    std::set<std::string> datasets, methods;
  };
  std::vector<Note> notes;
  for (const std::string& text : all.notes)
    if (std::ranges::find(notes, text, &Note::text) == notes.end()) notes.push_back({text, {}, {}});
  const auto add = [&](const ValueTable& row, const std::string& text) {
    auto note = std::ranges::find(notes, text, &Note::text);
    if (note == notes.end()) note = notes.insert(note, {text, {}, {}});
    note->datasets.insert(dataset_of(row));
    note->methods.insert(method_of(row));
  };
  for (const ValueTable& row : all.rows) {
    for (const std::string& note : texts_field(row, "notes")) add(row, note);
    if (const std::string text = text_field(row, "uncertainty.message"); !text.empty()) add(row, "Ellipses: " + text);
  }
  if (notes.empty()) return {};
  const auto places_of = [&](const Note& note) {
    std::set<std::string> able;  // methods that ended well there
    for (const ValueTable& row : all.rows)
      if (ended_well(row) && note.datasets.contains(dataset_of(row))) able.insert(method_of(row));
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
    return "<span dir=\"auto\">" + prose_html(note.text) + "</span>" + places_of(note);
  };
  // Notes that differ only in numbers, such as those of repeats, are folded behind the first.
  std::vector<std::pair<std::string, std::vector<const Note*>>> kinds;
  for (const Note& note : notes) {
    const std::string kind = without_numbers(note.text);
    const auto same = std::ranges::find(kinds, kind, [](const auto& k) { return k.first; });
    if (same == kinds.end())
      kinds.push_back({kind, {&note}});
    else
      same->second.push_back(&note);
  }
  std::string out = "<section id=\"notes\"><h2>Notes</h2><ul>";
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
  return {"notes", "Notes", out + "</ul></section>"};
}

Section record_section(const ReportModel& all, const std::filesystem::path& page_folder) {
  const bool several = all.sources.size() > 1;
  std::string out = "<section id=\"made\"><h2>Reproduce this</h2>";
  if (!all.rows.empty())
    out += fold_html(all.single() ? "All numbers of this run" : "All runs", runs_html(all, page_folder));
  for (const ReportModel::Source& source : all.sources) {
    if (several) out += "<h3 dir=\"auto\">" + escaped_name(source.experiment) + "</h3>";
    if (const std::string where = now_and_where(source.last_command()); several && !where.empty())
      out += "<p class=\"where\">" + escaped(where) + "</p>";
    std::vector<std::string> commands;
    for (const ValueTable& entry : source.manifest)
      if (const std::string command = text_field(entry, "command");
          !command.empty() && std::ranges::find(commands, command) == commands.end())
        commands.push_back(command);
    for (const std::string& command : commands) out += "<pre class=\"command\">" + escaped(command) + "</pre>";
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
  return {"made", "Reproduce this", out + "</section>"};
}

}  // namespace alidade::report
