#include "problems/contract/sdp_problem.hpp"

#include <cmath>

#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/random.hpp"

namespace alidade {

SdpProblem::SdpProblem(SemidefiniteProgram program) {
  require_valid(program, true);
  program_ = std::make_shared<const SemidefiniteProgram>(std::move(program));
}

Solution SdpProblem::start(Rng&) const {
  constexpr Index kMostDense = 2000;
  SemidefiniteSolution out;
  for (const SemidefiniteBlock& block : program_->blocks) {
    const bool dense = !block.diagonal && block.size <= kMostDense;
    out.blocks.push_back({!block.diagonal && !dense, dense ? Matrix(Matrix::Identity(block.size, block.size))
                                                           : Matrix(Matrix::Ones(block.size, 1))});
  }
  return out;
}

double SdpProblem::objective(const Solution& x, Evaluation&) const {
  const auto& blocks = std::get<SemidefiniteSolution>(x).blocks;
  if (blocks.size() == 1 && blocks.front().factored && !program_->blocks.front().diagonal &&
      program_->blocks.size() == 1 && blocks.front().values.rows() == program_->blocks.front().size)
    return inner_product(program_->cost, blocks);  // without the dense matrix
  return inner_product(program_->cost, dense_blocks(*program_, blocks));
}

Embedding SdpProblem::decode(const Solution& x) const {
  constexpr double kNegligible = 1e-9;
  const std::vector<Matrix> blocks = dense_blocks(*program_, std::get<SemidefiniteSolution>(x).blocks);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (program_->blocks[b].diagonal) continue;
    const SymmetricEigen eigen{Eigen::MatrixXd(blocks[b])};
    const Index n = blocks[b].rows();
    const double largest = eigen.eigenvalues()[n - 1];
    Index count = 0;
    while (count < n && eigen.eigenvalues()[n - 1 - count] > kNegligible * largest) ++count;
    Matrix out(n, count);
    for (Index c = 0; c < count; ++c)
      out.col(c) = eigen.eigenvectors().col(n - 1 - c) * std::sqrt(eigen.eigenvalues()[n - 1 - c]);
    return {{{"", out}}};
  }
  return {{{"", Matrix(0, 0)}}};
}

}  // namespace alidade
