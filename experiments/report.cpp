#include "experiments/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "experiments/durable_file.hpp"
#include "experiments/json.hpp"
#include "experiments/report/assets.hpp"
#include "experiments/report/contents.hpp"
#include "experiments/report/html.hpp"
#include "experiments/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxListedRuns = 1000;
// What `chosen` and its candidates have beside the options that name them.
const std::set<std::string> kJudgement = {
    "validation_error",   "standard_error", "validation_triplets",
    "validation_objects", "holdouts",       "why",
    "candidates",         "dimensions"};
constexpr std::size_t kMaxLinks = 3;  // log files named beside one reason

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kTitles = {{
    {"metrics.heldout_error", "Held-out triplet error"},
    {"metrics.train_error", "Training triplet error"},
    {"metrics.knn_accuracy", "Nearest-neighbour accuracy"},
    {"metrics.procrustes", "Procrustes disparity"},
    {"seconds.solve", "Seconds to solve"},
    {"seconds.choose", "Seconds to choose"},
    {"seconds.total", "Seconds in all"},
    {"seconds.cpu", "CPU seconds"},
    {"memory_mb", "Peak memory (MB)"},
    {"objective", "Objective"},
}};

std::string title_of(std::string_view field) {
  for (const auto& [name, title] : kTitles)
    if (name == field) return std::string(title);
  const auto dot = field.rfind('.');
  std::string out(dot == field.npos ? field : field.substr(dot + 1));
  std::ranges::replace(out, '_', ' ');
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z')
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// 1234567 as "1,234,567".
std::string grouped(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0 && digits[i - 1] != '-') out += ',';
    out += digits[i];
  }
  return out;
}

// A number of a row as a reader wants it; "" where there is none.
std::string shown_number(const Table& row, std::string_view name) {
  const Value* value = field(row, name);
  if (!value) return {};
  if (const auto* whole = value->get_if<std::int64_t>()) return grouped(fmt::format("{}", *whole));
  const auto number = number_field(row, name);
  return number ? fmt::format("{:.4g}", *number) : std::string();
}

