#include <fmt/core.h>

#include "experiments/commands/commands.hpp"
#include "experiments/performance_profile.hpp"
#include "experiments/report.hpp"
#include "experiments/rows.hpp"
#include "experiments/tables.hpp"

namespace alidade::commands {

int table(const TableCommand& request) {
  std::vector<std::string> notes;
  const std::vector<Table> rows = read_rows(request.folder, &notes);
  TableRequest wanted;
  wanted.rows = request.rows;
  wanted.cols = request.cols;
  wanted.value = request.value;
  wanted.over = request.over;
  wanted.format = table_format(request.format);
  wanted.confidence = request.confidence;
  if (request.profile) {  // every repetition in every column is an instance
    if (!wanted.over.empty()) wanted.cols += (wanted.cols.empty() ? "" : ",") + wanted.over;
    wanted.over.clear();
    fmt::print("{}", to_text(performance_profile(compare(rows, wanted)), wanted.format));
  } else {
    fmt::print("{}", to_text(compare(rows, wanted)));
  }
  for (const std::string& note : notes) fmt::print(stderr, "Note: {}\n", note);
  return 0;
}

int report(const fs::path& folder, const std::optional<fs::path>& out) {
  const fs::path page = out.value_or(folder / "report.html");
  write_report(folder, page);
  fmt::print("{}\n", page.string());
  return 0;
}

}  // namespace alidade::commands
