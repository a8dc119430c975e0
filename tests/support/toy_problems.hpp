// Small problems with known answers, one for each face of problem.hpp that no problem of the catalog uses yet
// or that is clearer alone. What solvers for those faces are first tried on.
// All data are drawn from the Rng given; all dimensions are tiny.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "problems/problem.hpp"
#include "tests/support/observation_makers.hpp"

namespace alidade::testing {

inline Matrix random_matrix(Index rows, Index cols, Rng& rng) {
  return gaussian_points(rows, cols, rng);
}

inline Matrix random_symmetric(Index n, Rng& rng) {
  const Matrix a = random_matrix(n, n, rng);
  return 0.5 * (a + a.transpose());
}

/// What a toy that lives on a domain shares: start, objective and decode by its value().
template <class Derived>
class PointToy {
 public:
  explicit PointToy(std::vector<DomainBlock> blocks)
      : domain_(std::make_shared<const Domain>(std::move(blocks))) {}
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return domain_->random(rng); }
  [[nodiscard]] double objective(const Solution& x, Evaluation& e) const {
    return static_cast<const Derived*>(this)->value(std::get<Point>(x), e);
  }
  [[nodiscard]] Embedding decode(const Solution& x) const {
    return {{{"", std::get<Point>(x).block(0)}}};
  }

 private:
  std::shared_ptr<const Domain> domain_;
};

/// 1/2 sum_i a_i |x_i - c_i|^2 on one block: the plainest smooth problem. Lowest value 0 on a plane.
class Bowl : public PointToy<Bowl> {
 public:
  Bowl(Matrix center, Vector curvature, const Manifold& manifold = Euclidean{})
      : PointToy({{"x", center.rows(), center.cols(), manifold}}),
        center_(std::move(center)),
        curvature_(std::move(curvature)) {}
  [[nodiscard]] double value(const Point& x, Evaluation&) const {
    return 0.5 * (curvature_.asDiagonal() * (x.block(0) - center_))
                     .cwiseProduct(x.block(0) - center_)
                     .sum();
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& e) const {
    gradient.block(0) = curvature_.asDiagonal() * (x.block(0) - center_);
    return value(x, e);
  }

 private:
  Matrix center_;
  Vector curvature_;
};
static_assert(SmoothProblem<Bowl> && AnyProblem<Bowl>);

/// Springs between rows, 1/2 sum_t |x_a - x_b - w_t|^2: a finite sum that offers nothing else. With wishes
/// w_t = p_a - p_b of points p the lowest value is 0.
class Springs {
 public:
  Springs(const Matrix& points, std::size_t terms, Rng& rng)
      : domain_(std::make_shared<const Domain>(
            std::vector<DomainBlock>{{"x", points.rows(), points.cols(), Euclidean{}}})) {
    const auto n = static_cast<std::uint64_t>(points.rows());
    auto list = std::make_shared<std::vector<Spring>>();
    while (list->size() < terms) {
      const auto a = static_cast<Index>(rng.below(n)), b = static_cast<Index>(rng.below(n));
      if (a != b) list->push_back({a, b, (points.row(a) - points.row(b)).transpose()});
    }
    springs_ = std::move(list);
  }
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return domain_->random(rng); }
  [[nodiscard]] double objective(const Solution& x, Evaluation&) const {
    double sum = 0;
    for (const Spring& s : *springs_) sum += 0.5 * pull(std::get<Point>(x), s).squaredNorm();
    return sum;
  }
  [[nodiscard]] Embedding decode(const Solution& x) const {
    return {{{"", std::get<Point>(x).block(0)}}};
  }
  [[nodiscard]] TermIndex term_count() const { return springs_->size(); }
  double term(const Point& x, TermIndex t, TermGradient& out) const {
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

 private:
  struct Spring {
    Index a, b;
    Vector wish;
  };
  [[nodiscard]] static Vector pull(const Point& x, const Spring& s) {
    return (x.block(0).row(s.a) - x.block(0).row(s.b)).transpose() - s.wish;
  }
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const std::vector<Spring>> springs_;
};
static_assert(FiniteSumProblem<Springs> && !SmoothProblem<Springs> && AnyProblem<Springs>);

