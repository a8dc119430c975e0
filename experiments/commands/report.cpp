#include "experiments/report/report.hpp"

#include <fmt/core.h>

#include "experiments/commands/commands.hpp"
#include "problems/core/error.hpp"

namespace alidade::commands {

int report(const ReportCommand& request) {
  ReportOptions options;
  options.labels = request.labels;
  options.png = request.png;
  require<ConfigError>(request.figures || !request.png,
                       "--png needs --figures DIR. To save single figures as PNG, use the buttons of the page.");
  if (request.figures) {
    require<ConfigError>(!request.out,
                         "--figures writes figures instead of a page, and -o names a page. For both, "
                         "run the command twice.");
    std::vector<std::string> notes;
    const auto files = write_figures(request.folders, *request.figures, notes, options);
    for (const fs::path& file : files) fmt::print("{}\n", file.string());
    for (const std::string& note : notes) fmt::print(stderr, "Note: {}\n", note);
    if (files.empty()) fmt::print(stderr, "Note: Nothing to draw.\n");
    return 0;
  }
  require<ConfigError>(request.folders.size() == 1 || request.out, "A page of {} folders needs a place: add -o FILE.",
                       request.folders.size());
  const fs::path page = request.out.value_or(request.folders.front() / "report.html");
  write_report(request.folders, page, options);
  fmt::print("{}\n", page.string());
  return 0;
}

}  // namespace alidade::commands
