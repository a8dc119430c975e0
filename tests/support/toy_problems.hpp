// Small problems with known answers, one for each face of problem.hpp that no problem of the catalog uses yet
// or that is clearer alone. What solvers for those faces are first tried on.
// All data are drawn from the Rng given; all dimensions are tiny.
#pragma once

#include <memory>
#include <vector>

#include "problems/contract/problem_model.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/programs/semidefinite_program.hpp"

namespace alidade::testing {

[[nodiscard]] Matrix random_matrix(Index rows, Index cols, Rng& rng);
[[nodiscard]] Matrix random_symmetric(Index n, Rng& rng);

/// What a toy that lives on a domain shares: start, objective and decode by its value(), which is that of
/// value_and_gradient() unless it has one of its own.
template <class Derived>
class PointToy {
 public:
  explicit PointToy(std::vector<DomainBlock> blocks) : domain_(std::make_shared<const Domain>(std::move(blocks))) {}
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return domain_->random(rng); }
  [[nodiscard]] double objective(const Solution& x, Evaluation& e) const {
    return static_cast<const Derived*>(this)->value(std::get<Point>(x), e);
  }
  [[nodiscard]] double value(const Point& x, Evaluation& e) const {
    Point unused = domain_->zero();
    return static_cast<const Derived*>(this)->value_and_gradient(x, unused, e);
  }
  [[nodiscard]] Embedding decode(const Solution& x) const { return {{{"", std::get<Point>(x).block(0)}}}; }

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
  [[nodiscard]] double value(const Point& x, Evaluation&) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& e) const;

 private:
  Matrix center_;
  Vector curvature_;
};
static_assert(SmoothProblem<Bowl> && AnyProblem<Bowl>);

/// Springs between rows, 1/2 sum_t |x_a - x_b - w_t|^2: a finite sum that offers nothing else. With wishes
/// w_t = p_a - p_b of points p the lowest value is 0.
class Springs {
 public:
  Springs(const Matrix& points, std::size_t terms, Rng& rng);
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return domain_->random(rng); }
  [[nodiscard]] double objective(const Solution& x, Evaluation&) const;
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] TermIndex term_count() const { return springs_->size(); }
  double term(const Point& x, TermIndex t, TermGradient& out) const;

 private:
  struct Spring {
    Index a, b;
    Vector wish;
  };
  [[nodiscard]] static Vector pull(const Point& x, const Spring& s);
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
  [[nodiscard]] double value(const Point& x, Evaluation&) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& e) const;
  double value_and_split_gradient(const Point& x, SplitGradient& out, Evaluation& e) const;

 private:
  Matrix a_, h_;
};
static_assert(SmoothProblem<NonnegativeFit> && SplitGradientProblem<NonnegativeFit>);

/// Stress sum_{i<j} (delta_ij - |x_i - x_j|)^2, majorised by Guttman's transform (de Leeuw 1977).
class Stress : public PointToy<Stress> {
 public:
  Stress(Matrix delta, Index d) : PointToy({{"x", delta.rows(), d, Euclidean{}}}), delta_(std::move(delta)) {}
  [[nodiscard]] double value(const Point& x, Evaluation&) const { return surrogate(x, x); }
  double minimize_majorizer(const Point& x, Point& next, Evaluation& e) const;
  /// sum delta^2 + n |y - mean|^2 - 2 <y, B(x) x>
  [[nodiscard]] double surrogate(const Point& y, const Point& x) const;

 private:
  [[nodiscard]] Matrix guttman(const Point& x) const {  // B(x) x
    Matrix out = Matrix::Zero(delta_.rows(), x.block(0).cols());
    for (Index i = 0; i < delta_.rows(); ++i)
      for (Index j = 0; j < delta_.rows(); ++j) {
        const double distance = (x.block(0).row(i) - x.block(0).row(j)).norm();
        if (distance > 0) out.row(i) += delta_(i, j) / distance * (x.block(0).row(i) - x.block(0).row(j));
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
  Eigenvectors(Matrix a, Index count, bool largest) : a_(std::move(a)), count_(count), largest_(largest) {}
  [[nodiscard]] EigenRequest eigen_request() const;
  [[nodiscard]] Solution start(Rng& rng) const;
  [[nodiscard]] double objective(const Solution& x, Evaluation&) const;
  [[nodiscard]] Embedding decode(const Solution& x) const;

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
  SmallestEigenvalueProgram(const Matrix& c, double cap);
  [[nodiscard]] const SemidefiniteProgram& program() const { return *program_; }
  [[nodiscard]] SemidefiniteConstraint cap_of(Index i) const;
  double separate(const SemidefiniteSolution& x, Index budget, std::vector<SemidefiniteConstraint>& out) const;
  [[nodiscard]] Solution start(Rng& rng) const;
  [[nodiscard]] double objective(const Solution& x, Evaluation&) const;
  [[nodiscard]] Embedding decode(const Solution& x) const;

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
  [[nodiscard]] Solution start(Rng& rng) const;
  [[nodiscard]] double objective(const Solution& x, Evaluation&) const;
  [[nodiscard]] Embedding decode(const Solution& x) const;

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
  [[nodiscard]] double value(const Point& x, Evaluation&) const;
  [[nodiscard]] Index block_count() const { return 2; }
  [[nodiscard]] Problem block_problem(Index b, const Solution& x) const;
  [[nodiscard]] Solution block_of(Index b, const Solution& x) const;
  void set_block(Index b, const Solution& block, Solution& x) const;
  [[nodiscard]] double lowest_value() const;

  /// 1/2 |A - X H^T|^2 + lambda/2 |X|^2.
  class RidgeRegression : public PointToy<RidgeRegression> {
   public:
    RidgeRegression(Matrix a, Matrix h, double lambda)
        : PointToy({{"x", a.rows(), h.cols(), Euclidean{}}}), a_(std::move(a)), h_(std::move(h)), lambda_(lambda) {}
    [[nodiscard]] double value(const Point& x, Evaluation&) const;
    double value_and_gradient(const Point& x, Point& gradient, Evaluation& e) const;

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

}  // namespace alidade::testing
