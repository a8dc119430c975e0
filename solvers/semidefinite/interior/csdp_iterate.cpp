#include "solvers/semidefinite/interior/csdp_iterate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"

namespace alidade::csdp {
namespace {

void add_identity(BlockNumbers& matrix, const SemidefiniteProgram& program, std::size_t b, double scale) {
  const SemidefiniteBlock& block = program.blocks[b];
  for (Index i = 0; i < block.size; ++i)
    matrix.block(b)[block.diagonal ? subscript(i) + 1 : subscript(i + i * block.size)] += scale;
}

/// X or Z, moved into the interior. False if it has numbers that are not finite.
bool put_inside(const SemidefiniteProgram& program, const std::vector<Matrix>& from, double shift, BlockNumbers& to) {
  double trace = 0;
  for (std::size_t b = 0; b < from.size(); ++b) {
    if (!from[b].allFinite()) return false;
    trace += program.blocks[b].diagonal ? from[b].sum() : from[b].trace();
  }
  const double mean = trace / static_cast<double>(dimension(program));
  const double base = shift * (mean > 0 ? mean : 1);
  for (std::size_t b = 0; b < from.size(); ++b) {
    const Index n = program.blocks[b].size;
    double* const block = to.block(b);
    if (program.blocks[b].diagonal) {
      for (Index i = 0; i < n; ++i) block[subscript(i) + 1] = std::max(0.0, from[b](i, 0)) + base;
      continue;
    }
    Eigen::MatrixXd symmetric = 0.5 * (from[b] + from[b].transpose());
    symmetric.diagonal().array() += base;
    if (!Cholesky(symmetric).positive()) {
      const double least = SymmetricEigen(symmetric, false).eigenvalues()[0];
      symmetric.diagonal().array() += base + std::max(0.0, -least) * 1.01;
      if (!Cholesky(symmetric).positive()) return false;
    }
    std::copy_n(symmetric.data(), n * n, block);
  }
  return true;
}

std::vector<Matrix> matrices_of(const SemidefiniteProgram& program, const BlockNumbers& from) {
  std::vector<Matrix> out;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    const Index n = program.blocks[b].size;
    const double* const values = from.block(b);
    if (program.blocks[b].diagonal) {
      out.push_back(Eigen::Map<const Vector>(values + 1, n));
    } else if (from.storage() == Storage::full) {
      const Eigen::Map<const Matrix> block(values, n, n);
      out.push_back(0.5 * (block + block.transpose()));
    } else {
      Matrix block(n, n);
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i <= j; ++i) block(i, j) = block(j, i) = values[subscript(i + j * (j + 1) / 2)];
      out.push_back(std::move(block));
    }
  }
  return out;
}

}  // namespace

BlockNumbers::BlockNumbers(const std::vector<SemidefiniteBlock>& blocks, Storage storage) : storage_(storage) {
  constexpr std::size_t kLine = 8;
  std::size_t size = 0;
  for (const SemidefiniteBlock& block : blocks) {
    begins_.push_back(size);
    const auto n = subscript(block.size);
    const bool packed = storage == Storage::packed;
    size += ((block.diagonal ? n + 1 : packed ? n * (n + 1) / 2 : n * n) + kLine - 1) / kLine * kLine;
  }
  numbers_.assign(size, 0.0);
}

void start_cold(const SemidefiniteProgram& program, Iterate& out) {
  const auto n = static_cast<double>(dimension(program));
  double alpha = 0, largest = norm_of(program.cost);
  for (const auto& row : program.constraints) {
    const double norm = norm_of(row.entries);
    alpha = std::max(alpha, (1 + std::abs(row.bound)) / (1 + norm));
    largest = std::max(largest, norm);
  }
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    add_identity(out.x, program, b, 10 * n * alpha);
    add_identity(out.z, program, b, 10 * (1 + largest) / std::sqrt(n));
  }
}

bool start_warm(const SemidefiniteProgram& program, const SemidefiniteSolution& x, double shift, Iterate& out) {
  if (!put_inside(program, dense_blocks(program, x.blocks), shift, out.x) ||
      !put_inside(program, x.dual_blocks, shift, out.z))
    return false;
  for (Index r = 0; r < x.multipliers.size(); ++r) out.y[subscript(r) + 1] = -x.multipliers[r];
  return true;
}

SemidefiniteSolution solution_of(const SemidefiniteProgram& program, const Iterate& iterate) {
  SemidefiniteSolution out;
  for (Matrix& block : matrices_of(program, iterate.x)) out.blocks.push_back({false, std::move(block)});
  out.dual_blocks = matrices_of(program, iterate.z);
  const auto rows = static_cast<Index>(program.constraints.size());
  out.multipliers.resize(rows);
  for (Index r = 0; r < rows; ++r)
    out.multipliers[r] = iterate.y[subscript(r) + 1] == 0 ? 0 : -iterate.y[subscript(r) + 1];
  return out;
}

Index dimension(const SemidefiniteProgram& program) {
  Index out = 0;
  for (const auto& block : program.blocks) out += block.size;
  return out;
}

std::size_t schur_order(std::size_t rows) { return rows % 2 == 0 ? rows + 1 : rows; }

}  // namespace alidade::csdp
