#include "solvers/semidefinite/csdp.hpp"

#include <algorithm>
#include <cmath>

#include "problems/core/error.hpp"
#include "problems/core/symmetric_eigen.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/programs/semidefinite_program.hpp"
#include "solvers/contract/recorder.hpp"

#ifdef ALIDADE_HAS_CSDP
#include <csdp/blockmat.h>
#include <csdp/declarations.h>

#include <Eigen/Cholesky>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <tuple>
#include <utility>

#include "solvers/semidefinite/blas.hpp"
#include "solvers/semidefinite/forked_call.hpp"
#endif

namespace alidade {
namespace {

double square(double a) { return a * a; }

/// Rows of the Schur matrix as CSDP stores it: an odd number.
double schur_order(double rows) { return std::fmod(rows, 2) == 0 ? rows + 1 : rows; }

}  // namespace

const OptionList<CsdpOptions>& CsdpOptions::list() {
  static const OptionList<CsdpOptions> kList = [] {
    OptionList<CsdpOptions> out;
    out.real("tolerance", &CsdpOptions::tolerance, between(1e-14, 1e-2),
             "relative infeasibility and relative gap at convergence; values below 1e-8 often "
             "give less accuracy, not more")
        .integer("max_iter", &CsdpOptions::max_iter, at_least(1), "largest number of interior point iterations")
        .real("memory_gb", &CsdpOptions::memory_gb, above(0),
              "memory limit: programs that need more are refused. They need 8 m^2 bytes for m "
              "constraints, and about 150 n^2 for blocks of n rows")
        .flag("warm_start", &CsdpOptions::warm_start, "start from X, y and Z if the start has all three")
        .real("warm_shift", &CsdpOptions::warm_shift, above(0),
              "multiple of the mean eigenvalue added to X and Z of a warm start")
        .integer("blas_threads", &CsdpOptions::blas_threads, at_least(1),
                 "threads of OpenBLAS; more than 1 may change the last digits from run to run");
    return out;
  }();
  return kList;
}

Csdp::Csdp(const CsdpOptions& options) : options_(options) {}

Table Csdp::resolved_options() const { return CsdpOptions::list().resolve(options_); }

double Csdp::predicted_bytes(const SemidefiniteProgram& program) {
  constexpr double kWord = 8, kFull = 9, kPacked = 4,
                   kOwn = 11;  // block matrices: CSDP's, and X, Z, their checks and what processes share
  constexpr double kLanczos = 31, kVectors = 10, kPlace = 16;
  double squares = 0, total = 0;
  const auto rows = static_cast<double>(program.constraints.size());
  double entries = static_cast<double>(program.cost.size()), slacks = 0;
  for (const auto& block : program.blocks) {
    const auto n = static_cast<double>(block.size);
    squares += block.diagonal ? n : square(n);
    total += n;
  }
  for (const auto& row : program.constraints) {
    entries += static_cast<double>(row.entries.size());
    slacks += row.relation == Relation::equal ? 0 : 1;
  }
  squares += slacks;
  total += slacks;
  entries += slacks;
  return kWord * square(schur_order(rows)) + kWord * squares * (kFull + kPacked / 2 + kOwn) +
         kPlace * squares +  // the places of the fill
         kWord * total * kLanczos + kWord * kVectors * std::max(rows, total) + 3 * kPlace * entries + 96 * entries;
}

#ifndef ALIDADE_HAS_CSDP

Summary Csdp::solve(const Problem&, Solution&, SolveContext&) const {
  throw ConfigError(
      "Solver 'csdp' needs CSDP, which this build lacks. Install libsdp-dev "
      "(third_party/install.sh does this), then configure and build again.");
}

#else

namespace {

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

// ---- the program as CSDP reads it -------------------------------------------------------------------

enum class Storage { full, packed };

/// A block matrix in CSDP's layout: blocks from 1, columns of doubles, diagonal blocks from 1 too.
class BlockMatrix {
 public:
  BlockMatrix(const std::vector<SemidefiniteBlock>& blocks, Storage storage)
      : values_(blocks.size()), records_(blocks.size() + 1) {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const auto n = at(blocks[b].size);
      blockrec& record = records_[b + 1];
      record.blocksize = static_cast<int>(n);
      if (blocks[b].diagonal) {
        values_[b].assign(n + 1, 0.0);
        record.blockcategory = DIAG;
        record.data.vec = values_[b].data();
      } else {
        values_[b].assign(storage == Storage::packed ? n * (n + 1) / 2 : n * n, 0.0);
        record.blockcategory = storage == Storage::packed ? PACKEDMATRIX : MATRIX;
        record.data.mat = values_[b].data();
      }
    }
    view_.nblocks = static_cast<int>(blocks.size());
    view_.blocks = records_.data();
  }
  BlockMatrix(const BlockMatrix&) = delete;
  BlockMatrix& operator=(const BlockMatrix&) = delete;

  [[nodiscard]] blockmatrix view() const { return view_; }
  [[nodiscard]] Numbers& block(std::size_t b) { return values_[b]; }
  [[nodiscard]] const Numbers& block(std::size_t b) const { return values_[b]; }
  [[nodiscard]] std::size_t block_count() const { return values_.size(); }

