#include "problems/asking/expected_information.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"

namespace alidade::asking {
namespace {

constexpr Index kQuestionsPerChunk = 256;

double logistic(double margin) {
  const double e = std::exp(-std::abs(margin));
  return (margin >= 0 ? 1 : e) / (1 + e);
}

/// ln sigma(margin)
double log_logistic(double margin) { return std::min(margin, 0.0) - std::log1p(std::exp(-std::abs(margin))); }

double squared_distance(const Matrix& map, ObjectId a, ObjectId b) { return (map.row(a) - map.row(b)).squaredNorm(); }

/// Places on a grid, and the logarithm of the prior of each up to a constant.
struct Grid {
  Matrix places;     // g x d
  Vector log_prior;  // g
};

/// Along the principal axes of the map; a direction without extent has one point.
Grid grid_of(const Matrix& map, Index points) {
  constexpr double kReach = 2.5;  // standard deviations: 99 % of a normal coordinate
  const Index d = map.cols();
  double total = 1;
  for (Index c = 0; c < d; ++c) total *= static_cast<double>(points);
  require<ConfigError>(total <= static_cast<double>(kMostPlaces),
                       "A grid of {} points in each of {} dimensions has too many places. Choose a smaller grid, fewer "
                       "dimensions, or another strategy.",
                       points, d);
  const Vector mean = map.colwise().mean();
  const Matrix centred = map.rowwise() - mean.transpose();
  const Eigen::MatrixXd covariance = centred.transpose() * centred / static_cast<double>(map.rows());
  const SymmetricEigen axes(covariance);
  const auto count = static_cast<Index>(total);
  Grid out{Matrix(count, d), Vector(count)};
  for (Index g = 0; g < count; ++g) {
    Vector standard(d);
    for (Index c = 0, rest = g; c < d; ++c, rest /= points)
      standard(c) = points == 1 ? 0 : kReach * (2 * static_cast<double>(rest % points) / double(points - 1) - 1);
    const Vector along = standard.array() * axes.eigenvalues().array().max(0).sqrt();
    out.places.row(g) = (mean + axes.eigenvectors() * along).transpose();
    out.log_prior(g) = -0.5 * standard.squaredNorm();
  }
  return out;
}

/// |place - y_right|^2 - |place - y_left|^2 at every place of the grid.
Vector margins(const Grid& grid, const Matrix& map, ObjectId left, ObjectId right) {
  const Vector direction = 2 * (map.row(left) - map.row(right)).transpose();
  const double offset = map.row(right).squaredNorm() - map.row(left).squaredNorm();
  return (grid.places * direction).array() + offset;
}

}  // namespace

double binary_entropy(double p) {
  if (!(p > 0) || !(p < 1)) return 0;
  return -(p * std::log(p) + (1 - p) * std::log1p(-p)) / std::numbers::ln2;
}

double choice_probability(const Matrix& map, const Question& question) {
  return logistic(squared_distance(map, question.anchor, question.right) -
                  squared_distance(map, question.anchor, question.left));
}

std::vector<double> choice_entropy(const Matrix& map, std::span<const Question> questions) {
  std::vector<double> out;
  out.reserve(questions.size());
  for (const Question& question : questions) out.push_back(binary_entropy(choice_probability(map, question)));
  return out;
}

std::vector<double> ensemble_information(std::span<const Matrix> maps, std::span<const Question> questions,
                                         Executor& executor) {
  std::vector<double> out(questions.size());
  executor.run_chunks(static_cast<Index>(questions.size()), kQuestionsPerChunk, [&](const Chunk& chunk) {
    for (Index q = chunk.first; q < chunk.last; ++q) {
      const auto at = static_cast<std::size_t>(q);
      double probability = 0, entropy = 0;
      for (const Matrix& map : maps) {
        const double p = choice_probability(map, questions[at]);
        probability += p;
        entropy += binary_entropy(p);
      }
      const auto count = static_cast<double>(maps.size());
      out[at] = std::max(0.0, binary_entropy(probability / count) - entropy / count);
    }
  });
  return out;
}

std::vector<double> anchor_information(const Matrix& map, const TripletSource& answers,
                                       std::span<const Question> questions, Index points, Executor& executor) {
  const Grid grid = grid_of(map, points);
  std::vector<std::vector<std::size_t>> asked(static_cast<std::size_t>(map.rows()));
  for (std::size_t q = 0; q < questions.size(); ++q) asked[questions[q].anchor].push_back(q);
  std::vector<std::vector<Triplet>> answered(asked.size());
  for (std::uint64_t i = 0; i < answers.size(); ++i)
    if (const Triplet t = answers.at(i); !asked[t.anchor].empty()) answered[t.anchor].push_back(t);

  std::vector<double> out(questions.size());
  executor.run(static_cast<Index>(asked.size()), [&](Index anchor) {
    const auto at = static_cast<std::size_t>(anchor);
    if (asked[at].empty()) return;
    Vector log_posterior = grid.log_prior;
    for (const Triplet& t : answered[at]) {
      const Vector margin = margins(grid, map, t.near, t.far);
      for (Index g = 0; g < margin.size(); ++g) log_posterior(g) += t.weight * log_logistic(margin(g));
    }
    Vector posterior = (log_posterior.array() - log_posterior.maxCoeff()).exp();
    posterior /= posterior.sum();
    for (const std::size_t q : asked[at]) {
      const Vector margin = margins(grid, map, questions[q].left, questions[q].right);
      double probability = 0, entropy = 0;
      for (Index g = 0; g < margin.size(); ++g) {
        const double p = logistic(margin(g));
        probability += posterior(g) * p;
        entropy += posterior(g) * binary_entropy(p);
      }
      out[q] = std::max(0.0, binary_entropy(probability) - entropy);
    }
  });
  return out;
}

}  // namespace alidade::asking
