// A problem of one's own: the points on the unit circle whose mutual forces balance, as electrons do.
#include <fmt/core.h>

#include <alidade/checks.hpp>
#include <alidade/problem.hpp>
#include <alidade/solve.hpp>
#include <cmath>
#include <memory>

// [example]
/// min over unit vectors y_i: sum over i < j of 1 / |y_i - y_j|. Rows of Y lie on circles (the manifold `oblique`).
class Electrons {
 public:
  explicit Electrons(alidade::Index count)
      : domain_(std::make_shared<const alidade::Domain>(
            std::vector<alidade::DomainBlock>{{"Y", count, 2, alidade::Oblique{}}})) {}
  const alidade::Domain& domain() const { return *domain_; }
  alidade::Solution start(alidade::Rng& rng) const { return domain_->random(rng); }
  double value(const alidade::Point& y, alidade::Evaluation& e) const {
    alidade::Point unused = domain_->zero();
    return value_and_gradient(y, unused, e);
  }
  /// The gradient is the Euclidean one: solvers know the manifold.
  double value_and_gradient(const alidade::Point& y, alidade::Point& gradient, alidade::Evaluation&) const {
    const auto Y = y.block(0);
    auto G = gradient.block(0);
    G.setZero();
    double out = 0;
    for (alidade::Index i = 0; i < Y.rows(); ++i)
      for (alidade::Index j = 0; j < i; ++j) {
        const double u = Y(i, 0) - Y(j, 0), v = Y(i, 1) - Y(j, 1), r = std::hypot(u, v), slope = -1 / (r * r * r);
        out += 1 / r;
        G(i, 0) += slope * u, G(i, 1) += slope * v;
        G(j, 0) -= slope * u, G(j, 1) -= slope * v;
      }
    return out;
  }
  alidade::Embedding decode(const alidade::Solution& y) const {
    return {{{"", alidade::Matrix(std::get<alidade::Point>(y).block(0))}}};
  }

 private:
  std::shared_ptr<const alidade::Domain> domain_;
};

int main() {
  const alidade::Problem problem = alidade::make_problem<alidade::SmoothFace>("electrons", Electrons(5));
  for (const std::string& fault : alidade::faults_of(problem)) fmt::print("fault: {}\n", fault);
  const alidade::Solved found = alidade::solve(problem, "ceres", {.options = {{"max_iter", 200}}, .seed = 3});
  fmt::print("energy {:.6f} (a regular pentagon has 6.881910), {}\n", found.summary.objective,
             to_string(found.summary.termination));
}
// [example]