 private:
  std::vector<Numbers> values_;
  std::vector<blockrec> records_;
  blockmatrix view_{};
};

void add_to(BlockMatrix& matrix, const SemidefiniteProgram& program, const SymmetricEntry& e, double value) {
  Numbers& block = matrix.block(at(e.block));
  const SemidefiniteBlock& shape = program.blocks[at(e.block)];
  if (shape.diagonal) {
    block[at(e.row) + 1] += value;
    return;
  }
  block[at(e.row + e.col * shape.size)] += value;
  if (e.row != e.col) block[at(e.col + e.row * shape.size)] += value;  // the same bits on both sides
}

/// One block of one row, or of the fill.
struct SparsePart {
  Numbers values;  // from 1, like the others
  std::vector<int> rows, cols;
  sparseblock record{};

  explicit SparsePart(std::size_t count = 0) : values(1), rows(1), cols(1) {
    values.reserve(count + 1);
    rows.reserve(count + 1);
    cols.reserve(count + 1);
  }
  void add(Index row, Index col, double value) {
    values.push_back(value);
    rows.push_back(static_cast<int>(row) + 1);
    cols.push_back(static_cast<int>(col) + 1);
  }
  void close(std::size_t block, const SemidefiniteBlock& shape, std::size_t row) {
    record.entries = values.data();
    record.iindices = rows.data();
    record.jindices = cols.data();
    record.numentries = static_cast<int>(values.size()) - 1;
    record.blocknum = static_cast<int>(block) + 1;
    record.blocksize = static_cast<int>(shape.size);
    record.constraintnum = static_cast<int>(row) + 1;
    record.issparse = 1;
  }
};

/// The equality form of a program, with everything that CSDP's solver needs.
class CsdpProgram {
 public:
  explicit CsdpProgram(const SemidefiniteProgram& program) : program_(program), cost_(program.blocks, Storage::full) {
    for (const SymmetricEntry& e : program.cost) add_to(cost_, program, e, -e.value);  // CSDP maximises
    const std::size_t m = program.constraints.size();
    bounds_.assign(m + 1, 0.0);
    rows_.resize(m + 1);
    parts_.resize(m);
    heads_.assign(program.blocks.size() + 1, nullptr);
    std::vector<sparseblock*> tails(program.blocks.size() + 1, nullptr);
    for (std::size_t r = 0; r < m; ++r) {
      bounds_[r + 1] = program.constraints[r].bound;
      make_row(r, tails);
    }
    make_fill();
  }
  CsdpProgram(const CsdpProgram&) = delete;
  CsdpProgram& operator=(const CsdpProgram&) = delete;

  [[nodiscard]] blockmatrix cost() const { return cost_.view(); }
  [[nodiscard]] double* bounds() { return bounds_.data(); }
  [[nodiscard]] constraintmatrix* rows() { return rows_.data(); }
  [[nodiscard]] sparseblock** by_block() { return heads_.data(); }
  [[nodiscard]] constraintmatrix fill() {
    constraintmatrix out{};
    out.blocks = &fill_.front().record;
    return out;
  }

 private:
  /// The nonzero entries of row r, linked: blocks by number, entries by row and column.
  void make_row(std::size_t r, std::vector<sparseblock*>& tails) {
    std::vector<SymmetricEntry> entries = program_.constraints[r].entries;
    std::erase_if(entries, [](const SymmetricEntry& e) { return e.value == 0; });
    std::ranges::sort(entries, {}, [](const SymmetricEntry& e) { return std::tuple(e.block, e.row, e.col); });
    std::vector<SparsePart>& parts = parts_[r];
    for (std::size_t first = 0; first < entries.size();) {
      std::size_t last = first;
      while (last < entries.size() && entries[last].block == entries[first].block) ++last;
      SparsePart& part = parts.emplace_back(last - first);
      for (std::size_t i = first; i < last; ++i) part.add(entries[i].row, entries[i].col, entries[i].value);
      const std::size_t b = at(entries[first].block);
      const SemidefiniteBlock& shape = program_.blocks[b];
      part.close(b, shape, r);
      // CSDP multiplies by dense parts as matrices; the bound compares m pairs of entries with three products.
      const double count = part.record.numentries, n = static_cast<double>(shape.size);
      const double m = static_cast<double>(program_.constraints.size());
      if (!shape.diagonal && count > 5 && m * square(count) > 0.125 * n * square(n)) part.record.issparse = 0;
      first = last;
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {  // their addresses no longer change
      sparseblock& record = parts[p].record;
      record.next = p + 1 < parts.size() ? &parts[p + 1].record : nullptr;
      record.nextbyblock = nullptr;
      sparseblock*& tail = tails[at(record.blocknum)];
      (tail ? tail->nextbyblock : heads_[at(record.blocknum)]) = &record;
      tail = &record;
    }
    rows_[r + 1].blocks = parts.empty() ? nullptr : &parts.front().record;
  }

  /// All places of X that the cost, a row or the diagonal uses, on both sides.
  void make_fill() {
    fill_.resize(program_.blocks.size());
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
      const SemidefiniteBlock& shape = program_.blocks[b];
      SparsePart& part = fill_[b];
      if (shape.diagonal) {
        for (Index i = 0; i < shape.size; ++i) part.add(i, i, 1);
      } else {
        std::vector<char> named(at(shape.size * shape.size), 0);
        const auto name = [&](Index i, Index j) { named[at(i * shape.size + j)] = named[at(j * shape.size + i)] = 1; };
        for (Index i = 0; i < shape.size; ++i) name(i, i);
        for (const SymmetricEntry& e : program_.cost)
          if (at(e.block) == b && e.value != 0) name(e.row, e.col);
        for (const sparseblock* p = heads_[b + 1]; p; p = p->nextbyblock)
          for (int k = 1; k <= p->numentries; ++k) name(p->iindices[k] - 1, p->jindices[k] - 1);
        for (Index i = 0; i < shape.size; ++i)
          for (Index j = 0; j < shape.size; ++j)
            if (named[at(i * shape.size + j)]) part.add(i, j, 1);
      }
      part.close(b, shape, 0);
    }
    for (std::size_t b = 0; b + 1 < fill_.size(); ++b) fill_[b].record.next = &fill_[b + 1].record;
  }

