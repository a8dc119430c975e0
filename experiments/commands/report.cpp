#include <sentences/commands.hpp>

#include "experiments/report/report.hpp"

#include <array>

#include "experiments/commands/commands.hpp"

namespace alidade::commands {
namespace {

struct ReportRequest {
  std::vector<fs::path> folders;
  ReportOptions look;
  std::optional<std::string> width;
  std::optional<fs::path> out, figures;
  bool follow = false;
};
struct FigureRequest : ReportRequest {
  fs::path file = "figure.pdf";
};
constexpr Bounds kDpi{36, 2400}, kPoints{3, 40};

/// Which runs are shown, and how their objects look.
CommandOptions shown_options(ReportRequest& r) {
  return {
      {"--method", "NAME", &r.look.methods, "show only the runs of this method; may be repeated"},
      runs_option(r.look.where),
      {"--labels", "FILE", &r.look.labels,
       "table whose first column is the objects' names; you can colour the maps of a page by its other columns, and "
       "figures have the colours of the first of them"}};
}

CommandOptions options_of(ReportRequest& r) {
  constexpr auto kPaper = "Figures for a paper";
  CommandOptions out = {
      {"folders", "DIR", &r.folders, "the results folders to show"},
      {"-o,--out", "FILE", &r.out,
       "HTML page to write; for a single folder, the default is FOLDER/report.html; -: print it"},
      {"--follow", "", &r.follow,
       "of a run in progress: write the page again whenever a run has ended, until all have; the page in the browser "
       "reloads itself"},
      under(kPaper),
      {"--figures", "DIR", &r.figures,
       "write SVG figures (maps, curves, values, profiles) to this folder, in place of the page"},
      {"--only", "NAME", &r.look.figures.only,
       "with --figures: only these kinds: map, curve, values, ranks, profile; map-grid or curve-grid: all maps or "
       "curves side by side in one file",
       names_in(kFigureKinds), Several::in_one_word},
      {"--width", "LENGTH", &r.width,
       "with --figures: width on paper, such as 84mm or 3.3in; figures are laid out for it"},
      {"--font-size", "NUMBER", &r.look.figures.font_points,
       "with --figures: size of the words at ticks, in points; 8 with --width", kPoints},
      {"--pdf", "", &r.look.pdf, "with --figures: also write each figure as PDF (needs rsvg-convert)"},
      {"--png", "", &r.look.png, "with --figures: also write each figure as PNG (needs rsvg-convert)"},
      {"--dpi", "NUMBER", &r.look.dpi, "with --png: pixels an inch", kDpi},
      under(""),
      {"--images", "DIR", &r.look.images, kPictures}};
  append(out, shown_options(r));
  return out;
}

CommandOptions options_of(FigureRequest& r) {
  CommandOptions out = {
      {"folders", "DIR", &r.folders, "the folder of a map, or results folders"},
      {"-o,--out", "FILE", &r.file, "file to write; its ending says the format: .pdf, .svg or .png"},
      {"--width", "LENGTH", &r.width, "width on paper, such as 84mm or 3.3in; the figure is laid out for it"},
      {"--font-size", "NUMBER", &r.look.figures.font_points, "size of the words at ticks, in points; 8 with --width",
       kPoints},
      {"--title", "TEXT", &r.look.figures.titles, "title above a map; of several maps, one for each, in their order"},
      {"--dpi", "NUMBER", &r.look.dpi, "of a PNG: pixels an inch", kDpi},
      {"--only", "NAME", &r.look.figures.only,
       "kind of the figure: map (default; of several, all in one), curve, values, ranks, profile, map-grid or "
       "curve-grid; or the name of one, such as values_metrics_heldout_error",
       names_in(kFigureKinds), Several::in_one_word}};
  append(out, shown_options(r));
  return out;
}

/// "84mm", "8.4cm", "3.3in" or "240pt".
double millimetres(const std::string& text) {
  constexpr std::array kUnits = {std::pair{"mm", 1.0}, std::pair{"cm", 10.0}, std::pair{"in", 25.4},
                                 std::pair{"pt", 25.4 / 72}};
  for (const auto& [unit, length] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = parse_double(trim(std::string_view(text).substr(0, text.size() - 2)));
    if (number && *number > 0 && *number * length <= 2000) return *number * length;
  }
  throw ConfigError(fmt::format(words::kWidthNoLength, text));
}

ReportOptions report_options(const ReportRequest& request) {
  ReportOptions out = request.look;
  if (request.width) out.figures.width_mm = millimetres(*request.width);
  return out;
}

int figure(const FigureRequest& request) {
  const ReportOptions options = report_options(request);
  std::vector<std::string> notes;
  write_figure(request.folders, request.file, notes, options);
  fmt::print("{}\n", request.file.string());
  say_notes(notes);
  return 0;
}

int report(const ReportRequest& request) {
  const ReportOptions options = report_options(request);
  require<ConfigError>(request.figures || !(options.png || options.pdf), words::kNeedsFigures,
                       options.png ? "--png" : "--pdf");
  require<ConfigError>(
      request.figures || (options.figures.only.empty() && !options.figures.font_points && !request.width),
      words::kOfFigures);
  require<ConfigError>(!request.follow || (!request.figures && request.folders.size() == 1 && request.out != "-"),
                       words::kFollowsOnePage);
  if (request.figures) {
    require<ConfigError>(!request.out, words::kFiguresOrPage);
    std::vector<std::string> notes;
    const auto files = write_figures(request.folders, *request.figures, notes, options);
    for (const fs::path& file : files) fmt::print("{}\n", file.string());
    say_notes(notes);
    if (files.empty()) say("Note: Nothing to draw.\n");
    return 0;
  }
  require<ConfigError>(request.folders.size() == 1 || request.out, words::kPageNeedsPlace, request.folders.size());
  const fs::path page = request.out.value_or(request.folders.front() / "report.html");
  if (page == "-") {
    fmt::print("{}", report_page(request.folders, ".", options));
    return 0;
  }
  if (request.follow) return follow(request.folders.front(), page, options);
  write_report(request.folders, page, options);
  fmt::print("{}\n", page.string());
  return 0;
}

}  // namespace

Command report_command() { return command<ReportRequest>("report", options_of, report); }
Command figure_command() { return command<FigureRequest>("figure", options_of, figure); }

}  // namespace alidade::commands
