#include "solvers/catalog.hpp"

#include "solvers/assignment/boost_matching.hpp"
#include "solvers/assignment/hungarian.hpp"
#include "solvers/compose/alternating.hpp"
#include "solvers/compose/continuation.hpp"
#include "solvers/compose/each_block.hpp"
#include "solvers/compose/race.hpp"
#include "solvers/compose/sequence.hpp"
#include "solvers/eigen/eigen_dense.hpp"
#include "solvers/eigen/lanczos.hpp"
#include "solvers/semidefinite/csdp.hpp"
#include "solvers/semidefinite/cutting_plane.hpp"
#include "solvers/semidefinite/low_rank.hpp"
#include "solvers/smooth/ceres.hpp"
#include "solvers/smooth/golden_section_cg.hpp"
#include "solvers/smooth/gradient_descent.hpp"
#include "solvers/smooth/majorization.hpp"
#include "solvers/smooth/multiplicative.hpp"
#include "solvers/smooth/riemannian_sgd.hpp"

namespace alidade {
namespace {

template <class S, class Options>
SolverEntry entry(std::string name, std::string summary, std::string reference) {
  const std::string owner = "solver '" + name + "'";
  return {std::move(name),  std::move(summary),      std::move(reference),
          S::needed(),      Options::list().infos(), [owner](const Table& table) {
            return std::make_unique<S>(Options::list().parse(table, owner));
          }};
}

}  // namespace

const Registry<SolverEntry>& solver_catalog() {
  static const Registry<SolverEntry> kCatalog(
      "solver",
      {
          entry<RiemannianSgd, RiemannianSgdOptions>(
              "riemannian_sgd",
              "stochastic gradient descent on manifolds: single terms or minibatches, momentum, "
              "Nesterov, Adam",
              "Bonnabel 2013; Becigneul & Ganea 2019"),
          entry<CeresSolver, CeresOptions>(
              "ceres", "batch L-BFGS, BFGS, nonlinear conjugate gradients, steepest descent",
              "Agarwal, Mierle & others, Ceres Solver 2.1; Nocedal & Wright 2006"),
          entry<GradientDescent, GradientDescentOptions>(
              "gradient_descent",
              "batch gradient descent with momentum and a gain for each coordinate, as of t-SNE",
              "Jacobs 1988; van der Maaten & Hinton 2008"),
          entry<Continuation, ContinuationOptions>(
              "continuation", "walks a problem's path of easier stages, each by an inner solver",
              "Allgower & Georg 1990; Blake & Zisserman 1987"),
          entry<Majorization, MajorizationOptions>("majorization",
                                                   "minimises a bound that touches the objective, "
                                                   "and again: steps without a step length",
                                                   "de Leeuw 1977; Hunter & Lange 2004"),
          entry<Multiplicative, MultiplicativeOptions>(
              "multiplicative",
              "multiplies each unknown by the ratio of the two halves of its gradient, safeguarded",
              "Lee & Seung 2001; Peltonen & Lin 2013"),
          entry<GoldenSectionCg, GoldenSectionCgOptions>(
              "golden_section_cg",
              "conjugate gradients with a golden section search along each direction",
              "Polak & Ribiere 1969; Kiefer 1953; as in the program of Venna, Peltonen, Nybo, Aidos & "
              "Kaski 2010"),
          entry<Sequence, SequenceOptions>(
              "sequence",
              "solvers one after another, each from where the last one ended; as shown, for its "
              "defaults",
              "Bottou 2010, stochastic steps first and then batch ones"),
          entry<Race, RaceOptions>(
              "race", "several starts, each with a solver of its own for a while; the best goes on",
              "Huberman, Lukose & Hogg 1997, portfolios"),
          entry<EachBlock, EachBlockOptions>(
              "each_block", "blocks that do not interact, each solved once by an inner solver",
              "one map an aspect"),
          entry<Alternating, AlternatingOptions>(
              "alternating",
              "one block after the other by an inner solver, the others held, in sweeps",
              "Bertsekas 1999, section 3.7; Dempster, Laird & Rubin 1977"),
          entry<Hungarian, HungarianOptions>(
              "hungarian", "the cheapest assignment, with the dual potentials that prove it",
              "Kuhn 1955; Jonker & Volgenant 1987"),
          entry<BoostMatching, BoostMatchingOptions>(
              "boost_matching",
              "the cheapest assignment of costs rounded to whole numbers, by Boost.Graph",
              "Galil 1986; Boost.Graph 1.74, maximum_weighted_matching"),
          entry<Lanczos, LanczosOptions>(
              "lanczos",
              "a few eigenvectors of a large matrix, the lowest ones by shift and invert",
              "Sorensen 1992; Spectra 1.0, Qiu"),
          entry<EigenDense, EigenDenseOptions>(
              "eigen_dense", "eigenvectors by all eigenvectors of a matrix of few thousand rows",
              "Golub & Van Loan, section 8.3; Eigen's SelfAdjointEigenSolver"),
          entry<Csdp, CsdpOptions>(
              "csdp",
              "semidefinite programs of few thousand rows, by a primal-dual interior point method",
              "Borchers 1999, CSDP 6.2; Helmberg, Rendl, Vanderbei & Wolkowicz 1996"),
          entry<CuttingPlane, CuttingPlaneOptions>(
              "cutting_plane",
              "semidefinite programs with rows by the ten thousand, of which few matter: an inner "
              "solver in rounds",
              "Kelley 1960; Helmberg & Rendl 1998"),
          entry<LowRank, LowRankOptions>("low_rank",
                                         "semidefinite programs over distances by a factor of few "
                                         "columns, certified: for thousands of objects",
                                         "Burer & Monteiro 2003; Bertsekas 1982"),
      });
  return kCatalog;
}

NamedSolver recommended_solver(const ProblemEntry& problem) {
  if (problem.solver.empty()) return {default_solver(problem.offers), {}};
  Table options = *value_from_text(problem.solver).get_if<Table>();
  const std::string name = *options.find("name")->get_if<std::string>();
  options.erase("name");
  return {name, std::move(options)};
}

std::string default_solver(CapabilitySet offers) {
  const auto fits = [&](const SolverEntry& entry) {
    return fit(entry.name, entry.needs, "a problem", offers).fits;
  };
  for (const char* preferred : {"ceres", "continuation", "riemannian_sgd", "low_rank"})
    // What says nothing of smoothness but is a sum is stepped through, not added up for a line search.
    if (offers.includes(solver_catalog().at(preferred).needs)) return preferred;
  for (const SolverEntry& entry : solver_catalog().entries())
    if (fits(entry)) return entry.name;
  return "";
}

}  // namespace alidade
