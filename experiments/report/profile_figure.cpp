#include <fmt/core.h>
#include <sentences/report.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "experiments/report/chart.hpp"
#include "experiments/report/charts.hpp"
#include "experiments/report/figures.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/rows.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

constexpr ChartSize kProfileSize{560, 340};
constexpr double kEqualFactor = 1 + 1e-12;  // up to this factor a value counts as the best

// Values >= 0 that can be profiled: one per instance and method.
struct ProfileSet {
  std::string title;
  std::vector<std::string> file;  // parts of its name
  bool higher = false;            // is higher better
  bool to_target = false;
  std::vector<std::map<std::size_t, double>> instances{};  // of which every method has a run; those with a value
  std::size_t left_out = 0;                                // instances of which some method has no run
  std::vector<std::size_t> methods{};                      // those with at least one value
};

// A dataset and a repeat; for objectives also the problem and its options, since only equal ones can be compared.
using Instance = std::tuple<std::string, std::string, std::string>;

Instance profile_instance(const Row& row, const std::string& setup = "") {
  return {setup, row.dataset.id, repetition_text(row)};
}

std::size_t method_place(const ReportModel& all, const Row& row) {
  return static_cast<std::size_t>(std::ranges::find(all.methods, row.method) - all.methods.begin());
}

/// What the runs of each method came to on each instance; nothing where they gave no value.
using RunValues = std::map<Instance, std::map<std::size_t, std::optional<double>>>;

// Adds the set if at least two methods have values on at least two instances, all non-negative.
void add_set(std::vector<ProfileSet>& sets, ProfileSet set, const RunValues& runs) {
  std::set<std::size_t> methods;
  for (const auto& [instance, of_methods] : runs)
    for (const auto& [method, value] : of_methods) {
      if (value && *value < 0) return;
      if (value) methods.insert(method);
    }
  for (const auto& [instance, of_methods] : runs) {
    std::map<std::size_t, double> values;
    for (const auto& [method, value] : of_methods)
      if (value) values.emplace(method, *value);
    if (std::ranges::any_of(methods, [&](std::size_t method) { return !of_methods.contains(method); }))
      ++set.left_out;
    else if (!values.empty())
      set.instances.push_back(std::move(values));
  }
  if (methods.size() < 2 || set.instances.size() < 2) return;
  set.methods.assign(methods.begin(), methods.end());
  sets.push_back(std::move(set));
}

// Seconds to come near the best objective, if several methods solve one problem.
void add_target_sets(std::vector<ProfileSet>& sets, const ReportModel& all) {
  std::vector<std::string> setups;
  std::map<std::string, std::set<std::string>> setups_of_problem;
  for (const Row& row : all.rows) {
    add_new(setups, setup_of(row));
    setups_of_problem[row.problem.name].insert(setup_of(row));
  }
  for (const std::string& setup : setups) {
    std::map<std::size_t, std::size_t> runs;  // for each method
    std::set<Instance> instances;
    std::string problem;
    for (const Row& row : all.rows)
      if (setup_of(row) == setup) {
        ++runs[method_place(all, row)];
        instances.insert(profile_instance(row, setup));
        problem = row.problem.name;
      }
    // A method that only sometimes chose this problem is not compared by it.
    const auto often = [&](std::size_t method) { return 2 * runs[method] >= instances.size(); };
    if (std::ranges::count_if(runs, [&](const auto& run) { return often(run.first); }) < 2) continue;
    const std::string name = setups_of_problem[problem].size() > 1 ? shortened_inside(setup, 40) : problem;
    for (std::size_t k = 0; k < ReportModel::kTargets.size(); ++k) {
      RunValues values;
      for (std::size_t i = 0; i < all.rows.size(); ++i) {
        const Row& row = all.rows[i];
        if (setup_of(row) != setup) continue;
        const std::size_t method = method_place(all, row);
        if (often(method)) values[profile_instance(row, setup)][method] = all.seconds_to_target[i][k];
      }
      const std::string percent = fmt::format("{:.4g} %", 100 * ReportModel::kTargets[k]);
      add_set(sets,
              {.title = fmt::format("{}: seconds to within {} of the best objective", name, percent),
               .file = {name, "seconds_to", percent},
               .to_target = true},
              values);
    }
  }
}

