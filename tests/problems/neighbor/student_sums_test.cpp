#include "problems/neighbor/student_sums.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "problems/core/random.hpp"
#include "problems/neighbor/space_tree.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/observation_makers.hpp"

namespace student_sums_test {
namespace {

using namespace alidade;
using namespace alidade::neighbor;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20261121;

struct Sums {
  std::vector<double> force, magnitude, weight;
  double total = 0;
};

/// As the header says it, in double. Without Eigen's expressions, which take most of the time where nothing is optimised.
Sums plain_sums(bool repel, const Matrix& y, double nu, const Matrix& x, const Vector& m) {
  const auto d = static_cast<std::size_t>(y.cols());
  Sums out;
  std::vector<double> t(d);
  for (Index i = 0; i < y.rows(); ++i) {
    std::vector<double> force(d), magnitude(d);
    double weight = 0;
    for (Index j = 0; j < x.rows(); ++j) {
      const double *at = y.data() + i * y.cols(), *from = x.data() + j * x.cols();
      double squared = 0;
      for (std::size_t c = 0; c < d; ++c) {
        t[c] = at[c] - from[c];
        squared += t[c] * t[c];
      }
      const double v = 1 / (1 + squared / nu), u = std::pow(v, 0.5 * (nu + 1));
      const double pull = m.data()[j] * v * (repel ? u : 1);
      for (std::size_t c = 0; c < d; ++c) {
        force[c] += pull * t[c];
        magnitude[c] += pull * std::abs(t[c]);
      }
      weight += pull;
      out.total += m.data()[j] * (repel ? u : std::log1p(squared / nu));
    }
    out.force.insert(out.force.end(), force.begin(), force.end());
    out.magnitude.insert(out.magnitude.end(), magnitude.begin(), magnitude.end());
    out.weight.push_back(weight);
  }
  return out;
}

template <class Real>
std::vector<Real> rows_of(const Matrix& y) {
  std::vector<Real> out;
  for (Index k = 0; k < y.size(); ++k) out.push_back(static_cast<Real>(y.data()[k]));
  return out;
}

template <class Real>
Sums kernel_sums(bool repel, const Matrix& y, double nu, const Matrix& x, const Vector& m, InstructionSet instructions,
                 bool split) {
  const auto n = static_cast<std::size_t>(x.rows()), d = static_cast<std::size_t>(x.cols());
  const std::size_t stride = whole_vectors(n);
  std::vector<Real> columns((d + 1) * stride, Real{0});
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t c = 0; c < d; ++c)
      columns[c * stride + j] = static_cast<Real>(x(static_cast<Index>(j), static_cast<Index>(c)));
    columns[d * stride + j] = static_cast<Real>(m[static_cast<Index>(j)]);
  }
  const auto count = static_cast<std::size_t>(y.rows());
  Sums out{std::vector<double>(count * d), std::vector<double>(split ? count * d : 0),
           std::vector<double>(split ? count : 0)};
  out.total = student_sums<Real>(
      repel, rows_of<Real>(y), x.cols(), nu, {columns.data(), stride, columns.data() + d * stride, stride},
      {out.force.data(), split ? out.magnitude.data() : nullptr, split ? out.weight.data() : nullptr}, instructions);
  return out;
}

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> out;
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512})
    if (set <= best_instruction_set()) out.push_back(set);
  return out;
}

template <class Real>
void check_sums(Tolerance tolerance) {
  Rng rng = Rng::stream(kSeed, "sums");
  for (const Index d : {1, 2, 3, 5})
    for (const double nu : {1.0, 0.5, 3.0})
      for (const bool repel : {false, true})
        for (const bool split : {false, true})
          for (const InstructionSet set : instruction_sets()) {
            CAPTURE(d);
            CAPTURE(nu);
            CAPTURE(repel);
            CAPTURE(static_cast<int>(set));
            const Matrix y = 3 * gaussian_points(7, d, rng), x = 3 * gaussian_points(37, d, rng);
            const Vector m = gaussian_points(37, 1, rng).col(0).cwiseAbs();
            const Sums expected = plain_sums(repel, y, nu, x, m);
            const Sums got = kernel_sums<Real>(repel, y, nu, x, m, set, split);
            CHECK(all_close(got.force, expected.force, tolerance));
            CHECK(close(got.total, expected.total, tolerance));
            if (!split) continue;
            CHECK(all_close(got.magnitude, expected.magnitude, tolerance));
            CHECK(all_close(got.weight, expected.weight, tolerance));
          }
}

TEST_CASE("sums over pairs are those of a plain loop, for every instruction set") {
  SUBCASE("double") { check_sums<double>({1e-12, 1e-14}); }
  SUBCASE("float") { check_sums<float>({1e-5, 1e-30}); }
}