/// 1/2 |A - X H|^2 over X > 0 with A, H > 0: the half of nonnegative matrix factorisation.
/// Gradient X H H^T - A H^T, which is its own split (Lee & Seung 2001).
class NonnegativeFit : public PointToy<NonnegativeFit> {
 public:
  NonnegativeFit(Matrix a, Matrix h)
      : PointToy({{"x", a.rows(), h.rows(), Positive{}}}), a_(std::move(a)), h_(std::move(h)) {}
  [[nodiscard]] double value(const Point& x, Evaluation&) const {
    return 0.5 * (a_ - x.block(0) * h_).squaredNorm();
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& e) const {
    gradient.block(0) = (x.block(0) * h_ - a_) * h_.transpose();
    return value(x, e);
  }
  double value_and_split_gradient(const Point& x, SplitGradient& out, Evaluation& e) const {
    out.plus.block(0) = x.block(0) * (h_ * h_.transpose());
    out.minus.block(0) = a_ * h_.transpose();
    return value(x, e);
  }

 private:
  Matrix a_, h_;
};
static_assert(SmoothProblem<NonnegativeFit> && SplitGradientProblem<NonnegativeFit>);

/// Stress sum_{i<j} (delta_ij - |x_i - x_j|)^2, majorised by Guttman's transform (de Leeuw 1977).
class Stress : public PointToy<Stress> {
 public:
  Stress(Matrix delta, Index d)
      : PointToy({{"x", delta.rows(), d, Euclidean{}}}), delta_(std::move(delta)) {}
  [[nodiscard]] double value(const Point& x, Evaluation&) const { return surrogate(x, x); }
  double minimize_majorizer(const Point& x, Point& next, Evaluation& e) const {
    next.block(0) = guttman(x) / static_cast<double>(delta_.rows());
    return value(x, e);
  }
  /// sum delta^2 + n |y - mean|^2 - 2 <y, B(x) x>
  [[nodiscard]] double surrogate(const Point& y, const Point& x) const {
    const auto n = static_cast<double>(delta_.rows());
    const Matrix centred = y.block(0).rowwise() - y.block(0).colwise().mean();
    return 0.5 * delta_.squaredNorm() + n * centred.squaredNorm() -
           2 * y.block(0).cwiseProduct(guttman(x)).sum();
  }

 private:
  [[nodiscard]] Matrix guttman(const Point& x) const {  // B(x) x
    Matrix out = Matrix::Zero(delta_.rows(), x.block(0).cols());
    for (Index i = 0; i < delta_.rows(); ++i)
      for (Index j = 0; j < delta_.rows(); ++j) {
        const double distance = (x.block(0).row(i) - x.block(0).row(j)).norm();
        if (distance > 0)
          out.row(i) += delta_(i, j) / distance * (x.block(0).row(i) - x.block(0).row(j));
      }
    return out;
  }
  Matrix delta_;
};
static_assert(MajorizableProblem<Stress> && !SmoothProblem<Stress>);

/// The `count` eigenvectors at one end of a symmetric matrix; objective: minus (plus, for the smallest) the
/// sum of their Rayleigh quotients.
class Eigenvectors {
 public:
  Eigenvectors(Matrix a, Index count, bool largest)
      : a_(std::move(a)), count_(count), largest_(largest) {}
  [[nodiscard]] EigenRequest eigen_request() const {
    return {a_.rows(), count_, largest_, [a = a_](std::span<const double> x, std::span<double> y) {
              Eigen::Map<Vector>(y.data(), a.rows()) =
                  a * Eigen::Map<const Vector>(x.data(), a.rows());
            }};
  }
  [[nodiscard]] Solution start(Rng& rng) const {
    return EigenSolution{random_matrix(a_.rows(), count_, rng), Vector::Zero(count_)};
  }
  [[nodiscard]] double objective(const Solution& x, Evaluation&) const {
    const Matrix& v = std::get<EigenSolution>(x).vectors;
    double sum = 0;
    for (Index k = 0; k < v.cols(); ++k)
      sum += v.col(k).dot(a_ * v.col(k)) / v.col(k).squaredNorm();
    return largest_ ? -sum : sum;
  }
  [[nodiscard]] Embedding decode(const Solution& x) const {
    return {{{"", std::get<EigenSolution>(x).vectors}}};
  }

