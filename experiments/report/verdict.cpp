#include <fmt/core.h>
#include <sentences/report.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "experiments/files/counted.hpp"
#include "experiments/files/text_grid.hpp"
#include "experiments/report/html.hpp"
#include "experiments/report/ranks.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/wording.hpp"
#include "experiments/results/row_warnings.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/tables/tables.hpp"
#include "problems/core/error.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::report {
namespace {

constexpr std::size_t kNamedMethods = 4;  // in one sentence

// "A", "A and B", "A, B, C, D and 3 more", as markup.
std::string names_html(std::vector<std::string> names) {
  for (std::string& name : names) name = "<span dir=\"auto\">" + escaped_name(name) + "</span>";
  if (names.size() > kNamedMethods + 1) {
    const std::size_t more = names.size() - kNamedMethods;
    names.resize(kNamedMethods);
    names.push_back(fmt::format("{} more", more));
  }
  return listed(names);
}

/// A list of those that say something.
std::string points_html(std::vector<std::string> points) {
  std::erase(points, "");
  return points.empty() ? "" : "<ul class=\"points\"><li>" + join(points, "</li><li>") + "</li></ul>";
}

std::string strong(const std::string& name) { return "<strong dir=\"auto\">" + escaped_name(name) + "</strong>"; }

// Paired over the repetitions that both have: how much worse a method is than the best.
struct Lag {
  double mean = 0;
  std::optional<double> half_width;  // of Student's 95 % interval
  std::size_t pairs = 0;
};

Lag lag_behind(const ComparisonTable& table, const Cell& best, const Cell& other) {
  std::map<std::string, double, std::less<>> values;
  for (const Sample& sample : best.samples) values.emplace(sample.over, sample.value);
  std::vector<double> lags;
  const double sign = table.higher_is_better.value_or(false) ? -1 : 1;
  for (const Sample& sample : other.samples)
    if (const auto at = values.find(sample.over); at != values.end())
      lags.push_back(sign * (sample.value - at->second));
  Lag out;
  out.pairs = lags.size();
  if (!lags.empty()) out.mean = statistics::mean(lags);
  if (lags.size() > 1) out.half_width = statistics::t_half_width(lags, table.request.confidence);
  return out;
}

// "0.044 ± 0.003", with two significant digits of the half-width.
std::string lag_text(const Lag& lag) {
  constexpr double kRounding = 1e-9;  // narrower intervals are rounding
  if (!lag.half_width || !(*lag.half_width > kRounding * std::abs(lag.mean))) return fmt::format("{:.3g}", lag.mean);
  const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(*lag.half_width))), 0, 9);
  return fmt::format("{:.{}f} ± {:.{}f}", lag.mean, decimals, *lag.half_width, decimals);
}

// How the methods stand on one dataset.
struct Standing {
  std::size_t col = 0;
  std::vector<std::size_t> first;  // the methods of the best mean, several if it is equal
  bool whole = false;              // the first are best by the table's rule: no run of theirs is missing
  /// Not told from the best: not significantly worse by a test that could show it; if there are too few repetitions for
  /// the test, those for which the 95 % interval of the difference contains 0.
  std::vector<std::size_t> alike;
  std::vector<std::size_t> worse;   // significantly worse, best first
  std::vector<std::size_t> others;  // all others, best first
  ColumnTests tests;
  std::size_t repeats = 0;
  bool cut = false;        // runs were left out, since a method lacks their like
  bool no_sample = false;  // of several repeats, which are copies of one or hold out the same answers
  [[nodiscard]] bool alone() const { return first.size() + others.size() == 1; }  // no other method has its like
};

