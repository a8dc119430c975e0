#include "experiments/run/optimality.hpp"

#include <sentences/run.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "experiments/run/escaped_objects.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/evidence/ordinary_weights.hpp"
#include "problems/spaces/domain.hpp"
#include "problems/triplet_sums/triplet_sum.hpp"
#include "solvers/catalog.hpp"

namespace alidade {
namespace {

double real_option(const ValueTable& options, const char* name) {
  const Value* value = options.find(name);
  return value ? value->number().value_or(0) : 0;
}

/// The regulariser's weight, with that given relative to the answers.
double lambda_of(const ValueTable& options, const Observations& answers) {
  const std::shared_ptr<const TripletSource> triplets = with_ordinary_weights(answers.triplets).triplets;
  double weights = 0;
  for (std::uint64_t t = 0; t < triplets->size(); ++t) weights += triplets->at(t).weight;
  const Value* rule = options.find("l2");
  const triplet::Regulariser regulariser =
      rule && *rule == Value("auto")
          ? triplet::Regulariser{.root = real_option(options, "l2_scale")}
          : triplet::Regulariser{.lambda0 = real_option(options, "lambda0"), .lambda = real_option(options, "lambda")};
  return regulariser.weight(weights, answers.object_count(),
                            std::ranges::count(mentioned_objects(*answers.triplets), true));
}

/// Centred; objects without answers are at the centre, where the regulariser would have them.
Matrix centred(Matrix places, const TripletSource& triplets) {
  const std::vector<bool> mentioned = mentioned_objects(triplets);
  const auto count = static_cast<double>(std::ranges::count(mentioned, true));
  Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(places.cols());
  for (Index i = 0; i < places.rows(); ++i)
    if (mentioned[static_cast<std::size_t>(i)]) mean += places.row(i) / count;
  for (Index i = 0; i < places.rows(); ++i)
    if (mentioned[static_cast<std::size_t>(i)])
      places.row(i) -= mean;
    else
      places.row(i).setZero();
  return places;
}

Solution factored(Matrix factor) {
  SemidefiniteSolution out;
  out.blocks.push_back({true, std::move(factor)});
  return out;
}

}  // namespace

std::optional<std::string> unprovable_reason(const std::string& problem, const ValueTable& options,
                                             const Observations& answers) {
  if (problem == "ste_convex" || problem == "gnmds_convex") return fmt::format(words::kProvesItself, problem);
  if (problem != "ste" && problem != "gnmds") return fmt::format(words::kNotConvex, problem);
  const Value* manifold = options.find("manifold");
  if (manifold && *manifold != Value("euclidean")) return words::kOnSphere;
  if (real_option(options, "lapse_rate") != 0) return words::kLapseRate;
  if (!answers.triplets || answers.triplets->aspect_count() > 1) return words::kSeveralAspects;
  if (!(lambda_of(options, answers) > 0)) return words::kNoRegulariser;
  return std::nullopt;
}

Optimality optimality_of(const std::string& problem, const ValueTable& options, const Observations& answers,
                         const Matrix& coordinates, double tolerance, SolveContext& context) {
  ValueTable convex_options, solver_options, descent;
  convex_options.set("lambda", lambda_of(options, answers));
  if (problem == "gnmds") convex_options.set("smoothing", real_option(options, "smoothing"));
  const Problem convex = problem_catalog().at(problem + "_convex").make(answers, convex_options);
  solver_options.set("tolerance", tolerance);
  Rng rng = Rng::stream(0, "certify");
  Solution best = convex.start(rng);
  const Summary summary = solver_catalog().at("widening_factor").make(solver_options)->solve(convex, best, context);
  require<DataError>(summary.usable() && summary.certificate, "There is no bound: {}.", summary.message);

  Optimality out{};
  out.lower_bound = summary.certificate->lower_bound;
  out.best = summary.objective;
  out.termination = summary.termination;
  Evaluation evaluation(context.executor);
  out.objective = convex.objective(factored(centred(coordinates, *answers.triplets)), evaluation);

  // From the leading axes of the best of any dimension, the map's own problem finds about what its dimension allows.
  const Problem map_problem = problem_catalog().at(problem).make(answers, options);
  Point point = map_problem.domain()->zero();
  const Matrix axes = std::get<SemidefiniteSolution>(best).blocks.front().principal_axes();
  const Index shown = std::min(axes.cols(), point.block(0).cols());
  point.block(0).leftCols(shown) = axes.leftCols(shown);
  Solution refined = std::move(point);
  descent.set("tolerance", 1e-9);
  descent.set("max_iter", 2000);
  solver_catalog().at("ceres").make(descent)->solve(map_problem, refined, context);
  out.reached = std::min(out.objective, convex.objective(factored(std::get<Point>(refined).block(0)), evaluation));

  const double factor = convex.unit_factors().objective;
  for (double* value : {&out.lower_bound, &out.best, &out.objective, &out.reached}) *value *= factor;
  for (const auto& [key, value] : convex.decode(best).estimates) {
    if (key == "lambda") out.lambda = value;
    if (key == "lambda_fraction") out.lambda_fraction = value;
    if (key == "rank") out.rank = static_cast<Index>(std::lround(value));
  }
  return out;
}

}  // namespace alidade
