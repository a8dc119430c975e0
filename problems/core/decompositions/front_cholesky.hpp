// Whether a sparse symmetric matrix has a Cholesky factor LL'. Dense kernels do the work, and a caller can stop it.
// Only the fronts that later columns need are held; a caller may keep the factor in single precision, for solves of
// many right-hand sides at once.
// Duff & Reid 1983 (multifrontal method); Davis, "Direct Methods for Sparse Linear Systems", chapter 4; AMD ordering.
// For proofs of definiteness and for preconditioners. To solve in double precision, see counted_cholesky.hpp.
//
//     FrontCholesky plan(matrix);                        // its pattern; says what a factor costs
//     if (plan.bytes() <= 1e9) plan.factor(matrix, diagonal, [] { return false; });
#pragma once

#include <Eigen/SparseCore>
#include <functional>
#include <span>
#include <vector>

#include "problems/core/index.hpp"

namespace alidade {

class FrontCholesky {
 public:
  using Sparse = Eigen::SparseMatrix<double>;

  FrontCholesky() = default;
  /// Reads the strictly lower triangle of the pattern. Stops counting beyond `most_entries` of L: bytes() is infinite
  /// then.
  explicit FrontCholesky(const Sparse& pattern, double most_entries = 1e10);

  [[nodiscard]] double entries() const { return entries_; }         // of L
  [[nodiscard]] double bytes() const { return bytes_; }             // of the fronts held at one time
  [[nodiscard]] double operations() const { return operations_; }   // additions and multiplications
  [[nodiscard]] Index longest_row() const { return longest_row_; }  // the most entries of a row of L

  enum class Outcome { positive, not_positive, stopped };
  /// `positive` if all pivots are above 0 and all entries of L are finite. Reads the strictly lower triangle of the
  /// matrix, and `diagonal` in place of what stands on it.
  /// @pre the pattern is that of the plan, and bytes() is finite. `stop` is called some hundred times a second.
  /// `kept`: where to put L, which solve() reads; 4 bytes an entry.
  [[nodiscard]] Outcome factor(Sparse matrix, std::span<const double> diagonal, const std::function<bool()>& stop,
                               std::vector<float>* kept = nullptr) const;
  /// Row of the matrix -> row of L.
  [[nodiscard]] const std::vector<int>& place() const { return place_; }
  /// X := (LL')^-1 X in single precision. `rows`: X, n x (8 groups), one row after the other, in the order of L's rows.
  /// @pre `kept` is of a factor() that returned `positive`. O(entries groups). The same bits on every processor.
  void solve(const std::vector<float>& kept, float* rows, int groups) const;

 private:
  struct Solve;
  /// Columns of L with one pattern below them.
  struct Node {
    Index first = 0, columns = 0;  // of L
    Index parent = -1;
    std::size_t begin = 0, count = 0;  // of the rows below, in below_
  };
  [[nodiscard]] std::span<const int> below(const Node& node) const { return {below_.data() + node.begin, node.count}; }
  [[nodiscard]] static std::size_t panel_size(const Node& node);
  void make_nodes(const std::vector<Index>& parent, const std::vector<Index>& count);
  void fill_patterns(const Sparse& lower);
  /// The lower triangle in the order of L; rows of a column in any order. `diagonal`: empty for none.
  [[nodiscard]] Sparse permuted(const Sparse& matrix, std::span<const double> diagonal = {}) const;

  Index size_ = 0;
  std::vector<int> place_;   // row of the matrix -> row of L
  std::vector<Node> nodes_;  // children before parents, a subtree without gaps
  std::vector<int> below_;   // rows of L, ascending within a node
  double entries_ = 0, bytes_ = 0, operations_ = 0;
  Index longest_row_ = 0;
};

}  // namespace alidade
