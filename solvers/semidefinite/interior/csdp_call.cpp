#include "solvers/semidefinite/interior/csdp_call.hpp"

#include <csdp/blockmat.h>
#include <csdp/declarations.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <deque>
#include <exception>
#include <numeric>
#include <tuple>
#include <utility>

#include "problems/core/decompositions/blas.hpp"
#include "solvers/semidefinite/interior/forked_call.hpp"

namespace alidade::csdp {
namespace {

/// The blocks of a block matrix as CSDP is shown them: from 1.
std::vector<blockrec> records_of(const std::vector<SemidefiniteBlock>& blocks, BlockNumbers& numbers) {
  std::vector<blockrec> out(blocks.size() + 1);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    blockrec& record = out[b + 1];
    record.blocksize = static_cast<int>(blocks[b].size);
    record.blockcategory = blocks[b].diagonal ? DIAG : numbers.storage() == Storage::packed ? PACKEDMATRIX : MATRIX;
    record.data.mat = numbers.block(b);  // in a union with data.vec
  }
  return out;
}

blockmatrix matrix_of(std::vector<blockrec>& records) {
  blockmatrix out{};
  out.nblocks = static_cast<int>(records.size()) - 1;
  out.blocks = records.data();
  return out;
}

void add_to(BlockNumbers& matrix, const SemidefiniteProgram& program, const SymmetricEntry& e, double value) {
  double* const block = matrix.block(subscript(e.block));
  const SemidefiniteBlock& shape = program.blocks[subscript(e.block)];
  if (shape.diagonal) {
    block[subscript(e.row) + 1] += value;
    return;
  }
  block[subscript(e.row + e.col * shape.size)] += value;
  if (e.row != e.col) block[subscript(e.col + e.row * shape.size)] += value;  // the same bits on both sides
}

/// One block of one row, or of the fill.
struct SparsePart {
  Numbers values{0.0};  // from 1, like the others
  std::vector<int> rows{0}, cols{0};
  sparseblock record{};

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
  explicit CsdpProgram(const SemidefiniteProgram& program)
      : program_(program), cost_(program.blocks, Storage::full), shown_cost_(records_of(program.blocks, cost_)) {
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

  [[nodiscard]] blockmatrix cost() { return matrix_of(shown_cost_); }
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
      SparsePart& part = parts.emplace_back();
      for (std::size_t i = first; i < last; ++i) part.add(entries[i].row, entries[i].col, entries[i].value);
      const std::size_t b = subscript(entries[first].block);
      const SemidefiniteBlock& shape = program_.blocks[b];
      part.close(b, shape, r);
      // CSDP multiplies by dense parts as matrices; the bound compares m pairs of entries with three products.
      const double count = part.record.numentries, n = static_cast<double>(shape.size);
      const double m = static_cast<double>(program_.constraints.size());
      if (!shape.diagonal && count > 5 && m * count * count > 0.125 * n * n * n) part.record.issparse = 0;
      first = last;
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {  // their addresses no longer change
      sparseblock& record = parts[p].record;
      record.next = p + 1 < parts.size() ? &parts[p + 1].record : nullptr;
      record.nextbyblock = nullptr;
      sparseblock*& tail = tails[subscript(record.blocknum)];
      (tail ? tail->nextbyblock : heads_[subscript(record.blocknum)]) = &record;
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
        std::vector<char> named(subscript(shape.size * shape.size), 0);
        const auto name = [&](Index i, Index j) {
          named[subscript(i * shape.size + j)] = named[subscript(j * shape.size + i)] = 1;
        };
        for (Index i = 0; i < shape.size; ++i) name(i, i);
        for (const SymmetricEntry& e : program_.cost)
          if (subscript(e.block) == b && e.value != 0) name(e.row, e.col);
        for (const sparseblock* p = heads_[b + 1]; p; p = p->nextbyblock)
          for (int k = 1; k <= p->numentries; ++k) name(p->iindices[k] - 1, p->jindices[k] - 1);
        for (Index i = 0; i < shape.size; ++i)
          for (Index j = 0; j < shape.size; ++j)
            if (named[subscript(i * shape.size + j)]) part.add(i, j, 1);
      }
      part.close(b, shape, 0);
    }
    for (std::size_t b = 0; b + 1 < fill_.size(); ++b) fill_[b].record.next = &fill_[b + 1].record;
  }