  const SemidefiniteProgram& program_;
  BlockMatrix cost_;
  Numbers bounds_;
  std::vector<constraintmatrix> rows_;
  std::vector<std::vector<SparsePart>> parts_;
  std::vector<sparseblock*> heads_;  // per block, its parts in the order of the rows
  std::vector<SparsePart> fill_;
};

// ---- starts ------------------------------------------------------------------------------------------

/// X, y, Z of the equality form, with CSDP's sign of y.
struct Iterate {
  explicit Iterate(const SemidefiniteProgram& program, Storage storage = Storage::full)
      : x(program.blocks, storage), y(program.constraints.size() + 1, 0.0), z(program.blocks, storage) {}
  BlockMatrix x;
  Numbers y;
  BlockMatrix z;
};

double frobenius(const std::vector<SymmetricEntry>& a) {
  double sum = 0;
  for (const auto& e : a) sum += (e.row == e.col ? 1 : 2) * square(e.value);
  return std::sqrt(sum);
}

Index dimension(const SemidefiniteProgram& program) {
  Index out = 0;
  for (const auto& block : program.blocks) out += block.size;
  return out;
}

void add_identity(BlockMatrix& matrix, const SemidefiniteProgram& program, std::size_t b, double scale) {
  const SemidefiniteBlock& block = program.blocks[b];
  for (Index i = 0; i < block.size; ++i) matrix.block(b)[block.diagonal ? at(i) + 1 : at(i + i * block.size)] += scale;
}

/// X = 10 a I, y = 0, Z = 10 c I with a = N max (1 + |b_r|) / (1 + |A_r|) and c = (1 + max(|A_r|, |C|)) / sqrt(N) for N
/// rows of X in all: large against any solution of a program of sane scale (Borchers 1999, section 2).
void start_cold(const SemidefiniteProgram& program, Iterate& out) {
  const auto n = static_cast<double>(dimension(program));
  double alpha = 0, largest = frobenius(program.cost);
  for (const auto& row : program.constraints) {
    const double norm = frobenius(row.entries);
    alpha = std::max(alpha, (1 + std::abs(row.bound)) / (1 + norm));
    largest = std::max(largest, norm);
  }
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    add_identity(out.x, program, b, 10 * n * alpha);
    add_identity(out.z, program, b, 10 * (1 + largest) / std::sqrt(n));
  }
}

/// X or Z, moved into the interior. False if it has numbers that are not finite.
bool put_inside(const SemidefiniteProgram& program, const std::vector<Matrix>& from, double shift, BlockMatrix& to) {
  double trace = 0;
  for (std::size_t b = 0; b < from.size(); ++b) {
    if (!from[b].allFinite()) return false;
    trace += program.blocks[b].diagonal ? from[b].sum() : from[b].trace();
  }
  const double mean = trace / static_cast<double>(dimension(program));
  const double base = shift * (mean > 0 ? mean : 1);
  for (std::size_t b = 0; b < from.size(); ++b) {
    const Index n = program.blocks[b].size;
    Numbers& block = to.block(b);
    if (program.blocks[b].diagonal) {
      for (Index i = 0; i < n; ++i) block[at(i) + 1] = std::max(0.0, from[b](i, 0)) + base;
      continue;
    }
    Eigen::MatrixXd symmetric = 0.5 * (from[b] + from[b].transpose());
    symmetric.diagonal().array() += base;
    if (Eigen::LLT<Eigen::MatrixXd>(symmetric).info() != Eigen::Success) {
      const double least = SymmetricEigen(symmetric, false).eigenvalues()[0];
      symmetric.diagonal().array() += base + std::max(0.0, -least) * 1.01;
      if (Eigen::LLT<Eigen::MatrixXd>(symmetric).info() != Eigen::Success) return false;
    }
    std::copy_n(symmetric.data(), n * n, block.data());
  }
  return true;
}

/// False if x lacks a part or has other sizes than the program; discard `out` then.
bool start_warm(const EqualityForm& form, const SemidefiniteProgram& original, const SemidefiniteSolution& x,
                double shift, Iterate& out) {
  const auto rows = static_cast<Index>(original.constraints.size());
  if (x.blocks.size() != original.blocks.size() || x.multipliers.size() != rows ||
      x.dual_blocks.size() != original.blocks.size() || !x.multipliers.allFinite())
    return false;
  for (std::size_t b = 0; b < original.blocks.size(); ++b) {
    const Index n = original.blocks[b].size, cols = original.blocks[b].diagonal ? 1 : n;
    const auto& block = x.blocks[b];
    if (block.values.rows() != n || (!block.factored && block.values.cols() != cols)) return false;
    if (x.dual_blocks[b].rows() != n || x.dual_blocks[b].cols() != cols) return false;
  }
  const SemidefiniteSolution full = with_slacks(form, original, x);
  if (!put_inside(form.program, dense_blocks(form.program, full.blocks), shift, out.x) ||
      !put_inside(form.program, full.dual_blocks, shift, out.z))
    return false;
  for (Index r = 0; r < rows; ++r) out.y[at(r) + 1] = -full.multipliers[r];
  return true;
}

