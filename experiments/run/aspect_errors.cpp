#include "experiments/run/aspect_errors.hpp"

#include <fmt/core.h>
#include <sentences/run.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/files/counted.hpp"
#include "experiments/files/delimited_text.hpp"
#include "experiments/metrics/metric.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/run/answer_checks.hpp"
#include "experiments/run/heldout_error.hpp"
#include "experiments/statistics/distributions.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"
#include "problems/evidence/aspects.hpp"

namespace alidade {
namespace {

constexpr std::size_t kMostMaps = 12, kNamed = 6;
constexpr AspectErrors::Cell kNotShared{std::numeric_limits<double>::quiet_NaN(), {0, 1}, 0, {-1, 1}};

std::string error_text(const AspectErrors::Cell& cell) {
  if (std::isnan(cell.error)) return words::kNoObjectsOfBoth;
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", cell.error, cell.interval.low, cell.interval.high);
}

/// The cell of the aspect's own map.
const AspectErrors::Cell& own_cell(const AspectErrors& errors, std::size_t aspect) {
  const auto& cells = errors.rows[aspect].by_map;
  return cells[cells.size() == errors.rows.size() ? aspect : 0];
}

/// How much more often a map errs than the aspect's own on the same triplets; see AspectErrors::Cell.
void compare(const Embedding& map, const Embedding& own, const std::shared_ptr<const TripletSource>& triplets,
             const Observations& all, double level, AspectErrors::Cell& cell) {
  const auto unit_of = [&](std::uint64_t i) -> std::uint64_t {
    const std::uint64_t origin = triplets->origin_index(i);
    return all.annotator ? (*all.annotator)[origin] : all.answer ? (*all.answer)[origin] : origin;
  };
  const auto errors = errors_by_unit(map, triplets, unit_of), own_errors = errors_by_unit(own, triplets, unit_of);
  std::vector<statistics::ClusterSum> units;
  for (std::size_t u = 0; u < errors.size(); ++u)
    units.push_back({errors[u].hits - own_errors[u].hits, errors[u].trials});
  const statistics::ClusteredRatio ratio = statistics::clustered_ratio(units);
  cell.worse = ratio.share;
  // If n answers show no difference, -ln(level / 2) / n of them may still differ.
  const double unseen = -std::log(level / 2) / statistics::effective_trials(errors);
  const double t = ratio.quantile(level), half = std::isfinite(t) ? t * std::sqrt(ratio.variance) : 1;
  const double reach = std::max(half, unseen);
  cell.worse_interval = {std::max(-1.0, cell.worse - reach), std::min(1.0, cell.worse + reach)};
}

}  // namespace

AspectErrors aspect_errors(const Embedding& embedding, const std::shared_ptr<const TripletSource>& heldout,
                           const Observations& all) {
  AspectErrors out;
  const std::vector<std::string> names = aspect_names(all);
  if (!heldout || names.size() < 2 || embedding.latent_views || embedding.maps.empty() ||
      !metrics::maps_show_aspects(embedding, heldout->aspect_count()))
    return out;
  out.groups = are_groups(all);
  const bool shared = embedding.maps.size() == 1, all_maps = !shared && names.size() <= kMostMaps;
  const double level = 0.1 / static_cast<double>(names.size() * (names.size() - 1));  // Bonferroni's, over pairs
  std::vector<std::vector<std::uint64_t>> by_aspect(names.size());
  for (std::uint64_t i = 0; i < heldout->size(); ++i) by_aspect[heldout->at(i).aspect].push_back(i);
  const std::vector<std::vector<bool>> seen = all_maps ? observed_objects(all) : std::vector<std::vector<bool>>();
  for (std::size_t t = 0; t < names.size(); ++t) {
    AspectErrors::Row row{names[t], by_aspect[t].size(), {}};
    for (std::size_t m = 0; m < embedding.maps.size() && row.heldout > 0; ++m) {
      if (!shared && !all_maps && m != t) continue;
      const bool other = all_maps && m != t;
      // Where the other aspect's answers do not mention an object, its map says nothing of theirs.
      const auto is_known = [&](std::uint64_t i) {
        const Triplet one = heldout->at(i);
        return !other || (seen[m][one.anchor] && seen[m][one.near] && seen[m][one.far]);
      };
      const auto triplets = std::make_shared<const TripletSelection>(heldout, filtered(by_aspect[t], is_known));
      AspectErrors::Cell& cell = row.by_map.emplace_back(kNotShared);
      if (triplets->size() == 0) continue;
      const HeldoutError error = heldout_error_of({.maps = {embedding.maps[m]}}, triplets, all);
      cell = {error.error, error.interval};
      if (other) compare({.maps = {embedding.maps[m]}}, {.maps = {embedding.maps[t]}}, triplets, all, level, cell);
    }
    out.rows.push_back(std::move(row));
  }
  for (const AspectMap& map : embedding.maps) out.maps.push_back(map.name);
  return out;
}

std::vector<std::string> notes_on_aspects(const AspectErrors& errors) {
  std::vector<std::string> by_own_map, others, out;
  for (std::size_t t = 0; t < errors.rows.size(); ++t) {
    const AspectErrors::Row& row = errors.rows[t];
    if (row.by_map.empty()) continue;
    by_own_map.push_back(fmt::format("{} {} of {}", row.aspect, error_text(own_cell(errors, t)), row.heldout));
    if (row.by_map.size() != errors.rows.size()) continue;
    for (std::size_t m = 0; m < row.by_map.size(); ++m)
      if (m != t)
        others.push_back(fmt::format("{} by the map of {} {}", row.aspect, errors.maps[m], error_text(row.by_map[m])));
  }
  const auto say = [&](std::vector<std::string>& list, std::string_view begin, std::string_view end) {
    if (list.empty()) return;
    const std::size_t more = list.size() > kNamed ? list.size() - kNamed : 0;
    if (more > 0) list.resize(kNamed), list.push_back(fmt::format("and {} more in aspect_errors.csv", more));
    out.push_back(fmt::format("{}: {}.{}", begin, join(list, "; "), end));
  };
  const std::string_view aspect = errors.groups ? "group" : "aspect";
  say(by_own_map, fmt::format(words::kErrorByOwnMap, aspect, errors.maps.size() == 1 ? "the one map" : "its own map"),
      "");
  say(others, fmt::format(words::kErrorByOtherMap, aspect), " Guessing has 0.5.");
  for (std::string& verdict : verdicts_on_aspects(errors)) out.push_back(std::move(verdict));
  return out;
}

std::vector<std::string> verdicts_on_aspects(const AspectErrors& errors) {
  const std::size_t count = errors.rows.size();
  if (count < 2 || errors.groups ||
      std::ranges::any_of(errors.rows, [&](const auto& row) { return row.by_map.size() != count; }))
    return {};
  constexpr double kMargin = 0.05;
  enum class Verdict { agree, differ, untold };
  const auto most_unseen = [&](std::size_t a, std::size_t b) {
    return std::max(errors.rows[a].by_map[b].worse_interval.high, errors.rows[b].by_map[a].worse_interval.high);
  };
  const auto verdict = [&](std::size_t a, std::size_t b) {
    for (const auto& [aspect, other] : {std::pair{a, b}, std::pair{b, a}})
      if (errors.rows[aspect].by_map[other].worse_interval.low > 0) return Verdict::differ;
    return most_unseen(a, b) < kMargin ? Verdict::agree : Verdict::untold;
  };
  std::vector<std::string> agree, differ, untold, out;
  std::vector<bool> is_alone(count, true);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b)
      if (a != b && verdict(a, b) != Verdict::differ) is_alone[a] = false;
  const auto name = [&](std::size_t a) { return errors.rows[a].aspect; };
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b) {
      const Verdict outcome = verdict(a, b);
      if (outcome == Verdict::differ && count > 2 && (is_alone[a] || is_alone[b])) continue;
      std::string pair = fmt::format("{} and {}", name(a), name(b));
      if (outcome == Verdict::differ) {
        const AspectErrors::Cell &one = errors.rows[a].by_map[b], &other = errors.rows[b].by_map[a];
        const AspectErrors::Cell& worse = one.worse_interval.low > other.worse_interval.low ? one : other;
        pair += fmt::format(" (the other's map errs more often, by {:.3f}, 95 % interval {:.3f} to {:.3f})",
                            worse.worse, worse.worse_interval.low, worse.worse_interval.high);
      }
      if (outcome == Verdict::untold) pair += fmt::format(" ({:.3f})", most_unseen(a, b));
      (outcome == Verdict::agree ? agree : outcome == Verdict::differ ? differ : untold).push_back(std::move(pair));
    }
  for (std::size_t a = 0; a < count; ++a)
    if (count > 2 && is_alone[a]) out.push_back(fmt::format("{} agrees with no other aspect.", name(a)));
  const auto say = [&](const std::vector<std::string>& pairs, std::string_view form) {
    if (!pairs.empty()) out.push_back(fmt::format(fmt::runtime(form), join(pairs, "; ")));
  };
  say(differ, "These aspects differ: {}.");
  say(untold, words::kAspectsOpen);
  if (!agree.empty()) out.insert(out.begin(), fmt::format(words::kAspectsAgree, kMargin, join(agree, "; ")));
  return out;
}