std::vector<ProfileSet> sets_of(const ReportModel& all) {
  std::vector<ProfileSet> sets;
  for (const std::string& name : measured_fields(all.rows)) {
    const auto higher = higher_is_better(all.directions, name);
    if (!higher) continue;
    RunValues values;
    for (const Row& row : all.rows)
      if (auto& value = values[profile_instance(row)][method_place(all, row)]; row.ended_well())
        value = number_field(row, name);
    add_set(sets, {.title = title_of(name), .file = {name}, .higher = *higher}, values);
  }
  add_target_sets(sets, all);
  return sets;
}

// A method's factors of the best on each instance, ascending, without instances on which it is infinitely worse.
std::vector<double> factors_of(const ProfileSet& set, std::size_t method) {
  std::vector<double> out;
  for (const auto& of_methods : set.instances) {
    const auto entry = of_methods.find(method);
    if (entry == of_methods.end()) continue;
    double best = entry->second;
    for (const auto& [other, value] : of_methods) best = set.higher ? std::max(best, value) : std::min(best, value);
    const double worse = set.higher ? best : entry->second, better = set.higher ? entry->second : best;
    if (worse <= better * kEqualFactor)
      out.push_back(1);
    else if (better > 0)
      out.push_back(worse / better);
  }
  std::ranges::sort(out);
  return out;
}

std::vector<double> values_of_method(const ProfileSet& set, std::size_t method) {
  std::vector<double> out;
  for (const auto& of_methods : set.instances)
    if (const auto entry = of_methods.find(method); entry != of_methods.end()) out.push_back(entry->second);
  std::ranges::sort(out);
  if (set.higher) std::ranges::reverse(out);
  return out;
}

// A step up at every value, from the start of the axis to its end.
std::vector<Pixel> steps(const Chart& chart, const std::vector<double>& values, std::size_t total, double begin,
                         double end) {
  std::vector<Pixel> out;
  double share = 0;
  const auto within = [&](double value) { return std::clamp(value, chart.x().low, chart.x().high); };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i + 1 < values.size() && values[i + 1] == values[i]) continue;  // only the last of equal values
    const double x = within(values[i]);
    if (x != begin) {
      if (out.empty()) out.push_back(chart.at(begin, 0));
      out.push_back(chart.at(x, share));
    }
    share = static_cast<double>(i + 1) / static_cast<double>(total);
    out.push_back(chart.at(x, share));
  }
  out.push_back(chart.at(end, share));
  return out;
}

std::string drawn_profile(const ReportModel& all, const ProfileSet& set, bool by_factor, bool logarithmic,
                          bool with_legend, ChartSize size = kProfileSize) {
  std::vector<LegendEntry> legend;
  std::vector<std::vector<double>> values;
  std::vector<double> xs;
  for (const std::size_t method : set.methods) {
    if (with_legend) legend.push_back({method, all.methods[method]});
    values.push_back(by_factor ? factors_of(set, method) : values_of_method(set, method));
    for (const double value : values.back())
      if (!logarithmic || value > 0) xs.push_back(value);
  }
  Scale scale = scale_of(xs, logarithmic, false);
  if (by_factor) {
    scale.low = 1;
    scale.high = std::max(1.05 * *std::ranges::max_element(xs), 1.05);
  }
  const bool from_high = !by_factor && set.higher;  // the best values begin the curve
  Axis x{scale,
         by_factor ? "Factor of the best method: " + shortened_inside(set.title, 60) : shortened_inside(set.title, 70),
         by_factor ? std::optional<bool>() : std::optional(set.higher)};
  Chart chart(std::move(x),
              {{.low = 0, .high = 1.03, .percent = true}, fmt::format("Share of {} instances", set.instances.size())},
              legend, size);
  const double begin = from_high ? chart.x().high : chart.x().low;
  const double end = from_high ? chart.x().low : chart.x().high;
  for (std::size_t m = 0; m < values.size(); ++m) {
    if (values[m].empty()) continue;
    const std::size_t k = set.methods[m];
    chart.begin_series(k);
    chart.drawing().polyline(steps(chart, values[m], set.instances.size(), begin, end),
                             {.colour = palette_colour(k), .width = 1.8, .dashes = palette_dashes(k)});
    chart.end_series();
  }
  return chart.drawing().finished();
}

