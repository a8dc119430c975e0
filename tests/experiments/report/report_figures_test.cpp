#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/report/chart.hpp"
#include "experiments/report/charts.hpp"
#include "experiments/report/figures.hpp"
#include "experiments/report/point_names.hpp"
#include "experiments/report/report.hpp"
#include "experiments/report/report_model.hpp"
#include "experiments/report/svg.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/error.hpp"
#include "problems/core/random.hpp"
#include "problems/core/text.hpp"
#include "tests/experiments/report_browser/results_fixture.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace report_figures_test {
namespace {

using namespace alidade;
using namespace alidade::testing;
using namespace alidade::report;
namespace fs = std::filesystem;

using ResultsFolder = ScratchFolder;

ReportModel contents_of(const fs::path& folder) {
  const std::vector<fs::path> folders{folder};
  return gather_report(folders, {});
}

const Figure& named(const std::vector<Figure>& figures, std::string_view name) {
  const auto entry = std::ranges::find(figures, name, &Figure::name);
  REQUIRE_MESSAGE(entry != figures.end(), name);
  return *entry;
}

// Whether tags are closed in the order they were opened, and & and < stand only where they may.
bool well_formed(std::string_view xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] == '&') {
      const auto end = xml.find(';', at);
      const std::string_view entity = xml.substr(at, end == xml.npos ? 0 : end - at + 1);
      if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;") return false;
      at = end + 1;
    } else if (xml[at] == '<') {
      const auto end = xml.find('>', at);
      if (end == xml.npos) return false;
      std::string_view tag = xml.substr(at + 1, end - at - 1);
      if (holds(tag, "<")) return false;
      if (tag.starts_with('/')) {
        if (open.empty() || open.back() != tag.substr(1)) return false;
        open.pop_back();
      } else if (!tag.ends_with('/')) {
        open.emplace_back(tag.substr(0, tag.find(' ')));
      }
      at = end + 1;
    } else {
      ++at;
    }
  }
  return open.empty();
}

// The numbers after every `key="` in the elements that contain `within`.
std::vector<double> numbers(std::string_view svg, std::string_view within, std::string_view key) {
  std::vector<double> out;
  for (std::size_t at = 0; at < svg.size();) {
    const auto end = svg.find('\n', at);
    const std::string_view line = svg.substr(at, end - at);
    const std::string opening = " " + std::string(key) + "=\"";
    if (const auto from = line.find(opening); holds(line, within) && from != line.npos) {
      const std::string_view rest = line.substr(from + opening.size());
      out.push_back(parse_double(rest.substr(0, rest.find('"'))).value());
    }
    if (end == svg.npos) break;
    at = end + 1;
  }
  return out;
}

