// A few eigenvectors of a large matrix from its products with vectors: Lanczos with implicit restarts, by Spectra.
// Sorensen 1992; Lehoucq, Sorensen & Yang 1998 (ARPACK). Smallest eigenvalues by shift and invert if A has entries.
// The Krylov space of one vector may miss copies of an eigenvalue, so the found vectors are deflated and the search is
// repeated.
#include <Spectra/SymEigsSolver.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/decompositions/sparse_cholesky.hpp"
#include "problems/core/error.hpp"
#include "problems/core/options.hpp"
#include "problems/faces/eigen.hpp"
#include "solvers/contract/solver_entry.hpp"
#include "solvers/contract/with_options.hpp"
#include "solvers/eigen/eigen_run.hpp"

namespace alidade {
namespace {

struct LanczosOptions {
  Index max_iter = 1000;
  double tolerance = 1e-9;
  Index basis_size = 0;
  std::string lowest = "factor";
  bool verify = true;
  [[nodiscard]] static const OptionList<LanczosOptions>& list() {
    using O = LanczosOptions;
    static const OptionList<O> kList =
        OptionList<O>()
            .integer("max_iter", &O::max_iter, between(1, 1e9),
                     "number of restarts with a basis of one size; the basis is then doubled")
            .real("tolerance", &O::tolerance, {.lower = 1e-15, .upper = 0.1},
                  "tolerance of an eigenpair: |A v - lambda v| <= tolerance * |lambda|; with shift "
                  "and invert, of the inverse")
            .integer("basis_size", &O::basis_size, between(0, 100'000),
                     "number of basis vectors, at least one more than the eigenvectors asked for; "
                     "0: 20, or twice as many as asked for")
            .text("lowest", &O::lowest, {"factor", "apply"},
                  "for smallest eigenvalues: use a Cholesky factor of the matrix if it has one; "
                  "otherwise only products, which need no memory but many more iterations")
            .flag("verify", &O::verify,
                  "search a second time, with the eigenpairs found removed, for missed copies of an "
                  "eigenvalue");
    return kList;
  }
};

/// For the lowest end, it multiplies by (A - sigma)^-1 with a Cholesky factor, whose existence proves that all
/// eigenvalues exceed sigma. It tries sigma = -1e-10, -1e-6, -1e-3 times |A|_1, then below all Gershgorin discs.
/// The summary's gradient_norm is the largest |A v - lambda v|. Above sqrt(tolerance) of the largest product the solve
/// ends as reduced_accuracy; without all pairs as backend_failure, with x unchanged. It checks for stops once per
/// product. iterations counts restarts.
class Lanczos final : public WithOptions<Lanczos, Solver, LanczosOptions> {
 public:
  static constexpr std::string_view kName = "lanczos";
  explicit Lanczos(LanczosOptions options) : WithOptions(std::move(options)) {}

  [[nodiscard]] static CapabilitySet needed() { return CapabilitySet::of<EigenFace>(); }
  /// @throws DataError on an invalid request
  Summary solve(const Problem& problem, Solution& x, SolveContext& context) const override;
};

constexpr Index kAllBelow = 64;     // rows up to which all eigenvectors are cheap
constexpr Index kAllInNeed = 3000;  // rows up to which all eigenvectors are the fallback
constexpr Index kMostMissed = 64;
constexpr Index kSecondLook = 50;  // restarts: a well separated value converges in a few

struct Interrupted {
  Termination reason;
};

/// x -> A x, or (A - sigma)^-1 x, with the pairs already found moved to `sink`; the wanted end is the upper one.
class Operator {
 public:
  using Scalar = double;

  Operator(const EigenRequest& request, bool factor, SolveContext& context)
      : request_(request), context_(context), sign_(request.largest ? 1 : -1) {
    if (factor && !request.largest && request.sparse) factor_sparse();
    if (factor && !request.largest && !request.sparse && request.dense) factor_dense();
    find_enlargement();
  }

  [[nodiscard]] Index rows() const { return request_.size; }
  [[nodiscard]] Index cols() const { return request_.size; }

  /// Spectra is compiled with this file and owns no raw resources, so an exception may pass through it.
  void perform_op(const double* x, double* y) const {
    if (const auto reason = context_.interrupted()) throw Interrupted{*reason};
    ++products_;
    const Eigen::Map<const Vector> in(x, rows());
    Eigen::Map<Vector> out(y, rows());
    if (sparse_) {
      out = sparse_->solve(Vector(in));
    } else if (dense_) {
      out = dense_->solve(Vector(in));
    } else {
      eigen::multiply(request_, x, y);
      out *= sign_;
    }
    out *= enlargement_;
    if (found_.cols() > 0)
      out.noalias() -= found_ * ((images_.array() - sink_) * (found_.transpose() * in).array()).matrix();
  }

