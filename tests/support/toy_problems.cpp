#include "tests/support/toy_problems.hpp"
#include "problems/core/decompositions/thin_svd.hpp"
#include "problems/faces/eigen.hpp"
#include "problems/faces/split_gradient.hpp"
#include "problems/faces/term_run.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "tests/support/observation_makers.hpp"

namespace alidade::testing {

Matrix random_matrix(Index rows, Index cols, Rng& rng) { return gaussian_points(rows, cols, rng); }

Matrix random_symmetric(Index n, Rng& rng) {
  const Matrix a = random_matrix(n, n, rng);
  return 0.5 * (a + a.transpose());
}

double Bowl::value(const Point& x, Evaluation&) const {
  return 0.5 * (curvature_.asDiagonal() * (x.block(0) - center_)).cwiseProduct(x.block(0) - center_).sum();
}

double Bowl::value_and_gradient(const Point& x, Point& gradient, Evaluation& e) const {
  gradient.block(0) = curvature_.asDiagonal() * (x.block(0) - center_);
  return value(x, e);
}

Springs::Springs(const Matrix& points, std::size_t terms, Rng& rng)
    : domain_(
          std::make_shared<const Domain>(std::vector<DomainBlock>{{"x", points.rows(), points.cols(), Euclidean{}}})) {
  const auto n = static_cast<std::uint64_t>(points.rows());
  auto list = std::make_shared<std::vector<Spring>>();
  while (list->size() < terms) {
    const auto a = static_cast<Index>(rng.below(n)), b = static_cast<Index>(rng.below(n));
    if (a != b) list->push_back({a, b, (points.row(a) - points.row(b)).transpose()});
  }
  springs_ = std::move(list);
}

double Springs::objective(const Solution& x, Evaluation&) const {
  double sum = 0;
  for (const Spring& s : *springs_) sum += 0.5 * pull(std::get<Point>(x), s).squaredNorm();
  return sum;
}

Embedding Springs::decode(const Solution& x) const { return {{{"", std::get<Point>(x).block(0)}}}; }

double Springs::term(const Point& x, TermIndex t, TermGradient& out) const {
  const Spring& s = (*springs_)[t];
  const Vector force = pull(x, s);
  double* at_a = out.add(0, s.a, force.size());
  double* at_b = out.add(0, s.b, force.size());
  for (Index c = 0; c < force.size(); ++c) {
    at_a[c] = force[c];
    at_b[c] = -force[c];
  }
  return 0.5 * force.squaredNorm();
}

Vector Springs::pull(const Point& x, const Spring& s) {
  return (x.block(0).row(s.a) - x.block(0).row(s.b)).transpose() - s.wish;
}

double NonnegativeFit::value(const Point& x, Evaluation&) const { return 0.5 * (a_ - x.block(0) * h_).squaredNorm(); }

double NonnegativeFit::value_and_gradient(const Point& x, Point& gradient, Evaluation& e) const {
  gradient.block(0) = (x.block(0) * h_ - a_) * h_.transpose();
  return value(x, e);
}

double NonnegativeFit::value_and_split_gradient(const Point& x, SplitGradient& out, Evaluation& e) const {
  out.plus.block(0) = x.block(0) * (h_ * h_.transpose());
  out.minus.block(0) = a_ * h_.transpose();
  return value(x, e);
}

double Stress::minimize_majorizer(const Point& x, Point& next, Evaluation& e) const {
  next.block(0) = guttman(x) / static_cast<double>(delta_.rows());
  return value(x, e);
}

double Stress::surrogate(const Point& y, const Point& x) const {
  const auto n = static_cast<double>(delta_.rows());
  const Matrix centred = y.block(0).rowwise() - y.block(0).colwise().mean();
  return 0.5 * delta_.squaredNorm() + n * centred.squaredNorm() - 2 * y.block(0).cwiseProduct(guttman(x)).sum();
}

EigenRequest Eigenvectors::eigen_request() const {
  return {a_.rows(), count_, largest_, [a = a_](std::span<const double> x, std::span<double> y) {
            Eigen::Map<Vector>(y.data(), a.rows()) = a * Eigen::Map<const Vector>(x.data(), a.rows());
          }};
}

Solution Eigenvectors::start(Rng& rng) const {
  return EigenSolution{random_matrix(a_.rows(), count_, rng), Vector::Zero(count_)};
}

double Eigenvectors::objective(const Solution& x, Evaluation&) const {
  const Matrix& v = std::get<EigenSolution>(x).vectors;
  double sum = 0;
  for (Index k = 0; k < v.cols(); ++k) sum += v.col(k).dot(a_ * v.col(k)) / v.col(k).squaredNorm();
  return largest_ ? -sum : sum;
}

Embedding Eigenvectors::decode(const Solution& x) const { return {{{"", std::get<EigenSolution>(x).vectors}}}; }

SmallestEigenvalueProgram::SmallestEigenvalueProgram(const Matrix& c, double cap) : n_(c.rows()), cap_(cap) {
  auto program = std::make_shared<SemidefiniteProgram>();
  program->blocks = {{"X", n_, false}};
  for (Index i = 0; i < n_; ++i)
    for (Index j = i; j < n_; ++j) program->cost.push_back({0, i, j, c(i, j)});
  SemidefiniteConstraint trace{"trace", {}, Relation::equal, 1};
  for (Index i = 0; i < n_; ++i) trace.entries.push_back({0, i, i, 1});
  program->constraints.push_back(std::move(trace));
  program_ = std::move(program);
}

SemidefiniteConstraint SmallestEigenvalueProgram::cap_of(Index i) const {
  return {"cap " + std::to_string(i), {{0, i, i, 1}}, Relation::at_most, cap_};
}

double SmallestEigenvalueProgram::separate(const SemidefiniteSolution& x, Index budget,
                                           std::vector<SemidefiniteConstraint>& out) const {
  const Matrix dense = x.blocks.front().dense();
  std::vector<Index> order(static_cast<std::size_t>(n_));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, [&](Index i, Index j) { return dense(i, i) > dense(j, j); });
  for (const Index i : order)
    if (dense(i, i) > cap_ && budget-- > 0) out.push_back(cap_of(i));
  return std::max(0.0, dense(order.front(), order.front()) - cap_);
}