// The first value of an attribute in a piece of markup.
std::string_view attribute(std::string_view text, std::string_view name) {
  const std::string opening = " " + std::string(name) + "=\"";
  const auto at = text.find(opening);
  REQUIRE_MESSAGE(at != text.npos, name);
  const auto begin = at + opening.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

// The numbers that a list of words begins with.
std::vector<double> numbers_of(std::string_view words) {
  std::vector<double> out;
  for (std::size_t at = 0; at < words.size();) {
    const auto end = std::min(words.find(' ', at), words.size());
    const auto value = parse_double(words.substr(at, end - at));
    if (!value) break;
    out.push_back(*value);
    at = end + 1;
  }
  return out;
}

// The places of a path of steps: M, l, h, v and z.
std::vector<Pixel> path_points(std::string_view path) {
  std::vector<Pixel> out;
  Pixel at;
  char command = 'M';
  const auto next = [&]() {
    const auto begin = path.find_first_not_of(' ');
    auto end = path.find_first_of(" -lhvzM", begin + 1);
    end = std::min(end, path.size());
    const double value = parse_double(path.substr(begin, end - begin)).value_or(NAN);
    path.remove_prefix(end);
    return value;
  };
  while (!path.empty()) {
    if (std::string_view("Mlhvz").find(path.front()) != std::string_view::npos) {
      command = path.front();
      path.remove_prefix(1);
      continue;
    }
    if (command == 'M') at = {};
    if (command != 'v') at.x += next();
    if (command != 'h') at.y += next();
    out.push_back(at);
  }
  return out;
}

TEST_CASE("the room for a name is as wide as DejaVu Sans draws it") {
  CHECK(text_width("SOE[n_components=3]", 100) == doctest::Approx(1160).epsilon(0.01));
  CHECK(text_width("STE", 100) == doctest::Approx(187).epsilon(0.01));
  CHECK(text_width("lilli", 100) == doctest::Approx(140).epsilon(0.01));
  CHECK(text_width("\u6771\u4eac", 100) == 200);
}

TEST_CASE("figures of an experiment: maps of the first repeat, curves, values and profiles") {
  const ResultsFolder folder(write_experiment);
  std::vector<std::string> notes;
  const auto figures = all_figures(contents_of(folder), notes);
  CHECK(notes.empty());
  for (const Figure& figure : figures) {
    CAPTURE(figure.name);
    CHECK(figure.svg.starts_with("<svg "));
    CHECK(well_formed(figure.svg));
    CHECK(holds_none(figure.svg, {"nan", "inf"}));
  }
  const Figure& map = named(figures, "map_towns_ETE_L-BFGS");
  CHECK(holds_all(map.svg, {">Paris</text>", ">Islands</text>"}));
  CHECK(count_of(map.svg, "fill-opacity=\"0.14\"") == 35);  // an ellipse each but one
  // 36 towns and 6 labels: of the six shapes one is a circle, that of the first label with 6 towns.
  CHECK(count_of(map.svg, "<circle ") == 6 + 1);
  CHECK(!holds(named(figures, "map_towns_STE_SGD").svg, "fill-opacity=\"0.14\""));
  (void)named(figures, "curve_towns_ete_objective");
  (void)named(figures, "curve_towns_ste_gap");
  (void)named(figures, "curve_towns_heldout_error");
  const Figure& values = named(figures, "values_metrics_heldout_error");
  CHECK(holds_all(values.svg, {">shapes &lt;b&gt;</text>", ">t-STE / SGD †</text>"}));
  const Figure& profile = named(figures, "profile_metrics_heldout_error");
  CHECK(holds(profile.svg, ">Share of 6 instances</text>"));
  CHECK(count_of(profile.svg, "class=\"series\"") == 3);
  CHECK(std::ranges::count_if(figures, [](const Figure& f) { return f.name.starts_with("map_"); }) == 5);
}

TEST_CASE("ties are marked as on the page, and ellipses that cover a map are drawn fainter") {
  const ResultsFolder folder(write_fifteen_methods);
  const ReportModel contents = contents_of(folder);
  TableRequest request;
  request.significance.emplace();
  const ComparisonTable table = compare(contents.rows, request);
  std::size_t ties = 0;
  for (const Cell& cell : table.cells) ties += cell.tied ? 1 : 0;
  REQUIRE(ties > 0);
  std::vector<std::string> notes;
  const auto figures = all_figures(contents, notes);
  CHECK(count_of(named(figures, "values_metrics_heldout_error").svg, ">≈ ") == ties);

  const ResultsFolder other(write_experiment);
  ReportModel crowded = contents_of(other);
  for (float& covariance : crowded.maps.front().covariances) covariance *= 400;
  const auto maps = map_figures(crowded);
  const auto opacities = numbers(maps.front().svg, "<polygon points", "fill-opacity");
  REQUIRE(!opacities.empty());
  CHECK(*std::ranges::min_element(opacities) < 0.03);
}

TEST_CASE("lines to names cross no other name") {
  Rng rng(5);
  std::vector<Pixel> places;
  std::vector<double> widths;
  for (int i = 0; i < 26; ++i) {
    places.push_back({150 + 45 * rng.normal(), 150 + 45 * rng.normal()});
    widths.push_back(30 + 40 * rng.uniform01());
  }
  constexpr double kSize = 9;
  const auto names = place_names(widths, places, 3, {0, 0, 300, 300}, {.size = kSize});
  std::size_t lines = 0, met = 0, ambiguous = 0;
  for (const PlacedName& line : names) {
    if (!line.end) {  // a name beside a point is nearer to it than to others
      const double width = widths[line.point];
      const double left = line.at.x - (line.anchor == Anchor::end      ? width
                                       : line.anchor == Anchor::middle ? width / 2
                                                                       : 0);
      const auto away = [&](const Pixel& p) {
        return std::max({left - p.x, p.x - left - width, std::abs(p.y - line.at.y) - kSize * 2 / 3, 0.0});
      };
      for (const Pixel& p : places)
        if (&p != &places[line.point] && away(p) < away(places[line.point]) - 1e-9) ++ambiguous;
      continue;
    }
    ++lines;
    const Pixel from = places[line.point];
    for (const PlacedName& name : names) {
      if (name.point == line.point) continue;
      const double width = widths[name.point];
      const double left = name.at.x - (name.anchor == Anchor::end      ? width
                                       : name.anchor == Anchor::middle ? width / 2
                                                                       : 0);
      for (int k = 0; k <= 200; ++k) {
        const double x = from.x + (line.end->x - from.x) * k / 200, y = from.y + (line.end->y - from.y) * k / 200;
        if (x > left && x < left + width && std::abs(y - name.at.y) < kSize * 2 / 3) {
          ++met;
          break;
        }
      }
    }
  }
  CHECK(lines > 2);
  CHECK(met == 0);
  CHECK(ambiguous == 0);
  CHECK(names.size() == places.size());
}

TEST_CASE("every object of a crowded map is named, or listed as one without room") {
  const ResultsFolder folder(write_experiment);
  ReportModel contents = contents_of(folder);
  auto& view = contents.maps.front();
  auto& names = contents.object_lists[view.objects].names;
  const std::size_t n = names.size();
  REQUIRE(n == 36);
  // All but one at nearly one place.
  for (std::size_t i = 0; i < view.coordinates.size(); ++i)
    if (i % n != 0) view.coordinates[i] *= 1e-3F;
  view.covariances.clear();
  const auto named_in = [&](const Figure& figure) {
    std::size_t count = 0;
    for (const std::string& name : names)
      count += holds(figure.svg, ">" + xml_text(shortened(name, 28)) + "</text>") ? 1 : 0;
    return count;
  };
  for (std::size_t i = 0; i < n; ++i) names[i] = fmt::format("tomato soup {}", i);
  std::vector<std::string> notes;
  const auto roomy = all_figures(contents, notes);
  CHECK(named_in(roomy.front()) == n);
  CHECK(roomy.front().unnamed.empty());
  CHECK(notes.empty());

  // Names as wide as half the figure, more than it has lines for: the rest are said, on the command's output and in the
  // figure.
  for (int k = 0; k < 3; ++k) names.insert(names.end(), names.begin(), names.begin() + 36);
  names.resize(4 * n);
  auto& list = contents.object_lists[view.objects];
  list.labels.assign(names.size(), "");
  std::vector<float> coordinates;
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t i = 0; i < names.size(); ++i) coordinates.push_back(view.coordinates[c * n + i % n]);
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = fmt::format("{:03} ", i) + std::string(24, 'm');
  contents.maps.resize(1);
  contents.maps.front().coordinates.assign(coordinates.begin(), coordinates.end());
  notes.clear();
  const auto crowded = map_figures(contents);
  REQUIRE(!crowded.front().unnamed.empty());
  CHECK(named_in(crowded.front()) + crowded.front().unnamed.size() == names.size());
  CHECK(well_formed(crowded.front().svg));
  CHECK(holds(crowded.front().svg, "<desc>"));
  (void)all_figures(contents, notes);
  REQUIRE(!notes.empty());
  for (const std::string& name : crowded.front().unnamed) {
    CHECK(holds(notes.front(), "'" + name + "'"));
    CHECK(holds(crowded.front().svg, name));
  }
}

