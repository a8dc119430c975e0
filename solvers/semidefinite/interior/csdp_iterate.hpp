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

/// The solution x of a program of equalities with X and Z moved inside the cone: by `shift` times their mean
/// eigenvalue, or more if that is not enough. O(n^3) a block.
/// @pre x has X, y and Z of the program's sizes, all finite
/// @return false if a block cannot be moved inside; discard `out` then
[[nodiscard]] bool start_warm(const SemidefiniteProgram& program, const SemidefiniteSolution& x, double shift,
                              Iterate& out);

/// The iterate as a solution of the equality form.
[[nodiscard]] SemidefiniteSolution solution_of(const SemidefiniteProgram& program, const Iterate& iterate);

/// Number of rows of X in all blocks.
[[nodiscard]] Index dimension(const SemidefiniteProgram& program);

/// Rows of the Schur matrix of a program of so many rows, as CSDP stores it: an odd number.
[[nodiscard]] std::size_t schur_order(std::size_t rows);

}  // namespace alidade::csdp
