#include "problems/semidefinite/triplet_program.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "problems/core/error.hpp"

namespace alidade::semidefinite {

TripletProgram::TripletProgram(DistanceCost distance_cost, std::shared_ptr<const TripletSource> triplets,
                               const TripletProgramOptions& options)
    : DistanceProgram(std::move(distance_cost)), triplets_(std::move(triplets)), options_(options) {
  const Index n = cost().object_count;
  require<DataError>(triplets_->size() <= kMostTriplets,
                     "{} triplets are too many for a semidefinite program; the limit is {}. Use a sample: set "
                     "`triplets` of the data set, or a larger split.holdout.",
                     triplets_->size(), kMostTriplets);
  first_.assign(subscript(n) + 1, 0);
  const auto each = [&](auto&& visit) {
    for (std::uint64_t k = 0; k < triplets_->size(); ++k) {
      const Triplet t = triplets_->at(k);
      if (t.weight > 0) visit(k, t);
    }
  };
  each([&](std::uint64_t, const Triplet& t) { ++first_[t.anchor + 1]; });
  for (std::size_t i = 0; i < subscript(n); ++i) first_[i + 1] += first_[i];
  require<DataError>(first_.back() > 0, "There is no triplet to learn from. Add triplets.");
  entries_.resize(first_.back());
  if (triplets_->weighted()) weights_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  each([&](std::uint64_t k, const Triplet& t) {
    const std::size_t place = next[t.anchor]++;
    entries_[place] = {t.near, t.far, static_cast<std::uint32_t>(k)};
    if (!weights_.empty()) weights_[place] = t.weight;
  });
  if (!priced()) find_interior();
}

void TripletProgram::find_interior() {
  const Index n = cost().object_count;
  const auto key = [n](ObjectId i, ObjectId j) {
    return static_cast<std::uint64_t>(std::min(i, j)) * static_cast<std::uint64_t>(n) + std::max(i, j);
  };
  std::vector<std::uint64_t> pairs;
  pairs.reserve(2 * entries_.size());
  const auto each = [&](auto&& visit) {
    for (Index i = 0; i < n; ++i)
      for (std::size_t k = first_[subscript(i)]; k < first_[subscript(i) + 1]; ++k)
        visit(key(static_cast<ObjectId>(i), entries_[k].near), key(static_cast<ObjectId>(i), entries_[k].far));
  };
  each([&](std::uint64_t near, std::uint64_t far) {
    pairs.push_back(near);
    pairs.push_back(far);
  });
  std::ranges::sort(pairs);
  pairs.erase(std::ranges::unique(pairs).begin(), pairs.end());
  const auto place_of = [&](std::uint64_t pair) {
    return static_cast<std::size_t>(std::ranges::lower_bound(pairs, pair) - pairs.begin());
  };
  // Levels of pairs by the longest chain of triplets that leads to them.
  std::vector<std::size_t> begin(pairs.size() + 1, 0), to(entries_.size()), before(pairs.size(), 0);
  each([&](std::uint64_t near, std::uint64_t) { ++begin[place_of(near) + 1]; });
  for (std::size_t k = 0; k < pairs.size(); ++k) begin[k + 1] += begin[k];
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  each([&](std::uint64_t near, std::uint64_t far) {
    const std::size_t target = place_of(far);
    to[next[place_of(near)]++] = target;
    ++before[target];
  });
  std::vector<std::size_t> queue, level(pairs.size(), 0);
  for (std::size_t k = 0; k < pairs.size(); ++k)
    if (before[k] == 0) queue.push_back(k);
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (std::size_t e = begin[queue[head]]; e < begin[queue[head] + 1]; ++e) {
      level[to[e]] = std::max(level[to[e]], level[queue[head]] + 1);
      if (--before[to[e]] == 0) queue.push_back(to[e]);
    }
  consistent_ = queue.size() == pairs.size();
  if (!consistent_) return;
  const auto deepest = static_cast<double>(*std::ranges::max_element(level));
  const auto size = static_cast<std::uint64_t>(n);
  const auto height = [&](std::size_t k) { return 1 - 2 * static_cast<double>(level[k]) / deepest; };
  Vector sums = Vector::Zero(n);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    sums[static_cast<Index>(pairs[k] / size)] += std::abs(height(k));
    sums[static_cast<Index>(pairs[k] % size)] += std::abs(height(k));
  }
  const double c = 1 / sums.maxCoeff(), unit = cost().trace_bound / static_cast<double>(n);
  interior_room_ = 4 * c / deepest * unit;
  double value = cost().all_pairs * static_cast<double>(n) * static_cast<double>(n - 1) / 2;
  if (cost().all_pairs != 0)
    for (std::size_t k = 0; k < pairs.size(); ++k) value -= cost().all_pairs * c * height(k);
  for (const WeightedPair& pair : cost().pairs) {
    const std::size_t k = place_of(key(pair.i, pair.j));
    const bool listed = k < pairs.size() && pairs[k] == key(pair.i, pair.j);
    value += pair.weight * (1 - (listed ? c * height(k) : 0.0));
  }
  interior_value_ = 2 * unit * value;
}