TEST_CASE("every requested SVG gets a PNG, or a message says what is missing") {
  const ResultsFolder folder(write_single_run);
  ReportOptions options;
  options.png = true;
  std::vector<std::string> notes;
  const std::vector<fs::path> from{folder.path()};
  const fs::path to = folder / "-figures";
  const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  ::setenv("PATH", folder.path().c_str(), 1);
  CHECK_THROWS_WITH_AS((void)write_figures(from, to, notes, options), doctest::Contains("install librsvg2-bin"),
                       ConfigError);
  CHECK(!fs::exists(to));
  // One that fails leaves a note and the SVG.
  write_text(folder / "rsvg-convert", "#!/bin/false\n");
  fs::permissions(folder / "rsvg-convert", fs::perms::owner_all);
  const auto without = write_figures(from, to, notes, options);
  CHECK(std::ranges::none_of(without, [](const fs::path& file) { return file.extension() == ".png"; }));
  CHECK(notes.size() == without.size());
  CHECK(holds(notes.front(), "rsvg-convert"));
  ::setenv("PATH", path.c_str(), 1);
  try {
    notes.clear();
    const auto files = write_figures(from, to, notes, options);
    CHECK(notes.empty());
    CHECK(files.size() == 2 * without.size());
    for (const fs::path& svg : without) {
      std::ifstream in(fs::path(svg).replace_extension(".png"), std::ios::binary);
      std::array<unsigned char, 24> head{};
      in.read(reinterpret_cast<char*>(head.data()), head.size());
      CHECK(head[1] == 'P');
      CHECK(head[2] == 'N');
      const unsigned width = 256U * head[18] + head[19];
      CHECK(width >= 1300);  // three times that of the SVG
    }
    for (const auto& entry : fs::directory_iterator(to)) CHECK(entry.path().extension() != ".part");
  } catch (const ConfigError& error) {
    MESSAGE("skipped: " << error.what());
  }
}

