// A metric from distances: unknowns that are a positive semidefinite matrix, and three solvers that know such matrices.
#include <fmt/core.h>

#include <alidade/manifolds.hpp>
#include <alidade/problem.hpp>
#include <alidade/solve.hpp>
#include <memory>
#include <vector>

/// min over X of sum_t (u_t' X u_t - d_t)^2 / 2: X turns differences u_t into squared distances d_t.
class MetricFit {
 public:
  MetricFit(alidade::Matrix u, alidade::Vector d, const alidade::Manifold& manifold)
      : u_(std::move(u)),
        d_(std::move(d)),
        domain_(std::make_shared<const alidade::Domain>(
            std::vector<alidade::DomainBlock>{{"X", 1, u_.cols() * u_.cols(), manifold}})) {}
  const alidade::Domain& domain() const { return *domain_; }
  alidade::Solution start(alidade::Rng& rng) const { return domain_->random(rng); }
  double objective(const alidade::Solution& x, alidade::Evaluation& e) const {
    return value(std::get<alidade::Point>(x), e);
  }
  double value(const alidade::Point& x, alidade::Evaluation&) const { return errors(x).squaredNorm() / 2; }
  double value_and_gradient(const alidade::Point& x, alidade::Point& gradient, alidade::Evaluation&) const {
    const alidade::Vector off = errors(x);
    Eigen::Map<alidade::Matrix>(gradient.flat().data(), u_.cols(), u_.cols()) = u_.transpose() * off.asDiagonal() * u_;
    return off.squaredNorm() / 2;
  }
  /// One term of the sum, for stochastic solvers: it touches row 0 of block 0.
  alidade::TermIndex term_count() const { return static_cast<alidade::TermIndex>(u_.rows()); }
  double term(const alidade::Point& x, alidade::TermIndex t, alidade::TermGradient& out) const {
    const auto u = u_.row(static_cast<alidade::Index>(t));
    const double off = u * matrix(x) * u.transpose() - d_[static_cast<alidade::Index>(t)];
    Eigen::Map<alidade::Matrix>(out.add(0, 0, u.size() * u.size()), u.size(), u.size()) = off * u.transpose() * u;
    return off * off / 2;
  }
  alidade::Embedding decode(const alidade::Solution& x) const {
    return {{{"", alidade::Matrix(matrix(std::get<alidade::Point>(x)))}}};
  }

 private:
  /// The row of the domain holds the entries of X.
  Eigen::Map<const alidade::Matrix> matrix(const alidade::Point& x) const {
    return {x.flat().data(), u_.cols(), u_.cols()};
  }
  alidade::Vector errors(const alidade::Point& x) const {
    return (u_ * matrix(x)).cwiseProduct(u_).rowwise().sum() - d_;
  }
  alidade::Matrix u_;
  alidade::Vector d_;
  std::shared_ptr<const alidade::Domain> domain_;
};

int main() {
  alidade::Rng rng = alidade::Rng::stream(1, "differences");
  alidade::Matrix u(40, 3), flat(2, 3);
  for (alidade::Index t = 0; t < u.size(); ++t) u.data()[t] = rng.normal();
  flat << 1, 0.5, 0, 0, 1, -0.5;
  const alidade::Vector d = (u * flat.transpose()).rowwise().squaredNorm();  // by X = flat' flat, of rank 2

  const alidade::Problem closed("metric", MetricFit(u, d, alidade::PsdCone{3}));
  for (const char* solver : {"accelerated_gradient", "gradient_descent"})
    fmt::print("{:20} {:.0e}\n", solver, alidade::solve(closed, solver, {.seed = 3}).summary.objective);
  const alidade::Solved by_terms =
      alidade::solve(closed, "riemannian_sgd",
                     {.options = {{"learning_rate", 0.02}, {"max_iter", 200}, {"batch_size", 1}}, .seed = 3});
  fmt::print("{:20} {:.0e}\n", "riemannian_sgd", by_terms.summary.objective);
  const alidade::Problem open("metric", MetricFit(u, d, alidade::PositiveDefinite{3}));
  fmt::print("{:20} {:.0e}\n", "ceres", alidade::solve(open, "ceres", {.seed = 3}).summary.objective);
}
