#include "experiments/report/figures.hpp"

#include <fmt/core.h>
#include <sentences/report.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/notes.hpp"
#include "experiments/report/report.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/row_warnings.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

constexpr std::size_t kMaxMaps = 500;
constexpr std::size_t kMaxName = 100;

constexpr double kPixelsPerMillimetre = 96 / 25.4, kPixelsPerPoint = 96.0 / 72;
constexpr double kTextSize = 10;     // of the words at ticks, in pixels of a drawing
constexpr double kUsualPoints = 8;   // of these words on paper, where a width is given
constexpr double kLeastWidth = 150;  // pixels in which a figure can be laid out

/// That of a figure by its name, such as curve_d_gap.
std::string figure_kind(std::string_view name) { return std::string(name.substr(0, name.find('_'))); }

void require_kinds(const std::vector<std::string>& only) {
  const std::vector<std::string> kinds(kFigureKinds.begin(), kFigureKinds.end());
  for (const std::string& kind : only)
    require<ConfigError>(contains(kinds, figure_kind(kind)), "--only: there are no figures '{}'.{}", kind,
                         suggestion(kind, kinds));
}

// Pixels to draw in, and how much larger a pixel is on paper.
struct Layout {
  std::optional<double> width{};
  double scale = 1;
  bool on_paper = false;
};
Layout layout_of(const FigureStyle& style) {
  if (!style.width_mm && !style.font_points) return {};
  Layout out{{}, style.font_points.value_or(kUsualPoints) * kPixelsPerPoint / kTextSize, true};
  if (style.width_mm) out.width = *style.width_mm * kPixelsPerMillimetre / out.scale;
  require<ConfigError>(!out.width || *out.width >= kLeastWidth, words::kNoRoomForTexts, style.width_mm.value_or(0),
                       style.font_points.value_or(kUsualPoints));
  return out;
}

// The drawing with its size on paper, in millimetres.
std::string scaled(std::string svg, const Layout& layout) {
  if (!layout.on_paper) return svg;
  for (const std::string_view side : {" width=\"", " height=\""}) {
    const auto begin = svg.find(side) + side.size(), end = svg.find('"', begin);
    const double pixels = parse_double(std::string_view(svg).substr(begin, end - begin)).value();
    svg.replace(begin, end - begin, fmt::format("{:.2f}mm", pixels * layout.scale / kPixelsPerMillimetre));
  }
  return svg;
}

constexpr std::size_t kNamedLeftOut = 10;

// Notes the names that a reader will not find.
void note_names_left_out(const std::vector<Figure>& maps, std::vector<std::string>& notes) {
  std::vector<std::string> nameless;
  for (const Figure& map : maps) {
    if (!map.has_names) nameless.push_back(map.name);
    if (map.too_many_labels > 0) add_note(notes, words::kLabelsTooMany, map.name, map.too_many_labels);
    if (map.unnamed.empty()) continue;
    const auto quoted = mapped(map.unnamed, [](const std::string& name) { return "'" + one_line(name) + "'"; });
    add_note(notes, "{}: no room for the names of {}: {}.", map.name, counted(quoted.size(), "object"),
             join(quoted, ", "));
  }
  if (!nameless.empty()) add_note(notes, words::kMapsWithoutNames, kNamedObjects, join(nameless, ", "));
}

}  // namespace

std::string figure_name(const std::vector<std::string>& parts) {
  std::string out;
  for (const char c : join(parts, "_")) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       static_cast<unsigned char>(c) >= 0x80;
    if (plain)
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  out.resize(first_bytes(out, kMaxName).size());
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out.empty() ? "figure" : out;
}

std::vector<Figure> all_figures(const ReportModel& contents, std::vector<std::string>& notes,
                                const FigureStyle& style) {
  const Layout layout = layout_of(style);
  require_kinds(style.only);
  const auto wanted = [&](std::string_view kind) {
    return style.only.empty() || std::ranges::find(style.only, kind, figure_kind) != style.only.end();
  };
  std::vector<Figure> out;
  if (wanted("map")) out = map_figures(contents, layout.width);
  if (out.size() > kMaxMaps) {
    add_note(notes, "Only the first {} of {} maps are drawn.", kMaxMaps, out.size());
    out.resize(kMaxMaps);
  }
  note_names_left_out(out, notes);
  if (contents.single())
    for (const RowWarning warning : warnings_of(contents.rows.front()))
      if (is_grave(warning)) notes.push_back(warning_text(warning, contents.rows.front()));
  for (std::vector<Figure> more :
       {wanted("curve") ? curve_figures(contents, layout.width) : std::vector<Figure>(),
        wanted("values") || wanted("ranks") ? value_figures(contents, layout.width) : std::vector<Figure>(),
        wanted("profile") ? profile_figures(contents, layout.width) : std::vector<Figure>()})
    std::ranges::move(more, std::back_inserter(out));
  for (std::optional<Figure>& grid :
       std::array{wanted("map-grid") ? map_grid(contents, layout.width, style.titles) : std::nullopt,
                  wanted("curve-grid") ? curve_grid(contents, layout.width) : std::nullopt})
    if (grid) {
      if (!grid->unnamed.empty() && !wanted("map"))
        add_note(notes, words::kNoRoomInPanel, grid->name, counted(grid->unnamed.size(), "name"),
                 join_first(grid->unnamed, kNamedLeftOut));
      out.push_back(std::move(*grid));
    }
  std::erase_if(out, [&](const Figure& figure) {
    return !style.only.empty() && !contains(style.only, figure.name) && !contains(style.only, figure_kind(figure.name));
  });
  for (Figure& figure : out) figure.svg = scaled(std::move(figure.svg), layout);
  std::set<std::string> names;
  for (Figure& figure : out) {
    const std::string plain = figure.name;
    for (int number = 2; !names.insert(figure.name).second; ++number) figure.name = fmt::format("{}_{}", plain, number);
  }
  return out;
}

}  // namespace alidade::report

