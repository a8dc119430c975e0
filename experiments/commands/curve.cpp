#include <sentences/commands.hpp>

#include <cmath>

#include "experiments/commands/commands.hpp"
#include "experiments/commands/embed_config.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/reading_limit.hpp"
#include "experiments/files/standard_error.hpp"
#include "experiments/launch/run_watch.hpp"
#include "experiments/metrics/noise_ceiling.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/run/annotator_notes.hpp"
#include "experiments/run/run.hpp"
#include "experiments/statistics/learning_curve.hpp"
#include "experiments/statistics/summary.hpp"

namespace alidade::commands {
namespace {

constexpr double kHoldout = 0.2;

struct CurveRequest : EmbedRequest {
  CurveRequest() {
    holdout = kHoldout;
    metrics = {"heldout_error"};
  }
  std::int64_t repeats = 5;
  std::optional<double> error;
  std::optional<std::string> method;
  std::optional<fs::path> map;
};
CommandOptions options_of(CurveRequest& r) {
  CommandOptions out = {{"file", "FILE", &r.file, "your answers: a CSV or TSV file (also gzipped), as of embed"}};
  append(out, answer_options(r.settings));
  append(out,
         {under(""),
          {"-p,--problem", "NAME", &r.method,
           "method (see `alidade list problems`). Default: that of --map, or of FILE_map, if embed made it of these "
           "answers; else ste",
           names_in(problem_names)},
          {"--map", "DIR", &r.map, "map that embed made: the curve is of its method, with its options",
           Excludes{"--problem"}},
          {"-d,--n-components", "NUMBER", &r.n_components, "dimension of the maps (default: that of the map, or 2)"},
          {"--error", "", &r.error, "also say how many answers a map with this held-out error needs",
           Bounds{0, 0.5, true, true}},
          {"--repeats", "", &r.repeats, "number of splits for each number of answers", at_least(2)},
          {"--seed", "", &r.seed, kSeed},
          {"--threads", "", &r.threads, kThreads},
          {"-o,--out", "FILE", &r.out, "also write the curve to this CSV file"}});
  return out;
}

/// Training answers from `fewest` or more to all of them, each a half more than the one before.
std::vector<double> amounts_of(double training, double fewest) {
  constexpr int kAmounts = 6;
  std::vector<double> out;
  for (int k = kAmounts - 1; k >= 0; --k) {
    const double amount = std::floor(training * std::pow(1.6, -k));
    if (amount >= fewest) out.push_back(amount);
  }
  return out;
}

/// Held-out errors, and over how many people these were known; 0: over answers.
struct Repeated {
  std::vector<std::vector<double>> errors;  // of each repeat (rows) with each amount; empty if it was interrupted
  std::int64_t people = 0;
  double design_effect = 1;  // see MeasuredCurve; of the maps of most answers
  bool one_map = true;       // of all aspects
};

/// @pre `amounts` are in the order of the data sets; `implied`: triplets of an answer
Repeated repeated_errors(const Experiment& experiment, const Observations& observations, std::size_t amounts,
                         double implied, int threads) {
  const RunWatch watch(interrupted);
  Repeated out;
  for (const PlannedRun& run : plan(experiment)) {
    const RunResult result = execute({experiment, run, observations, 0, threads, watch.token()});
    if (interrupted()) return {};
    const auto error = result.row.metric("heldout_error");
    require<DataError>(result.row.status == RunStatus::ok && error, "A fit gave no map: {}.",
                       result.row.message.value_or(""));
    const auto repeat = static_cast<std::size_t>(run.repeat);
    if (out.errors.size() <= repeat) out.errors.resize(repeat + 1, std::vector<double>(amounts, 0));
    out.errors[repeat][run.dataset] = *error;
    out.one_map = result.embedding.maps.size() == 1;
    const ResultRow::HeldOut held = result.row.heldout.value_or(ResultRow::HeldOut{});
    const auto judged = static_cast<double>(result.row.heldout_triplets.value_or(0)) / implied;
    if (run.dataset + 1 < amounts || held.effective.value_or(0) <= 0) continue;
    const double design = std::max(judged / *held.effective, 1.0) - 1,
                 repeats = static_cast<double>(experiment.repeats);
    if (held.unit != "annotators") {
      out.design_effect += design / repeats;
      continue;
    }
    out.people = std::max(out.people, held.independent.value_or(0));
    // All repeats together hold out more answers of each person than one.
    const double of_each = judged / static_cast<double>(out.people);
    const double share = (1 - std::pow(1 - kHoldout, repeats)) / kHoldout;
    if (of_each > 1) out.design_effect += design / (of_each - 1) * (share * of_each - 1) / repeats;
  }
  return out;
}

/// Whether the study is big enough, in sentences that follow from the intervals: it is if twice the answers would gain
/// less than an answer in fifty, the error is known to within one in twenty on either side, and is not that of guesses.
std::string verdict_on_size(const statistics::Extrapolation& now, const statistics::Extrapolation& twice,
                            std::uint64_t people) {
  constexpr double kWorth = 0.02, kSure = 0.05, kChance = 0.5;
  if (now.interval.high >= kChance)
    return fmt::format(words::kCurveOfGuesses, now.value, now.interval.low, now.interval.high);
  const double gain = now.value - twice.value, half = (now.interval.high - now.interval.low) / 2;
  const std::string by = fmt::format(words::kTwiceTheAnswers, gain, twice.gain.low, twice.gain.high);
  const bool sure = half <= kSure;
  std::string out;
  if (twice.gain.low >= kWorth)
    out = fmt::format("The study is too small: {}.", by);
  else if (twice.gain.high >= kWorth)
    out = gain < kWorth / 2 ? fmt::format(words::kProbablyLittle, by, kWorth)
                            : fmt::format(words::kSizeUnknown, by, kWorth);
  else
    out = fmt::format("{}: {}.", sure ? "The study is big enough" : "More such answers would gain little", by);
  if (!sure)
    out += fmt::format("\nThe error itself is known to +- {:.3f} only ({:.3f} to {:.3f}), more than {}: ask more {}.",
                       half, now.interval.low, now.interval.high, kSure, people > 0 ? "people" : "questions");
  return out;
}

/// How many answers a map needs whose error is `wanted`, from a quarter of all to 64 times as many.
std::string answers_for(double wanted, const statistics::MeasuredCurve& curve, std::size_t people) {
  if (wanted < curve.least) return fmt::format(words::kAnswersBelowLeast, wanted, curve.least);
  constexpr int kFirst = -8, kLast = 24, kOfTwice = 4;
  std::vector<double> amounts{curve.answers};
  for (int k = kFirst; k <= kLast; ++k)
    amounts.push_back(std::ceil(curve.answers * std::pow(2, static_cast<double>(k) / kOfTwice)));
  const std::vector<statistics::Extrapolation> at = statistics::extrapolate(curve, amounts);
  const auto with = [&](const auto& error_of) {
    std::size_t k = 1;
    while (k < at.size() && error_of(at[k]) > wanted) ++k;
    return k;  // at.size(): none
  };
  const auto text = [&](std::size_t k) {
    return k == at.size() ? fmt::format("more than {:.0f}", amounts.back())
                          : fmt::format("{:.0f}{}", amounts[k], k == 1 ? " or fewer" : "");
  };
  const std::size_t low = with([](const auto&e) { return e.interval.low; }),
                    high = with([](const auto&e) { return e.interval.high; }),
                    value = with([](const auto&e) { return e.value; });
  if (low == at.size()) return fmt::format(words::kAnswersBeyond, wanted, amounts.back());
  if (value == at.size()) return fmt::format(words::kAnswersUnknown, wanted, text(low));
  std::string out = fmt::format(words::kAnswersForError, wanted, text(value), text(low), text(high));
  if (const double more = amounts[value] - curve.answers; more > 0) {
    out += fmt::format(" These are {:.0f} more", more);
    if (people > 0)
      out += fmt::format(", as of {:.0f} more people", more / curve.answers * static_cast<double>(people));
    out += '.';
  }
  return out;
}

/// The map whose method the curve is of: the one named, or that which `embed` wrote of these answers where it writes by
/// default. Nothing if there is none.
std::optional<FinishedMap> map_of(const CurveRequest& request, const EmbedRequest& plain) {
  if (request.map) {
    const FinishedMap map = read_finished_map(*request.map);
    require<ConfigError>(map.problem.name != kGivenMap && is_file(*request.map / kRowsFile), words::kCurveOfNoMethod,
                         request.map->string());
    return map;
  }
  const fs::path place = default_place(source(request));
  if (request.method || !is_file(place / kRowsFile)) return std::nullopt;
  try {
    const FinishedMap map = read_finished_map(place);
    const Experiment now = with_contents(interpret(config_of(plain, std::nullopt)), {});
    const auto& content = now.datasets.front().content;
    if (map.problem.name != kGivenMap && !content.empty() && map.dataset.content == content) return map;
  } catch (const DataError&) {  // a map of several aspects, or a broken one: it was not asked for
  }
  return std::nullopt;
}

/// Prints the errors by the number of answers, those that were measured and those beyond; returns them as CSV.
std::string print_errors(const std::vector<double>& amounts, const std::vector<statistics::Extrapolation>& known,
                         const std::vector<double>& wanted, const std::vector<statistics::Extrapolation>& beyond) {
  std::string csv = "answers,heldout_error,low,high,extrapolated,gain_low,gain_high\n";
  fmt::print("{:>10}  {:>6}  {}\n", "answers", "error", "90 % interval");
  const auto line = [&](double amount, const statistics::Extrapolation& at, std::string_view remark) {
    fmt::print("{:>10.0f}  {:>6.3f}  {:.3f} to {:.3f}{}\n", amount, at.value, at.interval.low, at.interval.high,
               remark);
    csv += fmt::format("{:.0f},{},{},{},{:d},{},{}\n", amount, shortest(at.value), shortest(at.interval.low),
                       shortest(at.interval.high), !remark.empty(), shortest(at.gain.low), shortest(at.gain.high));
  };
  for (std::size_t k = 0; k < amounts.size(); ++k) line(amounts[k], known[k], "");
  for (std::size_t k = 0; k < wanted.size(); ++k)
    line(wanted[k], beyond[k],
         k == 0 ? "  (extrapolated)"
                : fmt::format("  (extrapolated; lower by {:.3f} to {:.3f})", beyond[k].gain.low, beyond[k].gain.high));
  return csv;
}

/// Prints the held-out error of maps of some of the answers, by their number, and what more answers would give.
int curve(const CurveRequest& request) {
  EmbedRequest fits = request;
  fits.problem = request.method.value_or("ste");
  require_consistent(fits);
  const std::optional<FinishedMap> map = map_of(request, fits);
  if (map) fits.problem = kAuto;  // that of the map
  if (!fits.n_components) fits.n_components = std::to_string(map ? map->coordinates.cols() : 2);
  const Value dimensions = value_from_text(*fits.n_components);
  require<ConfigError>(dimensions.get_if<std::int64_t>(), words::kNoDimensions, *fits.n_components);
  ValueTable config = config_of(fits, map);
  apply_override(config, "split.refit=false");
  const Experiment whole = interpret(config);
  const DatasetSetup& data = whole.datasets.front();
  watch_for_interrupts();
  const Observations observations = answers_alone("curve", [&] {
    const WhileReading reading;
    return datasets::dataset_catalog().at(data.name).load(data.options, {{}, whole.seed, 0});
  });
  // A ranking is one answer, which implies several triplets.
  const std::uint64_t answer_count = tag_count(*observations.triplets, observations.answer);
  const auto all = static_cast<double>(answer_count);
  const double implied = static_cast<double>(observations.triplets->size()) / all, fewest = std::max(4.0, 20 / implied);
  const std::vector<double> amounts = amounts_of(std::floor(all * (1 - kHoldout)), fewest);
  require<DataError>(amounts.size() >= 3, words::kTooFewForCurve, answer_count, std::ceil(5 * fewest));
  std::vector<std::string> asked;
  for (const double amount : amounts) asked.push_back(fmt::format("{:.0f}", amount));
  asked.back() = "0";  // all there are: fewer where whole questions are held out
  apply_override(config, fmt::format("dataset.0.asked=[{}]", join(asked, ",")));
  apply_override(config, fmt::format("repeats={}", request.repeats));
  const Repeated repeated = repeated_errors(interpret(config), observations, amounts.size(), implied, request.threads);
  if (repeated.errors.empty()) {
    say("alidade: Interrupted. Nothing was written.\n");
    return 130;
  }

  for (const std::string& guess : observations.guesses) fmt::print("Read by a guess: {}\n", guess);
  if (const std::string mixed = note_on_mixed_aspects(observations, repeated.one_map); !mixed.empty())
    fmt::print("Note: {}\n", mixed);
  if (map && places_in_both(map->objects, observations.objects).empty())
    fmt::print(words::kCurveOfOtherObjects, map->name);
  fmt::print(words::kCurveOf,
             map ? fmt::format("{}, the method of the map {},", map->problem.name, map->name) : fits.problem,
             counted(answer_count, "answer"), request.repeats);
  const std::vector<double> wanted = {all, 2 * all, 4 * all};
  const auto ceiling = metrics::noise_ceiling(*observations.triplets, observations.annotator);
  const statistics::MeasuredCurve measured{
      .amounts = amounts,
      .errors = repeated.errors,
      .answers = all,
      .holdout = kHoldout,
      .design_effect = repeated.design_effect,
      .coordinates = static_cast<double>(observations.object_count() * *dimensions.get_if<std::int64_t>()) / implied,
      .least = ceiling ? ceiling->error : 0,
      .least_error = ceiling ? std::max(ceiling->deviation, 5e-4) : 0};
  const auto known = statistics::measured_errors(measured), beyond = statistics::extrapolate(measured, wanted);
  const std::string csv = print_errors(amounts, known, wanted, beyond);
  fmt::print(
      "\n{}\nIntervals are over splits of the answers and over the {}. Extrapolated errors also have that of where\n"
      "and how fast the curve falls: about as 1 / answers, down to a floor.\n",
      verdict_on_size(beyond[0], beyond[1], observations.annotators.size()),
      repeated.people > 0 ? fmt::format("{} people whose answers were held out", repeated.people)
                          : std::string("answers held out"));
  if (request.error) fmt::print("{}\n", answers_for(*request.error, measured, observations.annotators.size()));
  if (const std::string few = note_on_few_people(observations.annotators.size(), repeated.people > 0); !few.empty())
    fmt::print("{}\n", few);
  if (ceiling)
    fmt::print(words::kCeilingOfCurve, ceiling->error, ceiling->error_interval.low, ceiling->error_interval.high,
               metrics::note_on_weights(ceiling->answers, observations.triplets->size()));
  if (ceiling && ceiling->error > beyond.back().value)
    fmt::print(words::kCeilingAbove, beyond.back().value, wanted.back());
  if (request.out) {
    write_whole_file(*request.out, csv);
    fmt::print("Curve: {}\n", request.out->string());
  }
  return 0;
}

}  // namespace

Command curve_command() { return command<CurveRequest>("curve", options_of, curve); }

}  // namespace alidade::commands