std::optional<Standing> standing_on(const ComparisonTable& table, std::size_t col) {
  Standing out;
  out.col = col;
  out.tests = tests_of(table, col);
  const bool higher = table.higher_is_better.value_or(false);
  for (std::size_t r = 0; r < table.row_keys.size(); ++r)
    if (const Cell& cell = table.cell(r, col); cell.compared && !cell.samples.empty()) {
      out.others.push_back(r);
      out.cut = out.cut || run_count(cell.samples) < run_count(cell.all);
    }
  if (out.others.empty()) return std::nullopt;
  const auto mean = [&](std::size_t r) { return table.cell(r, col).mean; };
  std::ranges::stable_sort(
      out.others, [&](std::size_t a, std::size_t b) { return higher ? mean(a) > mean(b) : mean(a) < mean(b); });
  const auto is_best = [&](std::size_t r) { return table.cell(r, col).best; };
  out.whole = std::ranges::any_of(out.others, is_best);
  const double top = mean(out.others.front());
  std::vector<std::size_t> rest;
  for (const std::size_t r : out.others)
    (out.whole ? is_best(r) : mean(r) == top) ? out.first.push_back(r) : rest.push_back(r);
  out.others = std::move(rest);
  for (const std::size_t r : out.others) {
    const Cell& cell = table.cell(r, col);
    const Lag lag = lag_behind(table, table.cell(out.first.front(), col), cell);
    if (out.tests.conclusive() ? cell.tied : lag.half_width && lag.mean <= *lag.half_width) out.alike.push_back(r);
    if (cell.comparison && cell.comparison->different) out.worse.push_back(r);
  }
  out.repeats = table.cell(out.first.front(), col).samples.size();
  const Cell& first = table.cell(out.first.front(), col);
  out.no_sample =
      first.same_answers ||
      (first.copies && std::ranges::all_of(out.others, [&](std::size_t r) { return table.cell(r, col).copies; }));
  return out;
}

// What the runs of semidefinite programs prove, and which problems they solve.
std::vector<std::string> proofs(const ReportModel& all) {
  constexpr double kTight = 1e-6;
  std::size_t runs = 0, tight = 0, broken = 0;
  double worst = 0;
  std::vector<std::string> problems;
  for (const Row& row : all.rows) {
    if (!row.ended_well()) continue;
    const double relative = *row.certificate->gap / std::max(1.0, std::abs(row.objective.value_or(0)));
    ++runs;
    if (relative < -kTight)
      ++broken;
    else if (relative <= kTight)
      ++tight;
    worst = std::max(worst, relative);
    add_new(problems, row.problem.name);
  }
  std::vector<std::string> out;
  out.push_back(tight == runs ? fmt::format(words::kProofsTight, counted(runs, "solution"), worst)
                              : fmt::format("{} of {} within 1e-6 of the proven bound; the widest gap is {:.2g}.",
                                            tight, counted(runs, "solution is", "solutions are"), worst));
  if (broken > 0) out.push_back(fmt::format(words::kInfeasible, counted(broken, "solution is", "solutions are")));
  if (problems.size() > 1) out.push_back(fmt::format(words::kOtherProblems, escaped(join(problems, ", "))));
  return out;
}

class ComparisonVerdict {
 public:
  ComparisonVerdict(const ReportModel& all, const std::string& value)
      : all_(all),
        table_(tested_comparison(all, value)),
        noun_(value == "seconds.solve" ? "time to solve" : within_sentence(title_of(value))) {
    for (std::size_t c = 0; c < table_.col_keys.size(); ++c)
      if (auto standing = standing_on(table_, c)) standings_.push_back(std::move(*standing));
  }

  [[nodiscard]] std::string html() const {
    if (std::ranges::all_of(table_.cells, [](const Cell& cell) { return cell.samples.empty(); })) return {};
    if (standings_.empty())
      return "<p class=\"answer\">Too few repeats are common to all methods, so none is called the best.</p>" +
             points_html({guessing(), ends()});
    std::vector<std::string> points = all_.certified() ? proofs(all_) : std::vector<std::string>();
    const bool one = table_.col_keys.size() == 1;
    std::ranges::move(one ? points_on(standings_.front()) : std::vector{ranks(), too_few()},
                      std::back_inserter(points));
    points.insert(points.end(), {shared(), guessing(), ends()});
    return "<p class=\"answer\">" + (one ? sentence(standings_.front()) + "</p>" : tally() + "</p>" + table()) +
           points_html(points);
  }