DistanceConstraint TripletProgram::row(ConstraintId id) const {
  const Triplet t = triplets_->at(id);
  DistanceConstraint out;
  out.terms = {DistanceTerm{t.anchor, t.near, 1.0}, DistanceTerm{t.anchor, t.far, -1.0}};
  out.term_count = 2;
  out.bound = -options_.margin;
  if (priced()) out.cap = options_.slack_price * t.weight;
  return out;
}

std::string TripletProgram::constraint_name(ConstraintId id) const {
  const Triplet t = triplets_->at(id);
  return fmt::format("triplet {}: {} nearer to {} than {}", id, t.near, t.anchor, t.far);
}

std::vector<ConstraintId> TripletProgram::all_constraints() const {
  std::vector<ConstraintId> out;
  out.reserve(entries_.size());
  for (const Entry& entry : entries_) out.push_back(entry.id);
  std::ranges::sort(out);
  return out;
}

std::vector<ConstraintId> TripletProgram::first_constraints(Index per_side, Rng& rng) const {
  std::vector<ConstraintId> out, own;
  for (Index i = 0; i < cost().object_count; ++i) {
    own.clear();
    for (std::size_t k = first_[subscript(i)]; k < first_[subscript(i) + 1]; ++k) own.push_back(entries_[k].id);
    rng.shuffle(std::span(own));
    own.resize(std::min(own.size(), subscript(per_side)));
    out.insert(out.end(), own.begin(), own.end());
  }
  std::ranges::sort(out);
  return out;
}

Violations TripletProgram::separate(const SquaredDistances& d2, Index budget, double tolerance,
                                    std::vector<ConstraintId>& out, Executor& executor) const {
  constexpr Index kObjects = 64;  // a chunk
  const Index n = cost().object_count;
  struct Seen {
    Violations violations;
    std::vector<ConstraintId> worst;
  };
  std::vector<Seen> seen(subscript(chunk_count(n, kObjects)));
  executor.run_chunks(n, kObjects, [&](const Chunk& chunk) {
    Seen& part = seen[subscript(chunk.number)];
    std::vector<double> distance(subscript(n));
    std::vector<std::pair<double, std::uint32_t>> violated;
    for (Index i = chunk.first; i < chunk.last; ++i) {
      if (first_[subscript(i)] == first_[subscript(i) + 1]) continue;
      d2.from(i, distance);
      violated.clear();
      for (std::size_t k = first_[subscript(i)]; k < first_[subscript(i) + 1]; ++k) {
        const Entry& entry = entries_[k];
        const double excess = distance[entry.near] - distance[entry.far] + options_.margin;
        part.violations.max = std::max(part.violations.max, excess);
        if (excess <= tolerance) continue;
        violated.emplace_back(excess, entry.id);
        ++part.violations.count;
        part.violations.sum += excess;
      }
      const auto count = std::min(violated.size(), subscript(budget));
      std::ranges::partial_sort(
          violated, violated.begin() + static_cast<std::ptrdiff_t>(count),
          [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
      for (std::size_t k = 0; k < count; ++k) part.worst.push_back(violated[k].second);
    }
  });
  Violations sum;
  for (const Seen& part : seen) {
    out.insert(out.end(), part.worst.begin(), part.worst.end());
    sum.count += part.violations.count;
    sum.sum += part.violations.sum;
    sum.max = std::max(sum.max, part.violations.max);
  }
  return sum;
}

double TripletProgram::slack_cost(const SquaredDistances& d2) const {
  if (!priced()) return 0;
  const Index n = cost().object_count;
  std::vector<double> distance(subscript(n));
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    if (first_[subscript(i)] == first_[subscript(i) + 1]) continue;
    d2.from(i, distance);
    for (std::size_t k = first_[subscript(i)]; k < first_[subscript(i) + 1]; ++k)
      sum += weight(k) * std::max(0.0, distance[entries_[k].near] - distance[entries_[k].far] + options_.margin);
  }
  return options_.slack_price * sum;
}

std::optional<double> TripletProgram::repaired_value(double value, double violation, double trace) const {
  constexpr double kRounding = 1e-9;
  const double bound = cost().trace_bound;
  if (priced() && options_.margin > 0) return trace <= bound * (1 + kRounding) ? std::optional(value) : std::nullopt;
  const double shrink = trace > bound ? bound / trace : 1.0;
  if (priced()) return std::min(0.0, shrink * value);
  if (!consistent_) return std::nullopt;
  violation = std::max(0.0, violation) * shrink;
  const double mix = violation / (violation + interior_room_);
  return std::min(0.0, (1 - mix) * shrink * value + mix * interior_value_);
}

}  // namespace alidade::semidefinite