TEST_CASE("a PNG says its resolution, and a PDF has the size of the figure") {
  std::string png = "\x89PNG\r\n\x1a\n";
  png += std::string(25, 'h') + "rest";
  const std::string with = with_resolution(png, 300);
  CHECK(with.substr(0, 33) == png.substr(0, 33));
  CHECK(with.substr(33, 8) == std::string("\0\0\0\x09pHYs", 8));
  CHECK(with.substr(41, 9) == std::string("\0\0\x2e\x23\0\0\x2e\x23\1", 9));  // 11811 a metre
  CHECK(with.substr(33 + 21) == "rest");

  const ResultsFolder folder(write_single_run);
  ReportOptions options;
  options.pdf = options.png = true;
  options.dpi = 300;
  options.figures = {.only = {"map"}, .width_mm = 84.0, .font_points = 8.0};
  std::vector<std::string> notes;
  const std::vector<fs::path> from{folder.path()};
  try {
    const auto files = write_figures(from, folder / "paper", notes, options);
    REQUIRE(files.size() == 3);
    CHECK(holds(content_of(files[0]), " width=\"84.00mm\""));
    const std::string drawn = content_of(files[1]);
    CHECK(drawn.substr(37, 4) == "pHYs");
    const auto at = [&](std::size_t k) { return static_cast<unsigned>(static_cast<unsigned char>(drawn[k])); };
    CHECK(std::abs(static_cast<double>(256U * at(18) + at(19)) - 84 / 25.4 * 300) <= 1.5);
    CHECK(content_of(files[2]).starts_with("%PDF"));
    for (const std::string& note : notes) CHECK(!holds(note, "rsvg-convert"));
  } catch (const ConfigError& error) {
    MESSAGE("skipped: " << error.what());
  }
}

TEST_CASE("figures are laid out for a width, with words of a size") {
  const ResultsFolder folder(write_experiment);
  const ReportModel contents = contents_of(folder);
  std::vector<std::string> notes;
  for (const Figure& figure : all_figures(contents, notes, {.width_mm = 84.0})) {
    CAPTURE(figure.name);
    CHECK(well_formed(figure.svg));
    const std::string width(attribute(figure.svg, "width"));
    CHECK(width.ends_with("mm"));
    // Ranks of long names may need more room than they are given.
    if (!figure.name.starts_with("ranks")) CHECK(width == "84.00mm");
  }
  for (const Figure& figure : all_figures(contents, notes, {.only = {"curve", "ranks"}}))
    CHECK((figure.name.starts_with("curve_") || figure.name.starts_with("ranks_")));
  const std::string one = all_figures(contents, notes, {.only = {"curve"}}).back().name;
  const auto by_name = all_figures(contents, notes, {.only = {one}});
  REQUIRE(by_name.size() == 1);
  CHECK(by_name.front().name == one);
  CHECK_THROWS_WITH_AS((void)all_figures(contents, notes, {.only = {"maps"}}), doctest::Contains("Did you mean 'map'"),
                       ConfigError);
  CHECK_THROWS_AS((void)all_figures(contents, notes, {.width_mm = 84.0, .font_points = 40.0}), ConfigError);
}

TEST_CASE("small multiples have all maps, or all curves, in one figure with titles and one legend") {
  const ResultsFolder folder(write_experiment);
  const ReportModel contents = contents_of(folder);
  for (const double width : {0.0, 400.0}) {
    CAPTURE(width);
    const std::optional<double> width_mm = width > 0 ? std::optional(width) : std::nullopt;
    const auto maps = map_figures(contents);
    const auto grid = map_grid(contents, width_mm);
    REQUIRE(grid);
    CHECK(grid->name == "map-grid");
    CHECK(well_formed(grid->svg));
    CHECK(count_of(grid->svg, "<g transform=") == maps.size());
    CHECK(holds_all(grid->svg, {">towns</text>", ">ETE / L-BFGS</text>"}));
    CHECK(count_of(grid->svg, ">Islands</text>") == 1);  // a legend for all maps of the towns
    CHECK(holds(grid->svg, ">Paris</text>"));
    const auto curves = curve_grid(contents, width_mm);
    REQUIRE(curves);
    CHECK(well_formed(curves->svg));
    CHECK(count_of(curves->svg, "<g transform=") == curve_figures(contents).size());
    CHECK(count_of(curves->svg, "class=\"entry\"") == contents.methods.size());
    if (width_mm)
      for (const std::string& svg : {grid->svg, curves->svg})
        CHECK(holds(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"400\""));
  }
  std::vector<std::string> notes;
  for (const Figure& figure : all_figures(contents, notes, {.only = {"map-grid"}, .width_mm = 174.0}))
    CHECK(figure.name == "map-grid");
  const ResultsFolder single(write_single_run);
  CHECK_FALSE(map_grid(contents_of(single)));
  CHECK_FALSE(holds(figure_name({"map-grid"}), "_"));
}

