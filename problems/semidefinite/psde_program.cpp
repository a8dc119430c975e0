#include "problems/semidefinite/psde_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
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
                "similar pairs weigh 1 / their number, and so do dissimilar ones; otherwise all "
                "pairs weigh 1")
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
  std::ranges::sort(
      pairs, [](const WeightedPair& a, const WeightedPair& b) { return std::pair(a.i, a.j) < std::pair(b.i, b.j); });
  for (const WeightedPair& pair : pairs) {
    if (!cost.pairs.empty() && cost.pairs.back().i == pair.i && cost.pairs.back().j == pair.j)
      cost.pairs.back().weight += pair.weight;
    else
      cost.pairs.push_back(pair);
  }
  cost.trace_bound = options.trace_bound;
  cost.radius_count = options.single_radius ? 1 : n;
  return cost;
}

PsdeProgram::PsdeProgram(std::shared_ptr<const PairSigns> signs, const PsdeOptions& options)
    : PsdeProgram(signs, options, sign_cost(*signs, options)) {}

PsdeProgram::PsdeProgram(std::shared_ptr<const PairSigns> signs, const PsdeOptions& options, DistanceCost cost)
    : DistanceProgram(std::move(cost)), signs_(std::move(signs)), options_(options) {
  const Index n = signs_->object_count();
  require<DataError>(signs_->similar_count() > 0,
                     "No pair is similar, and dissimilar pairs alone do not determine a map. Give "
                     "similar pairs, or raise k.");
  require<DataError>(signs_->dissimilar_count() > 0,
                     "No pair is dissimilar, so all objects at one point would be the optimum. "
                     "Give dissimilar pairs, or lower k.");
  bool any = false;
  for (Index i = 0; i < n; ++i) any = any || binding(i);
  require<DataError>(any || options_.single_radius,
                     "No object has both a similar and a dissimilar one, so no two distances are "
                     "compared. Set single_radius, or give more pairs.");
  find_interior();
}