  [[nodiscard]] bool inverted() const { return sparse_ || dense_; }
  [[nodiscard]] double shift() const { return sigma_; }
  [[nodiscard]] Index products() const { return products_; }

  /// Deflates pairs of the operator, so that others are on top.
  void take_off(const Eigen::MatrixXd& vectors, const Vector& images) {
    found_ = vectors;
    images_ = images;
    const double high = images.maxCoeff(), low = images.minCoeff();
    sink_ = low - std::max(std::abs(high), std::abs(low));
  }

 private:
  /// Spectra treats eigenvalues below 4e-11 as 0, however small the others are. So a small operator is scaled to norm 1
  /// or more, by a power of two, which changes no other bit.
  void find_enlargement() {
    const Vector signs = eigen::coin_signs(rows());
    Vector image(rows());
    perform_op(signs.data(), image.data());
    products_ = 0;
    const double norm = image.norm() / signs.norm();
    if (norm > 0 && norm < 1) enlargement_ = std::ldexp(1.0, -std::ilogb(norm));
  }

  /// The norm, and a bound below all eigenvalues.
  template <class M>
  void find_shifts(const M& rows_of) {
    double norm = 0, low = 0;
    for (Index i = 0; i < rows(); ++i) {
      const auto [diagonal, others] = rows_of(i);
      norm = std::max(norm, std::abs(diagonal) + others);
      low = std::min(low, diagonal - others);
    }
    if (norm == 0) norm = 1;
    shifts_ = {-1e-10 * norm, -1e-6 * norm, -1e-3 * norm, low - 1e-3 * norm};
  }

  void factor_sparse() {
    const SparseMatrix& A = *request_.sparse;
    find_shifts([&](Index i) {
      double diagonal = 0, others = 0;
      for (SparseMatrix::InnerIterator it(A, i); it; ++it)
        it.col() == i ? diagonal += it.value() : others += std::abs(it.value());
      return std::pair{diagonal, others};
    });
    using ColumnMajor = Eigen::SparseMatrix<double>;
    ColumnMajor identity(rows(), rows());
    identity.setIdentity();
    const ColumnMajor columns = A;
    sparse_.emplace(SparseCholesky::Form::llt);
    sparse_->plan(ColumnMajor(columns + identity));
    for (const double shift : shifts_) {
      if (const auto reason = context_.interrupted()) throw Interrupted{*reason};
      sigma_ = shift;
      if (sparse_->factor(columns - shift * identity)) return;
    }
    sparse_.reset();
  }

  void factor_dense() {
    const Matrix& A = *request_.dense;
    find_shifts([&](Index i) { return std::pair{A(i, i), A.row(i).cwiseAbs().sum() - std::abs(A(i, i))}; });
    for (const double shift : shifts_) {
      if (const auto reason = context_.interrupted()) throw Interrupted{*reason};
      sigma_ = shift;
      Eigen::MatrixXd shifted = A;
      shifted.diagonal().array() -= shift;
      dense_.emplace(std::move(shifted));
      if (dense_->positive()) return;
    }
    dense_.reset();
  }

