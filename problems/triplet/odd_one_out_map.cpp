#include "problems/triplet/odd_one_out_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "problems/core/vector_math.hpp"
#include "problems/core/wide_call.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade::triplet {
namespace {

constexpr Index kPairsAtOnce = 4096, kAnswersAtOnce = 8192, kRowsAtOnce = 64;
constexpr std::size_t kAhead = 32;    // what is read at random is asked for so many steps before
constexpr double kLeastOfAxis = 0.1;  // an axis on which no object reaches this is dropped

/// What an evaluation keeps between its passes.
struct SposeScratch {
  Matrix rows;                     // the objects' numbers, filled with zeros
  std::vector<double> similarity;  // one a pair
  std::vector<double> slope;       // of a pair's similarity
  std::vector<double> slopes;      // of each answer's three similarities: all first ones, all second, all third
  std::vector<double> values;      // of each chunk of answers
};

using Four = Vec<double, 32>;
constexpr std::size_t kFour = 4;
constexpr std::size_t filled(std::size_t count) { return (count + kFour - 1) / kFour * kFour; }

/// Adds - w ln p over some answers, and writes the slopes of their similarities unless there is no room for those.
template <class Answer>
[[gnu::always_inline]] inline double sum_answers(const Answer* answers, std::size_t count, std::size_t first,
                                                 std::size_t last, const double* similarity, double* slopes) {
  Four sums{};
  for (std::size_t a = first; a < last; a += kFour) {
    double read[4][kFour];
    for (std::size_t lane = 0; lane < kFour; ++lane) {
      for (const std::uint32_t pair : answers[std::min(a + lane + kAhead, count - 1)].pairs)
        __builtin_prefetch(similarity + pair);
      const auto& [pairs, weight] = answers[a + lane];
      for (std::size_t s = 0; s < 3; ++s) read[s][lane] = similarity[pairs[s]];
      read[3][lane] = weight;
    }
    const Four chosen = load<Four>(read[0]), second = load<Four>(read[1]), third = load<Four>(read[2]),
               weight = load<Four>(read[3]);
    const Four higher = second > third ? second : third, lower = second > third ? third : second,
               highest = chosen > higher ? chosen : higher;
    const Four gap = exp_of_nonpositive(Four(-absolute(Four(higher - chosen)))),
               low = exp_of_nonpositive(Four(lower - highest));
    const auto [log, share] = log1p_pair_of_nonnegative(Four(gap + low));
    sums += weight * ((highest - chosen) + log);
    if (!slopes) continue;
    const Four high = chosen > higher ? gap : Four{} + 1, scale = weight * share;
    const Four slope2 = scale * (second > third ? high : low), slope3 = scale * (second > third ? low : high);
    store<Four>(slopes + a, -(slope2 + slope3));
    store<Four>(slopes + count + a, slope2);
    store<Four>(slopes + 2 * count + a, slope3);
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Adds the partners' rows from column c on, times the slopes of their pairs, to `row`.
template <std::size_t fours, class Partners>
[[gnu::always_inline]] inline void add_products(const Partners& partners, const double* slope, const double* rows,
                                                std::size_t stride, std::size_t c, double* row) {
  for (; c + fours * kFour <= stride; c += fours * kFour) {
    Four sums[fours];
#pragma GCC unroll 8
    for (std::size_t f = 0; f < fours; ++f) sums[f] = load<Four>(row + c + f * kFour);
    for (const auto& [pair, other] : partners) {
      const double* from = rows + other * stride + c;
      const double pull = slope[pair];
#pragma GCC unroll 8
      for (std::size_t f = 0; f < fours; ++f) sums[f] += load<Four>(from + f * kFour) * pull;
    }
#pragma GCC unroll 8
    for (std::size_t f = 0; f < fours; ++f) store<Four>(row + c + f * kFour, sums[f]);
  }
  if constexpr (fours > 1) add_products<fours / 2>(partners, slope, rows, stride, c, row);
}

}  // namespace

const OptionList<SposeOptions>& SposeOptions::list() {
  using O = SposeOptions;
  static const OptionList<O> kList =
      dimension_option<O>("number of axes to begin with; those that the answers do not need are dropped")
          .real("l1_scale", &O::l1_scale, at_least(0),
                "weight of the L1 term: l1_scale * cube root of (sum of weights) / (objects in an answer)")
          .real("init_scale", &O::init_scale, above(0), "numbers of the start are uniform between 0 and this");
  return kList;
}

OddOneOutMap::OddOneOutMap(const Observations& observations, const SposeOptions& options)
    : init_scale_(options.init_scale) {
  require_triplets(observations, "spose");
  const Index n = observations.object_count();
  domain_ = std::make_shared<const Domain>(
      std::vector<DomainBlock>{{"axes", n, options.n_components, Box{0, std::numeric_limits<double>::infinity()}}});
  read(observations);
  for (Index o = 0; o < n; ++o)
    if (!partners_[subscript(o)].empty()) mentioned_.push_back(o);
  const double weight = std::accumulate(answers_.begin(), answers_.end(), 0.0,
                                        [](double sum, const Answer& answer) { return sum + answer.weight; });
  lambda_ = options.l1_scale * std::cbrt(weight / static_cast<double>(mentioned_.size()));
  if (const Index idle = n - std::ssize(mentioned_); idle > 0)
    notes_.push_back(fmt::format("{} of {} objects are in no training triplet and have 0 on every axis.", idle, n));
  if (alone_ > 0)
    notes_.push_back(
        fmt::format("{} of {} answers choose between two objects, not the odd one of three.", alone_, answer_total_));
}

void OddOneOutMap::read(const Observations& observations) {
  const TripletSource& source = *observations.triplets;
  // Both triplets of an odd one out, side by side.
  std::vector<std::pair<std::uint32_t, Triplet>> all;
  all.reserve(source.size());
  source.each([&](std::uint64_t index, const Triplet& t) {
    all.emplace_back(observations.answer ? (*observations.answer)[source.origin_index(index)] : 0, t);
  });
  if (observations.answer) std::ranges::stable_sort(all, {}, [](const auto& tagged) { return tagged.first; });
  struct Read {
    ObjectId i, j, k;
    bool odd;
    double weight;
  };
  std::vector<Read> read;
  for (std::size_t at = 0; at < all.size(); ++at) {
    const Triplet& t = all[at].second;
    const auto same = [&](std::size_t other) {
      return observations.answer && other < all.size() && all[other].first == all[at].first;
    };
    const bool pair = same(at + 1) && !same(at + 2) && (at == 0 || all[at - 1].first != all[at].first) &&
                      all[at + 1].second.anchor == t.near && all[at + 1].second.near == t.anchor &&
                      all[at + 1].second.far == t.far;
    read.push_back({t.anchor, t.near, t.far, pair, pair ? (t.weight + all[at + 1].second.weight) / 2 : t.weight});
    at += pair;
    alone_ += !pair;
  }
  const auto ordered = [](ObjectId a, ObjectId b) { return Pair{std::min(a, b), std::max(a, b)}; };
  for (const Read& r : read) {
    pairs_.push_back(ordered(r.i, r.j));
    pairs_.push_back(ordered(r.i, r.k));
    if (r.odd) pairs_.push_back(ordered(r.j, r.k));
  }
  sort_distinct(pairs_);
  const auto place = [&](ObjectId a, ObjectId b) {
    return static_cast<std::uint32_t>(place_in(pairs_, ordered(a, b)));
  };
  const auto none = static_cast<std::uint32_t>(pairs_.size());
  answers_.reserve(filled(read.size()));
  for (const Read& r : read)
    answers_.push_back({{place(r.i, r.j), place(r.i, r.k), r.odd ? place(r.j, r.k) : none}, r.weight});
  // Two pairs of each answer have its first object in common: so most of what is read lies side by side.
  std::ranges::stable_sort(answers_, {}, [](const Answer& answer) { return std::ranges::min(answer.pairs); });
  answers_.resize(filled(read.size()), {{0, 0, none}, 0.0});

  slots_ = GroupedLists<std::uint32_t>(pairs_.size(), [&](const auto& add) {
    for (std::size_t a = 0; a < read.size(); ++a)
      for (std::size_t s = 0; s < 3; ++s)
        if (answers_[a].pairs[s] != none)
          add(answers_[a].pairs[s], static_cast<std::uint32_t>(s * answers_.size() + a));
  });
  partners_ = GroupedLists<Partner>(static_cast<std::size_t>(observations.object_count()), [&](const auto& add) {
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      add(pairs_[p].first, {static_cast<std::uint32_t>(p), pairs_[p].second});
      add(pairs_[p].second, {static_cast<std::uint32_t>(p), pairs_[p].first});
    }
  });
  answer_total_ = read.size();
}

Solution OddOneOutMap::start(Rng& rng) const {
  Point x = domain_->zero();
  auto X = x.block(0);
  for (const Index o : mentioned_)
    for (Index c = 0; c < X.cols(); ++c) X(o, c) = rng.uniform(0, init_scale_);
  return x;
}

double OddOneOutMap::evaluate(const Point& x, Point* gradient, Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<SposeScratch>([] { return SposeScratch{}; });
  const auto X = x.block(0);
  const std::size_t stride = filled(subscript(X.cols()));
  scratch.rows.setZero(X.rows(), static_cast<Index>(stride));
  scratch.rows.leftCols(X.cols()) = X;
  const double* rows = scratch.rows.data();
  const auto pair_total = static_cast<Index>(pairs_.size()), total = static_cast<Index>(answers_.size());
  scratch.similarity.resize(pairs_.size() + 1);
  scratch.similarity.back() = -std::numeric_limits<double>::infinity();  // of the pair that an answer does not have
  double* similarity = scratch.similarity.data();
  evaluation.executor.run_chunks(pair_total, kPairsAtOnce, [&](const Chunk& chunk) {
    call_wide([ =, pairs = pairs_.data() ]() __attribute__((always_inline)) {
      for (std::size_t p = subscript(chunk.first); p < subscript(chunk.last); ++p) {
        const double *a = rows + pairs[p].first * stride, *b = rows + pairs[p].second * stride;
        Four sums{};
        for (std::size_t c = 0; c < stride; c += kFour) sums += load<Four>(a + c) * load<Four>(b + c);
        similarity[p] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      }
    });
  });
  scratch.values.assign(subscript(chunk_count(total, kAnswersAtOnce)), 0.0);
  if (gradient) scratch.slopes.resize(3 * answers_.size());
  double* slopes = gradient ? scratch.slopes.data() : nullptr;
  evaluation.executor.run_chunks(total, kAnswersAtOnce, [&](const Chunk& chunk) {
    scratch.values[subscript(chunk.number)] =
        call_wide([ =, answers = answers_.data(), count = answers_.size() ]() __attribute__((always_inline)) {
          return sum_answers(answers, count, subscript(chunk.first), subscript(chunk.last), similarity, slopes);
        });
  });
  if (gradient) {
    scratch.slope.resize(pairs_.size());
    evaluation.executor.run_chunks(pair_total, kPairsAtOnce, [&](const Chunk& chunk) {
      for (std::size_t p = subscript(chunk.first); p < subscript(chunk.last); ++p) {
        double sum = 0;
        for (const std::uint32_t slot : slots_[p]) sum += slopes[slot];
        scratch.slope[p] = sum;
      }
    });
    auto G = gradient->block(0);
    evaluation.executor.run_chunks(X.rows(), kRowsAtOnce, [&](const Chunk& chunk) {
      std::vector<double> room(stride);
      for (Index o = chunk.first; o < chunk.last; ++o) {
        const auto partners = partners_[subscript(o)];
        std::ranges::fill(room, partners.empty() ? 0 : lambda_);
        call_wide([ =, row = room.data(), slope = scratch.slope.data() ]()
                      __attribute__((always_inline)) { add_products<8>(partners, slope, rows, stride, 0, row); });
        for (Index c = 0; c < X.cols(); ++c) G(o, c) = room[subscript(c)];
      }
    });
  }
  double sum = std::accumulate(scratch.values.begin(), scratch.values.end(), 0.0);
  for (const Index o : mentioned_) sum += lambda_ * X.row(o).sum();
  return sum;
}

Embedding OddOneOutMap::decode(const Solution& x) const {
  const auto X = std::get<Point>(x).block(0);
  const Vector sums = X.colwise().sum(), highest = X.colwise().maxCoeff();
  std::vector<Index> order(subscript(X.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater{}, [&](Index axis) { return sums[axis]; });
  std::vector<Index> kept;
  std::ranges::copy_if(order, std::back_inserter(kept), [&](Index axis) { return highest[axis] >= kLeastOfAxis; });
  if (kept.empty()) kept = {order.front()};
  Embedding out{{{"", X(Eigen::all, kept)}}};
  out.maps.front().similarity = Similarity::scalar_product;
  out.estimates = {{"lambda1", lambda_}, {"axes", static_cast<double>(kept.size())}};
  return out;
}

static_assert(AnyProblem<OddOneOutMap>);
static_assert(SmoothProblem<OddOneOutMap>);

/// @throws ConfigError, DataError
ProblemEntry spose_entry() {
  return {
      .name = "spose",
      .summary = "SPoSE, sparse positive similarity: few axes with a meaning each, from judgements of the odd one out",
      .reference = "[HZPB20] Hebart, Zheng, Pereira & Baker 2020",
      .equation =
          "min over X >= 0: - sum w ln(exp(s_ij) / (exp(s_ij) + exp(s_ik) + exp(s_jk))) + lambda1 sum X, "
          "s_ij = x_i'x_j, k the odd one; lambda1 = l1_scale cbrt(sum w / n)",
      .needs = {ObservationKind::triplets},
      .offers = offered_by<OddOneOutMap>() | CapabilitySet::of<Boxed>(),
      .options = SposeOptions::list().infos(),
      .make = maker_of<OddOneOutMap, SposeOptions>("spose"),
      // What ten iterations gain then is far below what the answers tell of the numbers.
      .solver = "{ name = \"projected_lbfgs\", tolerance = 1e-5 }",
      .python = "SPoSE",
      .similarity = Similarity::scalar_product,
  };
}

}  // namespace alidade::triplet