 private:
  [[nodiscard]] std::string name(std::size_t row) const { return key_name(table_.row_keys[row]); }
  [[nodiscard]] std::string names(const std::vector<std::size_t>& rows) const {
    return names_html(mapped(rows, [&](std::size_t row) { return name(row); }));
  }
  [[nodiscard]] std::string extreme() const { return table_.higher_is_better.value_or(false) ? "highest" : "lowest"; }
  [[nodiscard]] std::string number(const Standing& on) const {
    const CellNumber shown = column_numbers(table_, on.col)[on.first.front()];
    std::string out = shown.mean;
    if (!shown.half_width.empty()) out += " ± " + shown.half_width;
    if (shown.exponent != 0) out += fmt::format(" ×10<sup>{}</sup>", shown.exponent);
    return out;
  }
  [[nodiscard]] std::string repeats(std::size_t count) const { return counted(count, table_.request.over); }

  [[nodiscard]] std::string sentence(const Standing& on) const {
    const std::string dataset = "<span dir=\"auto\">" + escaped_name(key_name(table_.col_keys[on.col])) + "</span>";
    const std::string count = repeats(on.repeats),
                      measured = fmt::format("{} ({})", number(on),
                                             table_.cell(on.first.front(), on.col).copies ? "the same in all " + count
                                             : on.repeats > 1 ? "mean of " + count + " and its 95 % interval"
                                                              : count);
    if (on.alone())
      return fmt::format("{} has a {} of {} on {}.", strong(name(on.first.front())), noun_, measured, dataset);
    if (on.others.empty() && on.first.size() > 1) return fmt::format(words::kAllMethodsAlike, noun_, dataset, measured);
    if (on.first.size() > 1)
      return fmt::format("{} share the {} {} on {}: {}.", names(on.first), extreme(), noun_, dataset, measured);
    return fmt::format("{} has the {} {} on {}: {}.", strong(name(on.first.front())), extreme(), noun_, dataset,
                       measured);
  }

  [[nodiscard]] std::string lead_over(const Standing& on, std::size_t row) const {
    return lag_text(lag_behind(table_, table_.cell(on.first.front(), on.col), table_.cell(row, on.col)));
  }

  // What cannot be told from the best, what is worse, and by how much.
  [[nodiscard]] std::vector<std::string> points_on(const Standing& on) const {
    std::vector<std::string> out;
    if (!on.whole && !on.others.empty()) out.emplace_back(words::kRunsMissing);
    if (on.others.empty()) return out;
    std::vector<std::size_t> ahead;
    const double best = table_.cell(on.first.front(), on.col).mean;
    for (const std::size_t row : on.others)
      if (const double mean = table_.cell(row, on.col).mean;
          table_.higher_is_better.value_or(false) ? mean > best : mean < best)
        ahead.push_back(row);
    if (!ahead.empty())
      out.push_back(fmt::format("Not counted, because runs failed or are missing: {}, with a {} mean.", names(ahead),
                                table_.higher_is_better.value_or(false) ? "higher" : "lower"));
    if (!on.alike.empty())
      out.push_back(fmt::format("{} cannot tell it from {}.", on.tests.conclusive() ? "The test" : "The repeats",
                                names(on.alike)));
    if (!on.worse.empty()) {
      std::vector<std::string> parts;
      for (const std::size_t row : std::span(on.worse).first(std::min(on.worse.size(), kNamedMethods)))
        parts.push_back(
            fmt::format("<span dir=\"auto\">{}</span> (by {})", escaped_name(name(row)), lead_over(on, row)));
      if (on.worse.size() > kNamedMethods) parts.push_back(fmt::format("{} more", on.worse.size() - kNamedMethods));
      out.push_back(fmt::format("Significantly worse: {}.", join(parts, ", ")));
    }
    if (!on.tests.conclusive()) {
      const std::size_t next = on.others.front();
      const Lag lag = lag_behind(table_, table_.cell(on.first.front(), on.col), table_.cell(next, on.col));
      std::string text = fmt::format("The next, <span dir=\"auto\">{}</span>, is worse by {}", escaped_name(name(next)),
                                     lag_text(lag));
      if (lag.half_width.value_or(0) > 0)
        text += fmt::format(" (mean of {} and its 95 % interval)", counted(lag.pairs, "difference"));
      out.push_back(text + ".");
      out.push_back(on.no_sample ? words::kNoSample : too_few());
    }
    return out;
  }