std::string said_of(const ReportModel& all, const ProfileSet& set) {
  std::vector<std::string> parts;
  const auto percent = [&](std::ptrdiff_t count) {
    return fmt::format("{:.3g} %", 100 * static_cast<double>(count) / static_cast<double>(set.instances.size()));
  };
  for (const std::size_t method : set.methods) {
    const auto factors = factors_of(set, method);
    parts.push_back(fmt::format("{}: best on {}, with a value on {}", all.methods[method],
                                percent(std::ranges::count(factors, 1.0)),
                                percent(std::ssize(values_of_method(set, method)))));
  }
  return "Performance profile of " + set.title + ". " + join(parts, "; ");
}

std::string caption_of(const ProfileSet& set, bool by_factor) {
  std::string out =
      fmt::format("{} instances: one for each dataset and repeat. Higher is better. ", set.instances.size());
  if (set.left_out > 0) out += fmt::format("Left out, because some method has no run: {}. ", set.left_out);
  out += by_factor ? words::kEndsOfFactors : "A curve shows on how many instances a method reaches a value.";
  if (set.to_target) out += words::kSecondsToTarget;
  return out;
}

std::string file_of_profile(const ProfileSet& set) {
  std::vector<std::string> parts{"profile"};
  parts.insert(parts.end(), set.file.begin(), set.file.end());
  return figure_name(parts);
}

bool all_positive(const ProfileSet& set) {
  return std::ranges::all_of(set.instances, [](const auto& of_methods) {
    return std::ranges::all_of(of_methods, [](const auto& entry) { return entry.second > 0; });
  });
}

// Whether some method has a finite factor: if the best is 0, all may be infinitely worse.
bool has_factors(const ProfileSet& set) {
  return std::ranges::any_of(set.methods, [&](std::size_t method) { return !factors_of(set, method).empty(); });
}

}  // namespace

std::vector<Figure> profile_figures(const ReportModel& all, std::optional<double> width) {
  std::vector<Figure> out;
  for (const ProfileSet& set : sets_of(all))
    if (has_factors(set))
      out.push_back({file_of_profile(set), drawn_profile(all, set, true, true, true, kProfileSize.of_width(width))});
  return out;
}

ChartGroup profile_charts(const ReportModel& all) {
  std::vector<ProfileSet> sets = sets_of(all);
  ChartGroup out;
  if (sets.empty()) return out;
  // The set that compares the most methods first.
  std::ranges::stable_sort(sets, std::greater{}, [](const ProfileSet& set) { return set.methods.size(); });
  ChartCard card;
  std::set<std::size_t> methods;
  for (const ProfileSet& set : sets) {
    methods.insert(set.methods.begin(), set.methods.end());
    for (const bool by_factor : {true, false})
      for (const bool logarithmic : {true, false}) {
        if (by_factor ? !has_factors(set) : logarithmic && !all_positive(set)) continue;
        card.views.push_back({.choices = {{"Of", set.title},
                                          {"Against", by_factor ? "factor of the best" : "the value itself"},
                                          {"Log scale", logarithmic ? "on" : "off"}},
                              .title = "Performance profile",
                              .description = said_of(all, set),
                              .caption = caption_of(set, by_factor),
                              .file = file_of_profile(set),
                              .size = kProfileSize,
                              .svg = drawn_profile(all, set, by_factor, logarithmic, false)});
      }
  }
  for (const std::size_t method : methods) out.methods.push_back({method, all.methods[method]});
  if (!card.views.empty()) out.charts.push_back(std::move(card));
  return out;
}

}  // namespace alidade::report
