#include <fmt/core.h>

#include <algorithm>

#include "experiments/commands/commands.hpp"
#include "experiments/report/methods_text.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::commands {

int cite(const CiteRequest& request) {
  const std::vector<std::string> formats = {"text", "latex", "bibtex"};
  if (std::ranges::find(formats, request.format) == formats.end())
    throw ConfigError(fmt::format("cite has no format '{}'.{}", request.format, suggestion(request.format, formats)));
  const auto style = request.format == "text" ? report::CitationStyle::text : report::CitationStyle::latex;
  const report::MethodsText text = report::methods_text(request.folders, style);
  if (request.format != "bibtex") fmt::print("{}\n", text.paragraph);
  fmt::print("{}", text.bibtex);
  return 0;
}

}  // namespace alidade::commands