  // "STE has the lowest error on all 3 datasets." or "No method is best everywhere: ..."
  [[nodiscard]] std::string tally() const {
    if (table_.row_keys.size() == 1)
      return fmt::format("{} on {}: its {}.", strong(name(0)), counted(standings_.size(), "dataset"), noun_);
    const auto compared = static_cast<std::size_t>(std::ranges::count_if(standings_, std::not_fn(&Standing::alone)));
    if (compared == 0) return words::kNoTwoMethods;
    const std::string datasets = counted(compared, "dataset");
    std::map<std::size_t, std::size_t> leads;    // of a method
    std::map<std::size_t, std::size_t> abreast;  // where it leads or is not told from the best
    for (const Standing& on : standings_) {
      if (on.alone()) continue;
      for (const std::size_t row : on.first) ++leads[row], ++abreast[row];
      for (const std::size_t row : on.alike) ++abreast[row];
    }
    std::vector<std::pair<std::size_t, std::size_t>> wins(leads.begin(), leads.end());
    std::ranges::stable_sort(wins, std::greater<>(), &std::pair<std::size_t, std::size_t>::second);
    if (wins.front().second == compared) {
      std::vector<std::size_t> everywhere;
      for (const auto& [row, count] : wins)
        if (count == compared) everywhere.push_back(row);
      return fmt::format(
          "{} the {} {} on {}.",
          everywhere.size() > 1 ? names(everywhere) + " share" : strong(name(everywhere.front())) + " has", extreme(),
          noun_,
          compared == table_.col_keys.size() ? "all " + datasets
          : compared == 1                    ? words::kTheOneCompared
                                             : fmt::format(words::kTheCompared, datasets));
    }
    std::string out = fmt::format("No method has the {} {} everywhere: ", extreme(), noun_);
    for (std::size_t i = 0; i < std::min(wins.size(), kNamedMethods); ++i)
      out += i == 0 ? fmt::format("{} leads on {} of {}", strong(name(wins[i].first)), wins[i].second, datasets)
                    : fmt::format(", {} on {}", strong(name(wins[i].first)), wins[i].second);
    if (wins.size() > kNamedMethods) out += fmt::format(", {} others on the rest", wins.size() - kNamedMethods);
    std::vector<std::size_t> never_beaten;
    for (const auto& [row, count] : abreast)
      if (count == compared) never_beaten.push_back(row);
    if (!never_beaten.empty()) out += fmt::format(". Nowhere clearly worse than the best: {}", names(never_beaten));
    return out + ".";
  }