// ---- the solve ---------------------------------------------------------------------------------------

std::vector<Matrix> matrices_of(const SemidefiniteProgram& program, const BlockMatrix& from, Storage storage) {
  std::vector<Matrix> out;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    const Index n = program.blocks[b].size;
    const Numbers& values = from.block(b);
    if (program.blocks[b].diagonal) {
      out.push_back(Eigen::Map<const Vector>(values.data() + 1, n));
    } else if (storage == Storage::full) {
      const Eigen::Map<const Matrix> block(values.data(), n, n);
      out.push_back(0.5 * (block + block.transpose()));
    } else {
      Matrix block(n, n);
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i <= j; ++i) block(i, j) = block(j, i) = values[at(i + j * (j + 1) / 2)];
      out.push_back(std::move(block));
    }
  }
  return out;
}

/// The iterate as a solution of the equality form.
SemidefiniteSolution solution_of(const SemidefiniteProgram& program, const BlockMatrix& x, const double* y,
                                 const BlockMatrix& z, Storage storage) {
  SemidefiniteSolution out;
  for (Matrix& block : matrices_of(program, x, storage)) out.blocks.push_back({false, std::move(block)});
  out.dual_blocks = matrices_of(program, z, storage);
  const auto rows = static_cast<Index>(program.constraints.size());
  out.multipliers.resize(rows);
  for (Index r = 0; r < rows; ++r) out.multipliers[r] = y[r + 1] == 0 ? 0 : -y[r + 1];
  return out;
}

/// Where the forked process that runs CSDP leaves an iterate for the waiting process. The state of CSDP's step comes
/// first, then the numbers of the blocks.
class SharedIterate {
 public:
  SharedIterate(const Iterate& iterate, const Iterate& best) : memory_(kHead + size_of(iterate) + size_of(best)) {}
  void write(Iterate& iterate, Iterate& best) {
    double* to = memory_.numbers().data() + kHead;
    for_each_number(iterate, best, [&](Numbers& part) { to = std::ranges::copy(part, to).out; });
  }
  void read(Iterate& iterate, Iterate& best) const {
    const double* from = memory_.numbers().data() + kHead;
    for_each_number(iterate, best, [&](Numbers& part) {
      std::copy_n(from, part.size(), part.begin());
      from += part.size();
    });
  }
  [[nodiscard]] double& calls() const { return memory_.numbers()[0]; }
  [[nodiscard]] double& primal() const { return memory_.numbers()[1]; }
  [[nodiscard]] double& dual() const { return memory_.numbers()[2]; }

 private:
  static constexpr std::size_t kHead = 3;
  static std::size_t size_of(const Iterate& of) {
    std::size_t out = of.y.size();
    for (const BlockMatrix* matrix : {&of.x, &of.z})
      for (std::size_t b = 0; b < matrix->block_count(); ++b) out += matrix->block(b).size();
    return out;
  }
  template <class Use>
  static void for_each_number(Iterate& iterate, Iterate& best, const Use& use) {
    for (Iterate* one : {&iterate, &best}) {
      use(one->y);
      for (BlockMatrix* matrix : {&one->x, &one->z})
        for (std::size_t b = 0; b < matrix->block_count(); ++b) use(matrix->block(b));
    }
  }
  SharedNumbers memory_;
};

/// The state of the solve that CSDP's callback sees on its thread.
struct Watch {
  SolveContext& context;
  Recorder& recorder;
  Counts& counts;
  double scale = 1;
  std::function<Solution()> shown{};
  const blockrec* iterate = nullptr;  // tells CSDP's iterate from its trial points
  bool at_start = true;
  std::vector<Vector> multipliers{};  // y of every iteration, with Alidade's sign
  std::optional<Termination> interrupted{};
  std::exception_ptr thrown{};
  std::function<bool(double primal, double dual)> leave{};  // set only in a copy of the process
  double* calls = nullptr;                                  // its count of CSDP's calls
  std::string died{};                                       // how that copy ended, if not normally

  void begin(const blockmatrix& x) {
    iterate = x.blocks;
    at_start = true;
    multipliers.clear();
    died.clear();
  }
  /// Takes an iterate of CSDP, with its sign of y. Returns whether to continue.
  bool take(const double* y, Index rows, double primal, double dual) {
    multipliers.push_back(-Eigen::Map<const Vector>(y + 1, rows));
    if (!std::exchange(at_start, false)) {
      recorder.record(++counts.iterations, -scale * primal, shown);
      context.log.debug("csdp iteration {}: <C, X> {}, b'y {}", counts.iterations, -primal, -dual);
    }
    interrupted = context.interrupted();
    return !interrupted;
  }
};
thread_local Watch* watch = nullptr;  // set only under the mutex

/// CSDP's work arrays are static variables: one solve at a time.
std::mutex csdp_mutex;