TEST_CASE("names in the data stay text in figures") {
  const ResultsFolder folder(write_experiment);
  const auto figures = map_figures(contents_of(folder));
  const Figure& map = named(figures, "map_shapes_b_ETE_L-BFGS");
  CHECK(
      holds_all(map.svg, {"&lt;/script&gt;&lt;script&gt;", "שלום &quot;עולם&quot; مرحبا", std::string(27, 'm') + "…"}));
  CHECK(holds_none(map.svg, {"<script", "<b>", "\">" + std::string(29, 'm')}));
}

TEST_CASE("maps of the same objects are aligned in their figures") {
  const ResultsFolder folder(write_experiment);
  const auto figures = map_figures(contents_of(folder));
  const auto circles = [&](std::string_view name) {
    const std::string& svg = named(figures, name).svg;
    return std::pair(numbers(svg, "<circle ", "cx"), numbers(svg, "<circle ", "cy"));
  };
  // Eastern towns, which are circles; maps whose errors differ little, turned by whatever angle they were made with.
  const auto [x, y] = circles("map_towns_ETE_L-BFGS");
  const auto [u, v] = circles("map_towns_STE_SGD");
  REQUIRE(x.size() == u.size());
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      // Directions between towns that are far apart agree within about 30 degrees.
      const double a = x[i] - x[j], b = y[i] - y[j], c = u[i] - u[j], d = v[i] - v[j];
      if (std::hypot(a, b) > 60) CHECK((a * c + b * d) / (std::hypot(a, b) * std::hypot(c, d)) > 0.85);
    }
}

TEST_CASE("maps of one and three dimensions have figures") {
  const ResultsFolder odd(write_odd_maps);
  const auto figures = map_figures(contents_of(odd));
  const Figure& line = named(figures, "map_towns_method_2");
  std::vector<double> heights = numbers(line.svg, "<circle ", "cy");
  std::ranges::sort(heights);
  CHECK(std::ranges::adjacent_find(heights) == heights.end());  // every rank its own height
  (void)named(figures, "map_towns_method_1_shape");
  const ResultsFolder space(write_maps_in_space);
  const auto in_space = map_figures(contents_of(space));
  const Figure& cube = named(in_space, "map_towns_method_0");
  CHECK(holds(cube.svg, ">x3</text>"));
  CHECK(count_of(cube.svg, "stroke=\"#dfe3e6\"") == 12);
}

TEST_CASE("curves are medians with quartiles, and gaps are to the best known") {
  const ResultsFolder folder;
  fs::create_directories(folder / "traces");
  std::string rows;
  // Four runs whose objective at the end is 1, 2, 3 and 5: another problem, so gaps are to the best of each repeat.
  for (int repeat = 0; repeat < 4; ++repeat)
    for (const bool fast : {true, false}) {
      const std::string id = std::to_string(repeat) + (fast ? "a" : "b");
      const double end = (repeat == 3 ? 5 : repeat + 1) + (fast ? 0 : 1);
      const std::string number = shortest(end);
      rows += R"({"run_id":")" + id + R"(","status":"ok","dataset":{"id":"d","name":"d","options":{}},)" +
              R"("method":")" + (fast ? "fast" : "slow") + R"(","problem":{"name":"p","options":{}},"repeat":)" +
              std::to_string(repeat) + R"(,"objective":)" + number +
              R"(,"initial_objective":10,"counts":{"starts":1},"seconds":{"solve":1},"files":{"trace":"traces/)" + id +
              ".json\"}}\n";
      std::ofstream(folder / "traces" / (id + ".json"))
          << R"({"iteration":[0,1],"seconds":[0,1],"objective":[10,)" << number << "]}\n";
    }
  write_text(folder / "runs.jsonl", rows);
  const ReportModel contents = contents_of(folder);
  REQUIRE(contents.best_known.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    CAPTURE(i);
    const double best =
        number_field(contents.rows[i], "repeat") == 3.0 ? 5.0 : *number_field(contents.rows[i], "repeat") + 1;
    CHECK(contents.best_known[i] == best);
    // 1 above the best is more than a tenth of the way from 10 only where the best is 5 or more.
    const bool slow = text_field(contents.rows[i], "method") == "slow";
    const bool met = !slow || 1 <= 0.1 * (10 - best);
    CHECK(contents.seconds_to_target[i][0].has_value() == met);
    CHECK(contents.seconds_to_target[i][3].has_value() == !slow);
  }
  const auto figures = curve_figures(contents);
  const Figure& objective = named(figures, "curve_d_objective");
  CHECK(count_of(objective.svg, "class=\"series\"") == 2);
  CHECK(count_of(objective.svg, "fill-opacity=\"0.15\"") == 2);
  const Figure& gap = named(figures, "curve_d_gap");
  CHECK(holds(gap.svg, ">Gap to the best objective</text>"));
  // Of 1, 2, 3 and 5 the median is 2.5 and the quartiles are 1.75 and 3.5: where each line and band ends, in pixels.
  const auto box = numbers_of(attribute(objective.svg, "data-y"));
  const auto pixel = [&](double value) { return box[2] + (value - box[0]) / (box[1] - box[0]) * (box[3] - box[2]); };
  const auto series = objective.svg.find("class=\"series\"");
  const std::string_view fast = std::string_view(objective.svg).substr(series);
  const auto line = path_points(attribute(fast.substr(fast.find("<path fill=\"none\"")), "d"));
  CHECK(line.back().y == doctest::Approx(pixel(2.5)).epsilon(0.01));
  const auto band = path_points(attribute(fast, "d"));
  std::vector<double> ends;
  for (const Pixel& p : band)
    if (std::abs(p.x - line.back().x) < 0.2) ends.push_back(p.y);
  REQUIRE(ends.size() == 2);
  CHECK(ends[0] == doctest::Approx(pixel(3.5)).epsilon(0.01));
  CHECK(ends[1] == doctest::Approx(pixel(1.75)).epsilon(0.01));

  // Without one run of a method, the other's like it is left out.
  rows.erase(rows.rfind('\n', rows.size() - 2) + 1);
  write_text(folder / "runs.jsonl", rows);
  const ReportModel fewer = contents_of(folder);
  const ChartView view = curve_charts(fewer, "d").charts.front().views.back();
  CHECK(holds(view.caption, "1 run is left out, because another method lacks the same repeat"));
  CHECK(holds(named(curve_figures(fewer), "curve_d_objective").svg, "median of 3 runs"));
}

