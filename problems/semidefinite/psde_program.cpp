#include "problems/semidefinite/psde_program.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/sorted_lists.hpp"
#include "problems/semidefinite/distance_map.hpp"

namespace alidade::semidefinite {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The b that minimises the sum of (d - b)+ over similar and (b - d)+ over dissimilar ones: there, the slope changes
/// from - m + (m - 1) to at least - m + m. Reorders `distances`, which holds both.
double cheapest_radius(std::vector<double>& distances, std::size_t similar_count) {
  if (similar_count == 0 || distances.empty()) return 0;
  const auto place = distances.begin() + static_cast<std::ptrdiff_t>(similar_count - 1);
  std::ranges::nth_element(distances, place);
  return *place;
}

}  // namespace

const OptionList<PsdeOptions>& PsdeOptions::list() {
  static const auto kList =
      OptionList<PsdeOptions>()
          .flag("weighted", &PsdeOptions::weighted,
                "similar pairs weigh 1 / their number, and so do dissimilar ones; otherwise all pairs weigh 1")
          .flag("single_radius", &PsdeOptions::single_radius, "one radius b for all objects, instead of one per object")
          .real("trace_bound", &PsdeOptions::trace_bound, above(0), "T in tr G <= T");
  return kList;
}

DistanceCost sign_cost(const PairSigns& signs, const PsdeOptions& options) {
  DistanceCost cost;
  const Index n = cost.object_count = signs.object_count();
  const double similar =
      options.weighted ? 1 / static_cast<double>(std::max<std::uint64_t>(1, signs.similar_count())) : 1;
  const double dissimilar =
      options.weighted ? 1 / static_cast<double>(std::max<std::uint64_t>(1, signs.dissimilar_count())) : 1;
  const bool others = signs.others() == PairSigns::Others::dissimilar;
  // kappa counts both orders of every pair as dissimilar; similar pairs subtract theirs.
  if (others) cost.all_pairs = -2 * dissimilar;
  std::vector<WeightedPair> pairs;
  for (Index i = 0; i < n; ++i) {
    const auto add = [&](ObjectId j, double weight) {
      const auto a = static_cast<ObjectId>(i);
      pairs.push_back({std::min(a, j), std::max(a, j), weight});
    };
    for (const ObjectId j : signs.similar(i)) add(j, others ? similar + dissimilar : similar);
    for (const ObjectId j : signs.listed_dissimilar(i)) add(j, -dissimilar);
  }
  cost.pairs = summed_weights(std::move(pairs));
  cost.trace_bound = options.trace_bound;
  cost.radius_count = options.single_radius ? 1 : n;
  return cost;
}

PsdeProgram::PsdeProgram(std::shared_ptr<const PairSigns> signs, const PsdeOptions& options)
    : PsdeProgram(signs, options, sign_cost(*signs, options)) {}

PsdeProgram::PsdeProgram(std::shared_ptr<const PairSigns> signs, const PsdeOptions& options, DistanceCost cost)
    : DistanceProgram(std::move(cost)), signs_(std::move(signs)), options_(options) {
  const Index n = signs_->object_count();
  require<DataError>(
      signs_->similar_count() > 0,
      "No pair is similar, and dissimilar pairs alone do not determine a map. Give similar pairs, or raise k.");
  require<DataError>(
      signs_->dissimilar_count() > 0,
      "No pair is dissimilar, so all objects at one point would be the optimum. Give dissimilar pairs, or lower k.");
  bool any = false;
  for (Index i = 0; i < n; ++i) any = any || binding(i);
  require<DataError>(any || options_.single_radius,
                     "No object has both a similar and a dissimilar one, so no two distances are compared. Set "
                     "single_radius, or give more pairs.");
  find_interior();
}