  [[nodiscard]] std::string table() const {
    const bool one = table_.row_keys.size() == 1;
    HtmlTable out{"The best method on each dataset", "listing stacked standings", {"Dataset"}, {}};
    if (!one) out.head.push_back(table_.higher_is_better.value_or(false) ? "Highest" : "Lowest");
    out.head.push_back(escaped(title_of(table_.request.value)));
    if (!one) {
      out.head.emplace_back("The next is worse by");
      out.head.emplace_back("Not told from the best");
    }
    out.head.push_back(table_.request.over == "fold" ? "Folds" : "Repeats");
    for (const Standing& on : standings_) {
      HtmlLine line{{"<span dir=\"auto\">" + escaped_name(key_name(table_.col_keys[on.col])) + "</span>"}, ""};
      if (!one)
        line.cells.emplace_back(names(on.first) + (on.alone() ? " <small>no other method</small>"
                                                   : on.whole ? ""
                                                              : " <small>some of its runs are missing</small>"));
      line.cells.emplace_back(number(on));
      if (!one) {
        line.cells.emplace_back(on.others.empty() ? std::string("–")
                                                  : lead_over(on, on.others.front()) + " <small dir=\"auto\">" +
                                                        escaped_name(name(on.others.front())) + "</small>");
        const bool tested = on.tests.conclusive() || on.repeats > 1;
        line.cells.emplace_back(on.others.empty()  ? "–"
                                : on.no_sample     ? "<em>open: nothing is drawn anew</em>"
                                : !tested          ? std::string("<em>open: one value each</em>")
                                : on.alike.empty() ? std::string("none")
                                                   : names(on.alike));
      }
      line.cells.emplace_back(fmt::format("{}", on.repeats));
      out.lines.push_back(std::move(line));
    }
    return table_html(out);
  }

  [[nodiscard]] std::string ranks() const {
    const auto ranks = ranks_of(table_);
    return ranks ? escaped(friedman_verdict(*ranks)) : std::string();
  }

  // What is not compared, or not on all that there is, since methods lack runs that others have.
  [[nodiscard]] std::string shared() const {
    std::vector<std::string> silent, cut;
    for (std::size_t c = 0; c < table_.col_keys.size(); ++c) {
      const auto on = std::ranges::find(standings_, c, &Standing::col);
      if (on == standings_.end())
        silent.push_back(key_name(table_.col_keys[c]));
      else if (on->cut)
        cut.push_back(fmt::format("{} ({})", key_name(table_.col_keys[c]), repeats(on->repeats)));
    }
    std::string out;
    if (!silent.empty()) out = fmt::format(words::kNothingCompared, escaped(join(silent, ", ")));
    if (!cut.empty()) out += fmt::format(words::kSharedAlone, out.empty() ? "" : " ", escaped(join(cut, ", ")));
    return out;
  }

  // Whether more repeats are needed, and how many.
  [[nodiscard]] std::string too_few() const {
    std::size_t needed = 0, have = 0, open = 0;
    for (const Standing& on : standings_) {
      if (on.others.empty() || on.tests.conclusive() || on.no_sample) continue;
      ++open;
      needed = std::max(needed, on.tests.needed);
      have = std::max(have, on.repeats);
    }
    if (open == 0) return {};
    if (table_.request.over != "repeat" || have >= needed || std::ranges::any_of(standings_, &Standing::cut))
      return words::kTooFewValues;
    return fmt::format(words::kTooFewForTest,
                       open < standings_.size() ? fmt::format(" on {}", counted(open, "dataset")) : "", repeats(needed),
                       have == 1 ? "is" : "are", have, have > 1 ? words::kUntilThen : "", needed);
  }

  [[nodiscard]] std::string guessing() const {
    const auto guesses = static_cast<std::size_t>(std::ranges::count_if(all_.rows, [](const Row& row) {
      return row.ended_well() && std::ranges::any_of(warnings_of(row), is_about_chance);
    }));
    if (guesses == 0) return {};
    return fmt::format("{} no better, or hardly better, than guessing. The tables mark {} with {}.",
                       counted(guesses, "run is", "runs are"), guesses == 1 ? "it" : "them", kWarningMark);
  }

