// An iterate of CSDP: X, y and Z of a program in equality form, laid out as CSDP reads them, and the two starts.
// Blocks are columns of doubles, or the upper triangle alone. Diagonal blocks and y begin at 1, as they do in CSDP.
// y has CSDP's sign: minus the multipliers of SemidefiniteSolution.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "problems/programs/semidefinite_program.hpp"
#include "problems/programs/solution.hpp"

namespace alidade::csdp {

/// Memory aligned to cache lines: the order of BLAS's sums depends on where their vectors begin.
template <class T>
struct CacheLines {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  CacheLines() = default;
  template <class U>
  explicit CacheLines(const CacheLines<U>&) {}
  [[nodiscard]] T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
  friend bool operator==(const CacheLines&, const CacheLines&) { return true; }
};
using Numbers = std::vector<double, CacheLines<double>>;

enum class Storage { full, packed };  // packed: the upper triangle, column by column

/// The numbers of a block matrix, initially 0: one block after another, each from the beginning of a cache line.
class BlockNumbers {
 public:
  BlockNumbers(const std::vector<SemidefiniteBlock>& blocks, Storage storage);

  [[nodiscard]] Storage storage() const { return storage_; }
  [[nodiscard]] double* block(std::size_t b) { return numbers_.data() + begins_[b]; }
  [[nodiscard]] const double* block(std::size_t b) const { return numbers_.data() + begins_[b]; }
  [[nodiscard]] Numbers& all() { return numbers_; }

 private:
  Storage storage_;
  std::vector<std::size_t> begins_;
  Numbers numbers_;
};

struct Iterate {
  explicit Iterate(const SemidefiniteProgram& program, Storage storage = Storage::full)
      : x(program.blocks, storage), y(program.constraints.size() + 1, 0.0), z(program.blocks, storage) {}
  BlockNumbers x;
  Numbers y;
  BlockNumbers z;
};

/// X = 10 a I, y = 0, Z = 10 c I with a = N max (1 + |b_r|) / (1 + |A_r|) and c = (1 + max(|A_r|, |C|)) / sqrt(N) for N
/// rows of X in all: large against any solution of a program of sane scale (Borchers 1999, section 2).
/// @pre `out` is 0 and of storage `full`
void start_cold(const SemidefiniteProgram& program, Iterate& out);

/// The solution x of `original`, whose equality form is `form`, with X and Z moved inside the cone: by `shift` times
/// their mean eigenvalue, or more if that is not enough. O(n^3) a block.
/// @pre x has X, y and Z of the program's sizes, all finite
/// @return false if a block cannot be moved inside; discard `out` then
[[nodiscard]] bool start_warm(const EqualityForm& form, const SemidefiniteProgram& original,
                              const SemidefiniteSolution& x, double shift, Iterate& out);

/// The iterate as a solution of the equality form.
[[nodiscard]] SemidefiniteSolution solution_of(const SemidefiniteProgram& program, const Iterate& iterate);

/// A program of extreme scale as CSDP gets it: its tests for infeasibility are not scale-free, and it calls a program
/// with a cost of norm 1e10 unbounded, whatever its constraints. Powers of two change no bit of a fraction.
/// Row r is multiplied by row(r) and the cost by cost(); then y_r = row(r) / cost() times that of the scaled program,
/// Z is 1 / cost() times its, and X is the same. All are 1 unless a norm is below 1e-6 or above 1e7, or `always`.
class Scaling {
 public:
  explicit Scaling(const SemidefiniteProgram& program, bool always = false);

  [[nodiscard]] bool any() const { return !rows_.empty(); }
  [[nodiscard]] double cost() const { return cost_; }
  /// @pre any()
  [[nodiscard]] SemidefiniteProgram scaled(SemidefiniteProgram program) const;
  /// y and Z of the program to those of the scaled one.
  void scale(Iterate& iterate) const;
  /// Back: multipliers and dual blocks.
  [[nodiscard]] SemidefiniteSolution unscaled(SemidefiniteSolution x) const;
  void unscale(Vector& multipliers) const;

 private:
  std::vector<double> rows_;  // empty: nothing is scaled
  double cost_ = 1;
};

/// Number of rows of X in all blocks.
[[nodiscard]] Index dimension(const SemidefiniteProgram& program);

/// Rows of the Schur matrix of a program of so many rows, as CSDP stores it: an odd number.
[[nodiscard]] std::size_t schur_order(std::size_t rows);

}  // namespace alidade::csdp