 private:
  Matrix a_;
  Index count_;
  bool largest_;
};
static_assert(EigenProblem<Eigenvectors> && !HasDomain<Eigenvectors> && AnyProblem<Eigenvectors>);

/// min <C, X> over X >= 0, tr X = 1, which is the smallest eigenvalue of C; and, found by separate() only,
/// X_ii <= cap for every i (cap = 1 cuts nothing off).
class SmallestEigenvalueProgram {
 public:
  SmallestEigenvalueProgram(const Matrix& c, double cap) : n_(c.rows()), cap_(cap) {
    auto program = std::make_shared<SemidefiniteProgram>();
    program->blocks = {{"X", n_, false}};
    for (Index i = 0; i < n_; ++i)
      for (Index j = i; j < n_; ++j) program->cost.push_back({0, i, j, c(i, j)});
    SemidefiniteConstraint trace{"trace", {}, Relation::equal, 1};
    for (Index i = 0; i < n_; ++i) trace.entries.push_back({0, i, i, 1});
    program->constraints.push_back(std::move(trace));
    program_ = std::move(program);
  }
  [[nodiscard]] const SemidefiniteProgram& program() const { return *program_; }
  [[nodiscard]] SemidefiniteConstraint cap_of(Index i) const {
    return {"cap " + std::to_string(i), {{0, i, i, 1}}, Relation::at_most, cap_};
  }
  double separate(const SemidefiniteSolution& x, Index budget,
                  std::vector<SemidefiniteConstraint>& out) const {
    const Matrix dense = x.blocks.front().dense();
    std::vector<Index> order(static_cast<std::size_t>(n_));
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::sort(order, [&](Index i, Index j) { return dense(i, i) > dense(j, j); });
    for (const Index i : order)
      if (dense(i, i) > cap_ && budget-- > 0) out.push_back(cap_of(i));
    return std::max(0.0, dense(order.front(), order.front()) - cap_);
  }
  [[nodiscard]] Solution start(Rng& rng) const {
    const Matrix u = random_matrix(n_, 2, rng);
    return SemidefiniteSolution{{{true, u / u.norm()}}, {}};
  }
  [[nodiscard]] double objective(const Solution& x, Evaluation&) const {
    std::vector<Matrix> dense;
    for (const auto& block : std::get<SemidefiniteSolution>(x).blocks)
      dense.push_back(block.dense());
    return inner_product(program_->cost, dense);
  }
  [[nodiscard]] Embedding decode(const Solution& x) const {
    return {{{"", std::get<SemidefiniteSolution>(x).blocks.front().dense()}}};
  }

 private:
  Index n_;
  double cap_;
  std::shared_ptr<const SemidefiniteProgram> program_;
};
static_assert(SemidefiniteProblem<SmallestEigenvalueProgram>);

/// The cheapest assignment of rows to columns.
class CheapestAssignment {
 public:
  explicit CheapestAssignment(Matrix cost) : cost_(std::move(cost)) {}
  [[nodiscard]] Matrix cost() const { return cost_; }
  [[nodiscard]] Solution start(Rng& rng) const {
    std::vector<Index> columns(static_cast<std::size_t>(std::max(cost_.rows(), cost_.cols())), -1);
    std::iota(columns.begin(), columns.begin() + cost_.cols(), Index{0});
    rng.shuffle(std::span(columns));
    columns.resize(static_cast<std::size_t>(cost_.rows()));
    return AssignmentSolution{columns, {}, {}};
  }
  [[nodiscard]] double objective(const Solution& x, Evaluation&) const {
    double sum = 0;
    const auto& columns = std::get<AssignmentSolution>(x).column_of;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i] >= 0) sum += cost_(static_cast<Index>(i), columns[i]);
    return sum;
  }
  [[nodiscard]] Embedding decode(const Solution& x) const {
    Matrix out(cost_.rows(), 1);
    for (Index i = 0; i < cost_.rows(); ++i)
      out(i, 0) = static_cast<double>(
          std::get<AssignmentSolution>(x).column_of[static_cast<std::size_t>(i)]);
    return {{{"", out}}};
  }

 private:
  Matrix cost_;
};
static_assert(AssignmentProblem<CheapestAssignment> && AnyProblem<CheapestAssignment>);