TEST_CASE("a point adds nothing to its own force and one to the sum of kernels") {
  const Matrix y = Matrix::Constant(1, 2, 0.3);
  const Sums out = kernel_sums<float>(true, y, 1, y, Vector::Ones(1), InstructionSet::baseline, true);
  CHECK(out.total == 1);
  CHECK(out.force == std::vector<double>{0, 0});
  CHECK(out.magnitude == std::vector<double>{0, 0});
}

Sums sums_of_all_pairs(const Matrix& y) { return plain_sums(true, y, 1, y, Vector::Ones(y.rows())); }

/// Relative errors of all forces and of the total by the tree against those of all pairs.
struct TreeErrors {
  double force, total;
  std::size_t longest = 0;  // list
};
TreeErrors tree_errors(const Matrix& y, double theta, const Sums& exact) {
  const SpaceTree<double> tree(rows_of<double>(y), y.cols());
  const auto d = static_cast<std::size_t>(y.cols());
  SpaceTree<double>::Interactions list;
  std::vector<double> force(exact.force.size()), by_tree(exact.force.size());
  TreeErrors out{0, 0};
  double total = 0;
  std::size_t covered = 0;
  for (const auto& bucket : tree.buckets()) {
    CHECK(bucket.begin == covered);
    covered = bucket.end;
    tree.interactions(bucket, theta, list);
    out.longest = std::max(out.longest, list.count);
    // Groups and points stand for all points, once each.
    const Sources<double> sources = list.sources(y.cols());
    CHECK(std::accumulate(sources.weights, sources.weights + sources.count, 0.0) == static_cast<double>(y.rows()));
    total +=
        student_sums<double>(true, tree.ordered_points().subspan(bucket.begin * d, (bucket.end - bucket.begin) * d),
                             y.cols(), 1, sources, {by_tree.data() + bucket.begin * d, nullptr, nullptr});
  }
  CHECK(covered == static_cast<std::size_t>(y.rows()));
  for (std::size_t k = 0; k < tree.order().size(); ++k)
    for (std::size_t c = 0; c < d; ++c) force[tree.order()[k] * d + c] = by_tree[k * d + c];
  double error = 0, size = 0;
  for (std::size_t k = 0; k < force.size(); ++k) {
    error += (force[k] - exact.force[k]) * (force[k] - exact.force[k]);
    size += exact.force[k] * exact.force[k];
  }
  out.force = std::sqrt(error / size);
  out.total = std::abs(total - exact.total) / exact.total;
  return out;
}

TEST_CASE("the tree's sums approach those of all pairs as theta falls, and equal them at 0") {
  Rng rng = Rng::stream(kSeed, "tree");
  for (const Index d : {1, 2, 3}) {
    CAPTURE(d);
    const Matrix y = 20 * gaussian_points(1500, d, rng);
    const Sums exact = sums_of_all_pairs(y);
    const TreeErrors coarse = tree_errors(y, 0.8, exact), fine = tree_errors(y, 0.3, exact),
                     none = tree_errors(y, 0, exact);
    CHECK(none.force < 1e-12);
    CHECK(none.total < 1e-12);
    CHECK(fine.force < 0.01);
    CHECK(fine.total < 0.01);
    CHECK(fine.force < coarse.force);
    CHECK(coarse.force < 0.1);
    CHECK(coarse.longest < 1000);
  }
}

TEST_CASE("the tree takes points that cannot be told apart, one far from all others, and one alone") {
  Rng rng = Rng::stream(kSeed, "hard points");
  Matrix y = gaussian_points(400, 2, rng);
  SUBCASE("duplicates") { y.topRows(300).setConstant(0.25); }
  SUBCASE("all the same") { y.setConstant(-3); }
  SUBCASE("one far away") { y.row(7) << 1e7, -1e7; }
  SUBCASE("one") { y = y.topRows(1).eval(); }
  SUBCASE("on a line") { y.col(1).setConstant(5); }
  if (y.rows() == 1 || y.row(0) == y.row(399)) {  // no force to compare with
    const SpaceTree<double> tree(rows_of<double>(y), 2);
    SpaceTree<double>::Interactions list;
    CHECK(tree.buckets().size() == 1);
    tree.interactions(tree.buckets().front(), 0.5, list);
    CHECK(list.count == static_cast<std::size_t>(y.rows()));
    return;
  }
  const TreeErrors errors = tree_errors(y, 0.3, sums_of_all_pairs(y));
  CHECK(errors.force < 0.01);
  CHECK(errors.total < 0.01);
}

}  // namespace
}  // namespace student_sums_test
