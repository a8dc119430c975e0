#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <functional>

#include "problems/contract/adapters.hpp"
#include "problems/contract/problem.hpp"
#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "problems/faces/assignment.hpp"
#include "problems/faces/blocks.hpp"
#include "problems/faces/eigen.hpp"
#include "problems/faces/finite_sum.hpp"
#include "problems/faces/majorizer.hpp"
#include "problems/faces/semidefinite.hpp"
#include "problems/faces/separation.hpp"
#include "problems/faces/smooth.hpp"
#include "problems/faces/split_gradient.hpp"
#include "problems/faces/stages.hpp"
#include "tests/support/approx.hpp"
#include "tests/support/face_checks.hpp"
#include "tests/support/gradient_check.hpp"
#include "tests/support/observation_makers.hpp"
#include "tests/support/toy_problems.hpp"

namespace problem_faces_test {
namespace {

using namespace alidade;
using namespace alidade::testing;

constexpr std::uint64_t kSeed = 20240611;

template <class C>
constexpr bool kIsProperty =
    std::is_same_v<C, Borderless> || std::is_same_v<C, Boxed> || std::is_same_v<C, SeparateBlocks>;

/// The face can be had where it is expected, and else refuses by name.
template <class Face>
void check_face(const Problem& problem, CapabilitySet expected) {
  constexpr CapabilitySet wanted = CapabilitySet::of<Face>();
  const std::string name = problem.name(), wanted_name = wanted.names().front();
  CAPTURE(wanted_name);
  const Fit asked = fit("needy", wanted, name, problem.offers());
  if (expected.has<Face>()) {
    CHECK_NOTHROW(static_cast<void>(problem.face<Face>()));
    CHECK((asked.fits && asked.via.empty()));
    return;
  }
  try {
    static_cast<void>(problem.face<Face>());
    FAIL_CHECK("a face that is not offered was handed out");
  } catch (const UnsupportedPair& error) {
    const std::string message = error.what();
    CHECK(message.starts_with("Problem '" + name + "' does not offer " + wanted_name + "; it offers "));
  }
  for (const ExactAdapter& adapter : exact_adapters())  // which may make it fit
    if (adapter.to == wanted && expected.includes(adapter.from)) return;
  CHECK_FALSE(asked.fits);
  CHECK(asked.reason.find(" and lacks " + wanted_name + ".") != std::string::npos);
}

template <class... C>
void check_all_faces(const Problem& problem, CapabilitySet expected, TypeList<C...>) {
  const auto check = [&]<class Face>() {
    if constexpr (!kIsProperty<Face>) check_face<Face>(problem, expected);
  };
  (check.template operator()<C>(), ...);
}

/// The problem offers exactly these, every face of them can be had, and every other refuses by name.
template <class... C>
void check_faces(const Problem& problem) {
  constexpr CapabilitySet expected = CapabilitySet::of<C...>();
  const std::string name = problem.name();
  CAPTURE(name);
  CHECK(problem.offers() == expected);
  check_all_faces(problem, expected, Capabilities{});
}

/// min <C, X> over the program's constraints and X >= 0, one dense block, by alternating directions on the
/// dual (Wen, Goldfarb & Yin 2010). Inequalities get a nonnegative slack. Small programs only.
SemidefiniteSolution solve_densely(const SemidefiniteProgram& program,
                                   const std::vector<SemidefiniteConstraint>& cuts) {
  std::vector<SemidefiniteConstraint> rows = program.constraints;
  rows.insert(rows.end(), cuts.begin(), cuts.end());
  const Index n = program.blocks.front().size, m = static_cast<Index>(rows.size());
  const auto dense = [n](const std::vector<SymmetricEntry>& entries) {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
    for (const SymmetricEntry& e : entries) out(e.row, e.col) = out(e.col, e.row) = e.value;
    return out;
  };
  const Eigen::MatrixXd cost = dense(program.cost);
  std::vector<Eigen::MatrixXd> a;
  Vector bound(m), sign(m);  // <A_r, X> + sign_r slack_r = bound_r
  for (Index r = 0; r < m; ++r) {
    const auto& row = rows[static_cast<std::size_t>(r)];
    a.push_back(dense(row.entries));
    bound[r] = row.bound;
    sign[r] = row.relation == Relation::equal ? 0 : row.relation == Relation::at_most ? 1 : -1;
  }
  const auto adjoint = [&](const Vector& y) {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
    for (Index r = 0; r < m; ++r) out += y[r] * a[static_cast<std::size_t>(r)];
    return out;
  };
  const auto apply = [&](const Eigen::MatrixXd& x, const Vector& slack) {
    Vector out(m);
    for (Index r = 0; r < m; ++r) out[r] = a[static_cast<std::size_t>(r)].cwiseProduct(x).sum() + sign[r] * slack[r];
    return out;
  };
  Eigen::MatrixXd gram(m, m);
  for (Index r = 0; r < m; ++r)
    for (Index s = 0; s < m; ++s)
      gram(r, s) = a[static_cast<std::size_t>(r)].cwiseProduct(a[static_cast<std::size_t>(s)]).sum() +
                   (r == s ? sign[r] * sign[r] : 0);
  const Eigen::LDLT<Eigen::MatrixXd> factor(gram);
  Eigen::MatrixXd x = Eigen::MatrixXd::Identity(n, n) / static_cast<double>(n), z = x * 0;
  Vector slack = Vector::Zero(m), slack_dual = slack, y = slack;
  for (int step = 0; step < 5000; ++step) {
    y = factor.solve(bound - apply(x, slack) + apply(cost - z, -slack_dual));
    const Eigen::MatrixXd v = cost - adjoint(y) - x;
    const SymmetricEigen eigen(v);
    z = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
    x = z - v;
    const Vector w = -sign.cwiseProduct(y) - slack;
    slack_dual = w.cwiseMax(0);
    slack = slack_dual - w;
  }
  SemidefiniteSolution out;
  out.blocks.push_back({false, x});
  out.multipliers = y;
  return out;
}

TEST_CASE("a semidefinite program passes through its face and is solved to the smallest eigenvalue") {
  Rng rng(kSeed);
  const Matrix c = random_symmetric(5, rng);
  const SmallestEigenvalueProgram toy(c, 1);
  const Problem problem("toy_sdp", toy);
  check_faces<SemidefiniteFace>(problem);
  CHECK(problem.domain() == nullptr);
  const Solution x = solve_densely(problem.face<SemidefiniteFace>().program(), {});
  Executor executor;
  Evaluation evaluation(executor);
  const Vector eigenvalues = SymmetricEigen(c, false).eigenvalues();
  CHECK(problem.objective(x, evaluation) == doctest::Approx(eigenvalues[0]).epsilon(1e-6));
  // The multiplier of the trace is the dual optimum.
  CHECK(std::get<SemidefiniteSolution>(x).multipliers[0] == doctest::Approx(eigenvalues[0]).epsilon(1e-6));
  std::vector<SemidefiniteConstraint> cuts;
  CHECK(toy.separate(std::get<SemidefiniteSolution>(x), 10, cuts) <= 1e-9);
  // A random start is feasible, and factored blocks mean the same as dense ones.
  const Solution start = problem.start(rng);
  CHECK(problem.decode(start).only().trace() == doctest::Approx(1));
  CHECK(problem.objective(start, evaluation) >= eigenvalues[0]);
}

TEST_CASE("cutting planes reach the value of the full program") {
  Rng rng(kSeed);
  Matrix c = random_symmetric(5, rng);
  c(2, 2) -= 4;  // without the caps nearly all weight sits on object 2
  const double cap = 0.4;
  const SmallestEigenvalueProgram toy(c, cap);
  const Problem problem("toy_sdp", toy);
  Executor executor;
  Evaluation evaluation(executor);

  std::vector<SemidefiniteConstraint> cuts;
  Solution x = solve_densely(problem.face<SemidefiniteFace>().program(), cuts);
  const double relaxed = problem.objective(x, evaluation);
  const double first_violation = toy.separate(std::get<SemidefiniteSolution>(x), 1, cuts);
  CHECK(first_violation > 0.1);
  CHECK(cuts.size() == 1);  // the budget
  int rounds = 0;
  for (double violation = first_violation; violation > 1e-6; ++rounds) {
    REQUIRE(rounds < 10);
    x = solve_densely(problem.face<SemidefiniteFace>().program(), cuts);
    violation = toy.separate(std::get<SemidefiniteSolution>(x), 1, cuts);
  }
  CHECK(rounds >= 1);
  std::vector<SemidefiniteConstraint> all;
  for (Index i = 0; i < 5; ++i) all.push_back(toy.cap_of(i));
  const double full = problem.objective(solve_densely(problem.face<SemidefiniteFace>().program(), all), evaluation);
  CHECK(problem.objective(x, evaluation) == doctest::Approx(full).epsilon(1e-5));
  CHECK(full > relaxed + 0.1);
}

TEST_CASE("multiplicative updates through the split gradient never raise the objective") {
  Rng rng(kSeed);
  const Matrix h = random_matrix(3, 8, rng).cwiseAbs();
  const Matrix truth = random_matrix(6, 3, rng).cwiseAbs();
  const Problem problem("toy_nmf", NonnegativeFit(truth * h, h));
  check_faces<SmoothFace, SplitGradientFace, Borderless>(problem);
  Executor executor;
  Evaluation evaluation(executor);
  Point x = std::get<Point>(problem.start(rng));
  check_gradient(problem, x, rng);
  SplitGradient split(*problem.domain());
  double before = problem.objective(Solution(x), evaluation);
  const double first = before;
  for (int step = 0; step < 2000; ++step) {
    if (step % 500 == 0) check_split_gradient(problem, x);
    CHECK(problem.face<SplitGradientFace>().value_and_split_gradient(x, split, evaluation) == before);
    x.vector().array() *= split.minus.vector().array() / split.plus.vector().array();
    const double after = problem.objective(Solution(x), evaluation);
    REQUIRE(after <= before * (1 + 1e-14) + 1e-28);
    before = after;
  }
  CHECK(before < 1e-6 * first);
}

TEST_CASE("a majoriser's minimisations descend, and its surrogate is what they minimise") {
  Rng rng(kSeed);
  const Matrix points = gaussian_points(7, 2, rng);
  Matrix delta(7, 7);
  for (Index i = 0; i < 7; ++i)
    for (Index j = 0; j < 7; ++j) delta(i, j) = (points.row(i) - points.row(j)).norm();
  const Stress toy(delta, 2);
  const Problem problem("toy_stress", toy);
  check_faces<MajorizerFace, Borderless>(problem);
  Point x = std::get<Point>(problem.start(rng));
  check_majorizer(
      problem, x, [&](const Point& y, const Point& at) { return toy.surrogate(y, at); }, 25, rng);
}

TEST_CASE("an eigenproblem's operator is its matrix, and either end of the spectrum can be asked for") {
  Rng rng(kSeed);
  const Matrix a = random_symmetric(6, rng);
  const SymmetricEigen solved(a);
  Executor executor;
  Evaluation evaluation(executor);
  for (const bool largest : {true, false}) {
    const Problem problem("toy_eigen", Eigenvectors(a, 2, largest));
    check_faces<EigenFace>(problem);
    const EigenRequest request = problem.face<EigenFace>().eigen_request();
    CHECK(request.size == 6);
    CHECK(request.count == 2);
    CHECK(request.largest == largest);
    // Subspace iteration on the operator, shifted so that the wanted end dominates.
    const double shift = (largest ? 1 : -1) * a.norm();
    Eigen::MatrixXd v = std::get<EigenSolution>(problem.start(rng)).vectors;
    for (int step = 0; step < 3000; ++step) {
      Eigen::MatrixXd image(6, 2);
      for (Index k = 0; k < 2; ++k) request.apply({v.col(k).data(), 6}, {image.col(k).data(), 6});
      image += shift * v;
      v = orthonormal_columns(image);
    }
    const Vector wanted =
        largest ? Vector(solved.eigenvalues().tail(2).reverse()) : Vector(solved.eigenvalues().head(2));
    const Solution x = EigenSolution{v, wanted};
    const double sum = wanted.sum();
    CHECK(problem.objective(x, evaluation) == doctest::Approx(largest ? -sum : sum).epsilon(1e-9));
    CHECK(problem.decode(x).only().cols() == 2);
  }
}

TEST_CASE("an assignment problem hands out its cost, and no permutation is cheaper than the best") {
  Rng rng(kSeed);
  const Problem problem("toy_assignment", CheapestAssignment(random_matrix(5, 5, rng)));
  check_faces<AssignmentFace>(problem);
  const Matrix cost = problem.face<AssignmentFace>().cost();
  Executor executor;
  Evaluation evaluation(executor);
  AssignmentSolution trial{{0, 1, 2, 3, 4}, {}, {}};
  double best = std::numeric_limits<double>::infinity();
  int permutations = 0;
  do {
    double sum = 0;
    for (Index i = 0; i < 5; ++i) sum += cost(i, trial.column_of[static_cast<std::size_t>(i)]);
    CHECK(problem.objective(Solution(trial), evaluation) == sum);
    best = std::min(best, sum);
    ++permutations;
  } while (std::ranges::next_permutation(trial.column_of).found);
  CHECK(permutations == 120);
  CHECK(problem.objective(problem.start(rng), evaluation) >= best);
  CHECK(problem.decode(problem.start(rng)).only().rows() == 5);
}

TEST_CASE("a block's problem differs from the whole by a constant and writes back its part alone") {
  Rng rng(kSeed);
  const Problem problem("toy_factorization", Factorization(random_matrix(6, 4, rng), 2, 0.3));
  check_faces<BlocksFace, Borderless>(problem);
  Executor executor;
  Evaluation whole_evaluation(executor), part_evaluation(executor);
  const Solution x = problem.start(rng);
  CHECK(problem.face<BlocksFace>().block_count() == 2);
  for (Index b = 0; b < 2; ++b) {
    CAPTURE(b);
    const Problem part = problem.face<BlocksFace>().block_problem(b, x);
    const auto constant = [&](const Solution& block) {
      Solution whole = x;
      problem.face<BlocksFace>().set_block(b, block, whole);
      const std::size_t other = b == 0 ? 1 : 0;
      CHECK(std::get<Point>(whole).block(other) == std::get<Point>(x).block(other));
      return problem.objective(whole, whole_evaluation) - part.objective(block, part_evaluation);
    };
    const double here = constant(problem.face<BlocksFace>().block_of(b, x));
    CHECK(constant(part.start(rng)) == doctest::Approx(here).epsilon(1e-12));
    check_gradient(part, std::get<Point>(part.start(rng)), rng);
    CHECK(close(part.objective(problem.face<BlocksFace>().block_of(b, x), part_evaluation) + here,
                problem.objective(x, whole_evaluation), kSum));
  }
}

TEST_CASE("a finite sum becomes smooth by its exact adapter, which loses no other face, on threads") {
  Rng rng(kSeed);
  const Matrix points = gaussian_points(50, 3, rng);
  const Problem problem("toy_springs", Springs(points, 40'000, rng));
  check_faces<FiniteSumFace, Borderless>(problem);
  const Problem same = adapt(problem, CapabilitySet::of<FiniteSumFace>());
  CHECK_FALSE(same.offers().has<SmoothFace>());
  const Problem adapted = adapt(problem, CapabilitySet::of<SmoothFace, FiniteSumFace>());
  CHECK(adapted.name() == "toy_springs");
  check_faces<SmoothFace, FiniteSumFace, Borderless>(adapted);
  const Point x = std::get<Point>(adapted.start(rng));
  check_finite_sum(adapted, x);
  check_gradient(adapted, x, rng);
  check_thread_independence(adapted, x);
  CHECK(adapted.domain() == problem.domain());
}

TEST_CASE("copies of a problem share it, and an evaluation serves several problems") {
  Rng rng(kSeed);
  const Problem first("bowl", Bowl(gaussian_points(3, 2, rng), Vector::Ones(3)));
  const Problem copy = first;  // NOLINT(performance-unnecessary-copy-initialization)
  CHECK(copy.domain() == first.domain());
  CHECK(copy.notes().empty());

  struct Small {
    int made = 1;
  };
  struct Large {
    std::vector<double> made = std::vector<double>(1000, 2.0);
  };
  Executor executor;
  Evaluation evaluation(executor);
  auto& small = evaluation.scratch<Small>([] { return Small{}; });
  small.made = 7;
  auto& large = evaluation.scratch<Large>([] { return Large{}; });
  CHECK(large.made.size() == 1000);
  CHECK(large.made.back() == 2.0);
  CHECK(evaluation.scratch<Small>([] { return Small{}; }).made == 7);
}

}  // namespace
}  // namespace problem_faces_test