/// Waits for the mutex, but not beyond the deadline or a request to stop.
std::optional<Termination> wait_for(std::unique_lock<std::mutex>& lock, const SolveContext& context) {
  constexpr std::chrono::milliseconds kPause(1);
  for (;;) {
    if (const auto interrupted = context.interrupted()) return interrupted;
    if (lock.try_lock()) return std::nullopt;
    std::this_thread::sleep_for(kPause);
  }
}

struct Ended {
  int code = 0;
  SemidefiniteSolution last;  // of the equality form
  SemidefiniteSolution best;  // CSDP's best; set only if it was stopped
};

/// @pre the lock is held and the program valid, so that CSDP never reaches its exit(). Returns its code.
int call_csdp(const SemidefiniteProgram& program, Iterate& iterate, Iterate& best, const CsdpOptions& options,
              Watch& seen) {
  const BlasThreads blas(options.blas_threads);
  CsdpProgram data(program);
  const std::size_t m = program.constraints.size();
  const std::size_t longest = std::max(at(dimension(program)), m) + 1;
  const auto matrix = [&](Storage storage) { return BlockMatrix(program.blocks, storage); };
  const BlockMatrix work1 = matrix(Storage::full), work2 = matrix(Storage::full), work3 = matrix(Storage::full),
                    inverse = matrix(Storage::full), step_z = matrix(Storage::full), step_x = matrix(Storage::full),
                    factor_x = matrix(Storage::packed), factor_z = matrix(Storage::packed);
  std::vector<Numbers> v(14, Numbers(longest, 0.0));
  const auto order = static_cast<std::size_t>(schur_order(static_cast<double>(m)));
  Numbers schur(order * order, 0.0);

  paramstruc parameters{};
  parameters.axtol = parameters.atytol = parameters.objtol = options.tolerance;
  parameters.pinftol = parameters.dinftol = 1e8;
  parameters.maxiter = static_cast<int>(std::min<Index>(options.max_iter, 1'000'000));
  parameters.minstepfrac = 0.90;
  parameters.maxstepfrac = 0.97;
  parameters.minstepp = parameters.minstepd = 1e-8;
  parameters.usexzgap = 1;
  parameters.tweakgap = 0;
  parameters.affine = 0;
  parameters.perturbobj = 1;
  parameters.fastmode = 0;

  double primal = 0, dual = 0;
  watch = &seen;
  const int code =
      sdp(static_cast<int>(dimension(program)), static_cast<int>(m), data.cost(), data.bounds(), 0.0, data.rows(),
          data.by_block(), data.fill(), iterate.x.view(), iterate.y.data(), iterate.z.view(), factor_x.view(),
          factor_z.view(), &primal, &dual, work1.view(), work2.view(), work3.view(), v[0].data(), v[1].data(),
          v[2].data(), v[3].data(), v[4].data(), v[5].data(), v[6].data(), v[7].data(), v[8].data(), best.x.view(),
          best.y.data(), best.z.view(), inverse.view(), schur.data(), v[9].data(), step_z.view(), step_x.view(),
          v[10].data(), v[11].data(), v[12].data(),
          /*printlevel=*/0, parameters);
  watch = nullptr;
  if (seen.thrown) std::rethrow_exception(seen.thrown);
  return code;
}

constexpr int kStopped = 10;  // CSDP's code
constexpr int kDied = -1;     // Alidade's

/// Rough number of operations per iteration: factors of the Schur matrix and of the blocks, and the sums that make up
/// the Schur matrix.
double step_operations(const SemidefiniteProgram& program) {
  const auto rows = static_cast<double>(program.constraints.size());
  double entries = 0, cubes = 0;
  for (const auto& row : program.constraints) entries += static_cast<double>(row.entries.size());
  for (const auto& block : program.blocks)
    if (!block.diagonal) cubes += std::pow(static_cast<double>(block.size), 3);
  return rows * rows * rows / 3 + 25 * cubes + rows * entries;
}

/// Calls CSDP, in a process of its own if a step may be too long to wait for on an interruption.
Ended run_csdp(const SemidefiniteProgram& program, Iterate& iterate, const CsdpOptions& options, Watch& seen) {
  constexpr double kLongStep = 1e9;  // operations, about a second
  Iterate best(program, Storage::packed);
  Ended out;
  std::optional<ForkedEnd> forked;
  if ((seen.context.deadline || seen.context.stop.stop_possible()) && step_operations(program) > kLongStep) {
    SharedIterate shared(iterate, best);
    forked = call_in_copy(
        seen.context,
        [&](const StepDone& step_done) {
          seen.leave = [&](double primal, double dual) {
            shared.write(iterate, best);
            shared.primal() = primal;
            shared.dual() = dual;
            return step_done();
          };
          seen.calls = &shared.calls();
          const int code = call_csdp(program, iterate, best, options, seen);
          shared.write(iterate, best);
          return code;
        },
        [&] {
          shared.read(iterate, best);
          return seen.take(iterate.y.data(), static_cast<Index>(program.constraints.size()), shared.primal(),
                           shared.dual());
        });
    if (forked) {
      seen.counts.evaluations += static_cast<Index>(shared.calls());
      if (forked->code) shared.read(iterate, best);
      if (forked->interrupted) seen.interrupted = forked->interrupted;
      seen.died = forked->failure;
      out.code = forked->code ? *forked->code : forked->interrupted ? kStopped : kDied;
    }
  }
  if (!forked) out.code = call_csdp(program, iterate, best, options, seen);
  out.last = solution_of(program, iterate.x, iterate.y.data(), iterate.z, Storage::full);
  if (out.code == kStopped) out.best = solution_of(program, best.x, best.y.data(), best.z, Storage::packed);
  return out;
}