  [[nodiscard]] std::string ends() const {
    std::vector<std::string> parts;
    for (const auto& [status, word] : {std::pair{RunStatus::failed, "failed"}, {RunStatus::cancelled, "interrupted"}})
      if (const std::size_t count = all_.count_of(status); count > 0)
        parts.push_back(
            fmt::format("<a href=\"#trouble\">{} of {} {}</a>", count, counted(all_.rows.size(), "run"), word));
    if (const std::size_t skipped = all_.count_of(RunStatus::skipped); skipped > 0)
      parts.push_back(fmt::format("<a href=\"#trouble\">{} skipped</a>, because problem and solver do not fit",
                                  counted(skipped, "run was", "runs were")));
    if (parts.empty())
      return all_.rows.size() == 1 ? "The run ended well." : fmt::format("All {} runs ended well.", all_.rows.size());
    return join(parts, "; ") + ".";
  }

  const ReportModel& all_;
  ComparisonTable table_;
  std::string noun_;
  std::vector<Standing> standings_;
};

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

struct Figure {
  std::string title, number, remark;  // plain text
};

std::string figures_html(const std::vector<Figure>& figures) {
  std::string out = "<dl class=\"figures three\">";
  for (const Figure& figure : figures)
    out += "<div><dt>" + escaped(figure.title) + "</dt><dd>" + escaped(figure.number) +
           (figure.remark.empty() ? "" : "<small>" + escaped(figure.remark) + "</small>") + "</dd></div>";
  return out + "</dl>";
}

class MapVerdict {
 public:
  explicit MapVerdict(const ReportModel& all) : all_(all), row_(all.rows.front()) {}

  [[nodiscard]] std::string html() const {
    if (row_.status != RunStatus::ok) return {};
    const std::vector<Measure> measures = this->measures();
    if (measures.empty()) return {};
    const std::string answer = join(mapped(measures, &Measure::sentence), " ");
    std::vector<std::string> points{answer_amount(), who_guesses(), choice(), guesses(), stability(), proof_text(row_)};
    std::ranges::move(aspects(), std::back_inserter(points));
    points.push_back(next());
    for (std::string& point : points) point = prose_html(point);
    return "<p class=\"answer\">" + answer + "</p>" + figures_html(figures(measures.front().figure)) +
           points_html(points);
  }

 private:
  /// A measure of the map, in a sentence and as a figure.
  struct Measure {
    std::string sentence;  // without names, so that it needs no escaping
    Figure figure;
  };
  /// What the map is judged by: errors, or else a cut, or else all that is known of its neighbours.
  [[nodiscard]] std::vector<Measure> measures() const {
    if (row_.has_heldout_interval()) {
      const ResultRow::HeldOut& held = *row_.heldout;
      const std::string error = percent(*held.error), low = percent(*held.low), high = percent(*held.high);
      std::string sentence = fmt::format(words::kHeldOutContradicted, error,
                                         with_commas(row_.heldout_triplets.value_or(0)), low, high, 100 * kChance);
      if (const Value* noise = row_.dataset.options.find("noise"); noise && noise->number().value_or(0) > 0)
        sentence += fmt::format(" By construction {} of the answers are wrong.", percent(*noise->number()));
      return {
          {sentence, {"Held-out error", error, fmt::format("95 % interval {} to {}; guessing has 50 %", low, high)}}};
    }
    if (const auto error = row_.metric("train_error"))
      return {{fmt::format(words::kFittedContradicted, percent(*error), with_commas(row_.triplets.value_or(0))),
               {"Training error", percent(*error), "guessing has 50 %"}}};
    if (const auto cut = row_.metric("cut"), share = row_.metric("cut_ratio"); cut && share)
      return {{fmt::format(words::kCutOfPlane, *cut, percent(*share)),
               {"Cut", fmt::format("{:.9g}", *cut), fmt::format("at least {} of the largest", percent(*share))}}};
    std::vector<Measure> out;
    if (const auto accuracy = row_.metric("knn_accuracy"))
      out.push_back({fmt::format(words::kLabelledAlike, percent(*accuracy),
                                 label_chance().empty() ? "" : " (" + label_chance() + ")"),
                     {"Nearest-neighbour accuracy", percent(*accuracy), label_chance()}});
    if (const auto kept = row_.metric("trustworthiness"))
      out.push_back(
          {fmt::format(words::kNeighborsKept, *kept), {"Trustworthiness", fmt::format("{:.3f}", *kept), "1 is best"}});
    if (const auto precision = row_.metric("neighborhood_precision"))
      out.push_back(
          {fmt::format(words::kSimilarNearest, percent(*precision)), {"Similar pairs kept", percent(*precision), ""}});
    return out;
  }