Solution SmallestEigenvalueProgram::start(Rng& rng) const {
  const Matrix u = random_matrix(n_, 2, rng);
  return SemidefiniteSolution{{{true, u / u.norm()}}, {}};
}

double SmallestEigenvalueProgram::objective(const Solution& x, Evaluation&) const {
  std::vector<Matrix> dense;
  for (const auto& block : std::get<SemidefiniteSolution>(x).blocks) dense.push_back(block.dense());
  return inner_product(program_->cost, dense);
}

Embedding SmallestEigenvalueProgram::decode(const Solution& x) const {
  return {{{"", std::get<SemidefiniteSolution>(x).blocks.front().dense()}}};
}

Solution CheapestAssignment::start(Rng& rng) const {
  std::vector<Index> columns(static_cast<std::size_t>(std::max(cost_.rows(), cost_.cols())), -1);
  std::iota(columns.begin(), columns.begin() + cost_.cols(), Index{0});
  rng.shuffle(std::span(columns));
  columns.resize(static_cast<std::size_t>(cost_.rows()));
  return AssignmentSolution{columns, {}, {}};
}

double CheapestAssignment::objective(const Solution& x, Evaluation&) const {
  double sum = 0;
  const auto& columns = std::get<AssignmentSolution>(x).column_of;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i] >= 0) sum += cost_(static_cast<Index>(i), columns[i]);
  return sum;
}

Embedding CheapestAssignment::decode(const Solution& x) const {
  Matrix out(cost_.rows(), 1);
  for (Index i = 0; i < cost_.rows(); ++i)
    out(i, 0) = static_cast<double>(std::get<AssignmentSolution>(x).column_of[static_cast<std::size_t>(i)]);
  return {{{"", out}}};
}

double Factorization::value(const Point& x, Evaluation&) const {
  return 0.5 * (a_ - x.block(0) * x.block(1).transpose()).squaredNorm() + 0.5 * lambda_ * x.vector().squaredNorm();
}

void Factorization::set_block(Index b, const Solution& block, Solution& x) const {
  std::get<Point>(x).block(static_cast<std::size_t>(b)) = std::get<Point>(block).block(0);
}

double Factorization::lowest_value() const {
  const Vector sigma = ThinSvd(a_).values();
  double sum = 0;
  for (Index i = 0; i < sigma.size(); ++i) {
    const bool kept = i < rank_ && sigma[i] > lambda_;
    sum += kept ? lambda_ * sigma[i] - 0.5 * lambda_ * lambda_ : 0.5 * sigma[i] * sigma[i];
  }
  return sum;
}

double Factorization::RidgeRegression::value(const Point& x, Evaluation&) const {
  return 0.5 * (a_ - x.block(0) * h_.transpose()).squaredNorm() + 0.5 * lambda_ * x.vector().squaredNorm();
}

double Factorization::RidgeRegression::value_and_gradient(const Point& x, Point& gradient, Evaluation& e) const {
  gradient.block(0) = (x.block(0) * h_.transpose() - a_) * h_ + lambda_ * x.block(0);
  return value(x, e);
}

Problem Factorization::block_problem(Index b, const Solution& x) const {
  const Point& p = std::get<Point>(x);
  if (b == 0) return {"factorization.U", RidgeRegression(a_, p.block(1), lambda_)};
  return {"factorization.V", RidgeRegression(a_.transpose(), p.block(0), lambda_)};
}

Solution Factorization::block_of(Index b, const Solution& x) const {
  const auto block = std::get<Point>(x).block(static_cast<std::size_t>(b));
  Point out = Domain({{"x", block.rows(), block.cols(), Euclidean{}}}).zero();
  out.block(0) = block;
  return out;
}

}  // namespace alidade::testing