TEST_CASE("a run of several starts is drawn from its start to its end, at the cost of all starts") {
  const ResultsFolder folder;
  fs::create_directories(folder / "traces");
  std::ofstream(folder / "runs.jsonl")
      << R"({"run_id":"a","status":"ok","dataset":{"id":"d","name":"d","options":{}},"method":"m",)"
      << R"("problem":{"name":"p","options":{}},"repeat":0,"objective":2,"initial_objective":10,)"
      << R"("counts":{"starts":3,"iterations":6},"seconds":{"solve":9},"files":{"trace":"traces/a.json"}})"
      << "\n";
  write_text(
      folder / "traces/a.json",
      R"({"iteration":[0,1,2],"seconds":[0,1,2],"objective":[7,3,2],"evaluations":[1,2,3],"heldout_error":[0.5,null,0.1]})");
  const ReportModel contents = contents_of(folder);
  REQUIRE(contents.traces.size() == 1);
  CHECK(to_json(contents.traces.front().columns) ==
        R"({"iteration":[0.0,6.0],"seconds":[0.0,9.0],"objective":[10.0,2.0],"heldout_error":[null,0.1]})");
}

TEST_CASE("a chart of the page has a view for every choice, the default first") {
  const ResultsFolder folder(write_experiment);
  const ReportModel contents = contents_of(folder);
  const ChartGroup curves = curve_charts(contents, "towns");
  REQUIRE(curves.charts.size() == 4);  // the errors, and a panel for each of three problems
  CHECK(curves.methods.size() == 3);
  for (std::size_t k = 1; k < 4; ++k) {
    const auto& panel = curves.charts[k].views;
    CHECK(panel.front().choices[0].second == "Gap to the best objective");
    CHECK(count_of(panel.front().svg, "class=\"series\"") == 1);
    CHECK(std::ranges::any_of(panel, [](const ChartView& view) { return view.choices[0].second == "Objective"; }));
  }
  const auto& views = curves.charts.front().views;
  std::set<std::string> seen;
  for (const ChartView& view : views) {
    CAPTURE(view.title);
    CHECK(well_formed(view.svg));
    CHECK(!holds(view.svg, "class=\"entry\""));  // the group has the legend
    std::string choices;
    for (std::size_t i = 0; i < view.choices.size(); ++i) {
      CHECK(view.choices[i].first == views.front().choices[i].first);
      choices += view.choices[i].second + '\n';
    }
    CHECK(seen.insert(choices).second);
  }
  // Three repeats are shown by their spread, against seconds.
  CHECK(views.front().choices[0].second == "Held-out triplet error");
  CHECK(views.front().choices[1].second == "seconds");
  CHECK(holds(views.front().svg, "fill-opacity=\"0.15\""));
  const auto every_run =
      std::ranges::find_if(views, [](const ChartView& view) { return view.choices[2].second == "every run"; });
  REQUIRE(every_run != views.end());
  CHECK(count_of(every_run->svg, "class=\"series\"") == 9);
  CHECK(!holds(every_run->svg, "fill-opacity=\"0.15\""));
}