  const SemidefiniteProgram& program_;
  BlockNumbers cost_;
  std::vector<blockrec> shown_cost_;
  Numbers bounds_;
  std::vector<constraintmatrix> rows_;
  std::vector<std::vector<SparsePart>> parts_;
  std::vector<sparseblock*> heads_;  // per block, its parts in the order of the rows
  std::vector<SparsePart> fill_;
};
/// Where the forked process that runs CSDP leaves an iterate for the waiting process. The state of CSDP's step comes
/// first, then the numbers of the blocks.
class SharedIterate {
 public:
  SharedIterate(Iterate& iterate, Iterate& best)
      : arrays_{&iterate.x.all(), &iterate.y, &iterate.z.all(), &best.x.all(), &best.y, &best.z.all()},
        memory_(std::accumulate(arrays_.begin(), arrays_.end(), kHead,
                                [](std::size_t sum, const Numbers* array) { return sum + array->size(); })) {}
  void write() {
    double* to = memory_.numbers().data() + kHead;
    for (const Numbers* from : arrays_) to = std::ranges::copy(*from, to).out;
  }
  void read() const {
    const double* from = memory_.numbers().data() + kHead;
    for (Numbers* to : arrays_) {
      std::copy_n(from, to->size(), to->begin());
      from += to->size();
    }
  }
  [[nodiscard]] double& calls() const { return memory_.numbers()[0]; }
  [[nodiscard]] double& primal() const { return memory_.numbers()[1]; }
  [[nodiscard]] double& dual() const { return memory_.numbers()[2]; }

 private:
  static constexpr std::size_t kHead = 3;
  std::array<Numbers*, 6> arrays_;
  SharedNumbers memory_;
};

/// What CSDP's callback sees on its thread.
struct Callback {
  Watch& seen;
  std::function<bool(double primal, double dual)> leave{};  // set only in a copy of the process
  double* calls = nullptr;                                  // that copy's count of them
  const blockrec* iterate = nullptr;                        // tells CSDP's iterate from its trial points
  std::exception_ptr thrown{};

  /// Whether to continue.
  bool operator()(const blockmatrix& x, const double* y, int rows, double primal, double dual) {
    const bool is_iterate = x.blocks == iterate;
    if (leave) {  // this is the copy; the caller kills it
      ++*calls;
      return !is_iterate || leave(primal, dual);
    }
    ++seen.counts.evaluations;
    if (is_iterate) return seen.take({y + 1, static_cast<std::size_t>(rows)}, primal, dual);
    seen.interrupted = seen.context.interrupted();
    return !seen.interrupted;
  }
};
thread_local Callback* callback = nullptr;  // set only in a turn

std::timed_mutex csdp_mutex;

/// Returns CSDP's code.
int call_here(const SemidefiniteProgram& program, Iterate& iterate, Iterate& best, const CsdpOptions& options,
              Callback& told) {
  require_blas_memory(options.blas_threads);
  const BlasThreads blas(options.blas_threads);
  CsdpProgram data(program);
  const std::size_t m = program.constraints.size();
  const std::size_t longest = std::max(subscript(dimension(program)), m) + 1;
  std::deque<BlockNumbers> work;
  std::deque<std::vector<blockrec>> records;
  const auto shown = [&](BlockNumbers& numbers) {
    return matrix_of(records.emplace_back(records_of(program.blocks, numbers)));
  };
  const auto matrix = [&](Storage storage) { return shown(work.emplace_back(program.blocks, storage)); };
  const blockmatrix x = shown(iterate.x), z = shown(iterate.z), best_x = shown(best.x), best_z = shown(best.z),
                    work1 = matrix(Storage::full), work2 = matrix(Storage::full), work3 = matrix(Storage::full),
                    inverse = matrix(Storage::full), step_z = matrix(Storage::full), step_x = matrix(Storage::full),
                    factor_x = matrix(Storage::packed), factor_z = matrix(Storage::packed);
  std::vector<Numbers> v(14, Numbers(longest, 0.0));
  const std::size_t order = schur_order(m);
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
  told.iterate = x.blocks;
  callback = &told;
  const int code = sdp(static_cast<int>(dimension(program)), static_cast<int>(m), data.cost(), data.bounds(), 0.0,
                       data.rows(), data.by_block(), data.fill(), x, iterate.y.data(), z, factor_x, factor_z, &primal,
                       &dual, work1, work2, work3, v[0].data(), v[1].data(), v[2].data(), v[3].data(), v[4].data(),
                       v[5].data(), v[6].data(), v[7].data(), v[8].data(), best_x, best.y.data(), best_z, inverse,
                       schur.data(), v[9].data(), step_z, step_x, v[10].data(), v[11].data(), v[12].data(),
                       /*printlevel=*/0, parameters);
  callback = nullptr;
  if (told.thrown) std::rethrow_exception(told.thrown);
  return code;
}

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

}  // namespace

