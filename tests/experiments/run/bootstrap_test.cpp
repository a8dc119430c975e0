#include "experiments/run/bootstrap.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <Eigen/LU>
#include <cmath>
#include <memory>
#include <set>
#include <stop_token>

#include "experiments/config/config_file.hpp"
#include "experiments/files/json.hpp"
#include "experiments/results/map_files.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/run/run.hpp"
#include "experiments/run/run_files.hpp"
#include "experiments/statistics/summary.hpp"
#include "problems/core/decompositions/thin_svd.hpp"
#include "problems/core/error.hpp"
#include "problems/core/run_clock.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/row_fields.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/text_holds.hpp"

namespace bootstrap_test {

using namespace alidade;
using namespace alidade::testing;

namespace {

Experiment experiment(int replicates, const std::string& more = "holdout = 0.0", const std::string& problem = "ste") {
  const bool staged = problem.ends_with("_annotators");
  return interpret(parse_config(
      "name = \"x\"\nseed = 4\n[split]\n" + more +
          "\n[evaluate]\nmetrics = [\"train_error\"]\n[uncertainty]\nbootstrap = " + std::to_string(replicates) +
          "\n[[dataset]]\nname = \"europe\"\n[[method]]\nproblem = \"" + problem +
          "\"\nsolver = " + (staged ? "\"continuation\"" : "{ name = \"ceres\", n_init = 3 }") + "\n",
      "c.toml"));
}

RunResult run(const Experiment& e, const Observations& observations, int threads = 1) {
  const std::vector<PlannedRun> runs = plan(e);
  return execute({e, runs.front(), observations, 0.0, threads, {}});
}

/// Normal points in the plane, and answers as stochastic triplet embedding has them: near with probability
/// 1 / (1 + exp(d2(anchor, near) - d2(anchor, far))). Every answer is listed `copies` times.
Observations answers(Index n, int count, std::uint64_t seed, int copies = 1) {
  Rng rng = Rng::stream(seed, "answers");
  Observations out;
  out.name = "plane";
  Matrix truth(n, 2);
  for (Index i = 0; i < n; ++i) {
    out.objects.push_back("p" + std::to_string(i));
    truth.row(i) << rng.normal(), rng.normal();
  }
  auto list = std::make_shared<TripletList>(n);
  auto answer = std::make_shared<std::vector<std::uint32_t>>();
  const auto id = [&] { return static_cast<ObjectId>(rng.below(static_cast<std::uint64_t>(n))); };
  for (int k = 0; k < count;) {
    Triplet t{id(), id(), id()};
    if (t.anchor == t.near || t.anchor == t.far || t.near == t.far) continue;
    const double further = (truth.row(t.anchor) - truth.row(t.far)).squaredNorm() -
                           (truth.row(t.anchor) - truth.row(t.near)).squaredNorm();
    if (rng.uniform01() > 1 / (1 + std::exp(-further))) std::swap(t.near, t.far);
    for (int c = 0; c < copies; ++c) {
      list->add(t);
      answer->push_back(static_cast<std::uint32_t>(k));
    }
    ++k;
  }
  out.triplets = list;
  out.answer = answer;
  out.truth = truth;
  return out;
}

/// `points` moved, turned, mirrored and scaled onto `target` by least squares.
Matrix laid_onto(const Matrix& points, const Matrix& target) {
  const Eigen::RowVectorXd middle = target.colwise().mean();
  const Matrix x = points.rowwise() - Eigen::RowVectorXd(points.colwise().mean());
  const Matrix y = target.rowwise() - middle;
  const Eigen::MatrixXd cross = x.transpose() * y;
  const ThinSvd svd(cross);
  const Matrix turned = x * (svd.left() * svd.right().transpose());
  return (svd.values().sum() / x.squaredNorm() * turned).rowwise() + middle;
}

/// The share of objects whose true place lies in their 95 % ellipse, and the mean area of these.
struct Cover {
  double share = 0, area = 0;
};
Cover cover(Index n, int count, int copies, int data_sets) {
  Cover out;
  for (int k = 0; k < data_sets; ++k) {
    Observations data = answers(n, count, 100 + static_cast<std::uint64_t>(k), copies);
    const Matrix truth = data.truth;
    data.truth.resize(0, 0);
    const RunResult result = run(experiment(40), data);
    REQUIRE(result.uncertainty.size() == 1);
    const Matrix& map = result.embedding.only();
    const Matrix there = laid_onto(truth, map);
    for (Index i = 0; i < n; ++i) {
      const auto c = result.uncertainty[0].covariance.row(i);
      Eigen::Matrix2d covariance;
      covariance << c(0), c(1), c(1), c(2);
      const Eigen::Vector2d off = (there.row(i) - map.row(i)).transpose();
      out.share += off.dot(covariance.inverse() * off) <= -2 * std::log(0.05) ? 1 : 0;
      const Ellipse ellipse = ellipse_of(c(0), c(1), c(2));
      out.area += ellipse.semi_major * ellipse.semi_minor / map.squaredNorm() * static_cast<double>(n);
    }
  }
  const double all = static_cast<double>(n) * data_sets;
  return {out.share / all, out.area / all};
}

enum class Noise { logistic, flips, people };

/// 16 points and 10 people of 150 answers each. logistic: as `answers` has them, three times as sharp; flips: each
/// answer is wrong with chance .2; people: each person has an own such chance, from 0 to .45.
Observations study_of_people(Noise noise, std::uint64_t seed) {
  constexpr Index kPoints = 16;
  constexpr std::uint32_t kPeople = 10, kEach = 150;
  Rng rng = Rng::stream(seed, "people");
  Observations out = answers(kPoints, 1, seed);
  out.answer = nullptr;
  auto list = std::make_shared<TripletList>(kPoints);
  auto annotator = std::make_shared<std::vector<std::uint32_t>>();
  const auto id = [&] { return static_cast<ObjectId>(rng.below(kPoints)); };
  for (std::uint32_t who = 0; who < kPeople; ++who) {
    out.annotators.push_back("p" + std::to_string(who));
    for (std::uint32_t k = 0; k < kEach;) {
      Triplet t{id(), id(), id()};
      if (t.anchor == t.near || t.anchor == t.far || t.near == t.far) continue;
      const auto squared = [&](ObjectId other) {
        return (out.truth.row(t.anchor) - out.truth.row(other)).squaredNorm();
      };
      const double further = squared(t.far) - squared(t.near);
      const double wrong = noise == Noise::flips ? 0.2 : 0.05 * who;
      const double chance = noise == Noise::logistic ? 1 / (1 + std::exp(-3 * further))
                            : further > 0            ? 1 - wrong
                                                     : wrong;
      if (rng.uniform01() >= chance) std::swap(t.near, t.far);
      list->add(t);
      annotator->push_back(who);
      ++k;
    }
  }
  out.triplets = list;
  out.annotator = annotator;
  return out;
}

/// Of ellipses that hold a share of a normal distribution: how many true places they hold, and for each map how far off
/// these are as the ellipses say it, over how far they are (root mean squares).
struct Promise {
  Index held = 0, objects = 0;
  std::vector<double> widths{};
};
void count_held(const RunResult& result, const Matrix& truth, double share, Promise& out) {
  REQUIRE(result.uncertainty.size() == 1);
  const Matrix& map = result.embedding.only();
  const Matrix off = laid_onto(truth, map) - map;
  double said = 0;
  for (Index i = 0; i < map.rows(); ++i) {
    const auto c = result.uncertainty[0].covariance.row(i);
    Eigen::Matrix2d covariance;
    covariance << c(0), c(1), c(1), c(2);
    const Eigen::Vector2d one = off.row(i).transpose();
    out.held += one.dot(covariance.inverse() * one) <= -2 * std::log(1 - share) ? 1 : 0;
    ++out.objects;
    said += covariance.trace();
  }
  out.widths.push_back(std::sqrt(said / off.squaredNorm()));
}

BootstrapRequest request_for(const Observations& training, const Embedding& map, Index replicates) {
  return {training, map, replicates, 9, std::nullopt, {}, 0, {}, nullptr};
}

}  // namespace

TEST_SUITE("statistical") {
  TEST_CASE("ellipses cover the true places at about their rate, and shrink with more answers") {
    // n = 20, 6 sets of data, answers as the model has them: 120 places. A binomial of 0.95 has a standard
    // deviation of 0.02 there; 0.85 is five of these away.
    const Cover few = cover(20, 1000, 1, 6);
    const Cover many = cover(20, 4000, 1, 6);
    CAPTURE(few.share);
    CAPTURE(many.share);
    CAPTURE(few.area);
    CAPTURE(many.area);
    // 0.958 and 0.933 over the 6 seeds, with kernels of AVX-512, AVX2 and SSE2 alike.
    CHECK(few.share >= 0.85);
    CHECK(many.share >= 0.85);
    // Four times the answers: a quarter of the area, where estimates are normal. 0.213 to 0.214 with these kernels.
    CHECK(many.area < 0.5 * few.area);
    CHECK(many.area > 0.1 * few.area);
  }

  TEST_CASE("90 % ellipses of methods of annotators hold 90 % of the true places if answers are drawn from the map") {
    constexpr int kStudies = 20;
    fmt::print(
        "| method | answers are | studies | in resampled ones | in parametric ones | width: resampled | parametric "
        "|\n|---|---|---|---|---|---|---|\n");
    for (const char* method : {"soe_annotators", "ste_annotators"})
      for (const auto& [noise, name] : {std::pair{Noise::logistic, "logistic"},
                                        {Noise::flips, "one in five wrong"},
                                        {Noise::people, "0 to 45 % wrong"}}) {
        Promise resampled, drawn;
        for (std::uint64_t seed = 0; seed < kStudies; ++seed) {
          Observations data = study_of_people(noise, seed);
          const Matrix truth = std::exchange(data.truth, Matrix());
          for (Promise* one : {&resampled, &drawn}) {
            Experiment e = experiment(60, "holdout = 0.0", method);
            e.uncertainty.ellipses = one == &drawn ? "parametric" : "bootstrap";
            count_held(run(e, data, 2), truth, 0.9, *one);
          }
        }
        const auto share = [](const Promise& of) {
          return static_cast<double>(of.held) / static_cast<double>(of.objects);
        };
        const auto width = [](const Promise& of) { return statistics::median(of.widths); };
        fmt::print("| {} | {} | {} | {:.0f} % | {:.0f} % | {:.2f} | {:.2f} |\n", method, name, kStudies,
                   100 * share(resampled), 100 * share(drawn), width(resampled), width(drawn));
        CHECK(share(drawn) > 0.8);
        CHECK(width(drawn) < 1.5);
      }
  }

  TEST_CASE("copies of answers add no certainty, unless they are taken for answers") {
    const Cover once = cover(15, 1500, 1, 2);
    const Cover copied = cover(15, 1500, 4, 2);
    CAPTURE(once.area);
    CAPTURE(copied.area);
    // 0.999 to 1.000 of the area over the 2 seeds, with kernels of AVX-512, AVX2 and SSE2.
    CHECK(copied.area > 0.7 * once.area);
    CHECK(copied.area < 1.4 * once.area);
    Observations data = answers(15, 1500, 100, 4);
    const auto whole = *run(experiment(10), data).row.uncertainty;
    // Told nothing of answers, one takes 6000 triplets for evidence, and is too sure: by 1 / sqrt(4).
    data.answer = nullptr;
    const auto torn = *run(experiment(10), data).row.uncertainty;
    // 0.46 times as much with these kernels: a margin of 0.24.
    CHECK(*torn.typical_shift < 0.7 * *whole.typical_shift);
  }
}

TEST_CASE("triplets of one answer are drawn together") {
  Observations data = answers(15, 500, 100, 4);
  const Resampling whole(data);
  CHECK(whole.unit() == ResampledUnit::answers);
  CHECK(whole.unit_count() == 500);
  Rng rng(2);
  std::vector<std::uint64_t> places;
  const auto drawn = whole.draw(rng, &places);
  REQUIRE(places.size() == drawn->size());
  std::vector<std::vector<double>> weights(500);  // of the drawn triplets of each answer
  double draws = 0;
  for (std::uint64_t k = 0; k < drawn->size(); ++k) {
    weights[(*data.answer)[data.triplets->origin_index(places[static_cast<std::size_t>(k)])]].push_back(
        drawn->at(k).weight);
    draws += drawn->at(k).weight;
  }
  CHECK(draws == 4 * 500);
  std::size_t answers_drawn = 0;
  for (const std::vector<double>& of_answer : weights) {
    if (of_answer.empty()) continue;
    ++answers_drawn;
    CHECK(of_answer == std::vector<double>(4, of_answer.front()));
  }
  CHECK(answers_drawn < 450);  // about 500 (1 - 1 / e) = 316
  const auto row = *run(experiment(2), data).row.uncertainty;
  CHECK(row.resampled == "answers");
  CHECK(row.units == 500);

  // Told nothing of answers, one draws each triplet by itself.
  data.answer = nullptr;
  CHECK(Resampling(data).unit_count() == 2000);
  const auto torn = *run(experiment(2), data).row.uncertainty;
  CHECK(torn.resampled == "triplets");
  CHECK(torn.units == 2000);
}

TEST_CASE("whole annotators are drawn, as many as there are") {
  Observations data = answers(12, 700, 3);
  auto annotator = std::make_shared<std::vector<std::uint32_t>>();
  for (std::uint64_t i = 0; i < data.triplets->size(); ++i)
    annotator->push_back(static_cast<std::uint32_t>(i * i % 7));  // 0, 1, 2 and 4
  data.annotator = annotator;
  data.annotators = {"a", "b", "c", "d", "e", "f", "g"};
  const auto all = data.triplets;
  // A part of the triplets, in another order, as training has it.
  data.triplets = hold_out(all, 0.3, 5).train;
  const Resampling resampling(data);
  CHECK(resampling.unit() == ResampledUnit::annotators);
  CHECK(resampling.unit_count() == 4);
  std::set<std::vector<double>> different;
  for (std::uint64_t b = 0; b < 20; ++b) {
    Rng rng(b);
    std::vector<std::uint64_t> places;
    const auto drawn = resampling.draw(rng, &places);
    const TripletTags kept = tags_at(data.annotator, *data.triplets, places);
    CHECK(kept->size() == drawn->size());
    std::vector<double> times(7, -1);
    std::uint64_t k = 0;
    for (std::uint64_t i = 0; i < data.triplets->size(); ++i) {
      const std::uint32_t who = (*annotator)[data.triplets->origin_index(i)];
      Triplet expected = data.triplets->at(i);
      const Triplet next = k < drawn->size() ? drawn->at(k) : Triplet{};
      expected.weight = next.weight;
      const double seen = next == expected ? next.weight : 0;
      if (seen > 0) CHECK(kept->at(k) == who);
      if (seen > 0) ++k;
      if (times[who] < 0) times[who] = seen;
      CHECK(times[who] == seen);
    }
    CHECK(k == drawn->size());
    CHECK(times[0] + times[1] + times[2] + times[4] == 4);
    different.insert(times);
  }
  CHECK(different.size() > 5);

  SUBCASE("a single annotator is no sample: the answers are drawn") {
    data.annotator = std::make_shared<std::vector<std::uint32_t>>(annotator->size(), 0);
    CHECK(Resampling(data).unit() == ResampledUnit::triplets);  // each answer implied one
  }
  SUBCASE("few annotators are said to be few") {
    const RunResult result = run(experiment(10), data);
    CHECK(text_field(result.row, "uncertainty.resampled") == "annotators");
    CHECK(text_field(result.row, "uncertainty.message").find("only 4 annotators") != std::string::npos);
  }
}

TEST_CASE("parametric replicates ask the same questions of the map") {
  Experiment e = experiment(8, "holdout = 0.0", "soe_annotators");
  e.uncertainty.ellipses = "parametric";
  const Observations data = study_of_people(Noise::flips, 1);
  const RunResult drawn = run(e, data);
  CHECK(drawn.row.uncertainty->resampled == "answers of the fitted map");
  CHECK(drawn.row.uncertainty->units == 1500);
  REQUIRE(drawn.uncertainty.size() == 1);
  CHECK(run(e, data, 3).uncertainty[0].covariance == drawn.uncertainty[0].covariance);
  e.uncertainty.ellipses = "bootstrap";
  const RunResult resampled = run(e, data);
  CHECK(*drawn.row.uncertainty->typical_shift < 0.8 * *resampled.row.uncertainty->typical_shift);
  const auto refused = [&](Experiment of, const Observations& all) {
    of.uncertainty.ellipses = "parametric";
    const RunResult result = run(of, all);
    CHECK(result.uncertainty.empty());
    return result.row.uncertainty->message.value_or("");
  };
  // soe is no likelihood, and of a ranking single triplets are none.
  CHECK(refused(experiment(4, "holdout = 0.0", "soe"), data).find("no probability") != std::string::npos);
  CHECK(refused(experiment(4), answers(12, 100, 1, 3)).find("no probability") != std::string::npos);
}

TEST_CASE("triplets are drawn with replacement, and weights multiplied by the number of draws") {
  TripletList list(4);
  for (int k = 0; k < 50; ++k) list.add({0, 1, 2, 0, 0.5 + k});
  Observations data;
  data.objects = {"a", "b", "c", "d"};
  data.triplets = std::make_shared<TripletList>(std::move(list));
  Rng rng(1);
  const auto drawn = Resampling(data).draw(rng);
  double draws = 0;
  bool twice = false;
  for (std::uint64_t i = 0; i < drawn->size(); ++i) {
    const double weight = drawn->at(i).weight;
    double best = 0;  // the triplet's own weight: 0.5 + k, of which a whole multiple is listed
    for (int k = 0; k < 50; ++k)
      if (std::fmod(weight, 0.5 + k) == 0 && 0.5 + k > best) best = 0.5 + k;
    CHECK(best > 0);
    twice = twice || weight > 49.5;
    draws += 1;
  }
  CHECK(draws < 45);  // about 50 (1 - 1 / e) = 32 different ones
  CHECK(draws > 20);
  CHECK(twice);
}

TEST_CASE("a replicate that is the map translated, rotated, reflected and scaled has no displacement") {
  Observations data = answers(10, 200, 1);
  Embedding map;
  map.maps.push_back({"", data.truth});
  auto request = request_for(data, map, 6);
  request.fit = [&](const Observations&, Index replicate, Executor&) -> std::optional<Embedding> {
    Rng rng = Rng::stream(3, replicate);
    const double angle = rng.uniform(0, 6), size = rng.uniform(0.2, 5);
    Eigen::Matrix2d turn;
    turn << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
    if (replicate % 2 == 1) turn.col(0) *= -1;
    Embedding out;
    out.maps.push_back({"", (size * data.truth * turn).rowwise() + Eigen::RowVector2d(7, -3)});
    return out;
  };
  Executor executor(1);
  const Bootstrap result = bootstrap(request, executor);
  CHECK(result.replicates == 6);
  CHECK(result.stability == doctest::Approx(1));
  CHECK(result.typical_shift < 1e-12);
  REQUIRE(result.maps.size() == 1);
  CHECK(result.maps[0].covariance.cwiseAbs().maxCoeff() < 1e-24);
}

TEST_CASE("the shift is sqrt(1 - stability), and covariances are about the map") {
  const Observations data = answers(10, 400, 1);
  Embedding map;
  map.maps.push_back({"", data.truth});
  auto request = request_for(data, map, 5);
  request.fit = [&](const Observations&, Index replicate, Executor&) -> std::optional<Embedding> {
    Rng rng = Rng::stream(5, replicate);
    Embedding out = map;
    for (Index i = 0; i < 10; ++i)
      out.maps[0].coordinates.row(i) += 0.2 * Eigen::RowVector2d(rng.normal(), rng.normal());
    return out;
  };
  Executor executor(1);
  const Bootstrap result = bootstrap(request, executor);
  CHECK(result.stability < 0.99);
  CHECK(result.typical_shift * result.typical_shift == doctest::Approx(1 - result.stability));
  double moved = 0;
  const Matrix& covariance = result.maps[0].covariance;
  for (Index i = 0; i < 10; ++i) moved += covariance(i, 0) + covariance(i, 2);
  const Matrix centred = data.truth.rowwise() - Eigen::RowVectorXd(data.truth.colwise().mean());
  CHECK(moved / centred.squaredNorm() == doctest::Approx(1 - result.stability));
}

TEST_CASE("with fixed objects the others move in the map's frame, and only they have ellipses") {
  const Observations data = answers(10, 400, 1);
  Embedding map;
  map.maps.push_back({"", data.truth});
  auto request = request_for(data, map, 6);
  request.held = 8;
  request.fit = [&](const Observations&, Index replicate, Executor&) -> std::optional<Embedding> {
    Embedding out = map;
    out.maps[0].coordinates.row(8) += Eigen::RowVector2d(replicate % 2 == 0 ? 0.3 : -0.3, 0);
    return out;
  };
  Executor executor(1);
  const Bootstrap result = bootstrap(request, executor);
  const Matrix& covariance = result.maps[0].covariance;
  for (Index i = 0; i < 8; ++i) CHECK(std::isnan(covariance(i, 0)));
  CHECK(covariance(8, 0) == doctest::Approx(0.09));
  CHECK(covariance(8, 2) == 0);
  CHECK(covariance(9, 0) == 0);
  const Matrix centred = data.truth.rowwise() - Eigen::RowVectorXd(data.truth.colwise().mean());
  // One of two new objects moves by 0.3.
  CHECK(result.typical_shift == doctest::Approx(0.3 / std::sqrt(2) / (centred.norm() / std::sqrt(10))));
  CHECK(result.stability == doctest::Approx(1 - result.typical_shift * result.typical_shift));
  CHECK(holds_all(uncertainty_of(result, 6, 0).message.value_or(""), {"8 objects of the finished map", "no ellipse"}));
}

TEST_CASE("objects in no triplet have no ellipse, and do not affect the others'") {
  Observations data = answers(12, 900, 2);
  data.objects.emplace_back("alone");
  auto list = std::make_shared<TripletList>(13);
  for (std::uint64_t i = 0; i < data.triplets->size(); ++i) list->add(data.triplets->at(i));
  data.triplets = list;
  data.truth.resize(0, 0);
  const RunResult result = run(experiment(12), data);
  REQUIRE(result.uncertainty.size() == 1);
  CHECK(result.uncertainty[0].replicates[12] == 0);
  CHECK(std::isnan(result.uncertainty[0].covariance(12, 0)));
  CHECK(result.uncertainty[0].covariance.topRows(12).allFinite());
  const auto lines = lines_of(ellipses_to_csv(result.uncertainty[0], data.objects));
  REQUIRE(lines.size() == 14);
  CHECK(lines[0] == "object,replicates,sd1,sd2,cov11,cov12,cov22,semi_major,semi_minor,angle");
  CHECK(lines[1].starts_with("p0,12,"));
  CHECK(lines[13] == "alone,0,,,,,,,,");
}

TEST_CASE("an ellipse has the axes of its covariance") {
  const double quantile = -2 * std::log(0.05);
  const Ellipse flat = ellipse_of(4, 0, 1);
  CHECK(flat.semi_major == doctest::Approx(2 * std::sqrt(quantile)));
  CHECK(flat.semi_minor == doctest::Approx(std::sqrt(quantile)));
  CHECK(flat.angle == doctest::Approx(0));
  CHECK(ellipse_of(1, 0, 4).angle == doctest::Approx(90));
  const double c = std::cos(0.5), s = std::sin(0.5);
  const Ellipse turned = ellipse_of(9 * c * c + s * s, 8 * c * s, 9 * s * s + c * c);
  CHECK(turned.semi_major == doctest::Approx(3 * std::sqrt(quantile)));
  CHECK(turned.semi_minor == doctest::Approx(std::sqrt(quantile)));
  CHECK(turned.angle == doctest::Approx(0.5 * 180 / std::acos(-1.0)));
  CHECK(ellipse_of(1, 1, 1).semi_minor == 0);
}

TEST_CASE("a bootstrap has the same bits with any number of threads, and changes nothing else in a run") {
  const Observations data = answers(15, 800, 6);
  const std::string split = "holdout = 0.2";
  const RunResult none = run(experiment(0, split), data);
  const RunResult one = run(experiment(16, split), data, 1);
  const RunResult two = run(experiment(16, split), data, 2);
  CHECK(is_null_field(none.row, "uncertainty"));
  CHECK(none.uncertainty.empty());
  REQUIRE(one.uncertainty.size() == 1);
  REQUIRE(two.uncertainty.size() == 1);
  CHECK((one.uncertainty[0].covariance == two.uncertainty[0].covariance));
  CHECK(text_field(one.row, "uncertainty.stability") == text_field(two.row, "uncertainty.stability"));
  CHECK(number_field(one.row, "uncertainty.replicates") == 16);
  CHECK((none.embedding.only() == one.embedding.only()));
  const ValueTable without = to_table(none.row), with = to_table(one.row);
  CHECK(without.keys() == with.keys());
  const std::set<std::string> differing{"run_id", "uncertainty", "seconds", "memory_mb"};
  for (const auto& [key, value] : without)
    if (!differing.contains(key)) {
      CAPTURE(key);
      CHECK(to_json(*with.find(key)) == to_json(value));
    }
  const ValueTable& uncertainty = *with.find("uncertainty")->get_if<ValueTable>();
  CHECK(uncertainty.keys() == std::vector<std::string>{"source", "asked", "replicates", "resampled", "units",
                                                       "stability", "typical_shift", "misfit_p", "message", "seconds"});
  CHECK(uncertainty.find("message")->is_null());
  CHECK(number_field(uncertainty, "units") == 640);
  CHECK(*number_field(uncertainty, "stability") > 0.5);
  CHECK(*number_field(uncertainty, "stability") < 1);
}

TEST_CASE("if time runs out the finished replicates count, and the row says so") {
  const Observations data = answers(10, 200, 1);
  Embedding map;
  map.maps.push_back({"", data.truth});
  RunClock::ByHand clock;
  auto request = request_for(data, map, 10);
  request.deadline = RunClock::deadline(3.0);
  request.fit = [&](const Observations&, Index replicate, Executor&) -> std::optional<Embedding> {
    if (replicate == 1) return std::nullopt;
    if (replicate < 4) return map;
    clock.advance(std::chrono::seconds(3));
    return std::nullopt;
  };
  Executor executor(1);
  const Bootstrap result = bootstrap(request, executor);
  CHECK(result.out_of_time);
  CHECK(result.replicates == 3);
  CHECK(result.failed == 1);
  const auto described = uncertainty_of(result, 10, 0.3);
  CHECK(holds_all(described.message.value_or(""),
                  {"before 6 of 10 replicates were finished", "1 of 10 replicates gave no map."}));
  request.deadline = RunClock::now();
  const Bootstrap late = bootstrap(request, executor);
  CHECK(late.replicates == 0);
  CHECK(late.maps.empty());
  CHECK_FALSE(uncertainty_of(late, 10, 0).stability.has_value());
}

TEST_CASE("a run interrupted during its bootstrap is repeated later") {
  const Observations data = answers(12, 600, 1);
  const Experiment e = experiment(10'000);
  const std::vector<PlannedRun> runs = plan(e);
  std::stop_source source;
  Index fitted = 0;
  RunRequest request{e, runs.front(), data, 0.0, 1, source.get_token()};
  request.on_stage = [&](const RunStage& stage) {
    if (stage.kind != RunStage::Kind::bootstrap) return;
    fitted = stage.done;
    if (fitted == 3) source.request_stop();
  };
  const RunResult result = execute(request);
  CHECK(text_field(result.row, "status") == "cancelled");
  CHECK(text_field(result.row, "message") == "interrupted during the bootstrap");
  CHECK(fitted == 3);
}

TEST_CASE("without answers there is no bootstrap, but there is a map") {
  std::vector<AttributeTable::Aspect> aspects(2);
  for (std::size_t a = 0; a < 2; ++a) {
    aspects[a].name = a == 0 ? "colour" : "shape";
    aspects[a].values = {"u", "v"};
    for (std::int32_t i = 0; i < 10; ++i) aspects[a].codes.push_back(a == 0 ? i % 2 : i / 5);
  }
  Observations data;
  data.name = "table";
  for (int i = 0; i < 10; ++i) data.objects.push_back("o" + std::to_string(i));
  data.attributes = std::make_shared<AttributeTable>(10, aspects);
  data.triplets = data.attributes;
  const RunResult result = run(experiment(10), data);
  CHECK(text_field(result.row, "status") == "ok");
  CHECK(number_field(result.row, "uncertainty.replicates") == 0);
  CHECK(text_field(result.row, "uncertainty.message").find("implied by a table of attributes") != std::string::npos);
  CHECK(result.uncertainty.empty());
  CHECK(result.embedding.only().rows() == 10);
}

TEST_CASE("the number of replicates is a key of a configuration and part of a run's id") {
  CHECK(experiment(50).uncertainty.bootstrap == 50);
  CHECK(plan(experiment(50))[0].id != plan(experiment(0))[0].id);
  const Experiment e = experiment(50);
  CHECK(interpret(resolved_config(e)).uncertainty.bootstrap == 50);
  CHECK(holds_all(testing::message_of<ConfigError>([&] { static_cast<void>(experiment(1)); }),
                  {"c.toml:8:1:", "bootstrap", "at least 2"}));
  CHECK_THROWS_AS(static_cast<void>(experiment(-3)), ConfigError);
}

TEST_CASE("a run with a bootstrap writes ellipses beside its map") {
  const ScratchFolder scratch;
  RunResult result = run(experiment(8), answers(10, 400, 1));
  for (const char* folder : {"embeddings", "traces"}) std::filesystem::create_directories(scratch / folder);
  write_run_files(scratch, result);
  const std::string file = text_field(result.row, "run_id");
  const std::vector<std::string>& named = *result.row.files->ellipses;
  REQUIRE(named.size() == 1);
  CHECK(named[0] == "embeddings/" + file + ".ellipses.csv");
  CHECK(content_of(scratch / named[0]) == ellipses_to_csv(result.uncertainty[0], result.observations.objects));
}

}  // namespace bootstrap_test
