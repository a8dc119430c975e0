#include "problems/triplet/spose_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::triplet {
namespace {

constexpr Index kPairsAtOnce = 4096, kAnswersAtOnce = 8192, kRowsAtOnce = 64;
constexpr double kLeastOfAxis = 0.1;  // an axis on which no object reaches this is dropped

/// What an evaluation keeps between its passes.
struct SposeScratch {
  Vector similarity;           // one a pair
  Vector slope;                // of a pair's similarity
  std::vector<double> slopes;  // of each answer's similarities
  std::vector<double> values;  // of each chunk of answers
};

}  // namespace

const OptionList<SposeOptions>& SposeOptions::list() {
  using O = SposeOptions;
  static const OptionList<O> kList =
      dimension_option<O>("number of axes to begin with; those that the answers do not need are dropped")
          .real("l1_scale", &O::l1_scale, at_least(0),
                "weight of the L1 term: l1_scale * sqrt((sum of weights) / (objects in an answer))")
          .real("init_scale", &O::init_scale, above(0), "numbers of the start are uniform between 0 and this");
  return kList;
}

SposeProblem::SposeProblem(const Observations& observations, const SposeOptions& options)
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
  lambda_ = options.l1_scale * std::sqrt(weight / static_cast<double>(mentioned_.size()));
  if (const Index idle = n - std::ssize(mentioned_); idle > 0)
    notes_.push_back(fmt::format("{} of {} objects are in no training triplet and have 0 on every axis.", idle, n));
  if (alone_ > 0)
    notes_.push_back(
        fmt::format("{} of {} answers choose between two objects, not the odd one of three.", alone_, answers_.size()));
}

void SposeProblem::read(const Observations& observations) {
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
  answers_.reserve(read.size());
  for (const Read& r : read)
    answers_.push_back({{place(r.i, r.j), place(r.i, r.k), r.odd ? place(r.j, r.k) : kNoPair}, r.weight});

  const auto n = static_cast<std::size_t>(observations.object_count());
  slots_ = GroupedLists<std::uint32_t>(pairs_.size(), [&](const auto& add) {
    for (std::size_t a = 0; a < answers_.size(); ++a)
      for (std::size_t s = 0; s < 3; ++s)
        if (answers_[a].pairs[s] != kNoPair) add(answers_[a].pairs[s], static_cast<std::uint32_t>(3 * a + s));
  });
  partners_ = GroupedLists<std::uint32_t>(n, [&](const auto& add) {
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      add(pairs_[p].first, static_cast<std::uint32_t>(p));
      add(pairs_[p].second, static_cast<std::uint32_t>(p));
    }
  });
}

Solution SposeProblem::start(Rng& rng) const {
  Point x = domain_->zero();
  auto X = x.block(0);
  for (const Index o : mentioned_)
    for (Index c = 0; c < X.cols(); ++c) X(o, c) = rng.uniform(0, init_scale_);
  return x;
}

double SposeProblem::evaluate(const Point& x, Point* gradient, Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<SposeScratch>([] { return SposeScratch{}; });
  const auto X = x.block(0);
  const auto pair_total = static_cast<Index>(pairs_.size()), total = static_cast<Index>(answers_.size());
  scratch.similarity.resize(pair_total);
  evaluation.executor.run_chunks(pair_total, kPairsAtOnce, [&](const Chunk& chunk) {
    for (Index p = chunk.first; p < chunk.last; ++p) {
      const auto& [i, j] = pairs_[subscript(p)];
      scratch.similarity[p] = X.row(i).dot(X.row(j));
    }
  });
  scratch.values.assign(subscript(chunk_count(total, kAnswersAtOnce)), 0.0);
  if (gradient) scratch.slopes.resize(3 * answers_.size());
  evaluation.executor.run_chunks(total, kAnswersAtOnce, [&](const Chunk& chunk) {
    double sum = 0;
    for (Index a = chunk.first; a < chunk.last; ++a) {
      const auto& [pairs, weight] = answers_[subscript(a)];
      const double chosen = scratch.similarity[pairs[0]], second = scratch.similarity[pairs[1]] - chosen,
                   third = pairs[2] == kNoPair ? -std::numeric_limits<double>::infinity()
                                               : scratch.similarity[pairs[2]] - chosen;
      const double highest = std::max({0.0, second, third});
      const double e1 = std::exp(-highest), e2 = std::exp(second - highest), e3 = std::exp(third - highest),
                   all = e1 + e2 + e3;
      sum += weight * (highest + std::log(all));
      if (!gradient) continue;
      double* slopes = scratch.slopes.data() + 3 * a;
      slopes[1] = weight * e2 / all;
      slopes[2] = weight * e3 / all;
      slopes[0] = -(slopes[1] + slopes[2]);
    }
    scratch.values[subscript(chunk.number)] = sum;
  });
  if (gradient) {
    scratch.slope.resize(pair_total);
    evaluation.executor.run_chunks(pair_total, kPairsAtOnce, [&](const Chunk& chunk) {
      for (Index p = chunk.first; p < chunk.last; ++p) {
        double sum = 0;
        for (const std::uint32_t slot : slots_[subscript(p)]) sum += scratch.slopes[slot];
        scratch.slope[p] = sum;
      }
    });
    auto G = gradient->block(0);
    evaluation.executor.run_chunks(X.rows(), kRowsAtOnce, [&](const Chunk& chunk) {
      for (Index o = chunk.first; o < chunk.last; ++o) {
        auto row = G.row(o);
        const auto partners = partners_[subscript(o)];
        row.setConstant(partners.empty() ? 0 : lambda_);
        for (const std::uint32_t p : partners) {
          const auto& [i, j] = pairs_[p];
          row += scratch.slope[p] * X.row(static_cast<Index>(i) == o ? j : i);
        }
      }
    });
  }
  double sum = std::accumulate(scratch.values.begin(), scratch.values.end(), 0.0);
  for (const Index o : mentioned_) sum += lambda_ * X.row(o).sum();
  return sum;
}

Embedding SposeProblem::decode(const Solution& x) const {
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

static_assert(AnyProblem<SposeProblem>);
static_assert(SmoothProblem<SposeProblem>);

namespace {

Problem make_spose(const Observations& observations, const ValueTable& options) {
  return {"spose", SposeProblem(observations, SposeOptions::list().parse(options, "problem 'spose'"))};
}

}  // namespace

/// @throws ConfigError, DataError
ProblemEntry spose_entry() {
  return {
      .name = "spose",
      .summary = "SPoSE, sparse positive similarity: few axes with a meaning each, from judgements of the odd one out",
      .reference = "[HZPB20] Hebart, Zheng, Pereira & Baker 2020",
      .equation =
          "min over X >= 0: - sum w ln(exp(s_ij) / (exp(s_ij) + exp(s_ik) + exp(s_jk))) + lambda1 sum X, "
          "s_ij = x_i'x_j, k the odd one; lambda1 = l1_scale sqrt(sum w / n)",
      .needs = {ObservationKind::triplets},
      .offers = offered_by<SposeProblem>() | CapabilitySet::of<Boxed>(),
      .options = SposeOptions::list().infos(),
      .make = make_spose,
      .similarity = Similarity::scalar_product,
  };
}

}  // namespace alidade::triplet