void PsdeProgram::find_interior() {
  const Index n = signs_->object_count();
  // Arcs k -> i: i is similar as seen from k, but k is not as seen from i.
  const auto depth = chain_levels(n, [&](const auto& visit) {
    for (Index k = 0; k < n; ++k)
      if (binding(k))
        for (const ObjectId i : signs_->similar(k))
          if (signs_->sign(Index{i}, k) < 0 && binding(Index{i})) visit(k, Index{i});
  });
  if (!depth) return;
  const Index deepest = *std::ranges::max_element(*depth);
  if (options_.single_radius && deepest > 0) return;
  const double top = 1 + static_cast<double>(deepest);
  const auto nearness = [&](Index i, Index j) {  // 0 .. 1
    double out = 0;
    if (binding(i) && signs_->sign(i, j) > 0) out = 1 + static_cast<double>((*depth)[subscript(i)]);
    if (binding(j) && signs_->sign(j, i) > 0) out = std::max(out, 1 + static_cast<double>((*depth)[subscript(j)]));
    return out / top;
  };
  std::vector<double> row_sums(subscript(n), 0);
  double distances = cost().all_pairs * static_cast<double>(n) * static_cast<double>(n - 1) / 2;
  double near = 0;
  for (const WeightedPair& pair : cost().pairs) {
    const double m = nearness(static_cast<Index>(pair.i), static_cast<Index>(pair.j));
    row_sums[pair.i] += m;
    row_sums[pair.j] += m;
    distances += pair.weight;
    near += m * (pair.weight + cost().all_pairs);
  }
  const double c = 1 / *std::ranges::max_element(row_sums);
  const double unit = cost().trace_bound / static_cast<double>(n);
  interior_ = Interior{unit * (2 * distances - 2 * c * near), unit * c / top};
}

bool PsdeProgram::binding(Index i) const {
  return options_.single_radius || (!signs_->similar(i).empty() && signs_->dissimilar_count(i) > 0);
}

std::uint64_t PsdeProgram::row_count() const {
  std::uint64_t out = 0;
  for (Index i = 0; i < signs_->object_count(); ++i)
    if (binding(i)) out += signs_->similar(i).size() + signs_->dissimilar_count(i);
  return out;
}

DistanceConstraint PsdeProgram::row(ConstraintId id) const {
  const auto n = static_cast<ConstraintId>(signs_->object_count());
  const auto i = static_cast<ObjectId>(id / n), j = static_cast<ObjectId>(id % n);
  const double sign = signs_->sign(static_cast<Index>(i), static_cast<Index>(j));
  DistanceConstraint out;
  out.terms[0] = {i, j, sign};
  out.term_count = 1;
  out.radius = options_.single_radius ? 0 : static_cast<Index>(i);
  out.radius_coefficient = -sign;
  out.cap = options_.slack_price;
  return out;
}

std::string PsdeProgram::constraint_name(ConstraintId id) const {
  const auto n = static_cast<ConstraintId>(signs_->object_count());
  return fmt::format("{} of {} and {}", row(id).radius_coefficient < 0 ? "similarity" : "dissimilarity", id / n,
                     id % n);
}

std::vector<ConstraintId> PsdeProgram::all_constraints() const {
  std::vector<ConstraintId> out;
  const Index n = signs_->object_count();
  for (Index i = 0; i < n; ++i)
    if (binding(i))
      for (Index j = 0; j < n; ++j)
        if (signs_->sign(i, j) != 0) out.push_back(static_cast<ConstraintId>(i * n + j));
  return out;
}

std::vector<ConstraintId> PsdeProgram::first_constraints(Index per_side, Rng& rng) const {
  const Index n = signs_->object_count();
  std::vector<ConstraintId> out;
  std::vector<ObjectId> candidates;
  const auto take = [&](Index i) {
    rng.shuffle(std::span(candidates));
    const std::size_t count = std::min(candidates.size(), subscript(per_side));
    for (std::size_t k = 0; k < count; ++k) out.push_back(static_cast<ConstraintId>(i * n) + candidates[k]);
    return count;
  };
  for (Index i = 0; i < n; ++i) {
    if (!binding(i)) continue;
    const auto similar = signs_->similar(i);
    candidates.assign(similar.begin(), similar.end());
    take(i);
    candidates.clear();
    for (const ObjectId j : similar)
      for (const ObjectId k : signs_->similar(static_cast<Index>(j)))
        if (signs_->sign(i, static_cast<Index>(k)) < 0) candidates.push_back(k);
    sort_distinct(candidates);
    if (candidates.empty()) {
      const auto listed = signs_->listed_dissimilar(i);
      candidates.assign(listed.begin(), listed.end());
      while (candidates.empty() && signs_->dissimilar_count(i) > 0) {
        const auto j = static_cast<Index>(rng.below(static_cast<std::uint64_t>(n)));
        if (signs_->sign(i, j) < 0) candidates.push_back(static_cast<ObjectId>(j));
      }
    }
    take(i);
  }
  std::ranges::sort(out);
  return out;
}