Turn::Turn(const SolveContext& context) : lock_(csdp_mutex, std::defer_lock) {
  constexpr std::chrono::milliseconds kPause(1);
  do interrupted_ = context.interrupted();
  while (!interrupted_ && !lock_.try_lock_for(kPause));
}

void Watch::begin() {
  at_start = true;
  multipliers.clear();
  died.clear();
}

bool Watch::take(std::span<const double> y, double primal, double dual) {
  if (multipliers.size() == kEarlierMultipliers) multipliers.erase(multipliers.begin());
  multipliers.push_back(-Eigen::Map<const Vector>(y.data(), std::ssize(y)));
  if (!std::exchange(at_start, false)) {
    recorder.record(++counts.iterations, -scale * primal, shown);
    context.log.debug("csdp iteration {}: <C, X> {}, b'y {}", counts.iterations, -primal, -dual);
  }
  interrupted = context.interrupted();
  return !interrupted;
}

Ended call(const SemidefiniteProgram& program, Iterate& iterate, const CsdpOptions& options, Watch& seen) {
  constexpr double kLongStep = 1e9;  // operations, about a second
  Iterate best(program, Storage::packed);
  Callback told{seen};
  Ended out;
  std::optional<ForkedEnd> forked;
  const bool may_be_cut = seen.context.deadline || seen.context.stop.stop_possible();
  if (may_be_cut && seen.context.may_fork && step_operations(program) > kLongStep) {
    SharedIterate shared(iterate, best);
    forked = call_in_copy(
        seen.context,
        [&](const StepDone& step_done) {
          told.leave = [&](double primal, double dual) {
            shared.write();
            shared.primal() = primal;
            shared.dual() = dual;
            return step_done();
          };
          told.calls = &shared.calls();
          const int code = call_here(program, iterate, best, options, told);
          shared.write();
          return code;
        },
        [&] {
          shared.read();
          return seen.take(std::span(iterate.y).subspan(1), shared.primal(), shared.dual());
        });
    if (forked) {
      seen.counts.evaluations += static_cast<Index>(shared.calls());
      if (forked->code) shared.read();
      if (forked->interrupted) seen.interrupted = forked->interrupted;
      seen.died = forked->failure;
      out.code = forked->code ? *forked->code : forked->interrupted ? kStopped : kDied;
    }
  }
  if (!forked) out.code = call_here(program, iterate, best, options, told);
  out.last = solution_of(program, iterate);
  if (out.code == kStopped) out.best = solution_of(program, best);
  return out;
}

}  // namespace alidade::csdp

/// CSDP calls this once per iteration with its iterate and, near the end, again with a trial point; its own version
/// does nothing. 0: continue, 1: stop.
extern "C" int user_exit(int, int rows, blockmatrix, double*, double dual, double primal, double, constraintmatrix*,
                         blockmatrix x, double* y, blockmatrix, paramstruc) {
  using alidade::csdp::callback;
  if (!callback) return 0;
  try {
    return (*callback)(x, y, rows, primal, dual) ? 0 : 1;
  } catch (...) {  // must not cross CSDP's frames; rethrown after it returns
    callback->thrown = std::current_exception();
    return 1;
  }
}
