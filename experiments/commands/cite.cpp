#include "experiments/commands/commands.hpp"
#include "experiments/report/methods_text.hpp"

namespace alidade::commands {
namespace {

struct CiteRequest {
  std::vector<fs::path> folders;
  std::string format = "text";
};
CommandOptions options_of(CiteRequest& r) {
  return {
      {"folders", "DIR", &r.folders, "the results folders, or folders of maps"},
      {"--format", "NAME", &r.format,
       "text: paragraph, caption, table and BibTeX; latex: the same with \\cite, without BibTeX; bibtex: the entries",
       one_of({"text", "latex", "bibtex"})}};
}

int cite(const CiteRequest& request) {
  const auto style = request.format == "text" ? report::CitationStyle::text : report::CitationStyle::latex;
  const report::MethodsText text = report::methods_text(request.folders, style);
  const bool latex = request.format == "latex";
  if (request.format != "bibtex") {
    fmt::print("{}\n", text.paragraph);
    if (!text.caption.empty())
      fmt::print("{}{}{}\n\n", latex ? "\\caption{" : "Figure: ", text.caption, latex ? "}" : "");
    if (!text.table.empty()) fmt::print("{}\n", text.table);
  }
  fmt::print("{}", latex ? "% Entries of what is cited: --format bibtex.\n" : text.bibtex);
  return 0;
}

}  // namespace

Command cite_command() { return command<CiteRequest>("cite", options_of, cite); }

}  // namespace alidade::commands