/// The distances of one object's similar ones, then of its dissimilar ones.
struct PsdeProgram::Sides {
  std::vector<double> distance;
  std::vector<ObjectId> id;
  std::size_t similar = 0;  // how many
  std::vector<double> all;  // of every object
  std::vector<char> near;   // 0, but 1 for the object and its similar ones while they are read
};

void PsdeProgram::read_sides(Index i, const SquaredDistances& d2, Sides& out) const {
  const auto similar = signs_->similar(i);
  out.all.resize(subscript(cost().object_count));
  d2.from(i, out.all);
  out.id.assign(similar.begin(), similar.end());
  out.similar = out.id.size();
  if (signs_->others() == PairSigns::Others::unknown) {
    const auto listed = signs_->listed_dissimilar(i);
    out.id.insert(out.id.end(), listed.begin(), listed.end());
  } else {
    out.near.resize(out.all.size(), 0);
    const auto mark = [&](char value) {
      out.near[subscript(i)] = value;
      for (const ObjectId j : similar) out.near[j] = value;
    };
    mark(1);
    for (ObjectId j = 0; j < out.near.size(); ++j)
      if (!out.near[j]) out.id.push_back(j);
    mark(0);
  }
  out.distance.clear();
  for (const ObjectId j : out.id) out.distance.push_back(out.all[j]);
}

/// What separation needs to know about one object.
struct PsdeProgram::Seen {
  double farthest_similar = -kInfinity;
  double nearest_dissimilar = kInfinity;
  double radius = 0;  // at which violations are counted
  Index rows = 0;     // violated
  double sum = 0;
  std::vector<ConstraintId> worst;
};

/// `limits`: the farthest similar and nearest dissimilar distance around b; null: the object's own.
std::vector<PsdeProgram::Seen> PsdeProgram::scan(const SquaredDistances& d2, Index budget, double tolerance,
                                                 const Seen* limits, Executor& executor) const {
  constexpr Index kObjects = 64;  // a chunk
  const Index n = cost().object_count;
  std::vector<Seen> out(subscript(n));
  executor.run_chunks(n, kObjects, [&](const Chunk& chunk) {
    Sides sides;
    std::vector<double> scratch;
    std::vector<std::pair<double, ConstraintId>> violated;
    for (Index i = chunk.first; i < chunk.last; ++i) {
      if (!binding(i)) continue;
      read_sides(i, d2, sides);
      Seen& seen = out[subscript(i)];
      for (std::size_t k = 0; k < sides.distance.size(); ++k) {
        if (k < sides.similar)
          seen.farthest_similar = std::max(seen.farthest_similar, sides.distance[k]);
        else
          seen.nearest_dissimilar = std::min(seen.nearest_dissimilar, sides.distance[k]);
      }
      const double high = limits ? limits->farthest_similar : seen.farthest_similar,
                   low = limits ? limits->nearest_dissimilar : seen.nearest_dissimilar;
      seen.radius = limits ? limits->radius : 0.5 * (high + low);
      if (!(0.5 * (high - low) > tolerance)) continue;
      if (!limits && priced()) {
        scratch = sides.distance;
        seen.radius = cheapest_radius(scratch, sides.similar);
      }
      // The violated rows of both sides are counted, and the worst of those in conflict kept.
      const auto take = [&](std::size_t first, std::size_t last, double sign, double limit) {
        violated.clear();
        for (std::size_t k = first; k < last; ++k) {
          const double by = sign * (sides.distance[k] - seen.radius);
          if (sign * (sides.distance[k] - limit) > tolerance)
            violated.emplace_back(sign * sides.distance[k], i * n + Index{sides.id[k]});
          if (by <= tolerance) continue;
          ++seen.rows;
          seen.sum += by;
        }
        append_worst(violated, budget, seen.worst);
      };
      take(0, sides.similar, 1, low);
      take(sides.similar, sides.distance.size(), -1, high);
    }
  });
  return out;
}