void PsdeProgram::find_interior() {
  const Index n = signs_->object_count();
  // Arcs k -> i: i is similar as seen from k, but k is not as seen from i.
  const auto one_sided = [&](Index k, Index i) { return signs_->sign(i, k) < 0 && binding(i); };
  std::vector<Index> before(subscript(n), 0);
  std::vector<Index> ready;
  Index arcs = 0;
  for (Index k = 0; k < n; ++k) {
    if (!binding(k)) continue;
    for (const ObjectId j : signs_->similar(k))
      if (one_sided(k, static_cast<Index>(j))) {
        ++before[j];
        ++arcs;
      }
  }
  if (options_.single_radius && arcs > 0) return;
  std::vector<Index> depth(subscript(n), 0);
  for (Index i = 0; i < n; ++i)
    if (before[subscript(i)] == 0) ready.push_back(i);
  for (std::size_t next = 0; next < ready.size(); ++next) {
    const Index k = ready[next];
    if (!binding(k)) continue;
    for (const ObjectId j : signs_->similar(k)) {
      if (!one_sided(k, static_cast<Index>(j))) continue;
      depth[j] = std::max(depth[j], depth[subscript(k)] + 1);
      if (--before[j] == 0) ready.push_back(static_cast<Index>(j));
    }
  }
  if (std::ssize(ready) < n) return;

  const double top = 1 + static_cast<double>(*std::ranges::max_element(depth));
  const auto nearness = [&](Index i, Index j) {  // 0 .. 1
    double out = 0;
    if (binding(i) && signs_->sign(i, j) > 0) out = 1 + static_cast<double>(depth[subscript(i)]);
    if (binding(j) && signs_->sign(j, i) > 0) out = std::max(out, 1 + static_cast<double>(depth[subscript(j)]));
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
    std::ranges::sort(candidates);
    candidates.erase(std::ranges::unique(candidates).begin(), candidates.end());
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

template <class Visit>
void PsdeProgram::each_dissimilar(Index i, const std::vector<char>& similar, Visit visit) const {
  if (signs_->others() == PairSigns::Others::unknown) {
    for (const ObjectId j : signs_->listed_dissimilar(i)) visit(j);
  } else {
    for (Index j = 0; j < signs_->object_count(); ++j)
      if (!similar[subscript(j)]) visit(static_cast<ObjectId>(j));
  }
}

/// Examines the distances of every object, one object at a time.
class PsdeProgram::Search {
 public:
  /// What separation needs to know about one object.
  struct Seen {
    double farthest_similar = -kInfinity;
    double nearest_dissimilar = kInfinity;
    double radius = 0;  // at which violations are counted
    Index rows = 0;     // violated
    double sum = 0;
    std::vector<ConstraintId> worst;
  };

  Search(const PsdeProgram& program, const SquaredDistances& d2, Index budget, double tolerance)
      : program_(program),
        signs_(*program.signs_),
        d2_(d2),
        n_(signs_.object_count()),
        budget_(budget),
        tolerance_(tolerance),
        seen_(subscript(n_)) {}

  /// `limits`: the farthest similar and nearest dissimilar distance around b; null: the object's own.
  void scan(const Seen* limits, Executor& executor) {
    constexpr Index kObjects = 64;  // a chunk
    seen_.assign(subscript(n_), {});
    executor.run_chunks(n_, kObjects, [&](const Chunk& chunk) {
      Room room{std::vector<double>(subscript(n_)), std::vector<char>(subscript(n_), 0), {}, {}};
      for (Index i = chunk.first; i < chunk.last; ++i)
        if (program_.binding(i)) look_at(i, limits, room);
    });
  }
  [[nodiscard]] const std::vector<Seen>& seen() const { return seen_; }

 private:
  struct Room {
    std::vector<double> distance;
    std::vector<char> similar;                              // 1 for the object and its similar ones
    std::vector<std::pair<double, ConstraintId>> violated;  // larger: worse
    std::vector<double> sides;
  };

  void look_at(Index i, const Seen* limits, Room& room) {
    Seen& seen = seen_[subscript(i)];
    d2_.from(i, room.distance);
    for (const ObjectId j : signs_.similar(i)) {
      seen.farthest_similar = std::max(seen.farthest_similar, room.distance[j]);
      room.similar[j] = 1;
    }
    room.similar[subscript(i)] = 1;
    program_.each_dissimilar(i, room.similar, [&](ObjectId j) {
      seen.nearest_dissimilar = std::min(seen.nearest_dissimilar, room.distance[j]);
    });
    const Seen& limit = limits ? *limits : seen;
    const double high = limit.farthest_similar, low = limit.nearest_dissimilar;
    seen.radius = limits ? limits->radius : 0.5 * (high + low);
    if (0.5 * (high - low) > tolerance_) {
      if (!limits && program_.priced()) seen.radius = cheapest(i, room);
      take_worst(i, low, high, seen, room);
    }
    for (const ObjectId j : signs_.similar(i)) room.similar[j] = 0;
    room.similar[subscript(i)] = 0;
  }

  [[nodiscard]] double cheapest(Index i, Room& room) const {
    room.sides.clear();
    for (const ObjectId j : signs_.similar(i)) room.sides.push_back(room.distance[j]);
    program_.each_dissimilar(i, room.similar, [&](ObjectId j) { room.sides.push_back(room.distance[j]); });
    return cheapest_radius(room.sides, signs_.similar(i).size());
  }

  /// Counts the violated rows of both sides and keeps the worst of those in conflict.
  void take_worst(Index i, double low, double high, Seen& seen, Room& room) const {
    const auto note = [&](double violation) {
      if (violation <= tolerance_) return;
      ++seen.rows;
      seen.sum += violation;
    };
    room.violated.clear();
    for (const ObjectId j : signs_.similar(i)) {
      if (room.distance[j] - low > tolerance_) room.violated.emplace_back(room.distance[j], i * n_ + Index{j});
      note(room.distance[j] - seen.radius);
    }
    append_worst(room.violated, budget_, seen.worst);
    room.violated.clear();
    program_.each_dissimilar(i, room.similar, [&](ObjectId j) {
      if (high - room.distance[j] > tolerance_) room.violated.emplace_back(-room.distance[j], i * n_ + Index{j});
      note(seen.radius - room.distance[j]);
    });
    append_worst(room.violated, budget_, seen.worst);
  }

  const PsdeProgram& program_;
  const PairSigns& signs_;
  const SquaredDistances& d2_;
  Index n_, budget_;
  double tolerance_;
  std::vector<Seen> seen_;  // one an object
};

Violations PsdeProgram::separate(const SquaredDistances& d2, Index budget, double tolerance,
                                 std::vector<ConstraintId>& out, Executor& executor) const {
  Search search(*this, d2, budget, tolerance);
  search.scan(nullptr, executor);
  Search::Seen all;
  for (const Search::Seen& seen : search.seen()) {
    all.farthest_similar = std::max(all.farthest_similar, seen.farthest_similar);
    all.nearest_dissimilar = std::min(all.nearest_dissimilar, seen.nearest_dissimilar);
  }
  if (options_.single_radius) {
    all.radius = priced() ? common_radius(d2) : 0.5 * (all.farthest_similar + all.nearest_dissimilar);
    search.scan(&all, executor);
  }
  Violations sum;
  for (const Search::Seen& seen : search.seen()) {
    out.insert(out.end(), seen.worst.begin(), seen.worst.end());
    sum.count += seen.rows;
    sum.sum += seen.sum;
    const Search::Seen& limit = options_.single_radius ? all : seen;
    if (limit.farthest_similar > limit.nearest_dissimilar)
      sum.max = std::max({sum.max, limit.farthest_similar - limit.radius, limit.radius - limit.nearest_dissimilar});
  }
  return sum;
}

template <class Visit>
void PsdeProgram::each_side(const SquaredDistances& d2, Visit visit) const {
  const Index n = signs_->object_count();
  std::vector<double> distance(subscript(n)), sides;
  std::vector<char> similar(subscript(n), 0);
  for (Index i = 0; i < n; ++i) {
    if (!binding(i)) continue;
    d2.from(i, distance);
    sides.clear();
    similar[subscript(i)] = 1;
    for (const ObjectId j : signs_->similar(i)) {
      sides.push_back(distance[j]);
      similar[j] = 1;
    }
    const std::size_t count = sides.size();
    each_dissimilar(i, similar, [&](ObjectId j) { sides.push_back(distance[j]); });
    for (const ObjectId j : signs_->similar(i)) similar[j] = 0;
    similar[subscript(i)] = 0;
    visit(i, sides, count);
  }
}

double PsdeProgram::common_radius(const SquaredDistances& d2) const {
  std::vector<double> all;
  std::size_t similar_count = 0;
  each_side(d2, [&](Index, const std::vector<double>& sides, std::size_t count) {
    all.insert(all.end(), sides.begin(), sides.end());
    similar_count += count;
  });
  return cheapest_radius(all, similar_count);
}

double PsdeProgram::slack_cost(const SquaredDistances& d2) const {
  if (!priced()) return 0;
  const double common = options_.single_radius ? common_radius(d2) : 0;
  double sum = 0;
  std::vector<double> scratch;
  each_side(d2, [&](Index, const std::vector<double>& sides, std::size_t count) {
    double radius = common;
    if (!options_.single_radius) {
      scratch = sides;
      radius = cheapest_radius(scratch, count);
    }
    for (std::size_t k = 0; k < sides.size(); ++k)
      sum += std::max(0.0, k < count ? sides[k] - radius : radius - sides[k]);
  });
  return options_.slack_price * sum;
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
  require<DataError>(observations.offers(ObservationKind::pair_signs),
                     "psde needs pair signs, but '{}' offers {}. Choose another problem or data "
                     "set.",
                     observations.name, join(observations.kinds(), ", "));
  auto program = std::make_shared<const PsdeProgram>(observations.pair_signs, options);
  std::vector<std::string> notes;
  if (!program->has_interior())
    notes.emplace_back(
        "Similarity has cycles (i counts j as similar but j does not count i, and so on back to "
        "i). The distances on such a cycle can only be equal.");
  return {"psde", DistanceMap(std::move(program), options.n_components, std::move(notes))};
}

}  // namespace

ProblemEntry psde_entry() {
  return {
      .name = "psde",
      .summary =
          "places similar objects nearer than dissimilar ones, by a semidefinite program "
          "with a certificate",
      .reference = "[GR07] Globerson & Roweis 2007, Eq. 3",
      .equation =
          "min over G psd, b >= 0: sum w_ij s_ij d2_ij, s.t. s_ij (d2_ij - b_i) <= 0, tr G <= T, "
          "with d2_ij = g_ii + g_jj - 2 g_ij",
      .needs = {ObservationKind::pair_signs},
      .offers = offered_by<DistanceMap>(),
      .options = PsdeMapOptions::list().infos(),
      .make = make_psde,
  };
}

}  // namespace alidade::semidefinite
