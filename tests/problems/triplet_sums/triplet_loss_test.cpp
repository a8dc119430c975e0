#include "problems/triplet_sums/triplet_loss.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/types.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/t_exponential.hpp"
#include "tests/support/test_paths.hpp"
#include "tests/support/text_holds.hpp"
#include "tests/support/triplet_kernel_naive.hpp"

namespace triplet_loss_test {
namespace {

using namespace alidade;
using namespace alidade::triplet;

nlohmann::json reference() {
  std::ifstream in(std::string(testing::test_folder()) + "/problems/data/triplets_reference.json");
  REQUIRE(in.good());
  return nlohmann::json::parse(in);
}

TripletLoss make_loss(const nlohmann::json& one_case) {
  const std::string name = one_case["loss"];
  const auto& params = one_case["params"];
  if (name == "ste") return SteLoss{};
  if (name == "tste") return TSteLoss{params["alpha"]};
  if (name == "gnmds") return GnmdsLoss{0};
  if (name == "ckl") return CklLoss{params["mu"]};
  if (name == "soe") return SoeLoss{params["margin"]};
  REQUIRE(name == "ete");
  return EteLoss{params["t"], params["t_prime"]};
}

LossTerm<double> term(const TripletLoss& loss, double a, double b) { return term_of(loss, a, b); }

double relative(double got, double expected, double floor = 0) {
  return std::abs(got - expected) / std::max(std::abs(expected), floor);
}

const std::vector<TripletLoss>& many_losses() {
  static const std::vector<TripletLoss> losses = [] {
    std::vector<TripletLoss> out = {
        SteLoss{},         TSteLoss{1},     TSteLoss{2},     TSteLoss{0.3},   TSteLoss{7},       EteLoss{1, 1},
        EteLoss{1, 2},     EteLoss{2, 2},   EteLoss{3, 2},   EteLoss{2.5, 2}, EteLoss{2, 1},     EteLoss{3, 1},
        EteLoss{1.5, 1},   EteLoss{1, 1.5}, EteLoss{2, 1.5}, EteLoss{3, 1.3}, EteLoss{1.5, 1.5}, EteLoss{1.2, 1.9},
        EteLoss{4, 1.001}, SteLoss{0.01},   SteLoss{0.4},    GnmdsLoss{0},    GnmdsLoss{0.5},    CklLoss{1},
        CklLoss{0.05},     SoeLoss{1},      SoeLoss{0.1}};
    for_each_loss([&](const auto& loss) { out.push_back(loss); });
    return out;
  }();
  return losses;
}

TEST_CASE("objective and gradient agree with the reference instances") {
  const nlohmann::json file = reference();
  int cases = 0;
  for (const auto& instance : file["instances"]) {
    const Index n = instance["n"];
    const Index d = instance["d"];
    std::vector<double> y;
    for (const auto& row : instance["coordinates"])
      for (const double x : row) y.push_back(x);
    std::vector<ObjectId> anchor, near, far;
    for (const auto& t : instance["triplets"]) {
      anchor.push_back(t[0]);
      near.push_back(t[1]);
      far.push_back(t[2]);
    }
    const std::vector<double> weights = instance["weights"];
    for (const auto& one : instance["cases"]) {
      const TripletLoss loss = make_loss(one);
      ++cases;
      const std::string name = describe(loss);
      CAPTURE(name);
      CAPTURE(n);
      naive::Triplets triplets{anchor, near, far, {}};
      if (one["weights"] == "weighted") triplets.weights = weights;
      std::vector<double> gradient(static_cast<std::size_t>(n * d), 0.0);
      double objective = std::visit(
          [&](const auto& l) {
            return naive::add_value_and_gradient<std::decay_t<decltype(l)>, double>(l, triplets, y, d, gradient);
          },
          loss);
      const double lambda = one["lambda"];
      for (std::size_t k = 0; k < y.size(); ++k) {
        objective += lambda * y[k] * y[k];
        gradient[k] += 2 * lambda * y[k];
      }
      CHECK(relative(objective, one["objective"]) < 1e-12);
      double largest = 0;
      double worst = 0;
      std::size_t k = 0;
      for (const auto& row : one["gradient"])
        for (const double g : row) {
          largest = std::max(largest, std::abs(g));
          worst = std::max(worst, std::abs(gradient[k++] - g));
        }
      CHECK(k == gradient.size());
      CHECK(worst < 1e-10 * largest);
    }
  }
  CHECK(cases == 19 * 8);
}

TEST_CASE("the scalar extremes agree with the 18-digit reference") {
  const nlohmann::json file = reference();
  int cases = 0;
  for (const auto& extreme : file["ete_scalar_extremes"]) {
    const EteLoss loss{extreme["t"], extreme["t_prime"]};
    const double a = extreme["a"];
    const double b = extreme["b"];
    const auto number = [&](const char* key) {
      // Below the least denormal number the right answer is 0 (strtod's), or anything of that size.
      return std::strtod(extreme[key].get<std::string>().c_str(), nullptr);
    };
    CAPTURE(a);
    CAPTURE(b);
    CAPTURE(loss.t);
    CAPTURE(loss.t_prime);
    const LossTerm<double> got = term_of(loss, a, b);
    CHECK(relative(got.value, number("f"), 1e-300) < 1e-12);
    CHECK(relative(got.d_near, number("df_da"), 1e-300) < 1e-10);
    CHECK(relative(got.d_far, number("df_db"), 1e-300) < 1e-10);
    ++cases;
  }
  CHECK(cases == 14);
}

TEST_CASE("ETE(1,1) is STE, ETE(1,2) is t-STE(1), ETE(2,2) is 1 - p of t-STE(1)") {
  for (const double a : {0.0, 1e-3, 0.4, 1.0, 9.0, 250.0})
    for (const double b : {0.0, 1e-3, 0.7, 1.0, 12.0, 500.0}) {
      CAPTURE(a);
      CAPTURE(b);
      const auto same = [](LossTerm<double> x, LossTerm<double> z) {
        CHECK(relative(x.value, z.value, 1e-300) < 1e-12);
        CHECK(relative(x.d_near, z.d_near, 1e-300) < 1e-12);
        CHECK(relative(x.d_far, z.d_far, 1e-300) < 1e-12);
      };
      same(term_of(EteLoss{1, 1}, a, b), term_of(SteLoss{}, a, b));
      same(term_of(EteLoss{1, 2}, a, b), term_of(TSteLoss{1}, a, b));
      // f(ETE) = 1 - e^{-f(t-STE)}: the sum is T plus the t-STE objective without its logarithm.
      const LossTerm<double> student = term_of(TSteLoss{1}, a, b);
      const LossTerm<double> ete = term_of(EteLoss{2, 2}, a, b);
      CHECK(std::abs(ete.value - (1 - std::exp(-student.value))) < 1e-12);
      CHECK(relative(ete.d_near, std::exp(-student.value) * student.d_near, 1e-300) < 1e-12);
    }
}

TEST_CASE("ETE(1, (alpha+3)/(alpha+1)) on a scaled map is t-STE(alpha)") {
  for (const double alpha : {1.0, 2.0, 5.0, 9.0}) {
    const double scale = (alpha + 1) / (2 * alpha);
    const EteLoss ete{1, (alpha + 3) / (alpha + 1)};
    for (const double a : {0.1, 3.0, 80.0})
      for (const double b : {0.05, 3.0, 900.0})
        CHECK(relative(term_of(ete, scale * a, scale * b).value, term_of(TSteLoss{alpha}, a, b).value) < 1e-12);
  }
}

TEST_CASE("CKL(1) is t-STE(1), and a lapse rate mixes sigma(b - a) with a coin") {
  for (const double a : {0.0, 0.4, 3.0, 30.0})
    for (const double b : {0.0, 0.5, 5.0, 28.0}) {
      CHECK(relative(term_of(CklLoss{1}, a, b).value, term_of(TSteLoss{1}, a, b).value) < 1e-12);
      CHECK(relative(term_of(CklLoss{1}, a, b).d_far, term_of(TSteLoss{1}, a, b).d_far) < 1e-12);
      for (const double lapse : {1e-9, 0.1, 0.9}) {
        const double p = (1 - lapse) / (1 + std::exp(a - b)) + lapse / 2;
        CHECK(relative(term_of(SteLoss{lapse}, a, b).value, -std::log(p), 1e-3) < 1e-12);
        CHECK(term_of(SteLoss{lapse}, a, b).value <= -std::log(lapse / 2));
      }
    }
}

TEST_CASE("ETE is log_t of one plus the ratio of t-exponentials, as the paper writes it") {
  for (const double t : {1.0, 1.4, 2.0, 3.0})
    for (const double t_prime : {1.0, 1.3, 1.8, 2.0})
      for (const double a : {0.2, 2.0, 6.0})
        for (const double b : {0.1, 2.0, 7.0}) {
          const double ratio = exp_t(-b, t_prime) / exp_t(-a, t_prime);
          CHECK(relative(term_of(EteLoss{t, t_prime}, a, b).value, log_t(1 + ratio, t)) < 1e-12);
        }
}

TEST_CASE("the derivatives are those of the value") {
  for (const TripletLoss& loss : many_losses()) {
    const std::string name = describe(loss);
    CAPTURE(name);
    for (const double a : {0.3, 1.0, 4.0})
      for (const double b : {0.5, 1.1, 6.0}) {
        const double h = 1e-3;
        const auto slope = [&](double da, double db) {
          const auto f = [&](double s) { return term(loss, a + s * da, b + s * db).value; };
          return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
        };
        CHECK(relative(term(loss, a, b).d_near, slope(1, 0), 1e-3) < 1e-8);
        CHECK(relative(term(loss, a, b).d_far, slope(0, 1), 1e-3) < 1e-8);
      }
  }
}

TEST_CASE("ETE is continuous as t and t' go to 1") {
  for (const double a : {0.0, 0.5, 3.0, 40.0})
    for (const double b : {0.0, 0.7, 2.0, 60.0})
      for (const double step : {1e-7, 1e-9, 1e-12, 2.3e-16}) {
        CAPTURE(step);
        const auto close = [&](LossTerm<double> x, LossTerm<double> limit) {
          // f and z change by about step u^2 and step b^2 / 2.
          const double bound = 1e-13 + step * 4000;
          CHECK(relative(x.value, limit.value) < bound);
          CHECK(relative(x.d_near, limit.d_near) < bound);
          CHECK(relative(x.d_far, limit.d_far) < bound);
        };
        close(term_of(EteLoss{1 + step, 2}, a, b), term_of(EteLoss{1, 2}, a, b));
        close(term_of(EteLoss{1 + step, 1}, a, b), term_of(EteLoss{1, 1}, a, b));
        close(term_of(EteLoss{2, 1 + step}, a, b), term_of(EteLoss{2, 1}, a, b));
        close(term_of(EteLoss{1, 1 + step}, a, b), term_of(EteLoss{1, 1}, a, b));
        close(term_of(EteLoss{2, 2 - step}, a, b), term_of(EteLoss{2, 2}, a, b));
      }
}

TEST_CASE("every loss is finite from 0 to 1e300 and ETE stays below its cap") {
  const std::vector<double> grid = {0, 1e-300, 1e-12, 1, 745, 1e12, 1e300};
  for (const TripletLoss& loss : many_losses()) {
    const std::string name = describe(loss);
    CAPTURE(name);
    const EteLoss* ete = std::get_if<EteLoss>(&loss);
    const bool square = std::holds_alternative<SquaredHingeLoss>(loss);
    for (const double a : grid)
      for (const double b : grid) {
        if (square && a > 1e150) continue;
        CAPTURE(a);
        CAPTURE(b);
        const LossTerm<double> got = term(loss, a, b);
        CHECK(std::isfinite(got.value));
        CHECK(got.value >= 0);
        CHECK(std::isfinite(got.d_near));
        CHECK(std::isfinite(got.d_far));
        CHECK(got.d_near >= 0);
        CHECK(got.d_far <= 0);
        if (ete != nullptr && ete->t > 1) CHECK(got.value <= (1 + 1e-15) / (ete->t - 1));
      }
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(term(loss, nan, 1).value));
    CHECK(std::isnan(term(loss, 1, nan).value));
  }
}

TEST_CASE("float gives the double results to 1e-5 and is finite up to 1e37") {
  for (const TripletLoss& loss : many_losses()) {
    const std::string name = describe(loss);
    CAPTURE(name);
    std::visit(
        []<class Loss>(const Loss& one) {
          for (const float a : {0.F, 0.01F, 1.F, 3.F, 30.F})
            for (const float b : {0.F, 0.02F, 1.F, 5.F, 33.F}) {
              const LossTerm<float> got = term_of(one, a, b);
              const LossTerm<double> exact = term_of(one, static_cast<double>(a), static_cast<double>(b));
              CHECK(relative(static_cast<double>(got.value), exact.value, 1e-30) < 1e-5);
              CHECK(relative(static_cast<double>(got.d_near), exact.d_near, 1e-30) < 1e-5);
              CHECK(relative(static_cast<double>(got.d_far), exact.d_far, 1e-30) < 1e-5);
            }
          for (const float a : {0.F, std::is_same_v<Loss, SquaredHingeLoss> ? 1e18F : 1e37F})
            for (const float b : {0.F, 1e37F}) {
              CHECK(std::isfinite(term_of(one, a, b).value));
              CHECK(std::isfinite(term_of(one, a, b).d_near));
              CHECK(std::isfinite(term_of(one, a, b).d_far));
            }
        },
        loss);
  }
}

TEST_CASE("the losses that are logarithms are likelihoods: an answer and its reverse add up to 1") {
  std::size_t count = 0;
  for (const TripletLoss& loss : many_losses()) {
    const std::string name = describe(loss);
    CAPTURE(name);
    count += static_cast<std::size_t>(is_likelihood(loss));
    double worst = 0;
    for (const double a : {0.0, 0.8, 5.0})
      for (const double b : {0.3, 0.9, 4.0})
        worst = std::max(worst, relative(std::exp(-term(loss, a, b).value) + std::exp(-term(loss, b, a).value), 1));
    CHECK((worst < 1e-12) == is_likelihood(loss));
  }
  CHECK(count >= 6);  // STE with and without lapses, t-STE, ETE of t = 1, CKL
}

TEST_CASE("every loss has a record by which it is found") {
  for_each_loss([]<class Loss>(const Loss& loss) {
    const auto record = Loss::record();
    CAPTURE(record.name);
    for (const std::string_view text : {record.name, record.python, record.summary, record.reference, record.equation})
      CHECK_FALSE(text.empty());
    CHECK(record.recovery < 0.5);
    CHECK_NOTHROW(require_valid(loss));
    CHECK(name_of(loss_named(record.name, 2)) == record.name);
    CHECK(std::holds_alternative<Loss>(loss_named(record.name, 2)));
  });
  CHECK(std::get<TSteLoss>(loss_named("tste", 5)).alpha == 4);
  CHECK(loss_names().size() == std::variant_size_v<TripletLoss>);
}

TEST_CASE("parameters outside their range are refused by name") {
  CHECK_NOTHROW(require_valid(EteLoss{1, 1}));
  CHECK_NOTHROW(require_valid(EteLoss{30, 2}));
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] {
                             require_valid(EteLoss{0.5, 2});
                           }),
                           {"ete: t ", ">= 1", "0.5"}));
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] {
                             require_valid(EteLoss{2, 2.5});
                           }),
                           {"ete: t_prime", "in [1, 2]", "2.5"}));
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] { require_valid(TSteLoss{-1}); }),
                           {"tste: alpha", ">= 0", "not -1"}));
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] { require_valid(CklLoss{0}); }),
                           {"ckl: mu", "> 0", "not 0"}));
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] { require_valid(SoeLoss{-1}); }),
                           {"soe: margin", "> 0", "-1"}));
  CHECK(testing::holds_all(testing::message_of<ConfigError>([&] { require_valid(SteLoss{1}); }),
                           {"ste: lapse_rate", "[0, 1)", "not 1"}));
  CHECK_THROWS_AS(require_valid(EteLoss{std::nan(""), 2}), ConfigError);
  CHECK_THROWS_AS(require_valid(EteLoss{2, std::nan("")}), ConfigError);
  CHECK(describe(EteLoss{2, 1.5}) == "ete(t=2, t_prime=1.5)");
}

}  // namespace
}  // namespace triplet_loss_test
