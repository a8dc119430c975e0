#include "problems/core/decompositions/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"

#ifdef ALIDADE_HAS_CSDP
extern "C" {
void dsytrd_(const char* uplo, const int* n, double* a, const int* lda, double* d, double* e, double* tau, double* work,
             const int* lwork, int* info);
void dsterf_(const int* n, double* d, double* e, int* info);
void dstemr_(const char* jobz, const char* range, const int* n, double* d, double* e, const double* vl,
             const double* vu, const int* il, const int* iu, int* m, double* w, double* z, const int* ldz,
             const int* nzc, int* isuppz, int* tryrac, double* work, const int* lwork, int* iwork, const int* liwork,
             int* info);
void dormtr_(const char* side, const char* uplo, const char* trans, const int* m, const int* n, const double* a,
             const int* lda, const double* tau, double* c, const int* ldc, double* work, const int* lwork, int* info);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* beta, double* c, const int* ldc);
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda, double* b,
             const int* ldb, int* info);
}
#endif

namespace alidade {
namespace {

/// The first and the number of the eigenvalues, ascending, whose side is to be built; and which side it is.
struct Side {
  Index first = 0, count = 0;
  bool positive = false;
};
/// `negative`: the number of negative eigenvalues among n.
Side smaller_side(Index n, Index negative) {
  if (n - negative <= negative) return {negative, n - negative, true};
  return {0, negative, false};
}

/// From VV' of one side to both.
void complete(const Eigen::MatrixXd& w, bool positive, Eigen::MatrixXd& plus, Eigen::MatrixXd& minus) {
  Eigen::MatrixXd& built = positive ? plus : minus;
  Eigen::MatrixXd& other = positive ? minus : plus;
  built.triangularView<Eigen::StrictlyUpper>() = built.transpose();
  const double sign = positive ? -1 : 1;
  other = built + sign * w;
}

/// By all eigenvectors, for where the faster way fails or is not there.
bool split_by_eigen(const Eigen::MatrixXd& w, Eigen::MatrixXd& plus, Eigen::MatrixXd& minus) {
  if (!w.allFinite()) return false;
  const SymmetricEigen eigen(w);
  if (!eigen.converged()) return false;
  const Eigen::VectorXd& ascending = eigen.eigenvalues();
  const Index negative = std::lower_bound(ascending.begin(), ascending.end(), 0.0) - ascending.begin();
  const Side side = smaller_side(w.rows(), negative);
  const Eigen::MatrixXd scaled = eigen.eigenvectors().middleCols(side.first, side.count) *
                                 ascending.segment(side.first, side.count).cwiseAbs().cwiseSqrt().asDiagonal();
  (side.positive ? plus : minus).noalias() = scaled * scaled.transpose();
  complete(w, side.positive, plus, minus);
  return true;
}

void mirror_lower(Eigen::MatrixXd& w) { w.triangularView<Eigen::StrictlyUpper>() = w.transpose(); }

#ifdef ALIDADE_HAS_CSDP
/// Q'WQ = T: the tridiagonal form, Q as reflections in `a`.
struct Tridiagonal {
  /// dsytrd keeps vectors in tau, beyond whose end dsymv reads a number in OpenBLAS's kernels for SSE2 (0.3.21).
  static constexpr Index kReadBeyond = 8;
  Eigen::MatrixXd a;
  Eigen::VectorXd diagonal, beside, tau;