// ---- before and after --------------------------------------------------------------------------------

/// Refuses whatever would make CSDP call exit(), use a wrong index or loop forever.
void require_solvable(const SemidefiniteProgram& program, const EqualityForm& form, const CsdpOptions& options) {
  constexpr Index kLargestOrder = 46'340;          // whose square is below 2^31
  constexpr Index kLargestDimension = 69'000'000;  // with 31 Lanczos vectors
  constexpr double kLargestNumber = 1e100,
                   kSmallestRow = 1e-100;  // CSDP treats larger numbers as failures
  const auto rows = static_cast<Index>(program.constraints.size());
  require<DataError>(rows > 0,
                     "Solver 'csdp' needs at least one constraint: without one the optimum is 0 "
                     "or minus infinity.");
  const double bytes = Csdp::predicted_bytes(program), schur = 8 * square(static_cast<double>(rows));
  require<ConfigError>(bytes <= 1e9 * options.memory_gb,
                       "Solver 'csdp' would need {:.2g} GB, {:.2g} of them for the dense Schur "
                       "matrix of {} constraints, but memory_gb is {}. Raise memory_gb, or use "
                       "fewer constraints (solver 'cutting_plane').",
                       bytes / 1e9, schur / 1e9, rows, options.memory_gb);
  require<ConfigError>(rows < kLargestOrder, "Solver 'csdp' takes up to {} constraints, but there are {}.",
                       kLargestOrder - 1, rows);
  for (const auto& block : form.program.blocks)
    require<ConfigError>(block.diagonal || block.size <= kLargestOrder,
                         "Solver 'csdp' takes blocks of up to {} rows, but block '{}' has {}.", kLargestOrder,
                         block.name, block.size);
  require<ConfigError>(dimension(form.program) <= kLargestDimension,
                       "Solver 'csdp' takes blocks of up to {} rows in total, but here they have "
                       "{}.",
                       kLargestDimension, dimension(form.program));
  require<DataError>(frobenius(program.cost) < kLargestNumber,
                     "The cost has norm {:.2g}, but solver 'csdp' needs it below {:.0g}. Scale it.",
                     frobenius(program.cost), kLargestNumber);
  for (Index r = 0; r < rows; ++r) {
    const SemidefiniteConstraint& row = program.constraints[at(r)];
    const double norm = frobenius(row.entries);
    require<DataError>(norm < kLargestNumber && norm > kSmallestRow && std::abs(row.bound) < kLargestNumber,
                       "Constraint {} has norm {:.2g} and bound {:.2g}, but solver 'csdp' needs norms between "
                       "{:.0g} and {:.0g}. Scale it.",
                       r + 1, norm, row.bound, kSmallestRow, kLargestNumber);
  }
}

bool finite(const SemidefiniteSolution& x) {
  return std::ranges::all_of(x.blocks, [](const auto& b) { return b.values.allFinite(); }) &&
         std::ranges::all_of(x.dual_blocks, [](const auto& b) { return b.allFinite(); }) && x.multipliers.allFinite();
}

/// CSDP's verdict in words ("optimal" and so on), with advice.
struct Verdict {
  Termination termination = Termination::backend_failure;
  std::string said;
};

Verdict verdict_of(int code, const CsdpOptions& options) {
  switch (code) {
    case 0: return {Termination::converged, "optimal"};
    case 3:
      return {Termination::reduced_accuracy,
              "less accurate than asked (CSDP code 3); see the gap. Scale the constraints, or set "
              "a looser tolerance"};
    case 4:
      return {Termination::max_iter, fmt::format("{} iterations were not enough. Raise max_iter", options.max_iter)};
    case 5:
      return {Termination::stalled,
              "stuck at the primal boundary (CSDP code 5); the constraints may have no interior. "
              "Set a looser tolerance"};
    case 6:
      return {Termination::stalled,
              "stuck at the dual boundary (CSDP code 6); the dual may have no interior. Bound the "
              "trace, or set a looser tolerance"};
    case 7:
      return {Termination::stalled,
              "no more progress (CSDP code 7); the program may have no interior. Set a looser "
              "tolerance"};
    case 8:
      return {Termination::stalled,
              "singular matrices (CSDP code 8); constraints may depend on each other. Leave out "
              "those that follow from others"};
    case 9: return {Termination::backend_failure, "CSDP found numbers that are not finite (code 9). Scale the program"};
    default: return {Termination::backend_failure, fmt::format("CSDP ended with the unknown code {}", code)};
  }
}

/// Evaluates the ray that CSDP returns for an infeasible program.
std::string infeasibility(int code, SemidefiniteProgram program, const SemidefiniteSolution& ray) {
  if (code == 1) {  // b'y = 1 and -sum y_r A_r = Z + error
    program.cost.clear();
    const std::vector<Matrix> exact = dual_slack(program, ray.multipliers);
    double error = 0;
    for (std::size_t b = 0; b < exact.size(); ++b) error += (exact[b] - ray.dual_blocks[b]).squaredNorm();
    return fmt::format(
        "infeasible: a combination of the constraints excludes every X of norm below {:.1g}. "
        "Loosen or leave out constraints",
        1 / std::max(std::sqrt(error), 1e-300));
  }
  double rows = 0;  // <C, X> = -1 and A(X) near 0
  std::vector<Matrix> x;
  for (const auto& block : ray.blocks) x.push_back(block.values);
  for (const auto& row : program.constraints) rows += square(inner_product(row.entries, x));
  return fmt::format(
      "unbounded, or no multipliers prove a lower bound: the objective falls by 1 along an X that "
      "changes the constraints by {:.1g}. Bound the trace",
      std::sqrt(rows));
}

