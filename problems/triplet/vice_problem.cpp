// The problem `vice`: the axes of spose, with a distribution of each number in place of the number.
// [MZMLVH22] Muttenthaler et al. 2022. With q(X) = prod N(mu_oc, sigma_oc^2) and p(answer) of spose at max(0, X):
//   E_q[- sum w ln p(answer)] + E_q[ln q(X) - ln prior(X)],   prior = pi N(0, spike^2) + (1 - pi) N(0, slab^2).
// The likelihood's mean is over draws X = mu + sigma e with e drawn once; the prior's is a quadrature.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "problems/contract/problem_model.hpp"
#include "problems/triplet/odd_one_out_map.hpp"

namespace alidade::triplet {
namespace {

struct ViceOptions {
  Index n_components = 20, draws = 16;
  double spike = 0.25, slab = 1, pi = 0.6, init_scale = 0.5;
  Index seed = 0;
  static const OptionList<ViceOptions>& list() {
    using O = ViceOptions;
    static const auto kList =
        dimension_option<O>("number of axes to begin with; those on which few objects are surely above 0 are dropped")
            .integer("draws", &O::draws, between(2, 1000),
                     "draws of the posterior, each with its opposite; of an odd number, one more")
            .real("spike", &O::spike, above(0), "standard deviation of the prior's part of numbers near 0")
            .real("slab", &O::slab, above(0), "standard deviation of its part of other numbers")
            .real("pi", &O::pi, between(0.01, 0.99), "share of the part of numbers near 0")
            .real("init_scale", &O::init_scale, above(0), "means of the start are uniform between 0 and this")
            .seed(&O::seed, "the draws");
    return kList;
  }
};

/// Nodes and weights of a mean over a standard normal variable (Gauss-Hermite).
constexpr std::array<double, 7> kNode = {-3.750439717725742, -2.366759410734541, -1.154405394739968, 0,
                                         1.154405394739968,  2.366759410734541,  3.750439717725742};
constexpr std::array<double, 7> kShare = {0.000548268855972, 0.030757123967586, 0.240123178605013, 0.457142857142857,
                                          0.240123178605013, 0.030757123967586, 0.000548268855972};
constexpr double kFalseDiscoveries = 0.05;
constexpr Index kSureOfAxis = 5, kRowsOfPrior = 16;

class ViceProblem {
 public:
  ViceProblem(const Observations& observations, const ViceOptions& options)
      : options_(options),
        answers_(observations, {.n_components = options.n_components, .l1_scale = 0}),
        domain_(std::make_shared<const Domain>(std::vector<DomainBlock>{
            {"means", observations.object_count(), options.n_components, Euclidean{}},
            {"log_deviations", observations.object_count(), options.n_components, Euclidean{}}})) {
    Rng rng = Rng::stream(static_cast<std::uint64_t>(options.seed), "vice draws");
    for (Index k = 0; k < (options.draws + 1) / 2; ++k) {
      Matrix& draw = draws_.emplace_back(observations.object_count(), options.n_components);
      for (Index at = 0; at < draw.size(); ++at) draw.data()[at] = rng.normal();
    }
  }

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const {
    Point x = domain_->zero();
    for (const Index o : answers_.mentioned())
      for (Index c = 0; c < options_.n_components; ++c) {
        x.block(0)(o, c) = rng.uniform(0, options_.init_scale);
        x.block(1)(o, c) = std::log(0.1);
      }
    return x;
  }
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const { return evaluate(x, nullptr, evaluation); }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    return evaluate(x, &gradient, evaluation);
  }

  [[nodiscard]] Embedding decode(const Solution& solution) const {
    const Point& x = std::get<Point>(solution);
    const auto mu = x.block(0), log_sigma = x.block(1);
    const double n = static_cast<double>(answers_.mentioned().size());
    struct Axis {
      Index place, sure;
      double sum;
    };
    std::vector<Axis> axes;
    for (Index c = 0; c < mu.cols(); ++c) {
      // Benjamini & Hochberg 1995: the largest k of which the k-th least p is at most k / n of the rate.
      std::vector<double> p;
      for (const Index o : answers_.mentioned())
        p.push_back(std::erfc(mu(o, c) * std::exp(-log_sigma(o, c)) / std::sqrt(2.0)) / 2);
      std::ranges::sort(p);
      Index sure = std::ssize(p);
      while (sure > 0 && p[subscript(sure - 1)] > kFalseDiscoveries * static_cast<double>(sure) / n) --sure;
      axes.push_back({c, sure, mu.col(c).cwiseMax(0).sum()});
    }
    std::ranges::stable_sort(axes, std::greater{}, &Axis::sum);
    const Axis first = axes.front();
    std::erase_if(axes, [&](const Axis& axis) {
      return axis.sure < std::min<Index>(kSureOfAxis, std::ssize(answers_.mentioned()));
    });
    if (axes.empty()) axes = {first};
    Embedding out{{{"", Matrix(mu.rows(), std::ssize(axes)), {}, Similarity::scalar_product}}};
    out.estimates = {{"axes", static_cast<double>(axes.size())}};
    for (Index a = 0; a < std::ssize(axes); ++a) {
      const auto [place, sure, sum] = axes[subscript(a)];
      out.maps.front().coordinates.col(a) = mu.col(place).cwiseMax(0);
      out.estimates.emplace_back(fmt::format("sure_{}", a + 1), static_cast<double>(sure));
      double total = 0;
      for (const Index o : answers_.mentioned()) total += std::exp(2 * log_sigma(o, place));
      out.estimates.emplace_back(fmt::format("deviation_{}", a + 1), std::sqrt(total / n));
    }
    return out;
  }
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }
  [[nodiscard]] std::vector<std::string> notes() const { return answers_.notes(); }