TEST_CASE("charts of a page share the scale of time by default, whatever the ends of their runs") {
  const ResultsFolder folder;
  fs::create_directories(folder / "traces");
  std::ofstream rows(folder / "runs.jsonl");
  const auto write = [&](const std::string& id, const std::string& problem, int seconds) {
    rows << R"({"run_id":")" << id << R"(","status":"ok","dataset":{"id":"d","name":"d","options":{}},"method":")" << id
         << R"(","problem":{"name":")" << problem
         << R"(","options":{}},"repeat":0,"objective":2,"files":{"trace":"traces/)" << id << R"(.json"}})"
         << "\n";
    std::ofstream(folder / "traces" / (id + ".json"))
        << R"({"iteration":[0,1,2],"seconds":[0,0.1,)" << seconds << R"(],"objective":[7,3,2]})";
  };
  write("a", "wide", 1);
  write("b", "wide", 20);
  write("c", "narrow", 1);
  write("e", "narrow", 2);
  rows.close();
  const ChartGroup group = curve_charts(contents_of(folder), "d");
  REQUIRE(group.charts.size() == 2);
  for (const ChartCard& chart : group.charts)
    CHECK(chart.views.front().choices[3] == std::pair<std::string, std::string>{"Log time", "on"});
}

TEST_CASE("every two values can be compared, and an arrow points to the better end of each axis") {
  const ResultsFolder folder(write_experiment);
  const ReportModel contents = contents_of(folder);
  const ChartGroup group = tradeoff_charts(contents, "towns");
  REQUIRE(group.charts.size() == 1);
  std::set<std::set<std::string>> pairs;
  for (const ChartView& view : group.charts.front().views) {
    CHECK(well_formed(view.svg));
    CHECK(count_of(view.svg, "class=\"point\"") == 3);
    CHECK(pairs.insert({view.choices[0].second, view.choices[1].second}).second);
    for (const auto& [place, letter] : {std::pair{1, 'x'}, std::pair{0, 'y'}}) {
      const std::string& value = view.choices[static_cast<std::size_t>(place)].second;
      const bool error = holds(value, "error") || holds(value, "disparity") || holds(value, "Seconds");
      const auto box = numbers_of(attribute(view.svg, std::string("data-") + letter));
      CHECK((letter == 'x' ? box[3] > box[2] : box[3] < box[2]));
      CHECK(holds(view.svg, value + (error ? " (← better)" : " (better →)")));
    }
  }
  std::set<std::string> values;
  for (const auto& pair : pairs) values.insert(pair.begin(), pair.end());
  CHECK(pairs.size() == values.size() * (values.size() - 1) / 2);
}

TEST_CASE("profiles begin with the share on which a method is best and end with that on which it has a value") {
  const ResultsFolder folder(write_experiment);
  const ReportModel contents = contents_of(folder);
  const ChartGroup group = profile_charts(contents);
  REQUIRE(!group.charts.empty());
  const ChartView& view = group.charts.front().views.front();
  CHECK(view.choices[0].second == "Held-out triplet error");
  // The compared means are a chart of the page, too, a mark each.
  const ChartGroup values = value_charts(contents);
  REQUIRE(values.charts.size() == 1);
  CHECK(values.charts.front().views.size() > 3);
  CHECK(count_of(values.charts.front().views.front().svg, "class=\"point\"") == 5);
  std::set<std::pair<std::string, std::string>> instances;
  std::map<std::pair<std::string, std::string>, double> best;
  for (const ValueTable& row : contents.rows)
    if (const auto error = number_field(row, "metrics.heldout_error"); error && text_field(row, "status") == "ok") {
      const std::pair key{text_field(row, "dataset"), text_field(row, "repeat")};
      instances.insert(key);
      const auto [place, fresh] = best.try_emplace(key, *error);
      if (!fresh) place->second = std::min(place->second, *error);
    }
  const auto box = numbers_of(attribute(view.svg, "data-y"));
  const auto share_at = [&](double y) { return box[0] + (y - box[2]) / (box[3] - box[2]) * (box[1] - box[0]); };
  std::string_view rest = view.svg;
  for (std::size_t m = 0; m < contents.methods.size(); ++m) {
    CAPTURE(contents.methods[m]);
    std::size_t wins = 0, own = 0;
    for (const ValueTable& row : contents.rows)
      if (const auto error = number_field(row, "metrics.heldout_error");
          error && text_field(row, "status") == "ok" && text_field(row, "method") == contents.methods[m]) {
        ++own;
        wins += *error <= best.at({text_field(row, "dataset"), text_field(row, "repeat")}) ? 1 : 0;
      }
    const auto at = rest.find("class=\"series\" data-series=\"" + std::to_string(m) + "\"");
    REQUIRE(at != rest.npos);
    rest.remove_prefix(at + 1);
    const auto line = path_points(attribute(rest, "d"));
    const auto total = static_cast<double>(instances.size());
    CHECK(share_at(line.front().y) == doctest::Approx(static_cast<double>(wins) / total).epsilon(0.01));
    CHECK(share_at(line.back().y) == doctest::Approx(static_cast<double>(own) / total).epsilon(0.01));
  }
}