  [[nodiscard]] std::vector<Figure> figures(const Figure& first) const {
    std::vector<Figure> out{first};
    if (row_.noise_ceiling && (row_.has_heldout_interval() || row_.metric("train_error")))
      out.push_back(
          {"Least possible error", "about " + percent(row_.noise_ceiling->error),
           fmt::format("95 % interval {} to {}, from {}. {}", percent(row_.noise_ceiling->low),
                       percent(row_.noise_ceiling->high), repeated_questions_text(row_), below_ceiling_text(row_))});
    const std::int64_t n = row_.n.value_or(0);
    if (const std::int64_t answers = row_.all_triplets(); answers > 0)
      out.push_back({"Triplets", with_commas(answers),
                     n > 0 ? fmt::format("about {} objects; each in {} of them, on average", with_commas(n),
                                         with_commas(3 * answers / n))
                           : ""});
    else
      out.push_back({"Objects", with_commas(n), counted(row_.n_components.value_or(0), "dimension")});
    out.push_back({"Method", row_.problem.name, "by " + row_.solver.name + chosen_from()});
    return out;
  }

  // "guessing has 9.0 %", "" if it is not known.
  [[nodiscard]] std::string label_chance() const {
    const auto chance = chance_of(all_, "metrics.knn_accuracy", all_.datasets.front());
    return chance ? "guessing has " + percent(*chance) : std::string();
  }

  [[nodiscard]] const ValueTable* chosen() const { return row_.chosen.get_if<ValueTable>(); }
  [[nodiscard]] std::size_t candidates() const { return chosen() ? list_field(*chosen(), "candidates").size() : 0; }
  [[nodiscard]] std::string chosen_from() const {
    return candidates() < 2 ? std::string() : fmt::format(", chosen from {} candidates", candidates());
  }

  [[nodiscard]] std::string answer_amount() const {
    if (warns_of(row_, RowWarning::few_answers) || !row_.has_heldout_interval()) return {};  // the warning stands above
    const double half = (*row_.heldout->high - *row_.heldout->low) / 2;
    return warns_of(row_, RowWarning::unknown_objects) ? fmt::format(words::kErrorKnownPlacesNot, 100 * half)
                                                       : fmt::format(words::kEnoughAnswers, 100 * half);
  }

  [[nodiscard]] std::string choice() const {
    if (!chosen() || candidates() < 2) return {};
    const auto ties = number_field(*chosen(), "ties");
    std::string out = fmt::format("Validation chose {} from {} candidates", row_.problem.name, candidates());
    if (!ties) return out + ".";
    if (*ties == 0) return out + "; no other is within one standard error of it.";
    return out + fmt::format("; {} within one standard error of it, so the choice matters little.",
                             counted(static_cast<std::int64_t>(*ties), "other is", "others are"));
  }

  [[nodiscard]] std::string guesses() const {
    if (const auto by_annotator = row_.estimate("guess_rate"))
      return fmt::format(words::kGuessesByAnnotator, percent(*by_annotator),
                         row_.estimate("groups_of_annotators") ? "do not follow it" : "are guesses");
    const auto rate = row_.estimate("lapse_rate");
    return rate ? fmt::format(words::kGuessesByLapse, percent(*rate)) : likelihood_text(row_);
  }

