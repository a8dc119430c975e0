#include "experiments/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "experiments/durable_file.hpp"
#include "experiments/json.hpp"
#include "experiments/report/assets.hpp"
#include "experiments/report/html.hpp"
#include "experiments/report/map_csv.hpp"
#include "experiments/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxTracePoints = 600;  // of one curve; more are thinned
constexpr std::size_t kMaxMapColumns = 8;     // coordinates of one map that the page can show
constexpr std::size_t kMaxListedRuns = 1000;
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

std::optional<std::string> read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in.is_open() || fs::is_directory(file)) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A file named in a row, if the name stays inside the folder.
std::optional<fs::path> inside(const fs::path& folder, const std::string& name) {
  const fs::path relative = fs::path(name).lexically_normal();
  if (name.empty() || relative.is_absolute() || *relative.begin() == "..") return std::nullopt;
  return folder / relative;
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
  Page(const fs::path& results, const fs::path& page_folder, const ReportOptions& options)
      : results_(results), page_folder_(page_folder), options_(options) {
    rows_ = read_rows(results, &notes_);
    if (const auto text = read_text(results / "manifest.json")) {
      try {
        Value manifest = parse_json(*text, (results / "manifest.json").string());
        if (Table* table = manifest.get_if<Table>()) manifest_ = std::move(*table);
      } catch (const DataError& error) {
        notes_.emplace_back(error.what());
      }
    }
    const auto by_plan = [](const Table& row) {
      const double none = -1;
      return std::tuple(number_field(row, "plan_index").value_or(none),
                        number_field(row, "repeat").value_or(none),
                        number_field(row, "fold").value_or(none));
    };
    std::ranges::stable_sort(rows_, {}, by_plan);
    for (const Table& row : rows_) ++status_count_[text_field(row, "status")];
    if (!rows_.empty()) {
      const ComparisonTable table = table_of("seconds.solve", "dataset");
      for (const auto& key : table.row_keys) methods_.push_back(key.front());
      for (const auto& key : table.col_keys) datasets_.push_back(key.front());
    }
    gather_maps();
    gather_traces();
  }

  [[nodiscard]] std::string text() const {
    std::map<std::string, std::string, std::less<>> places;
    places["title"] = escaped(title() + " – Alidade");
    places["body"] = rows_.empty() ? empty_html() : single() ? single_html() : many_html();
    places["data"] = script_safe(to_json(data()));
    places["style"] = report_assets::style();
    places["plotly"] = report_assets::plotly();
    places["script"] = report_assets::script();
    places["generator"] = escaped("alidade " + text_field(manifest_, "program.version"));
    return filled(report_assets::page(), places);
  }

 private:
  // ---- what there is

  struct MapView {
    std::size_t row = 0;
    std::string aspect;
    std::size_t objects = 0;  // into object_lists_
    std::size_t dimensions = 0;
    std::string coordinates;  // base64 of float32, coordinate after coordinate
    std::size_t unplaced = 0;
  };
  struct ObjectList {
    std::vector<std::string> names, labels;
  };

  [[nodiscard]] bool single() const { return rows_.size() == 1; }
  [[nodiscard]] bool drawn() const { return !maps_.empty() || !traces_.empty(); }
  [[nodiscard]] std::size_t count_of(std::string_view status) const {
    const auto found = status_count_.find(status);
    return found == status_count_.end() ? 0 : found->second;
  }
  [[nodiscard]] std::string experiment() const {
    if (std::string name = text_field(manifest_, "experiment"); !name.empty()) return name;
    if (!rows_.empty())
      if (std::string name = text_field(rows_.front(), "experiment"); !name.empty()) return name;
    return fs::absolute(results_).lexically_normal().filename().string();
  }
  [[nodiscard]] std::string title() const {
    return single() ? text_field(rows_.front(), "dataset") : experiment();
  }
  [[nodiscard]] ComparisonTable table_of(const std::string& value, const std::string& cols) const {
    TableRequest request;
    request.value = value;
    request.cols = cols;
    request.directions = options_.directions;
    return compare(rows_, request);
  }
  // The metrics that some run has, the known ones first.
  [[nodiscard]] std::vector<std::string> metric_fields() const {
    std::vector<std::string> out;
    const auto add = [&](const std::string& name) {
      const bool any = std::ranges::any_of(
          rows_, [&](const Table& row) { return number_field(row, name).has_value(); });
      if (any && std::ranges::find(out, name) == out.end()) out.push_back(name);
    };
    for (const auto& [name, shown] : kTitles)
      if (name.starts_with("metrics.")) add(std::string(name));
    for (const std::string& name : field_names(rows_))
      if (name.starts_with("metrics.")) add(name);
    return out;
  }

  void gather_maps() {
    std::size_t used = 0;
    std::size_t left_out = 0;
    std::vector<std::size_t> order(rows_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return std::pair(number_field(rows_[i], "repeat").value_or(0),
                       number_field(rows_[i], "fold").value_or(0));
    });
    for (const std::size_t i : order) {
      const Value* files = field(rows_[i], "files.embedding");
      const Array* list = files ? files->get_if<Array>() : nullptr;
      if (!list) continue;
      for (const Value& name : *list) {
        const std::string file = plain_text(name);
        if (used >= options_.coordinate_bytes) {
          ++left_out;
          continue;
        }
        const auto path = inside(results_, file);
        if (!path) {
          notes_.push_back("A row names '" + file +
                           "', which is outside the results folder; it is not read.");
          continue;
        }
        try {
          add_map(i, file, read_map_csv(*path), used, left_out);
        } catch (const DataError& error) {
          notes_.emplace_back(error.what());
        }
      }
    }
    if (left_out > 0)
      notes_.push_back(
          fmt::format("{} of later repeats stayed out of this page to keep it small; the "
                      "coordinates are in embeddings/.",
                      counted(left_out, "map")));
    std::ranges::stable_sort(maps_, {}, &MapView::row);
  }

  void add_map(std::size_t row, const std::string& file, MapTable map, std::size_t& used,
               std::size_t& left_out) {
    if (map.objects.empty()) return;
    if (map.columns.size() > kMaxMapColumns) map.columns.resize(kMaxMapColumns);
    const std::size_t bytes = map.objects.size() * map.columns.size() * sizeof(float);
    if (used + bytes > options_.coordinate_bytes) {
      ++left_out;
      return;
    }
    used += bytes;
    MapView view;
    view.row = row;
    const std::string run_id = text_field(rows_[row], "run_id");
    const std::string stem = fs::path(file).stem().string();
    if (stem.size() > run_id.size() + 1 && stem.starts_with(run_id + "."))
      view.aspect = stem.substr(run_id.size() + 1);
    view.dimensions = map.columns.size();
    std::vector<float> all;
    all.reserve(map.objects.size() * map.columns.size());
    for (const auto& column : map.columns) all.insert(all.end(), column.begin(), column.end());
    for (std::size_t i = 0; i < map.objects.size(); ++i)
      view.unplaced += std::ranges::any_of(
                           map.columns, [&](const auto& column) { return std::isnan(column[i]); })
                           ? 1
                           : 0;
    view.coordinates = base64(all.data(), all.size() * sizeof(float));
    const auto known = std::ranges::find_if(object_lists_, [&](const ObjectList& list) {
      return list.names == map.objects && list.labels == map.labels;
    });
    view.objects = static_cast<std::size_t>(known - object_lists_.begin());
    if (known == object_lists_.end())
      object_lists_.push_back({std::move(map.objects), std::move(map.labels)});
    maps_.push_back(std::move(view));
  }

  void gather_traces() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::string file = text_field(rows_[i], "files.trace");
      if (file.empty()) continue;
      const auto path = inside(results_, file);
      const auto text = path ? read_text(*path) : std::nullopt;
      if (!text) {
        notes_.push_back("The trace " + file + " can not be read.");
        continue;
      }
      try {
        const Value value = parse_json(*text, file);
        const Table* columns = value.get_if<Table>();
        require<DataError>(columns != nullptr, "{}: Expected the columns of a trace.", file);
        if (Table kept = thinned(*columns); !kept.empty()) traces_.emplace_back(i, std::move(kept));
      } catch (const DataError& error) {
        notes_.emplace_back(error.what());
      }
    }
  }

  // Columns of equal length, at most kMaxTracePoints rows of them: evenly spaced ones, and all at which a
  // metric was taken (the gradient norm is not one).
  static Table thinned(const Table& columns) {
    std::size_t length = 0;
    for (const auto& [name, value] : columns)
      if (const Array* column = value.get_if<Array>()) length = std::max(length, column->size());
    std::vector<std::size_t> kept;
    const std::size_t stride = (length + kMaxTracePoints - 1) / kMaxTracePoints;
    for (std::size_t i = 0; i < length; ++i) {
      const bool measured = std::ranges::any_of(columns, [&](const auto& entry) {
        const Array* column = entry.second.template get_if<Array>();
        return column && i < column->size() && !(*column)[i].is_null() &&
               entry.first != "iteration" && entry.first != "seconds" &&
               entry.first != "objective" && entry.first != "gradient_norm";
      });
      if (measured || i % stride == 0 || i + 1 == length) kept.push_back(i);
    }
    Table out;
    for (const auto& [name, value] : columns) {
      const Array* column = value.get_if<Array>();
      if (!column || name == "gradient_norm") continue;
      Array thin;
      for (const std::size_t i : kept) {
        thin.emplace_back();
        if (i < column->size()) thin.back() = rounded((*column)[i]);
      }
      out.set(name, std::move(thin));
    }
    return length == 0 ? Table{} : out;
  }
  // Seven digits are more than a screen shows.
  static Value rounded(const Value& value) {
    const double* number = value.get_if<double>();
    if (!number || !std::isfinite(*number)) return value;
    return parse_double(fmt::format("{:.7g}", *number)).value_or(*number);
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

  static Value object_list(const ObjectList& list) {
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
    out.set("single", single());
    out.set("methods", text_list(methods_));
    out.set("datasets", text_list(datasets_));
    Array objects;
    for (const ObjectList& list : object_lists_) objects.push_back(object_list(list));
    out.set("objects", std::move(objects));
    Array runs;
    for (const Table& row : rows_) {
      Table run;
      for (const char* name : {"dataset", "method", "problem", "status"})
        run.set(name, text_field(row, name));
      const std::string fold = text_field(row, "fold");
      run.set("part",
              "repeat " + text_field(row, "repeat") + (fold.empty() ? "" : ", fold " + fold));
      for (const char* name : {"heldout_error", "train_error"})
        run.set(name, number_or_null(number_field(row, std::string("metrics.") + name)));
      runs.push_back(std::move(run));
    }
    out.set("runs", std::move(runs));
    Array maps;
    for (const MapView& view : maps_) {
      Table map;
      map.set("run", static_cast<std::int64_t>(view.row));
      map.set("aspect", view.aspect);
      map.set("objects", static_cast<std::int64_t>(view.objects));
      map.set("dimensions", static_cast<std::int64_t>(view.dimensions));
      map.set("unplaced", static_cast<std::int64_t>(view.unplaced));
      map.set("coordinates", view.coordinates);
      maps.push_back(std::move(map));
    }
    out.set("maps", std::move(maps));
    Array traces;
    for (const auto& [row, columns] : traces_) {
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
    const auto path = inside(results_, file);
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
    out += single() ? escaped(experiment()) : "Experiment";
    out += "</p><h1>" + escaped(heading) + "</h1>";
    if (!subtitle.empty()) out += "<p class=\"subtitle\">" + subtitle + "</p>";
    const std::string where = now_and_where(manifest_);
    if (!where.empty()) out += "<p class=\"where\">" + escaped(where) + "</p>";
    return out +
           "</div><button type=\"button\" id=\"theme\" hidden>Theme: system</button></header>";
  }

  [[nodiscard]] std::string empty_html() const {
    return header_html(experiment(), "") +
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
    std::string out = counted(rows_.size(), "run");
    out += fmt::format(" of {} on {}", counted(methods_.size(), "method"),
                       counted(datasets_.size(), "dataset"));
    for (const auto& [status, word] :
         {std::pair{"failed", "failed"}, std::pair{"skipped", "skipped"},
          std::pair{"cancelled", "interrupted"}})
      if (const std::size_t count = count_of(status); count > 0)
        out += fmt::format(" · <a href=\"#trouble\">{} {}</a>", count, word);
    return out;
  }

  [[nodiscard]] std::string many_html() const {
    std::string out = header_html(experiment(), status_text()) + "<main>";
    out += comparisons_html();
    if (drawn() && !report_can_draw()) out += "<section>" + undrawable_html() + "</section>";
    for (std::size_t d = 0; d < datasets_.size(); ++d) out += dataset_html(d);
    return out + trouble_html() + choices_html() + notes_html() + ending_html() + "</main>";
  }

  [[nodiscard]] std::string comparisons_html() const {
    std::vector<std::string> values = metric_fields();
    const bool timed = std::ranges::any_of(
        rows_, [](const Table& row) { return number_field(row, "seconds.solve").has_value(); });
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
    if (datasets_.size() == 1) {
      std::vector<ComparisonColumn> columns;
      for (const ComparisonTable& table : tables)
        columns.push_back({title_of(table.request.value), direction(table), &table, 0});
      out += "<p class=\"lead\">Methods on <strong>" + escaped(datasets_[0]) + "</strong></p>";
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
    for (const Table& row : rows_) {
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
    return std::ranges::any_of(maps_, [&](const MapView& map) {
      return text_field(rows_[map.row], "dataset") == dataset;
    });
  }
  [[nodiscard]] bool has_trace(std::string_view dataset) const {
    return std::ranges::any_of(traces_, [&](const auto& trace) {
      return text_field(rows_[trace.first], "dataset") == dataset;
    });
  }

  [[nodiscard]] std::string dataset_html(std::size_t d) const {
    const std::string& dataset = datasets_[d];
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
    }
    return out + "</section>";
  }

  [[nodiscard]] std::string single_html() const {
    const Table& row = rows_.front();
    std::string out =
        header_html(title(), escaped(text_field(row, "method"))) + "<main class=\"single\">";
    const bool good = text_field(row, "status") == "ok";
    if (!good) out += trouble_html();
    if (drawn() && !report_can_draw()) out += "<section>" + undrawable_html() + "</section>";
    if (!maps_.empty() && report_can_draw())
      out += "<section class=\"hero\"><div class=\"maps\" data-dataset=\"0\"></div></section>";
    out += figures_html(row);
    if (!traces_.empty() && report_can_draw())
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
    for (const Table& row : rows_) {
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
    const std::set<std::string> kAside{"validation_error", "validation_triplets", "candidates"};
    using Choice = std::tuple<std::string, std::string, std::string>;
    std::vector<std::pair<Choice, std::vector<const Table*>>> groups;
    std::map<std::pair<std::string, std::string>, std::size_t> of_pair;
    for (const Table& row : rows_) {
      const Value* chosen = field(row, "chosen");
      const Table* table = chosen ? chosen->get_if<Table>() : nullptr;
      if (!table) continue;
      const Choice choice{text_field(row, "dataset"), text_field(row, "method"),
                          options_text(*table, kAside)};
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
      return std::pair(std::ranges::find(datasets_, dataset) - datasets_.begin(),
                       std::ranges::find(methods_, method) - methods_.begin());
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
      out += candidates_html(*rows.front()) + "</li>";
    }
    return out + "</ul></section>";
  }

  static std::string candidates_html(const Table& row) {
    const Value* value = field(row, "chosen.candidates");
    const Array* list = value ? value->get_if<Array>() : nullptr;
    if (!list || list->empty()) return {};
    std::vector<std::vector<std::string>> lines;
    for (const Value& entry : *list) {
      const Table* table = entry.get_if<Table>();
      if (!table) continue;
      const std::string error = shown_number(*table, "validation_error");
      lines.push_back({"<code>" + escaped(options_text(*table, {"validation_error"})) + "</code>",
                       error.empty() ? "failed" : error});
    }
    const std::vector<std::string> head{"Candidate", "Validation error"};
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
    for (const std::string& text : notes_)
      if (std::ranges::find(notes, text, &Note::text) == notes.end())
        notes.push_back({text, {}, {}});
    for (const Table& row : rows_) {
      const Value* value = field(row, "notes");
      const Array* list = value ? value->get_if<Array>() : nullptr;
      if (!list) continue;
      for (const Value& item : *list) {
        auto note = std::ranges::find(notes, plain_text(item), &Note::text);
        if (note == notes.end()) note = notes.insert(note, {plain_text(item), {}, {}});
        note->datasets.insert(text_field(row, "dataset"));
        note->methods.insert(text_field(row, "method"));
      }
    }
    if (notes.empty()) return {};
    std::string out = "<section id=\"notes\"><h2>Notes</h2><ul>";
    for (const Note& note : notes) {
      out += "<li>" + escaped(note.text);
      std::vector<std::string> places;
      for (const auto& [some, all] :
           {std::pair{&note.datasets, &datasets_}, std::pair{&note.methods, &methods_}})
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
    for (const Table& row : rows_) {
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
    if (rows_.size() > lines.size())
      out += fmt::format("<p class=\"caption\">The first {} of {} runs; all are in runs.jsonl.</p>",
                         lines.size(), rows_.size());
    return out;
  }

  [[nodiscard]] std::string ending_html() const {
    std::string out = "<section id=\"made\"><h2>How this was made</h2>";
    if (const std::string command = text_field(manifest_, "command"); !command.empty())
      out += "<pre class=\"command\">" + escaped(command) + "</pre>";
    if (!rows_.empty()) out += fold_html(single() ? "The run in figures" : "All runs", runs_html());
    if (const auto config = read_text(results_ / "config.resolved.toml"))
      out += fold_html("Configuration, every option spelled out",
                       "<pre>" + escaped(*config) + "</pre>");
    if (!manifest_.empty())
      out += fold_html("Program and machine",
                       "<dl class=\"manifest\">" + definitions_html(manifest_) + "</dl>");
    return out + "</section>";
  }

  fs::path results_;
  fs::path page_folder_;
  ReportOptions options_;
  std::vector<Table> rows_;
  Table manifest_;
  std::vector<std::string> notes_;
  std::map<std::string, std::size_t, std::less<>> status_count_;
  std::vector<std::string> methods_, datasets_;  // in the order of the tables
  std::vector<ObjectList> object_lists_;
  std::vector<MapView> maps_;
  std::vector<std::pair<std::size_t, Table>> traces_;  // row, columns
};

}  // namespace

std::string report_page(const fs::path& results_folder, const fs::path& page_folder,
                        const ReportOptions& options) {
  return Page(results_folder, page_folder, options).text();
}

void write_report(const fs::path& results_folder, const fs::path& html_file,
                  const ReportOptions& options) {
  const fs::path folder = html_file.has_parent_path() ? html_file.parent_path() : fs::path(".");
  write_whole_file(html_file, report_page(results_folder, folder, options));
}

bool report_can_draw() { return !report_assets::plotly().empty(); }

}  // namespace alidade