TEST_CASE("scales have readable ticks") {
  const auto texts = [](const Scale& scale) {
    std::vector<std::string> out;
    for (const auto& [value, text] : scale.ticks()) out.push_back(text);
    return out;
  };
  CHECK(texts({.low = 0, .high = 1}) == std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1"});
  CHECK(texts({.low = -3, .high = 9}) == std::vector<std::string>{"-2", "0", "2", "4", "6", "8"});
  CHECK(texts({.low = 0, .high = 20000}) == std::vector<std::string>{"0", "5,000", "10,000", "15,000", "20,000"});
  CHECK(texts({.low = 0, .high = 4e-6}) == std::vector<std::string>{"0", "10⁻⁶", "2·10⁻⁶", "3·10⁻⁶", "4·10⁻⁶"});
  CHECK(texts({.low = 1, .high = 2, .whole = true}) == std::vector<std::string>{"1", "2"});
  CHECK(texts({.low = 0, .high = 1, .percent = true}).back() == "100 %");
  CHECK(texts({.low = 1, .high = 1.9, .logarithmic = true}) ==
        std::vector<std::string>{"1", "1.2", "1.4", "1.6", "1.8"});
  CHECK(texts({.low = 0.9, .high = 30, .logarithmic = true}) == std::vector<std::string>{"1", "2", "5", "10", "20"});
  CHECK(texts({.low = 1e-6, .high = 1, .logarithmic = true}) ==
        std::vector<std::string>{"10⁻⁶", "10⁻⁵", "10⁻⁴", "0.001", "0.01", "0.1", "1"});
  const Scale scale{.low = 1, .high = 100, .from = 0, .to = 10, .logarithmic = true};
  CHECK(scale(10) == doctest::Approx(5));
  const Scale flat = scale_of({3, 3}, false, false);
  CHECK(flat.low < 3);
  CHECK(flat.high > 3);
}

TEST_CASE("a simplified line stays within its tolerance and keeps its ends and corners") {
  std::vector<Pixel> points;
  for (int i = 0; i <= 100; ++i) points.push_back({1.0 * i, i <= 50 ? 0.05 * (i % 2) : i - 50.0});
  const std::vector<Pixel> few = simplified(points, 0.2);
  CHECK(few.size() == 3);
  CHECK(few.back().y == 50);
  CHECK(simplified(points, 0.01).size() > 40);
  CHECK(simplified(std::vector<Pixel>{{1, 2}}, 1).size() == 1);
}

TEST_CASE("texts of figures are valid XML for any bytes, and are cut between characters") {
  CHECK(xml_text("<a & \"b\">") == "&lt;a &amp; &quot;b&quot;&gt;");
  CHECK(xml_text(std::string("a\x01\xff\x80z\n", 6)) == "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz ");
  CHECK(xml_text("\xED\xA0\x80") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // half of a surrogate pair
  CHECK(xml_text("東京") == "東京");
  CHECK(shortened("東京都", 3) == "東京都");
  CHECK(shortened("東京都庁", 3) == "東京…");
  CHECK(shortened("", 3).empty());
  CHECK(shortened_inside("t-SNE, perplexity[perplexity=5.0]", 16) == "t-SNE, per…=5.0]");
  CHECK(shortened_inside("東京都庁舎", 4) == "東京…舎");
  CHECK(shortened_inside("short", 5) == "short");
  CHECK(figure_name({"map", "a/b:c", "<x>"}) == "map_a_b_c_x");
  CHECK(figure_name({"../..", ""}) == "figure");
  CHECK(figure_name({std::string(300, 'x')}).size() == 100);
}

TEST_CASE("figures of several folders are written as files; without any, no folder is made") {
  const ResultsFolder folder;
  testing::write_single_run(folder / "one");
  std::vector<std::string> notes;
  const std::vector<fs::path> folders{folder / "one"};
  const auto files = write_figures(folders, folder / "figures", notes);
  REQUIRE(!files.empty());
  for (const fs::path& file : files) {
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    CHECK(well_formed(text));
  }
  CHECK(fs::exists(folder / "figures/map_towns_csv_ete_ceres.svg"));
  fs::create_directory(folder / "none");
  write_text(folder / "none/runs.jsonl", "");
  const std::vector<fs::path> none{folder / "none"};
  CHECK(write_figures(none, folder / "nothing", notes).empty());
  CHECK(!fs::exists(folder / "nothing"));
}

}  // namespace
}  // namespace report_figures_test