std::string note_on_mixed_aspects(const Observations& all, bool one_map) {
  const std::vector<std::string> aspects = aspect_names(all);
  if (!one_map || aspects.size() < 2) return "";
  return fmt::format(words::kAspectsMixed, aspects.size(), join_first(aspects, 3));
}

std::string aspect_errors_to_csv(const AspectErrors& errors) {
  std::string out = fmt::format("{},map,heldout_answers,heldout_error,low,high,worse,worse_low,worse_high\n",
                                errors.groups ? "group" : "aspect");
  for (std::size_t t = 0; t < errors.rows.size(); ++t) {
    const AspectErrors::Row& row = errors.rows[t];
    for (std::size_t c = 0; c < row.by_map.size(); ++c) {
      const std::string& map = row.by_map.size() == errors.maps.size() ? errors.maps[c] : errors.maps[t];
      const AspectErrors::Cell& cell = row.by_map[c];
      out += fmt::format("{},{},{}", csv_field(row.aspect), csv_field(map), row.heldout);
      for (const double value : {cell.error, cell.interval.low, cell.interval.high, cell.worse, cell.worse_interval.low,
                                 cell.worse_interval.high})
        out += ',' + shortest(value);
      out += '\n';
    }
  }
  return out;
}

AspectErrors parse_aspect_errors(std::string_view text, const std::string& file) {
  AspectErrors out;
  RowReader reader(text, file, ',');
  if (!reader.next()) return out;
  out.groups = !reader.fields().empty() && reader.fields()[0] == "group";
  while (reader.next()) {
    const auto fields = reader.fields();
    require<DataError>(fields.size() == 9, words::kAspectRowLength, reader.place(), fields.size());
    const auto number = [&](std::size_t at) {
      const auto value = parse_double(fields[at]);
      require<DataError>(value.has_value(), words::kNotNumber, reader.place(), shown(fields[at]));
      return *value;
    };
    if (out.rows.empty() || out.rows.back().aspect != fields[0])
      out.rows.push_back({std::string(fields[0]), static_cast<std::uint64_t>(std::clamp(number(2), 0.0, 1e15)), {}});
    out.rows.back().by_map.push_back({number(3), {number(4), number(5)}, number(6), {number(7), number(8)}});
    const std::string map(fields[1]);
    if (std::ranges::find(out.maps, map) == out.maps.end()) out.maps.push_back(map);
  }
  return out;
}

}  // namespace alidade