/// lower_bound(y). If y is not feasible enough, the bound of a mixture with the latest iterate that is, with as little
/// of that iterate as suffices: CSDP perturbs the cost, so its last y may lack the margin of more interior iterates.
std::optional<double> proven_bound(const SemidefiniteProgram& program, const Vector& y,
                                   const std::vector<Vector>& earlier) {
  std::optional<double> out = lower_bound(program, y);
  constexpr std::size_t kTried = 12;  // iterates, from the last
  for (std::size_t back = 1; !out && back <= std::min(kTried, earlier.size()); ++back) {
    const Vector& inside = earlier[earlier.size() - back];
    if (!lower_bound(program, inside)) continue;
    const auto mixture = [&](double part) { return lower_bound(program, y + part * (inside - y)); };
    double part = 1e-8;
    while (!out && part < 1) {
      out = mixture(part);
      if (!out) part *= 10;
    }
    if (!out) return lower_bound(program, inside);
    double enough = part, too_little = part / 10;
    for (int halving = 0; halving < 4; ++halving) {
      const double middle = std::sqrt(enough * too_little);
      const auto found = mixture(middle);
      (found ? enough : too_little) = middle;
      if (found) out = std::max(out, found);
    }
  }
  return out;
}

/// An iterate and its errors; no errors if it has numbers that are not finite.
struct Measured {
  SemidefiniteSolution x;
  std::optional<SemidefiniteErrors> errors;
};

Measured measured(const SemidefiniteProgram& program, const EqualityForm& form, SemidefiniteSolution raw) {
  Measured out{without_slacks(form, std::move(raw)), {}};
  if (finite(out.x)) out.errors = errors_of(program, out.x);
  return out;
}

/// The last iterate. If CSDP was stopped, which may happen after its best iterate, the better of the two.
Measured kept_iterate(const SemidefiniteProgram& program, const EqualityForm& form, Ended ended) {
  Measured last = measured(program, form, std::move(ended.last));
  if (ended.code != kStopped) return last;
  SemidefiniteSolution best = without_slacks(form, std::move(ended.best));
  const bool any = std::ranges::any_of(best.blocks, [](const auto& block) { return !block.values.isZero(0); });
  if (!any || !finite(best)) return last;  // there may be none yet
  const SemidefiniteErrors other = errors_of(program, best);
  if (last.errors && !(other.worst() < last.errors->worst())) return last;
  return {std::move(best), other};
}

/// CSDP's verdict, corrected by the measured errors.
Verdict corrected(Verdict verdict, const std::optional<SemidefiniteErrors>& errors, double tolerance) {
  constexpr double kMeaningless = 1e-2;
  if (!errors || std::isnan(errors->worst()))
    return {Termination::backend_failure, verdict.said + "; its solution has numbers that are not finite"};
  if (verdict.termination == Termination::stalled && errors->worst() > kMeaningless)
    return {Termination::backend_failure,
            fmt::format("{}; its solution has an error of {:.1g}", verdict.said, errors->worst())};
  if (verdict.termination == Termination::converged && errors->worst() > 1e3 * tolerance)
    return {Termination::reduced_accuracy,
            fmt::format("CSDP reports convergence, but the measured error is {:.1g}. Scale the "
                        "constraints",
                        errors->worst())};
  return verdict;
}

/// One solve: CSDP from the given start, then from its own start if that fails.
class CsdpSolve {
 public:
  CsdpSolve(const CsdpOptions& options, const Problem& problem, Solution& x, SolveContext& context)
      : options_(options),
        problem_(problem),
        face_(problem.face<SemidefiniteFace>()),
        program_(checked(face_.program())),
        form_(equality_form(program_)),
        x_(x),
        context_(context),
        recorder_(context, out_.counts),
        evaluation_(context.executor) {
    require_solvable(program_, form_, options);
    require<DataError>(std::holds_alternative<SemidefiniteSolution>(x),
                       "Solver 'csdp' needs a SemidefiniteSolution to start from.");
  }

  Summary solve() {
    record_start();
    std::unique_lock lock(csdp_mutex, std::defer_lock);
    if (const auto interrupted = wait_for(lock, context_)) return not_begun(*interrupted);
    Watch seen{context_, recorder_, out_.counts, face_.scale()};
    Ended ended = run(seen);
    lock.unlock();

    if (ended.code == kDied) return finish({Termination::backend_failure, "CSDP crashed: " + seen.died});
    if (ended.code == 1 || ended.code == 2)
      return finish({Termination::infeasible, infeasibility(ended.code, form_.program, ended.last)});
    if (seen.interrupted && out_.counts.iterations == 0)  // there is only CSDP's own start
      return not_begun(*seen.interrupted);
    Verdict verdict = verdict_of(ended.code, options_);
    if (seen.interrupted)
      verdict = {*seen.interrupted,
                 fmt::format("{} at iteration {}", to_string(*seen.interrupted), out_.counts.iterations)};
    Measured found = kept_iterate(program_, form_, std::move(ended));
    verdict = corrected(std::move(verdict), found.errors, options_.tolerance);
    out_.termination = verdict.termination;
    if (!out_.usable()) return finish(std::move(verdict));
    accept(std::move(found), seen, verdict.said);
    return finish(std::move(verdict));
  }

