#include "experiments/report/report.hpp"

#include <fmt/core.h>

#include <array>
#include <string_view>
#include <utility>

#include "experiments/commands/commands.hpp"
#include "experiments/commands/follow.hpp"
#include "experiments/commands/note_lines.hpp"
#include "experiments/files/standard_error.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::commands {
namespace {

/// "84mm", "8.4cm", "3.3in" or "240pt".
double millimetres(const std::string& text) {
  constexpr std::array kUnits = {std::pair{"mm", 1.0}, std::pair{"cm", 10.0}, std::pair{"in", 25.4},
                                 std::pair{"pt", 25.4 / 72}};
  for (const auto& [unit, length] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = parse_double(trim(std::string_view(text).substr(0, text.size() - 2)));
    if (number && *number > 0 && *number * length <= 2000) return *number * length;
  }
  throw ConfigError(
      fmt::format("--width '{}' is no length of at most 2 m. Write, for example, 84mm, 8.4cm, 3.3in or "
                  "240pt.",
                  text));
}

/// The style of figures that a request asks for. @throws ConfigError on a size that no figure has
template <class Request>
FigureStyle style_of(const Request& request) {
  FigureStyle out{.only = request.only, .width_mm = {}, .font_points = request.font_size};
  if (request.width) out.width_mm = millimetres(*request.width);
  require<ConfigError>(request.dpi >= 36 && request.dpi <= 2400, "--dpi must be from 36 to 2400, not {:g}.",
                       request.dpi);
  require<ConfigError>(!request.font_size || (*request.font_size >= 3 && *request.font_size <= 40),
                       "--font-size must be from 3 to 40 points, not {:g}.", request.font_size.value_or(0));
  return out;
}

}  // namespace

int figure(const FigureRequest& request) {
  ReportOptions options;
  options.dpi = request.dpi;
  options.methods = request.methods;
  options.where = request.where;
  options.figures = style_of(request);
  std::vector<std::string> notes;
  write_figure(request.folders, request.out, notes, options);
  fmt::print("{}\n", request.out.string());
  write_to_stderr(note_lines(notes));
  return 0;
}

int report(const ReportCommand& request) {
  ReportOptions options;
  options.labels = request.labels;
  options.images = request.images;
  options.png = request.png;
  options.pdf = request.pdf;
  options.dpi = request.dpi;
  options.methods = request.methods;
  options.where = request.where;
  options.figures = style_of(request);
  require<ConfigError>(request.figures || !(request.png || request.pdf),
                       "{} needs --figures DIR. To save single figures, use the buttons of the page.",
                       request.png ? "--png" : "--pdf");
  require<ConfigError>(request.figures || (request.only.empty() && !request.font_size && !request.width),
                       "--only, --width and --font-size are of figures. Give --figures DIR too.");
  require<ConfigError>(!request.follow || (!request.figures && request.folders.size() == 1 && request.out != "-"),
                       "--follow writes one page of one folder, again and again. Leave out --figures, -o - and other "
                       "folders.");
  if (request.figures) {
    require<ConfigError>(!request.out,
                         "--figures writes figures instead of a page, and -o names a page. For both, "
                         "run the command twice.");
    std::vector<std::string> notes;
    const auto files = write_figures(request.folders, *request.figures, notes, options);
    for (const fs::path& file : files) fmt::print("{}\n", file.string());
    write_to_stderr(note_lines(notes));
    if (files.empty()) say("Note: Nothing to draw.\n");
    return 0;
  }
  require<ConfigError>(request.folders.size() == 1 || request.out, "A page of {} folders needs a place: add -o FILE.",
                       request.folders.size());
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

}  // namespace alidade::commands
