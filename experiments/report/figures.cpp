#include "experiments/report/figures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "experiments/files/durable_file.hpp"
#include "experiments/report/png.hpp"
#include "experiments/report/report.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

constexpr std::size_t kMaxMaps = 500;
constexpr std::size_t kMaxName = 100;

// Notes the names that a reader will not find.
void note_names_left_out(const std::vector<Figure>& maps, std::vector<std::string>& notes) {
  std::vector<std::string> nameless;
  for (const Figure& map : maps) {
    if (!map.has_names) nameless.push_back(map.name);
    if (map.unnamed.empty()) continue;
    std::vector<std::string> quoted;
    for (const std::string& name : map.unnamed) quoted.push_back("'" + one_line(name) + "'");
    notes.push_back(fmt::format("{}: no room for the names of {} object{}: {}.", map.name, quoted.size(),
                                quoted.size() == 1 ? "" : "s", join(quoted, ", ")));
  }
  if (!nameless.empty())
    notes.push_back(
        fmt::format("Maps of more than {} objects have no names: {}.", kNamedObjects, join(nameless, ", ")));
}

}  // namespace

std::string figure_name(const std::vector<std::string>& parts) {
  std::string out;
  for (const char c : join(parts, "_")) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || static_cast<unsigned char>(c) >= 0x80;
    if (plain)
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  if (out.size() > kMaxName) {
    std::size_t end = kMaxName;
    while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) --end;
    out.resize(end);
  }
  while (!out.empty() && (out.back() == '_' || out.back() == '.')) out.pop_back();
  while (!out.empty() && out.front() == '.') out.erase(0, 1);
  return out.empty() ? "figure" : out;
}

std::vector<Figure> all_figures(const ReportContents& contents, const Directions& directions,
                                std::vector<std::string>& notes) {
  std::vector<Figure> out = map_figures(contents);
  if (out.size() > kMaxMaps) {
    notes.push_back(fmt::format("Only the first {} of {} maps are drawn.", kMaxMaps, out.size()));
    out.resize(kMaxMaps);
  }
  note_names_left_out(out, notes);
  for (std::vector<Figure> more :
       {curve_figures(contents), value_figures(contents, directions), profile_figures(contents, directions)})
    std::ranges::move(more, std::back_inserter(out));
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
  if (options.png) report::require_png();
  const ReportContents contents = gather_report(results_folders, options);
  notes.insert(notes.end(), contents.notes.begin(), contents.notes.end());
  const auto figures = report::all_figures(contents, options.directions, notes);
  std::vector<std::filesystem::path> out;
  if (!figures.empty()) make_folder(folder);
  for (const report::Figure& figure : figures) {
    out.push_back(folder / (figure.name + ".svg"));
    write_whole_file(out.back(), figure.svg);
    if (!options.png) continue;
    const std::filesystem::path svg = out.back();
    const std::filesystem::path png = folder / (figure.name + ".png");
    if (auto trouble = report::write_png(svg, png))
      notes.push_back(std::move(*trouble));
    else
      out.push_back(png);
  }
  return out;
}

}  // namespace alidade