 private:
  static const SemidefiniteProgram& checked(const SemidefiniteProgram& program) {
    require_valid(program);
    return program;
  }

  void record_start() {
    const bool given = !std::get<SemidefiniteSolution>(x_).blocks.empty();
    if (given) out_.initial_objective = problem_.objective(x_, evaluation_);
    out_.objective = out_.initial_objective;
    out_.counts.starts = 1;
    if (given)
      recorder_.record(0, out_.initial_objective, [&] { return x_; });
    else
      recorder_.record(0, out_.initial_objective, kUnknown, nullptr);
  }

  Ended run(Watch& seen) {
    std::optional<Iterate> iterate(std::in_place, form_.program);
    warm_ = options_.warm_start &&
            start_warm(form_, program_, std::get<SemidefiniteSolution>(x_), options_.warm_shift, *iterate);
    seen.shown = [&] {
      return Solution(face_.of_problem(
          without_slacks(form_, solution_of(form_.program, iterate->x, iterate->y.data(), iterate->z, Storage::full))));
    };
    Ended ended;
    for (bool ran = false; !ran || (warm_ && ended.code != 0 && !seen.interrupted); ran = true) {
      warm_ = warm_ && !ran;
      if (!warm_) {
        iterate.emplace(form_.program);
        start_cold(form_.program, *iterate);
      }
      seen.begin(iterate->x.view());
      ++out_.counts.sdp_solves;
      ended = run_csdp(form_.program, *iterate, options_, seen);
    }
    seen.shown = {};
    return ended;
  }

  /// Stores the solution and what is proven about it.
  void accept(Measured found, const Watch& seen, std::string& said) {
    said += fmt::format("; largest of the six errors {:.2g}, relative gap {:.2g}", found.errors->worst(),
                        found.errors->dimacs[4]);
    const Vector multipliers = found.x.multipliers;
    x_ = face_.of_problem(std::move(found.x));
    out_.objective = problem_.objective(x_, evaluation_);
    std::optional<double> lower, upper;
    if (const auto judged = face_.judge(std::get<SemidefiniteSolution>(x_), context_.executor)) {
      out_.violations = judged->violations;
      lower = judged->lower_bound;
      upper = judged->upper_bound;
    } else {
      out_.violations = {found.errors->violated_rows, found.errors->largest_violation, found.errors->sum_of_violations};
      lower = proven_bound(program_, multipliers, seen.multipliers);
    }
    if (lower) {
      out_.certificate = Certificate{*lower, out_.objective - *lower, upper};
      said += fmt::format("; proven lower bound {}", *lower);
    }
    if (warm_) said += "; started from the given X, y and Z";
  }

  Summary not_begun(Termination interrupted) {
    return finish({interrupted, fmt::format("{} before the first iteration", to_string(interrupted))});
  }
  Summary finish(Verdict verdict) {
    out_.termination = verdict.termination;
    out_.message = std::move(verdict.said);
    out_.best_objective = out_.objective;
    recorder_.finish(out_);
    return std::move(out_);
  }

  const CsdpOptions& options_;
  const Problem& problem_;
  const SemidefiniteFace& face_;
  const SemidefiniteProgram& program_;
  EqualityForm form_;
  Solution& x_;
  SolveContext& context_;
  Summary out_;
  Recorder recorder_;
  Evaluation evaluation_;
  bool warm_ = false;
};

}  // namespace

Summary Csdp::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  std::vector<std::string> via;
  const Problem adapted = require_fit(*this, problem, via);
  Summary out = CsdpSolve(options_, adapted, x, context).solve();
  out.via = std::move(via);
  return out;
}

#endif

SolverEntry csdp_entry() {
  return solver_entry<Csdp, CsdpOptions>(
      {.name = "csdp",
       .summary = "for semidefinite programs of a few thousand constraints: a primal-dual "
                  "interior point method (CSDP)",
       .reference = "Borchers 1999, CSDP 6.2; Helmberg, Rendl, Vanderbei & Wolkowicz 1996"});
}

}  // namespace alidade

#ifdef ALIDADE_HAS_CSDP
/// CSDP calls this once per iteration with its iterate and, near the end, again with a trial point; its own version
/// does nothing. 0: continue, 1: stop.
extern "C" int user_exit(int, int rows, blockmatrix, double*, double dual, double primal, double, constraintmatrix*,
                         blockmatrix x, double* y, blockmatrix, paramstruc) {
  using namespace alidade;
  if (!watch) return 0;
  Watch& seen = *watch;
  try {
    const bool is_iterate = x.blocks == seen.iterate;
    if (seen.leave) {  // this is the copy; the caller kills it
      ++*seen.calls;
      return !is_iterate || seen.leave(primal, dual) ? 0 : 1;
    }
    ++seen.counts.evaluations;
    if (is_iterate) return seen.take(y, rows, primal, dual) ? 0 : 1;
    seen.interrupted = seen.context.interrupted();
    return seen.interrupted ? 1 : 0;
  } catch (...) {  // must not cross CSDP's frames; rethrown after it returns
    seen.thrown = std::current_exception();
    return 1;
  }
}
#endif