 private:
  struct Scratch {
    Point drawn, slope;
  };

  double evaluate(const Point& x, Point* gradient, Evaluation& evaluation) const {
    auto& scratch = evaluation.scratch<Scratch>([&] {
      return Scratch{answers_.domain().zero(), answers_.domain().zero()};
    });
    const auto mu = x.block(0);
    const Matrix sigma = x.block(1).array().exp();
    if (gradient) gradient->vector().setZero();
    double out = prior_part(mu, sigma, gradient, evaluation);
    const double share = 0.5 / static_cast<double>(draws_.size());
    for (const Matrix& draw : draws_)
      for (const double sign : {1.0, -1.0}) {
        auto X = scratch.drawn.block(0);
        X = (mu.array() + sign * sigma.array() * draw.array()).cwiseMax(0);
        if (!gradient) {
          out += share * answers_.value(scratch.drawn, evaluation);
          continue;
        }
        out += share * answers_.value_and_gradient(scratch.drawn, scratch.slope, evaluation);
        const Matrix slope = (X.array() > 0).select(share * scratch.slope.block(0).array(), 0);
        gradient->block(0) += slope;
        gradient->block(1).array() += sign * slope.array() * sigma.array() * draw.array();
      }
    return out;
  }

  /// E_q[ln q(X) - ln prior(X)] of the objects in answers.
  double prior_part(const auto& mu, const Matrix& sigma, Point* gradient, Evaluation& evaluation) const {
    const auto objects = answers_.mentioned();
    const auto count = std::ssize(objects);
    const double in_spike = options_.pi / options_.spike, in_slab = (1 - options_.pi) / options_.slab;
    const double spike2 = 1 / (options_.spike * options_.spike), slab2 = 1 / (options_.slab * options_.slab);
    std::vector<double> sums(subscript(chunk_count(count, kRowsOfPrior)));
    evaluation.executor.run_chunks(count, kRowsOfPrior, [&](const Chunk& chunk) {
      double sum = 0;
      for (Index at = chunk.first; at < chunk.last; ++at)
        for (Index o = objects[subscript(at)], c = 0; c < mu.cols(); ++c) {
          const double s = sigma(o, c);
          sum -= std::log(s) + 0.5;
          double by_mu = 0, by_log = -1;
          for (std::size_t h = 0; h < kNode.size(); ++h) {
            const double X = mu(o, c) + s * kNode[h], half = X * X / 2;
            // ln(a e^-u + b e^-v), the larger of the two first
            const double u = spike2 * half, v = slab2 * half, least = std::min(u, v);
            const double a = in_spike * std::exp(least - u), b = in_slab * std::exp(least - v);
            sum += kShare[h] * (least - std::log(a + b));
            const double pull = kShare[h] * X * (spike2 * a + slab2 * b) / (a + b);
            by_mu += pull;
            by_log += pull * s * kNode[h];
          }
          if (!gradient) continue;
          gradient->block(0)(o, c) += by_mu;
          gradient->block(1)(o, c) += by_log;
        }
      sums[subscript(chunk.number)] = sum;
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }

  ViceOptions options_;
  OddOneOutMap answers_;
  std::shared_ptr<const Domain> domain_;
  std::vector<Matrix> draws_;
};
static_assert(SmoothProblem<ViceProblem>);

}  // namespace

/// @throws ConfigError, DataError
ProblemEntry vice_entry() {
  return {
      .name = "vice",
      .summary = "VICE, variational SPoSE: axes with a meaning, how sure their numbers are, and how many axes are",
      .reference = "[MZMLVH22] Muttenthaler et al. 2022",
      .equation =
          "min over mu, sigma: E_q[- sum w ln p] + E_q[ln q(X) - ln prior(X)], X ~ q = N(mu, sigma^2), p of spose "
          "at max(0, X), prior = pi N(0, spike^2) + (1 - pi) N(0, slab^2)",
      .needs = {ObservationKind::triplets},
      .offers = borderless_offer<ViceProblem>(),
      .options = ViceOptions::list().infos(),
      .make = maker_of<ViceProblem, ViceOptions>("vice"),
      .solver = "{ name = \"ceres\", tolerance = 1e-5 }",
      .python = "VICE",
      .similarity = Similarity::scalar_product,
  };
}

}  // namespace alidade::triplet