  const EigenRequest& request_;
  SolveContext& context_;
  double sign_;
  double sigma_ = 0, sink_ = 0, enlargement_ = 1;
  std::vector<double> shifts_;
  std::optional<SparseCholesky> sparse_;
  std::optional<Cholesky> dense_;
  Eigen::MatrixXd found_;
  Vector images_;
  mutable Index products_ = 0;
};

struct Upper {
  Eigen::MatrixXd vectors;
  Vector values;  // of the operator, descending
  Index restarts = 0;
  bool complete = false;
};

/// The `count` largest pairs of the operator; with `grow`, the basis doubles until it suffices.
Upper upper_pairs(Operator& A, Index count, Index basis_size, Index max_iter, double tolerance, bool grow, Rng& rng) {
  const Index n = A.rows();
  Upper out;
  Vector start(n);
  for (Index ncv = std::clamp<Index>(basis_size > 0 ? basis_size : std::max<Index>(2 * count + 1, 20), count + 1, n);;
       ncv = std::min(2 * ncv, n)) {
    for (double& entry : start) entry = rng.normal();
    Spectra::SymEigsSolver<Operator> solver(A, count, ncv);
    solver.init(start.data());
    const Index converged =
        solver.compute(Spectra::SortRule::LargestAlge, max_iter, tolerance, Spectra::SortRule::LargestAlge);
    out.restarts += solver.num_iterations();
    if (converged >= count && solver.info() == Spectra::CompInfo::Successful) {
      out.vectors = solver.eigenvectors(count);
      out.values = solver.eigenvalues();
      out.complete = out.vectors.cols() == count && out.vectors.allFinite();
    }
    if (out.complete || ncv == n || !grow) return out;
  }
}

Summary Lanczos::solve(const Problem& problem, Solution& x, SolveContext& context) const {
  eigen::EigenRun run(*this, problem, x, context);
  const EigenRequest& request = run.request();
  run.begin();
  if (auto end = run.stopped("before the first product")) return *std::move(end);
  const Index n = request.size, count = request.count;
  if (n <= kAllBelow || count + 1 >= n) {
    run.counts().iterations = 1;
    return run.accept(eigen::all_pairs(request), options_.tolerance, fmt::format("all eigenvectors of {0} x {0}", n));
  }
  try {
    Operator A(request, options_.lowest == "factor", context);
    Upper upper = upper_pairs(A, count, options_.basis_size, options_.max_iter, options_.tolerance, true, context.rng);
    run.counts().iterations = upper.restarts;
    if (!upper.complete)
      return run.finish(Termination::backend_failure,
                        fmt::format("Not all of {} eigenpairs converged in {} restarts. Raise max_iter or "
                                    "basis_size.",
                                    count, upper.restarts));
    Index missed = 0;
    for (bool look = options_.verify; look && missed < kMostMissed && upper.vectors.cols() + 1 < n;) {
      A.take_off(upper.vectors, upper.values);
      const Upper more = upper_pairs(A, 1, options_.basis_size, std::min(kSecondLook, options_.max_iter),
                                     options_.tolerance, false, context.rng);
      run.counts().iterations += more.restarts;
      const double scale = upper.values.cwiseAbs().maxCoeff();
      // A value no larger than the last pair found belongs to the next pair, or to a deflated one.
      look = more.complete && more.values[0] > upper.values[count - 1] + 10 * options_.tolerance * scale;
      if (!look) break;
      ++missed;
      const Index held = upper.vectors.cols();
      upper.vectors.conservativeResize(n, held + 1);
      upper.values.conservativeResize(held + 1);
      upper.vectors.col(held) = more.vectors.col(0);
      upper.values[held] = more.values[0];
      for (Index c = held; c > 0 && upper.values[c] > upper.values[c - 1]; --c) {
        std::swap(upper.values[c], upper.values[c - 1]);
        upper.vectors.col(c).swap(upper.vectors.col(c - 1));
      }
    }
    run.counts().iterations = std::max<Index>(run.counts().iterations, 1);
    EigenSolution pairs{upper.vectors.leftCols(count), upper.values.head(count)};
    std::string how = fmt::format("{} products with {}", A.products(),
                                  A.inverted() ? fmt::format("(A + {:.1e})^-1", -A.shift()) : "A");
    if (missed > 0) how += fmt::format(", {} found in a second search", missed);
    return run.accept(std::move(pairs), options_.tolerance, how);
  } catch (const std::runtime_error& error) {
    // Spectra throws if it cannot find the eigenvalues of a tridiagonal matrix: if entries are not finite, or if all
    // vectors are eigenvectors.
    EigenSolution pairs;
    if (n <= kAllInNeed) pairs = eigen::all_pairs(request);
    if (pairs.vectors.size() == 0)
      return run.finish(Termination::backend_failure, fmt::format("Spectra: {}", error.what()));
    run.counts().iterations = std::max<Index>(run.counts().iterations, 1);
    return run.accept(std::move(pairs), options_.tolerance,
                      fmt::format("all eigenvectors of {0} x {0}, since Lanczos broke down", n));
  } catch (const Interrupted& stop) {
    return run.finish(stop.reason, "Stopped during the iteration; nothing is kept.");
  }
}

}  // namespace

SolverEntry lanczos_entry() {
  return solver_entry<Lanczos>(
      {.summary = "a few eigenvectors of a large matrix; the lowest ones by shift and invert",
       .reference = "Sorensen 1992; Spectra 1.0, Qiu",
       .description = "A few eigenvectors of a large matrix from products with vectors. The smallest eigenvalues by "
                      "shift and invert if the entries are given; the Cholesky factor proves that no eigenvalue lies "
                      "below the shift. A second pass, with the found eigenvectors deflated, finds copies of an "
                      "eigenvalue that one Krylov space misses."});
}

}  // namespace alidade