std::string base64(const void* data, std::size_t size) {
  static_assert(std::endian::native == std::endian::little, "the page reads little-endian floats");
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::string out;
  out.reserve((size + 2) / 3 * 4);
  for (std::size_t i = 0; i < size; i += 3) {
    const std::size_t have = std::min<std::size_t>(3, size - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8U | (k < have ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= have ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

std::string now_and_where(const Table& manifest) {
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

std::string definitions_html(const Table& table, const std::string& prefix = "") {
  std::string out;
  for (const auto& [key, value] : table) {
    if (const Table* inner = value.get_if<Table>())
      out += definitions_html(*inner, prefix + key + ".");
    else
      out +=
          fmt::format("<dt>{}</dt><dd>{}</dd>", escaped(prefix + key), escaped(plain_text(value)));
  }
  return out;
}

// "t = 2, t_prime = 1.5" of the options in a table, leaving out what is said elsewhere.
std::string options_text(const Table& options, const std::set<std::string>& without = {}) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : options)
    if (!without.contains(key) && !value.is_null())
      parts.push_back(key + " = " + plain_text(value));
  return join(parts, ", ");
}

// "0, 2 and 5" of repeats (and folds).
std::string repeats_text(std::span<const Table* const> rows) {
  std::vector<std::string> parts;
  for (const Table* row : rows) {
    const std::string fold = text_field(*row, "fold");
    parts.push_back(text_field(*row, "repeat") + (fold.empty() ? "" : "/" + fold));
  }
  constexpr std::size_t kShown = 12;
  if (parts.size() > kShown) {
    const std::size_t more = parts.size() - kShown;
    parts.resize(kShown);
    parts.push_back(fmt::format("and {} more", more));
  }
  return join(parts, ", ");
}

class Page {
 public:
  Page(const ReportContents& contents, const fs::path& page_folder, const ReportOptions& options)
      : all_(contents), page_folder_(page_folder), options_(options) {}

  [[nodiscard]] std::string text() const {
    std::map<std::string, std::string, std::less<>> places;
    places["title"] = escaped(title() + " – Alidade");
    places["body"] = all_.rows.empty() ? empty_html() : all_.single() ? single_html() : many_html();
    places["data"] = script_safe(to_json(data()));
    places["style"] = report_assets::style();
    places["plotly"] = report_assets::plotly();
    places["script"] = report_assets::script();
    places["generator"] = escaped("alidade " + text_field(all_.manifest, "program.version"));
    return filled(report_assets::page(), places);
  }

 private:
  [[nodiscard]] bool drawn() const { return !all_.maps.empty() || !all_.traces.empty(); }
  [[nodiscard]] std::string title() const {
    return all_.single() ? text_field(all_.rows.front(), "dataset") : all_.experiment();
  }
  [[nodiscard]] ComparisonTable table_of(const std::string& value, const std::string& cols) const {
    TableRequest request;
    request.value = value;
    request.cols = cols;
    request.directions = options_.directions;
    return compare(all_.rows, request);
  }
  // The metrics that some run has, the known ones first.
  [[nodiscard]] std::vector<std::string> metric_fields() const {
    std::vector<std::string> out;
    const auto add = [&](const std::string& name) {
      const bool any = std::ranges::any_of(
          all_.rows, [&](const Table& row) { return number_field(row, name).has_value(); });
      if (any && std::ranges::find(out, name) == out.end()) out.push_back(name);
    };
    for (const auto& [name, shown] : kTitles)
      if (name.starts_with("metrics.")) add(std::string(name));
    for (const std::string& name : field_names(all_.rows))
      if (name.starts_with("metrics.")) add(name);
    return out;
  }

  // ---- data for the script

  static std::string script_safe(std::string json) {
    std::string out;
    out.reserve(json.size());
    for (const char c : json) {
      if (c == '<')
        out += "\\u003c";
      else
        out += c;
    }
    return out;
  }

  static Value text_list(std::span<const std::string> texts) {
    Array out;
    for (const std::string& text : texts) out.emplace_back(text);
    return out;
  }

  static Value number_or_null(std::optional<double> number) {
    if (!number) return {};
    return *number;
  }

  static Value object_list(const ReportContents::ObjectList& list) {
    std::set<std::string> different(list.labels.begin(), list.labels.end());
    different.erase("");
    const std::vector<std::string> names(different.begin(), different.end());
    Array codes;
    for (const std::string& label : list.labels) {
      const auto at = std::ranges::lower_bound(names, label);
      codes.emplace_back(label.empty() ? -1 : static_cast<int>(at - names.begin()));
    }
    Table out;
    out.set("names", text_list(list.names));
    out.set("label_names", text_list(names));
    out.set("labels", Value());
    if (!names.empty()) out.set("labels", std::move(codes));
    return out;
  }

  [[nodiscard]] Value data() const {
    Table out;
    out.set("single", all_.single());
    out.set("methods", text_list(all_.methods));
    out.set("datasets", text_list(all_.datasets));
    Array objects;
    for (const ReportContents::ObjectList& list : all_.object_lists)
      objects.push_back(object_list(list));
    out.set("objects", std::move(objects));
    const std::vector<std::string> known_metrics = metric_fields();
    Array runs;
    for (const Table& row : all_.rows) {
      Table run;
      for (const char* name : {"dataset", "method", "problem", "status"})
        run.set(name, text_field(row, name));
      const std::string fold = text_field(row, "fold");
      run.set("part",
              "repeat " + text_field(row, "repeat") + (fold.empty() ? "" : ", fold " + fold));
      for (const char* name : {"heldout_error", "train_error", "trustworthiness"})
        run.set(name, number_or_null(number_field(row, std::string("metrics.") + name)));
      Table metrics;
      for (const std::string& name : known_metrics)
        if (const auto value = number_field(row, name)) metrics.set(name, *value);
      run.set("metrics", std::move(metrics));
      for (const char* name : {"replicates", "resampled", "stability", "typical_shift"})
        if (const Value* value = field(row, std::string("uncertainty.") + name))
          run.set(name, *value);
      if (const Value* curve = field(row, "chosen.dimensions"); curve && curve->get_if<Array>()) {
        run.set("dimensions", *curve);
        run.set("chosen_dimension",
                number_or_null(number_field(row, "chosen.problem.n_components")));
      }
      runs.push_back(std::move(run));
    }
    out.set("runs", std::move(runs));
    Array metrics;
    for (const std::string& name : known_metrics) {
      Table metric;
      metric.set("name", name);
      metric.set("title", title_of(name));
      metric.set("higher_is_better", Value());
      if (const auto higher = higher_is_better(options_.directions, name))
        metric.set("higher_is_better", *higher);
      metrics.emplace_back(std::move(metric));
    }
    out.set("metrics", std::move(metrics));
    Array maps;
    for (const ReportContents::MapView& view : all_.maps) {
      Table map;
      map.set("run", static_cast<std::int64_t>(view.row));
      map.set("aspect", view.aspect);
      map.set("objects", static_cast<std::int64_t>(view.objects));
      map.set("dimensions", static_cast<std::int64_t>(view.dimensions));
      map.set("unplaced", static_cast<std::int64_t>(view.unplaced));
      map.set("coordinates",
              base64(view.coordinates.data(), view.coordinates.size() * sizeof(float)));
      map.set("covariances", Value());
      if (!view.covariances.empty())
        map.set("covariances",
                base64(view.covariances.data(), view.covariances.size() * sizeof(float)));
      maps.push_back(std::move(map));
    }
    out.set("maps", std::move(maps));
    Array traces;
    for (const auto& [row, columns] : all_.traces) {
      Table trace;
      trace.set("run", static_cast<std::int64_t>(row));
      trace.set("columns", columns);
      traces.push_back(std::move(trace));
    }
    out.set("traces", std::move(traces));
    return out;
  }

  // {{name}} replaced in one pass, so that nothing in the data is taken for a place.
  static std::string filled(std::string_view page,
                            const std::map<std::string, std::string, std::less<>>& places) {
    std::string out;
    while (true) {
      const auto open = page.find("{{");
      out += page.substr(0, open);
      if (open == page.npos) return out;
      const auto close = page.find("}}", open);
      ALIDADE_ASSERT(close != page.npos);
      const auto place = places.find(page.substr(open + 2, close - open - 2));
      ALIDADE_ASSERT(place != places.end());
      out += place->second;
      page.remove_prefix(close + 2);
    }
  }

  // ---- parts of the page

  [[nodiscard]] std::string log_link(const Table& row) const {
    const std::string file = text_field(row, "files.log");
    const auto path = all_.inside(file);
    std::error_code error;
    if (!path || !fs::exists(*path, error)) return escaped(file);
    const fs::path relative = fs::relative(*path, page_folder_, error);
    if (error || relative.empty()) return escaped(file);
    return fmt::format("<a href=\"{}\">{}</a>", url_of_path(relative.generic_string()),
                       escaped(file));
  }

  [[nodiscard]] std::string header_html(const std::string& heading,
                                        const std::string& subtitle) const {
    std::string out = "<header><div><p class=\"kind\">";
    out += all_.single() ? escaped(all_.experiment()) : "Experiment";
    out += "</p><h1>" + escaped(heading) + "</h1>";
    if (!subtitle.empty()) out += "<p class=\"subtitle\">" + subtitle + "</p>";
    const std::string where = now_and_where(all_.manifest);
    if (!where.empty()) out += "<p class=\"where\">" + escaped(where) + "</p>";
    return out +
           "</div><button type=\"button\" id=\"theme\" hidden>Theme: system</button></header>";
  }

  [[nodiscard]] std::string empty_html() const {
    return header_html(all_.experiment(), "") +
           "<main><section><h2>There are no runs yet</h2><p>The file runs.jsonl of this folder "
           "holds no "
           "row. A row is added when a run ends.</p></section>" +
           ending_html() + "</main>";
  }

  static std::string undrawable_html() {
    return "<p class=\"callout\">Curves and maps are missing here because this build of alidade "
           "was made "
           "without plotly.js. Run <code>third_party/install.sh</code>, build again, and repeat "
           "<code>alidade report</code>. The coordinates are in <code>embeddings/</code>, the "
           "traces in "
           "<code>traces/</code>.</p>";
  }

  [[nodiscard]] std::string status_text() const {
    std::string out = counted(all_.rows.size(), "run");
    out += fmt::format(" of {} on {}", counted(all_.methods.size(), "method"),
                       counted(all_.datasets.size(), "dataset"));
    for (const auto& [status, word] :
         {std::pair{"failed", "failed"}, std::pair{"skipped", "skipped"},
          std::pair{"cancelled", "interrupted"}})
      if (const std::size_t count = all_.count_of(status); count > 0)
        out += fmt::format(" · <a href=\"#trouble\">{} {}</a>", count, word);
    return out;
  }

  [[nodiscard]] std::string many_html() const {
    std::string out = header_html(all_.experiment(), status_text()) + "<main>";
    out += comparisons_html();
    if (drawn() && !report_can_draw()) out += "<section>" + undrawable_html() + "</section>";
    for (std::size_t d = 0; d < all_.datasets.size(); ++d) out += dataset_html(d);
    return out + trouble_html() + choices_html() + notes_html() + ending_html() + "</main>";
  }

  [[nodiscard]] std::string comparisons_html() const {
    std::vector<std::string> values = metric_fields();
    const bool timed = std::ranges::any_of(
        all_.rows, [](const Table& row) { return number_field(row, "seconds.solve").has_value(); });
    const bool resampled = std::ranges::any_of(all_.rows, [](const Table& row) {
      return number_field(row, "uncertainty.stability").has_value();
    });
    if (resampled) values.emplace_back("uncertainty.stability");
    if (timed) values.emplace_back("seconds.solve");
    std::string out = "<section id=\"comparison\"><h2>Comparison</h2>";
    if (values.empty())
      return out + "<p>No run has a result to compare; the reasons are below.</p></section>";
    std::vector<ComparisonTable> tables;
    for (const std::string& value : values) tables.push_back(table_of(value, "dataset"));
    const auto direction = [](const ComparisonTable& table) {
      return !table.higher_is_better   ? ""
             : *table.higher_is_better ? "higher is better"
                                       : "lower is better";
    };
    if (all_.datasets.size() == 1) {
      std::vector<ComparisonColumn> columns;
      for (const ComparisonTable& table : tables)
        columns.push_back({title_of(table.request.value), direction(table), &table, 0});
      out += "<p class=\"lead\">Methods on <strong>" + escaped(all_.datasets[0]) + "</strong></p>";
      out += comparison_html(columns);
      ComparisonTable undirected = tables.front();
      undirected.higher_is_better.reset();  // the columns' heads tell theirs
      out += caption_html(undirected);
      return out + "</section>";
    }
    out += "<div class=\"panels\">";
    for (const ComparisonTable& table : tables) {
      std::vector<ComparisonColumn> columns;
      for (std::size_t c = 0; c < table.col_keys.size(); ++c)
        columns.push_back({table.col_keys[c].front(), "", &table, c});
      out += "<div class=\"panel\"><h3>" + escaped(title_of(table.request.value)) + "<small>" +
             direction(table) + "</small></h3>" + comparison_html(columns) + caption_html(table) +
             "</div>";
    }
    return out + "</div></section>";
  }

  static std::string caption_html(const ComparisonTable& table) {
    std::string text = caption(table);
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
      text[0] = static_cast<char>(text[0] - 'a' + 'A');
    const bool lines = std::ranges::any_of(
        table.cells, [](const Cell& cell) { return cell.half_width.has_value(); });
    std::string out = "<p class=\"caption\">" + escaped(text);
    if (lines) out += " The line below a number shows its interval on a scale of the column.";
    for (const std::string& note : table.notes) out += " " + escaped(note);
    return out + "</p>";
  }

  // "72 objects · 1,440 training triplets · 360 held out" and the options, from the dataset's first run that knows.
  [[nodiscard]] std::string facts_html(std::string_view dataset) const {
    const Table* shown = nullptr;
    for (const Table& row : all_.rows) {
      if (text_field(row, "dataset") != dataset) continue;
      if (!shown || (!number_field(*shown, "n") && number_field(row, "n"))) shown = &row;
    }
    if (!shown) return {};
    std::vector<std::string> parts;
    const auto add = [&](std::string_view name, std::string_view what) {
      if (const std::string number = shown_number(*shown, name); !number.empty())
        parts.push_back(number + " " + std::string(what));
    };
    add("n", "objects");
    add("triplets", "training triplets");
    add("heldout_triplets", "held out");
    std::string out = escaped(join(parts, " · "));
    if (const Value* options = field(*shown, "dataset.options"))
      if (const Table* table = options->get_if<Table>())
        if (const std::string text = options_text(*table); !text.empty())
          out += "<small>Options: " + escaped(text) + "</small>";
    return out;
  }

  [[nodiscard]] bool has_map(std::string_view dataset) const {
    return std::ranges::any_of(all_.maps, [&](const ReportContents::MapView& map) {
      return text_field(all_.rows[map.row], "dataset") == dataset;
    });
  }
  [[nodiscard]] bool has_trace(std::string_view dataset) const {
    return std::ranges::any_of(all_.traces, [&](const auto& trace) {
      return text_field(all_.rows[trace.row], "dataset") == dataset;
    });
  }

  /// Whether two methods can be compared by two metrics there.
  [[nodiscard]] bool has_tradeoff(std::string_view dataset) const {
    std::map<std::string, std::set<std::string>> methods;
    const std::vector<std::string> known_metrics = metric_fields();
    for (const Table& row : all_.rows)
      if (text_field(row, "dataset") == dataset)
        for (const std::string& name : known_metrics)
          if (number_field(row, name)) methods[name].insert(text_field(row, "method"));
    return std::ranges::count_if(methods, [](const auto& m) { return m.second.size() > 1; }) > 1;
  }

  [[nodiscard]] std::string dataset_html(std::size_t d) const {
    const std::string& dataset = all_.datasets[d];
    std::string out = fmt::format("<section id=\"dataset-{}\" class=\"dataset\"><h2>{}</h2>", d,
                                  escaped(dataset));
    if (const std::string facts = facts_html(dataset); !facts.empty())
      out += "<p class=\"facts\">" + facts + "</p>";
    const bool map = has_map(dataset);
    const bool trace = has_trace(dataset);
    if (!map && !trace) out += "<p>No run on this dataset left a map or a trace.</p>";
    if (report_can_draw()) {
      if (map) out += fmt::format("<div class=\"maps\" data-dataset=\"{}\"></div>", d);
      if (trace) out += fmt::format("<div class=\"curves\" data-dataset=\"{}\"></div>", d);
      if (has_tradeoff(dataset))
        out += fmt::format("<div class=\"tradeoff\" data-dataset=\"{}\"></div>", d);
    }
    return out + "</section>";
  }

  [[nodiscard]] std::string single_html() const {
    const Table& row = all_.rows.front();
    std::string out =
        header_html(title(), escaped(text_field(row, "method"))) + "<main class=\"single\">";
    const bool good = text_field(row, "status") == "ok";
    if (!good) out += trouble_html();
    if (drawn() && !report_can_draw()) out += "<section>" + undrawable_html() + "</section>";
    if (!all_.maps.empty() && report_can_draw())
      out += "<section class=\"hero\"><div class=\"maps\" data-dataset=\"0\"></div></section>";
    out += figures_html(row);
    if (!all_.traces.empty() && report_can_draw())
      out +=
          "<section><h2>The way there</h2><div class=\"curves\" "
          "data-dataset=\"0\"></div></section>";
    return out + choices_html() + notes_html() + ending_html() + "</main>";
  }

  [[nodiscard]] std::string figures_html(const Table& row) const {
    std::string out;
    const auto add = [&](const std::string& name, const std::string& title,
                         const std::string& unit) {
      if (const std::string number = shown_number(row, name); !number.empty())
        out += fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>", escaped(title), escaped(number),
                           unit);
    };
    for (const std::string& name : metric_fields()) add(name, title_of(name), "");
    add("uncertainty.stability", "Stability", "");
    add("uncertainty.typical_shift", "Typical shift, in radii", "");
    add("n", "Objects", "");
    add("triplets", "Training triplets", "");
    add("heldout_triplets", "Held-out triplets", "");
    add("n_components", "Dimensions", "");
    add("counts.iterations", "Iterations", "");
    add("seconds.solve", "Solving", " s");
    if (out.empty()) return {};
    out = "<section><h2>Figures</h2><dl class=\"figures\">" + out + "</dl>";
    const std::string ended = text_field(row, "termination");
    const std::string message = text_field(row, "message");
    if (!ended.empty() && text_field(row, "status") == "ok")
      out += "<p class=\"caption\">The solver ended with <strong>" + escaped(spaced(ended)) +
             "</strong>" + (message.empty() ? "" : ": " + escaped(message)) + "</p>";
    for (const char* part : {"problem", "solver"}) {
      const Value* options = field(row, std::string(part) + ".options");
      const Table* table = options ? options->get_if<Table>() : nullptr;
      if (table && !table->empty())
        out += "<p class=\"caption\"><strong>" + escaped(text_field(row, part)) +
               "</strong>: " + escaped(options_text(*table)) + "</p>";
    }
    return out + "</section>";
  }

  static std::string spaced(std::string text) {
    std::ranges::replace(text, '_', ' ');
    return text;
  }

  // Runs that did not end well, equal reasons of one method on one dataset in one line.
  [[nodiscard]] std::string trouble_html() const {
    using Reason = std::tuple<std::string, std::string, std::string, std::string>;
    std::vector<std::pair<Reason, std::vector<const Table*>>> groups;
    for (const Table& row : all_.rows) {
      const std::string status = text_field(row, "status");
      if (status == "ok") continue;
      const Reason reason{status, text_field(row, "dataset"), text_field(row, "method"),
                          text_field(row, "message")};
      const auto group = std::ranges::find(groups, reason, &decltype(groups)::value_type::first);
      if (group == groups.end())
        groups.push_back({reason, {&row}});
      else
        group->second.push_back(&row);
    }
    if (groups.empty()) return {};
    std::vector<std::vector<std::string>> lines;
    for (const auto& [reason, rows] : groups) {
      const auto& [status, dataset, method, message] = reason;
      std::vector<std::string> links;
      for (const Table* row : rows)
        if (links.size() < kMaxLinks)
          if (std::string link = log_link(*row); !link.empty()) links.push_back(std::move(link));
      if (rows.size() > kMaxLinks && !links.empty())
        links.push_back(fmt::format("and {} more", rows.size() - kMaxLinks));
      const std::string ended = text_field(*rows.front(), "termination");
      lines.push_back({fmt::format("<span class=\"status {0}\">{0}</span>", escaped(status)),
                       escaped(dataset), escaped(method), escaped(repeats_text(rows)),
                       (message.empty() ? "<em>no reason was recorded</em>" : escaped(message)) +
                           (ended.empty() ? "" : "<small>" + escaped(spaced(ended)) + "</small>"),
                       links.empty() ? "–" : join(links, "<br>")});
    }
    const std::vector<std::string> head{"Status", "Dataset", "Method", "Repeat", "Reason", "Log"};
    return "<section id=\"trouble\"><h2>What did not work</h2>" +
           table_html(head, lines, "listing stacked") + "</section>";
  }

  [[nodiscard]] std::string choices_html() const {
    using Choice = std::tuple<std::string, std::string, std::string>;
    std::vector<std::pair<Choice, std::vector<const Table*>>> groups;
    std::map<std::pair<std::string, std::string>, std::size_t> of_pair;
    for (const Table& row : all_.rows) {
      const Value* chosen = field(row, "chosen");
      const Table* table = chosen ? chosen->get_if<Table>() : nullptr;
      if (!table) continue;
      const Choice choice{text_field(row, "dataset"), text_field(row, "method"),
                          options_text(*table, kJudgement)};
      ++of_pair[{std::get<0>(choice), std::get<1>(choice)}];
      const auto group = std::ranges::find(groups, choice, &decltype(groups)::value_type::first);
      if (group == groups.end())
        groups.push_back({choice, {&row}});
      else
        group->second.push_back(&row);
    }
    if (groups.empty()) return {};
    std::ranges::stable_sort(groups, {}, [&](const auto& group) {
      const auto& [dataset, method, text] = group.first;
      return std::pair(std::ranges::find(all_.datasets, dataset) - all_.datasets.begin(),
                       std::ranges::find(all_.methods, method) - all_.methods.begin());
    });
    std::string out = "<section id=\"choices\"><h2>Chosen by validation</h2><ul class=\"choices\">";
    for (const auto& [choice, rows] : groups) {
      const auto& [dataset, method, text] = choice;
      double low = 0;
      double high = 0;
      std::size_t known = 0;
      for (const Table* row : rows) {
        const auto error = number_field(*row, "chosen.validation_error");
        if (!error) continue;
        low = known == 0 ? *error : std::min(low, *error);
        high = known == 0 ? *error : std::max(high, *error);
        ++known;
      }
      out += fmt::format("<li><strong>{}</strong> on <strong>{}</strong> chose <code>{}</code>",
                         escaped(method), escaped(dataset), escaped(text));
      const std::size_t all = of_pair.at({dataset, method});
      if (all > 1) out += fmt::format(" in {} of {}", rows.size(), counted(all, "run"));
      if (known > 0)
        out += low == high ? fmt::format(" (validation error {:.4g})", low)
                           : fmt::format(" (validation errors {:.4g} to {:.4g})", low, high);
      if (const std::string why = text_field(*rows.front(), "chosen.why"); !why.empty())
        out += "<small class=\"why\">Why: " + escaped(why) + "</small>";
      out += dimensions_html(*rows.front()) + candidates_html(*rows.front()) + "</li>";
    }
    return out + "</ul></section>";
  }

  // The script draws the curve.
  [[nodiscard]] std::string dimensions_html(const Table& row) const {
    const Value* curve = field(row, "chosen.dimensions");
    if (!report_can_draw() || !curve || !curve->get_if<Array>() || curve->get_if<Array>()->empty())
      return {};
    return fmt::format("<div class=\"dimensions\" data-run=\"{}\"></div>", &row - all_.rows.data());
  }

  static std::string candidates_html(const Table& row) {
    const Value* value = field(row, "chosen.candidates");
    const Array* list = value ? value->get_if<Array>() : nullptr;
    if (!list || list->empty()) return {};
    const std::string chosen = options_text(*field(row, "chosen")->get_if<Table>(), kJudgement);
    std::vector<std::vector<std::string>> lines;
    for (const Value& entry : *list) {
      const Table* table = entry.get_if<Table>();
      if (!table) continue;
      const std::string name = options_text(*table, kJudgement);
      std::string error = shown_number(*table, "validation_error");
      if (const std::string spread = shown_number(*table, "standard_error");
          !error.empty() && !spread.empty())
        error += "<span class=\"pm\"> ± " + spread + "</span>";
      lines.push_back({"<code>" + escaped(name) + "</code>", error.empty() ? "failed" : error,
                       name == chosen ? "<strong>chosen</strong>" : ""});
    }
    const std::vector<std::string> head{"Candidate", "Validation error", ""};
    return fold_html(fmt::format("{} of {}", counted(lines.size(), "candidate"),
                                 "repeat " + text_field(row, "repeat")),
                     table_html(head, lines, "listing"));
  }

  // Every note once, with whom it concerns: all that a note says of one dataset, whatever the method.
  [[nodiscard]] std::string notes_html() const {
    struct Note {
      std::string text;
      std::set<std::string> datasets, methods;
    };
    std::vector<Note> notes;
    for (const std::string& text : all_.notes)
      if (std::ranges::find(notes, text, &Note::text) == notes.end())
        notes.push_back({text, {}, {}});
    const auto add = [&](const Table& row, const std::string& text) {
      auto note = std::ranges::find(notes, text, &Note::text);
      if (note == notes.end()) note = notes.insert(note, {text, {}, {}});
      note->datasets.insert(text_field(row, "dataset"));
      note->methods.insert(text_field(row, "method"));
    };
    for (const Table& row : all_.rows) {
      const Value* value = field(row, "notes");
      if (const Array* list = value ? value->get_if<Array>() : nullptr)
        for (const Value& item : *list) add(row, plain_text(item));
      if (const std::string text = text_field(row, "uncertainty.message"); !text.empty())
        add(row, "Bootstrap: " + text);
    }
    if (notes.empty()) return {};
    std::string out = "<section id=\"notes\"><h2>Notes</h2><ul>";
    for (const Note& note : notes) {
      out += "<li>" + escaped(note.text);
      std::vector<std::string> places;
      for (const auto& [some, all] :
           {std::pair{&note.datasets, &all_.datasets}, std::pair{&note.methods, &all_.methods}})
        if (!some->empty() && some->size() < all->size())
          places.push_back(join(std::vector<std::string>(some->begin(), some->end()), ", "));
      if (!places.empty()) out += " <small>(" + escaped(join(places, "; ")) + ")</small>";
      out += "</li>";
    }
    return out + "</ul></section>";
  }

  [[nodiscard]] std::string runs_html() const {
    std::vector<std::string> head{"Run",   "Dataset", "Method",   "Repeat",   "Seed",
                                  "Ended", "Objects", "Triplets", "Objective"};
    const std::vector<std::string> metrics = metric_fields();
    for (const std::string& name : metrics) head.push_back(escaped(title_of(name)));
    for (const char* name : {"Iterations", "Solve s", "CPU s", "MB", "Log"})
      head.emplace_back(name);
    std::vector<std::vector<std::string>> lines;
    for (const Table& row : all_.rows) {
      if (lines.size() == kMaxListedRuns) break;
      const Table* only[] = {&row};
      const std::string status = text_field(row, "status");
      const std::string ended = text_field(row, "termination");
      std::vector<std::string> line{"<code>" + escaped(text_field(row, "run_id")) + "</code>",
                                    escaped(text_field(row, "dataset")),
                                    escaped(text_field(row, "method")),
                                    escaped(repeats_text(only)),
                                    escaped(text_field(row, "seed")),
                                    escaped(status == "ok" ? spaced(ended) : status),
                                    shown_number(row, "n"),
                                    shown_number(row, "triplets"),
                                    shown_number(row, "objective")};
      for (const std::string& name : metrics) line.push_back(shown_number(row, name));
      for (const char* name : {"counts.iterations", "seconds.solve", "seconds.cpu", "memory_mb"})
        line.push_back(shown_number(row, name));
      line.push_back(log_link(row));
      lines.push_back(std::move(line));
    }
    std::string out = table_html(head, lines, "listing runs");
    if (all_.rows.size() > lines.size())
      out += fmt::format("<p class=\"caption\">The first {} of {} runs; all are in runs.jsonl.</p>",
                         lines.size(), all_.rows.size());
    return out;
  }

  [[nodiscard]] std::string ending_html() const {
    std::string out = "<section id=\"made\"><h2>How this was made</h2>";
    if (const std::string command = text_field(all_.manifest, "command"); !command.empty())
      out += "<pre class=\"command\">" + escaped(command) + "</pre>";
    if (!all_.rows.empty())
      out += fold_html(all_.single() ? "The run in figures" : "All runs", runs_html());
    if (const auto& config = all_.configuration)
      out += fold_html("Configuration, every option spelled out",
                       "<pre>" + escaped(*config) + "</pre>");
    if (!all_.manifest.empty())
      out += fold_html("Program and machine",
                       "<dl class=\"manifest\">" + definitions_html(all_.manifest) + "</dl>");
    return out + "</section>";
  }

  const ReportContents& all_;
  fs::path page_folder_;
  const ReportOptions& options_;
};

}  // namespace

std::string report_page(const fs::path& results_folder, const fs::path& page_folder,
                        const ReportOptions& options) {
  return Page(gather_report(results_folder, options), page_folder, options).text();
}

void write_report(const fs::path& results_folder, const fs::path& html_file,
                  const ReportOptions& options) {
  const fs::path folder = html_file.has_parent_path() ? html_file.parent_path() : fs::path(".");
  write_whole_file(html_file, report_page(results_folder, folder, options));
}

bool report_can_draw() { return !report_assets::plotly().empty(); }

}  // namespace alidade