Violations PsdeProgram::separate(const SquaredDistances& d2, Index budget, double tolerance,
                                 std::vector<ConstraintId>& out, Executor& executor) const {
  std::vector<Seen> objects = scan(d2, budget, tolerance, nullptr, executor);
  Seen all;
  for (const Seen& seen : objects) {
    all.farthest_similar = std::max(all.farthest_similar, seen.farthest_similar);
    all.nearest_dissimilar = std::min(all.nearest_dissimilar, seen.nearest_dissimilar);
  }
  if (options_.single_radius) {
    all.radius = priced() ? common_radius(d2) : 0.5 * (all.farthest_similar + all.nearest_dissimilar);
    objects = scan(d2, budget, tolerance, &all, executor);
  }
  Violations sum;
  for (const Seen& seen : objects) {
    out.insert(out.end(), seen.worst.begin(), seen.worst.end());
    sum.count += seen.rows;
    sum.sum += seen.sum;
    const Seen& limit = options_.single_radius ? all : seen;
    if (limit.farthest_similar > limit.nearest_dissimilar)
      sum.max = std::max({sum.max, limit.farthest_similar - limit.radius, limit.radius - limit.nearest_dissimilar});
  }
  return sum;
}

double PsdeProgram::common_radius(const SquaredDistances& d2) const {
  std::vector<double> all;
  std::size_t similar_count = 0;
  Sides sides;
  for (Index i = 0; i < cost().object_count; ++i) {
    if (!binding(i)) continue;
    read_sides(i, d2, sides);
    all.insert(all.end(), sides.distance.begin(), sides.distance.end());
    similar_count += sides.similar;
  }
  return cheapest_radius(all, similar_count);
}

double PsdeProgram::slack_cost(const SquaredDistances& d2) const {
  if (!priced()) return 0;
  std::vector<ConstraintId> none;
  Executor alone;
  return options_.slack_price * separate(d2, 0, 0, none, alone).sum;
}

std::optional<double> PsdeProgram::repaired_value(double value, double violation, double trace) const {
  if (!std::isfinite(value) || !std::isfinite(violation)) return std::nullopt;
  if (!(trace > 0)) return priced() ? std::optional(0.0) : std::nullopt;
  const double shrink = std::min(1.0, cost().trace_bound / trace);
  if (priced()) return std::min(0.0, shrink * value);
  violation = std::max(0.0, violation) * shrink;
  if (violation == 0) return std::min(0.0, shrink * value);
  if (!interior_ || cost().basis.size() > 0 || cost().ridge.size() > 0) return std::nullopt;
  const double mix = violation / (violation + interior_->room);
  return std::min(0.0, (1 - mix) * shrink * value + mix * interior_->value);
}

namespace {

struct PsdeMapOptions : DrawnAxes, PsdeOptions {
  static const OptionList<PsdeMapOptions>& list() {
    static const auto kList = OptionList<PsdeMapOptions>().include(DrawnAxes::list()).include(PsdeOptions::list());
    return kList;
  }
};

Problem make_psde(const Observations& observations, const ValueTable& table) {
  const PsdeMapOptions options = PsdeMapOptions::list().parse(table, "problem 'psde'");
  require_offered(observations.offers(ObservationKind::pair_signs), observations, "psde", "pair signs");
  auto program = std::make_shared<const PsdeProgram>(observations.pair_signs, options);
  std::vector<std::string> notes;
  if (!program->has_interior())
    notes.emplace_back(
        "Similarity has cycles (i counts j as similar but j does not count i, and so on back to i). The distances on "
        "such a cycle can only be equal.");
  return {"psde", DistanceMap(std::move(program), options.n_components, std::move(notes))};
}

}  // namespace

ProblemEntry psde_entry() {
  return {
      .name = "psde",
      .summary = "places similar objects nearer than dissimilar ones, by a semidefinite program with a certificate",
      .reference = "[GR07] Globerson & Roweis 2007, Eq. 3",
      .equation =
          "min over G psd, b >= 0: sum w_ij s_ij d2_ij, s.t. s_ij (d2_ij - b_i) <= 0, tr G <= T, with d2_ij = g_ii + "
          "g_jj - 2 g_ij",
      .needs = {ObservationKind::pair_signs},
      .offers = offered_by<DistanceMap>(),
      .options = PsdeMapOptions::list().infos(),
      .make = make_psde,
  };
}

}  // namespace alidade::semidefinite
