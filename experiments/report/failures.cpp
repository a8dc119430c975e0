#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <system_error>
#include <tuple>

#include "experiments/files/folder.hpp"
#include "experiments/report/html.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/regular_file.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLinks = 3;  // log files linked beside one reason
constexpr std::size_t kMaxInlined = 40;
constexpr std::size_t kLogLines = 30;
constexpr std::size_t kLogBytes = std::size_t{8} << 10;

struct LogEnd {
  std::string text;
  bool whole = false;
};

// The last lines of a log; "" if there is none or it is empty.
LogEnd end_of_log(const fs::path& file) {
  if (!is_file_itself(file)) return {};
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in.is_open()) return {};
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(in.tellg(), 0));
  const std::size_t read = std::min(size, kLogBytes);
  std::string text(read, '\0');
  in.seekg(static_cast<std::streamoff>(size - read));
  in.read(text.data(), static_cast<std::streamsize>(read));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  LogEnd out{std::string(trim(text)), read == size};
  if (!out.whole) {  // the first line may be truncated, and its first character too
    const auto line = out.text.find('\n');
    std::size_t from = line == std::string::npos ? 0 : line + 1;
    while (from < out.text.size() && (static_cast<unsigned char>(out.text[from]) & 0xC0) == 0x80) ++from;
    out.text.erase(0, from);
  }
  std::size_t at = out.text.size();
  for (std::size_t lines = 0; at > 0; --at)
    if (out.text[at - 1] == '\n' && ++lines == kLogLines) break;
  if (at > 0) {
    out.text.erase(0, at);
    out.whole = false;
  }
  return out;
}

struct Reason {
  std::string status, dataset, method, message;
  std::vector<std::size_t> rows;
};

std::vector<Reason> reasons_of(const ReportModel& all) {
  std::vector<Reason> out;
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    const ValueTable& row = all.rows[i];
    const std::string status = text_field(row, "status");
    if (status == "ok") continue;
    Reason reason{status, dataset_of(row), method_of(row), text_field(row, "message"), {i}};
    const auto same = std::ranges::find_if(out, [&](const Reason& other) {
      return std::tie(other.status, other.dataset, other.method, other.message) ==
             std::tie(reason.status, reason.dataset, reason.method, reason.message);
    });
    if (same == out.end())
      out.push_back(std::move(reason));
    else
      same->rows.push_back(i);
  }
  return out;
}

}  // namespace

std::string log_link_html(const ReportModel& all, std::size_t row, const fs::path& page_folder) {
  const std::string file = text_field(all.rows[row], "files.log");
  const auto path = all.inside(row, file);
  std::error_code error;
  if (!path || !is_there(*path)) return escaped(file);
  const fs::path relative = fs::relative(*path, page_folder, error);
  if (error)
    throw UnreadFile(
        fmt::format("Cannot read {}: {}. Check its disk, and that you may read it.", path->string(), error.message()));
  if (relative.empty()) return escaped(file);
  return fmt::format("<a href=\"{}\">{}</a>", url_of_path(relative.generic_string()), escaped(file));
}

Section failure_section(const ReportModel& all, const fs::path& page_folder) {
  const std::vector<Reason> reasons = reasons_of(all);
  if (reasons.empty()) return {};
  HtmlTable table{"Failed, skipped and interrupted runs",
                  "listing stacked sorted",
                  {"Status", "Dataset", "Method", "Repeat", "Reason", "Log"},
                  {}};
  std::size_t inlined = 0;
  for (const Reason& reason : reasons) {
    std::vector<const ValueTable*> rows;
    std::vector<std::string> links;
    for (const std::size_t row : reason.rows) {
      rows.push_back(&all.rows[row]);
      if (links.size() < kMaxLinks)
        if (std::string link = log_link_html(all, row, page_folder); !link.empty()) links.push_back(std::move(link));
    }
    if (rows.size() > kMaxLinks && !links.empty()) links.push_back(fmt::format("and {} more", rows.size() - kMaxLinks));
    std::string why = reason.message.empty() ? "<em>no reason recorded</em>"
                                             : "<span dir=\"auto\">" + escaped(reason.message) + "</span>";
    const std::string ended = text_field(*rows.front(), "termination");
    if (!ended.empty()) why += "<small>" + escaped(spaced(ended)) + "</small>";
    if (const auto path = all.inside(reason.rows.front(), text_field(*rows.front(), "files.log"));
        path && inlined < kMaxInlined)
      if (const LogEnd log = end_of_log(*path); !log.text.empty()) {
        ++inlined;
        why += fold_html(log.whole ? "Log" : "End of the log",
                         "<pre class=\"log\" tabindex=\"0\">" + escaped(log.text) + "</pre>", all.single());
      }
    table.lines.push_back({{fmt::format("<span class=\"status {0}\">{0}</span>", escaped(reason.status)),
                            "<span dir=\"auto\">" + escaped_name(reason.dataset) + "</span>",
                            "<span dir=\"auto\">" + escaped_name(reason.method) + "</span>",
                            escaped(repeats_text(rows)), why, links.empty() ? "–" : join(links, "<br>")},
                           reason.status});
  }
  return {"trouble", "Failed and skipped runs",
          "<section id=\"trouble\"><h2>Failed and skipped runs</h2>" + table_html(table) + "</section>"};
}

}  // namespace alidade::report