/// 1/2 |A - U V^T|^2 + lambda/2 (|U|^2 + |V|^2): two blocks, each a smooth problem while the other is held.
/// Its lowest value follows from the singular values of A, soft-thresholded by lambda.
class Factorization : public PointToy<Factorization> {
 public:
  Factorization(Matrix a, Index rank, double lambda)
      : PointToy({{"U", a.rows(), rank, Euclidean{}}, {"V", a.cols(), rank, Euclidean{}}}),
        a_(std::move(a)),
        rank_(rank),
        lambda_(lambda) {}
  [[nodiscard]] double value(const Point& x, Evaluation&) const {
    return 0.5 * (a_ - x.block(0) * x.block(1).transpose()).squaredNorm() +
           0.5 * lambda_ * x.vector().squaredNorm();
  }
  [[nodiscard]] Index block_count() const { return 2; }
  [[nodiscard]] Problem block_problem(Index b, const Solution& x) const;
  [[nodiscard]] Solution block_of(Index b, const Solution& x) const;
  void set_block(Index b, const Solution& block, Solution& x) const {
    std::get<Point>(x).block(static_cast<std::size_t>(b)) = std::get<Point>(block).block(0);
  }
  [[nodiscard]] double lowest_value() const {
    const Vector sigma = Eigen::JacobiSVD<Eigen::MatrixXd>(a_).singularValues();
    double sum = 0;
    for (Index i = 0; i < sigma.size(); ++i) {
      const bool kept = i < rank_ && sigma[i] > lambda_;
      sum += kept ? lambda_ * sigma[i] - 0.5 * lambda_ * lambda_ : 0.5 * sigma[i] * sigma[i];
    }
    return sum;
  }

  /// 1/2 |A - X H^T|^2 + lambda/2 |X|^2.
  class RidgeRegression : public PointToy<RidgeRegression> {
   public:
    RidgeRegression(Matrix a, Matrix h, double lambda)
        : PointToy({{"x", a.rows(), h.cols(), Euclidean{}}}),
          a_(std::move(a)),
          h_(std::move(h)),
          lambda_(lambda) {}
    [[nodiscard]] double value(const Point& x, Evaluation&) const {
      return 0.5 * (a_ - x.block(0) * h_.transpose()).squaredNorm() +
             0.5 * lambda_ * x.vector().squaredNorm();
    }
    double value_and_gradient(const Point& x, Point& gradient, Evaluation& e) const {
      gradient.block(0) = (x.block(0) * h_.transpose() - a_) * h_ + lambda_ * x.block(0);
      return value(x, e);
    }

   private:
    Matrix a_, h_;
    double lambda_;
  };

 private:
  Matrix a_;
  Index rank_;
  double lambda_;
};
static_assert(BlocksProblem<Factorization> && !SmoothProblem<Factorization>);

inline Problem Factorization::block_problem(Index b, const Solution& x) const {
  const Point& p = std::get<Point>(x);
  if (b == 0) return {"factorization.U", RidgeRegression(a_, p.block(1), lambda_)};
  return {"factorization.V", RidgeRegression(a_.transpose(), p.block(0), lambda_)};
}

inline Solution Factorization::block_of(Index b, const Solution& x) const {
  const auto block = std::get<Point>(x).block(static_cast<std::size_t>(b));
  Point out = Domain({{"x", block.rows(), block.cols(), Euclidean{}}}).zero();
  out.block(0) = block;
  return out;
}

}  // namespace alidade::testing