namespace alidade {

std::vector<std::filesystem::path> write_figures(std::span<const std::filesystem::path> results_folders,
                                                 const std::filesystem::path& folder, std::vector<std::string>& notes,
                                                 const ReportOptions& options) {
  if (options.png || options.pdf) report::require_converter(options.png ? "--png" : "--pdf");
  const ReportModel contents = gather_report(results_folders, options);
  notes.insert(notes.end(), contents.notes.begin(), contents.notes.end());
  const auto figures = report::all_figures(contents, notes, options.figures);
  std::vector<std::filesystem::path> out;
  if (!figures.empty()) make_folder(folder);
  for (const report::Figure& figure : figures) {
    out.push_back(folder / (figure.name + ".svg"));
    write_whole_file(out.back(), figure.svg);
    const std::filesystem::path svg = out.back();
    if (auto note = report::missing_characters(figure.svg); note && (options.png || options.pdf))
      add_note(notes, "{}: {}", figure.name, *note);
    for (const auto& [wanted, ending] : {std::pair{options.png, ".png"}, {options.pdf, ".pdf"}}) {
      if (!wanted) continue;
      const std::filesystem::path file = folder / (figure.name + ending);
      if (auto trouble = report::convert_svg(svg, file, options.dpi))
        notes.push_back(std::move(*trouble));
      else
        out.push_back(file);
    }
  }
  return out;
}

void write_figure(std::span<const std::filesystem::path> results_folders, const std::filesystem::path& file,
                  std::vector<std::string>& notes, const ReportOptions& options) {
  const std::string ending = file.extension().string();
  require<ConfigError>(ending == ".svg" || ending == ".pdf" || ending == ".png", words::kFigureFormatUnsaid,
                       file.string());
  if (ending != ".svg") report::require_converter(file.filename().string());
  const auto folder = file.parent_path();
  require<ConfigError>(folder.empty() || std::filesystem::is_directory(folder), words::kFigureFolderMissing,
                       file.string(), folder.string());
  const ReportModel contents = gather_report(results_folders, options);
  notes.insert(notes.end(), contents.notes.begin(), contents.notes.end());
  FigureStyle style = options.figures;
  const bool any = style.only.empty();
  if (any) style.only = {"map"};
  std::vector<std::string> about;
  std::vector<report::Figure> figures = report::all_figures(contents, about, style);
  // One file holds all maps or all curves.
  const bool map = style.only == std::vector<std::string>{"map"}, titled = !style.titles.empty();
  require<ConfigError>(map || !titled, "--title is of maps. Leave it out, or give --only map.");
  if ((map && titled) || (figures.size() > 1 && (map || style.only == std::vector<std::string>{"curve"}))) {
    style.only[0] += "-grid";
    about.clear();
    figures = report::all_figures(contents, about, style);
  }
  const auto names = mapped(figures, &report::Figure::name);
  require<ConfigError>(!figures.empty(), "There is nothing to draw{}. Kinds of figures (--only): {}.",
                       any ? ": there is no map" : " of the kinds " + join(style.only, ", "),
                       join(std::vector<std::string>(kFigureKinds.begin(), kFigureKinds.end()), ", "));
  require<ConfigError>(figures.size() == 1, words::kSeveralFigures, figures.size(), file.string(), join(names, ", "));
  notes.insert(notes.end(), about.begin(), about.end());
  if (ending == ".svg") {
    write_whole_file(file, figures.front().svg);
    return;
  }
  std::filesystem::path drawing = file;
  drawing += ".svg";
  write_whole_file(drawing, figures.front().svg);
  const auto trouble = report::convert_svg(drawing, file, options.dpi);
  std::error_code ignored;
  std::filesystem::remove(drawing, ignored);
  if (trouble) throw DataError(*trouble);
  if (auto note = report::missing_characters(figures.front().svg)) notes.push_back(std::move(*note));
}

}  // namespace alidade