  /// The likely guessers, and what to do about them.
  [[nodiscard]] std::string who_guesses() const {
    constexpr std::size_t kNamed = 6;
    std::vector<JudgedAnnotator> people;
    try {
      people = judged_annotators(all_);
    } catch (const DataError&) {  // their section says so
    }
    std::erase_if(people, [](const JudgedAnnotator& one) { return one.estimate.answers == 0; });
    const std::size_t count = people.size();
    std::erase_if(people, [](const JudgedAnnotator& one) { return !one.estimate.likely_guesser; });
    if (people.empty() || std::ranges::any_of(warnings_of(row_), is_grave)) return {};
    std::ranges::stable_sort(people, std::ranges::greater{},
                             [](const JudgedAnnotator& one) { return one.estimate.guess_rate; });
    const auto named = [](const JudgedAnnotator& one) {
      return fmt::format("{} ({:.0f} % of the answers)", one.estimate.name, 100 * one.estimate.guess_rate);
    };
    return fmt::format("{} of {} {}: {}. {}", people.size(), counted(count, "annotator"),
                       people.size() == 1 ? "is a likely guesser" : "are likely guessers",
                       join_first(mapped(people, named), kNamed),
                       row_.problem.name.ends_with("_annotators") ? "The method gives their answers less weight."
                                                                  : words::kWeighGuessers);
  }

  [[nodiscard]] std::vector<std::string> aspects() const {
    try {
      const AspectErrors errors = aspect_errors_of(all_, 0);
      if (!errors.groups) return verdicts_on_aspects(errors);
      std::vector<std::string> out = row_.notes.value_or(std::vector<std::string>());
      std::erase_if(out, [](const std::string& note) { return note.find("see the objects alike?") == note.npos; });
      return out;
    } catch (const DataError&) {  // their section says so
      return {};
    }
  }

  [[nodiscard]] std::string next() const {
    if (std::ranges::any_of(warnings_of(row_), is_grave) || !row_.has_heldout_interval()) return {};  // warnings say it
    if (warns_of(row_, RowWarning::unknown_objects)) return words::kNextPlaces;
    if (warns_of(row_, RowWarning::few_answers)) return words::kNextQuestions;
    return "Next: alidade figure draws the map for a paper, and alidade cite says how it was made.";
  }

  [[nodiscard]] std::string misfit() const {
    if (!row_.uncertainty->misfits()) return {};
    return fmt::format(words::kMisfit, p_is(*row_.uncertainty->misfit_p));
  }

  [[nodiscard]] std::string stability() const {
    if (!row_.uncertainty || !row_.uncertainty->typical_shift) return {};
    return fmt::format(words::kTypicalShift, 100 * *row_.uncertainty->typical_shift,
                       row_.uncertainty->source == "bootstrap"
                           ? counted(row_.uncertainty->replicates, "bootstrap replicate")
                           : "by the " + row_.uncertainty->source) +
           misfit();
  }

  const ReportModel& all_;
  const Row& row_;
};

// The value that decides: the first of those that say most, among those with a known direction.
std::string deciding_value(const ReportModel& all) {
  if (all.certified()) return "seconds.solve";  // all reach the same optimum, or nearly
  const std::vector<std::string> values = metric_fields(all.rows);
  for (const char* name :
       {"heldout_error", "preservation_hidden", "heldout_neighbor_precision", "knn_accuracy", "trustworthiness"})
    if (const std::string field = std::string("metrics.") + name;
        contains(values, field) && higher_is_better(all.directions, field))
      return field;
  for (const std::string& value : values)
    if (higher_is_better(all.directions, value)) return value;
  return {};
}

}  // namespace

Section verdict_section(const ReportModel& all) {
  const std::string value = all.single() ? "" : deciding_value(all);
  return titled_section("verdict", "Summary",
                        all.single()    ? MapVerdict(all).html()
                        : value.empty() ? ""
                                        : ComparisonVerdict(all, value).html());
}

}  // namespace alidade::report
