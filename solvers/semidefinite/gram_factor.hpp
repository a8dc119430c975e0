// A convex function of a Gram matrix at X = YY', as a function of the factor Y: for solvers of smooth problems, and for
// Newton steps.
// Keeps the program by reference. One evaluation at a time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "problems/contract/problem_model.hpp"
#include "problems/programs/gram_program.hpp"
#include "solvers/semidefinite/factor_function.hpp"

namespace alidade {

[[nodiscard]] inline std::span<const double> flat(const Matrix& y) {
  return {y.data(), static_cast<std::size_t>(y.size())};
}

/// A GramProgram at factors of one shape, as solvers of smooth problems see it.
class FactorProblem {
 public:
  FactorProblem(const GramProgram& program, Index columns)
      : program_(&program),
        domain_(std::make_shared<const Domain>(
            std::vector<DomainBlock>{{"factor", program.order(), columns, Euclidean{}}})) {}

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng&) const { return domain_->zero(); }
  [[nodiscard]] Embedding decode(const Solution& x) const { return {{{"", std::get<Point>(x).block(0)}}}; }
  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    return program_->value_and_gradient(x.flat(), columns(), {}, evaluation);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    return program_->value_and_gradient(x.flat(), columns(), gradient.flat(), evaluation);
  }

 private:
  [[nodiscard]] Index columns() const { return domain_->blocks().front().cols; }
  const GramProgram* program_;
  std::shared_ptr<const Domain> domain_;
};

/// The same for FactorNewton.
class GramFactor final : public FactorFunction {
 public:
  GramFactor(const GramProgram& program, Evaluation& evaluation) : program_(program), evaluation_(evaluation) {}

  double evaluate(const Matrix& u, Matrix& gradient) override {
    model_.y = u;
    known_ = false;
    gradient.resize(u.rows(), u.cols());
    return program_.value_and_gradient(flat(u), u.cols(), {gradient.data(), static_cast<std::size_t>(gradient.size())},
                                       evaluation_);
  }
  void hessian_times(const Matrix& d, Matrix& out) override { program_.hessian_times(model(), d, out); }
  /// Those of the first call, which cost as much as some dozen products.
  void add_diagonal_blocks(std::vector<double>& blocks) const override {
    if (blocks_.empty()) {
      blocks_.assign(blocks.size(), 0.0);
      program_.add_diagonal_blocks(model(), blocks_);
    }
    for (std::size_t k = 0; k < blocks.size(); ++k) blocks[k] += blocks_[k];
  }

 private:
  const GramModel& model() const {
    if (!known_) model_ = program_.model_at(Matrix(model_.y));
    known_ = true;
    return model_;
  }
  const GramProgram& program_;
  Evaluation& evaluation_;
  mutable GramModel model_;  // only y is known before the first use of the Hessian
  mutable bool known_ = false;
  mutable std::vector<double> blocks_;
};

}  // namespace alidade