  explicit Tridiagonal(Eigen::MatrixXd w)
      : a(std::move(w)), diagonal(a.rows()), beside(a.rows()), tau(a.rows() + kReadBeyond) {
    constexpr int kBlock = 64;
    const int n = static_cast<int>(a.rows()), room = std::max(1, kBlock * n);
    int info = 0;
    Eigen::VectorXd work(room);
    beside.setZero();
    dsytrd_("L", &n, a.data(), &n, diagonal.data(), beside.data(), tau.data(), work.data(), &room, &info);
  }
  /// Ascending; empty if they did not converge.
  [[nodiscard]] Eigen::VectorXd eigenvalues() const {
    const int n = static_cast<int>(a.rows());
    int info = 0;
    Eigen::VectorXd values = diagonal, off = beside;
    dsterf_(&n, values.data(), off.data(), &info);
    return info == 0 ? values : Eigen::VectorXd();
  }
  /// The number of negative eigenvalues, by the pivots of a triangular factor (Sturm).
  [[nodiscard]] Index negative() const {
    constexpr double kTiny = 1e-300;
    Index out = 0;
    double pivot = 1;
    for (Index i = 0; i < diagonal.size(); ++i) {
      pivot = diagonal[i] - (i > 0 ? beside[i - 1] * beside[i - 1] / pivot : 0);
      if (std::abs(pivot) < kTiny) pivot = -kTiny;
      if (pivot < 0) ++out;
    }
    return out;
  }
  /// Columns: the eigenvectors of the eigenvalues number `first` and after. False if they were not all found.
  [[nodiscard]] bool eigenvectors(Index first, Index count, Eigen::VectorXd& values, Eigen::MatrixXd& vectors) const {
    const int n = static_cast<int>(a.rows()), from = static_cast<int>(first) + 1, to = static_cast<int>(first + count),
              columns = static_cast<int>(count);
    int pair_count = 0, relative = 1, info = 0;
    const double unused = 0;
    Eigen::VectorXd d = diagonal, e = beside, all(n);
    vectors.resize(n, count);
    std::vector<int> support(2 * subscript(count));
    const int room = 18 * n, whole_room = 10 * n;
    Eigen::VectorXd work(room);
    std::vector<int> whole(static_cast<std::size_t>(whole_room));
    dstemr_("V", "I", &n, d.data(), e.data(), &unused, &unused, &from, &to, &pair_count, all.data(), vectors.data(), &n,
            &columns, support.data(), &relative, work.data(), &room, whole.data(), &whole_room, &info);
    if (info != 0 || pair_count != columns) return false;
    values = all.head(count);
    constexpr int kBlock = 64;
    const int more = std::max(1, kBlock * columns);
    work.resize(more);
    dormtr_("L", "L", "N", &n, &columns, a.data(), &n, tau.data(), vectors.data(), &n, work.data(), &more, &info);
    return info == 0;
  }
};
#endif

}  // namespace

#ifdef ALIDADE_HAS_CSDP

bool split_spectrum(Eigen::MatrixXd& w, Eigen::MatrixXd& plus, Eigen::MatrixXd& minus) {
  constexpr double kZero = 0, kOne = 1;
  mirror_lower(w);
  if (!w.allFinite()) return false;
  const Tridiagonal form(w);
  const Side side = smaller_side(w.rows(), form.negative());
  const int n = static_cast<int>(w.rows()), count = static_cast<int>(side.count);
  Eigen::MatrixXd& built = side.positive ? plus : minus;
  built.setZero(n, n);
  if (count > 0) {
    Eigen::VectorXd values;
    Eigen::MatrixXd vectors;
    if (!form.eigenvectors(side.first, side.count, values, vectors)) return split_by_eigen(w, plus, minus);
    for (Index c = 0; c < side.count; ++c) vectors.col(c) *= std::sqrt(std::abs(values[c]));
    dsyrk_("L", "N", &n, &count, &kOne, vectors.data(), &n, &kZero, built.data(), &n);
  }
  complete(w, side.positive, plus, minus);
  return true;
}

double least_eigenvalue_of(Eigen::MatrixXd w) {
  if (!w.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const Eigen::VectorXd ascending = Tridiagonal(std::move(w)).eigenvalues();
  return ascending.size() == 0 ? std::numeric_limits<double>::quiet_NaN() : ascending[0];
}

Eigen::MatrixXd dense_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd out(a.rows(), b.cols());
  const int m = static_cast<int>(a.rows()), n = static_cast<int>(b.cols()), k = static_cast<int>(a.cols()),
            lda = std::max(m, 1), ldb = std::max(k, 1);
  constexpr double kOne = 1, kZero = 0;
  dgemm_("N", "N", &m, &n, &k, &kOne, a.data(), &lda, b.data(), &ldb, &kZero, out.data(), &lda);
  return out;
}

void add_square(const Eigen::MatrixXd& a, Eigen::MatrixXd& c) {
  const int n = static_cast<int>(a.rows()), k = static_cast<int>(a.cols());
  constexpr double kOne = 1;
  dsyrk_("L", "N", &n, &k, &kOne, a.data(), &n, &kOne, c.data(), &n);
}

bool dense_cholesky(Eigen::MatrixXd& a) {
  const int n = static_cast<int>(a.rows());
  int info = 0;
  dpotrf_("L", &n, a.data(), &n, &info);
  return info == 0;
}

void solve_dense_lower(const Eigen::MatrixXd& l, Eigen::MatrixXd& b) {
  const int m = static_cast<int>(b.rows()), n = static_cast<int>(b.cols()), ld = std::max(m, 1);
  constexpr double kOne = 1;
  dtrsm_("L", "L", "N", "N", &m, &n, &kOne, l.data(), &ld, b.data(), &ld);
}

void solve_dense_cholesky(const Eigen::MatrixXd& l, Eigen::VectorXd& b) {
  const int n = static_cast<int>(l.rows()), one = 1;
  int info = 0;
  dpotrs_("L", &n, &one, l.data(), &n, b.data(), &n, &info);
}

#else

bool split_spectrum(Eigen::MatrixXd& w, Eigen::MatrixXd& plus, Eigen::MatrixXd& minus) {
  mirror_lower(w);
  return split_by_eigen(w, plus, minus);
}

double least_eigenvalue_of(Eigen::MatrixXd w) {
  if (!w.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const SymmetricEigen eigen(w, false);
  return eigen.converged() ? eigen.eigenvalues()[0] : std::numeric_limits<double>::quiet_NaN();
}

Eigen::MatrixXd dense_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return a * b; }

void add_square(const Eigen::MatrixXd& a, Eigen::MatrixXd& c) { c.selfadjointView<Eigen::Lower>().rankUpdate(a); }

bool dense_cholesky(Eigen::MatrixXd& a) { return cholesky_in_place(a); }

void solve_dense_lower(const Eigen::MatrixXd& l, Eigen::MatrixXd& b) { solve_lower_in_place(l, b); }

void solve_dense_cholesky(const Eigen::MatrixXd& l, Eigen::VectorXd& b) {
  solve_lower_in_place(l, b);
  solve_transposed_lower_in_place(l, b);
}

#endif

bool dense_cholesky(Eigen::MatrixXd& a, const std::function<bool()>& asked) {
  constexpr double kWork = 2e9;  // multiplications of a piece
  constexpr Index kLeast = 16, kMost = 256, kOnePiece = 2000;
  if (a.rows() <= kOnePiece) return !asked() && dense_cholesky(a);
  for (Index from = 0; from < a.rows();) {
    if (asked()) return false;
    const auto left = static_cast<double>(a.rows() - from);
    const Index width = std::min(a.rows() - from, std::clamp(static_cast<Index>(kWork / (left * left)), kLeast, kMost));
    const Index to = from + width, rest = a.rows() - to;
    Eigen::MatrixXd corner = a.block(from, from, width, width), across = a.block(to, from, rest, width).transpose();
    if (!dense_cholesky(corner)) return false;
    solve_dense_lower(corner, across);
    a.block(from, from, width, width) = corner;
    a.block(to, from, rest, width) = across.transpose();
    a.bottomRightCorner(rest, rest).selfadjointView<Eigen::Lower>().rankUpdate(across.transpose(), -1);
    from = to;
  }
  return true;
}

}  // namespace alidade
