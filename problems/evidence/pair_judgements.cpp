#include "problems/evidence/pair_judgements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "problems/core/common_step.hpp"
#include "problems/core/error.hpp"
#include "problems/evidence/ordinary_weights.hpp"

namespace alidade {
namespace {

/// The judgements of each person.
std::vector<PairJudgements> by_person(const Observations& of) {
  std::vector<PairJudgements> out(of.annotators.size());
  for (const PairJudgement& one : of.judgements->all) out[one.person].all.push_back(one);
  return out;
}

/// Of which all judgements are whole multiples, or nearly: 2^-40 of the largest, unless they have one in common.
double judgement_step(const PairJudgements& judged) {
  std::vector<double> aparts;
  for (const PairJudgement& one : judged.all) aparts.push_back(one.apart);
  if (const double common = common_step(aparts); common > 0) return common;
  double largest = 0;
  for (const double apart : aparts) largest = std::max(largest, std::abs(apart));
  return std::max(largest * 0x1p-40, std::numeric_limits<double>::denorm_min());
}

}  // namespace

Dissimilarities means_of(const PairJudgements& judged, Index objects) {
  Matrix sum = Matrix::Zero(objects, objects), weights = sum;
  // Sums of whole steps are exact, so that means that are equal stay equal in every unit of either.
  const double step = judgement_step(judged);
  std::vector<double> given;
  for (const PairJudgement& one : judged.all) given.push_back(one.weight);
  const double unit = divide_by_unit(given);
  for (std::size_t k = 0; k < given.size(); ++k) {
    const PairJudgement& one = judged.all[k];
    const Index i = std::min(one.i, one.j), j = std::max(one.i, one.j);
    sum(j, i) += given[k] * std::nearbyint(one.apart / step);
    weights(j, i) += given[k];
  }
  sum = (weights.array() > 0).select(sum.array() / weights.array() * step, 0.0).matrix().eval();
  weights *= unit;
  return {"", Matrix(sum.selfadjointView<Eigen::Lower>()), Matrix(weights.selfadjointView<Eigen::Lower>())};
}

void imply_triplets(Observations& out) {
  if (!out.judgements || out.annotators.empty()) return;
  const Index n = out.object_count();
  auto list = std::make_shared<TripletList>(n);
  auto tags = std::make_shared<std::vector<std::uint32_t>>();
  std::vector<ObjectId> judged;
  const std::vector<PairJudgements> people = by_person(out);
  for (std::uint32_t person = 0; person < people.size(); ++person) {
    const Dissimilarities own = means_of(people[person], n);
    for (ObjectId anchor = 0; anchor < n; ++anchor) {
      judged.clear();
      for (ObjectId other = 0; other < n; ++other)
        if (own.weights(anchor, other) > 0) judged.push_back(other);
      for (std::size_t b = 1; b < judged.size(); ++b)
        for (std::size_t a = 0; a < b; ++a) {
          const double apart = own.values(anchor, judged[a]) - own.values(anchor, judged[b]);
          if (apart == 0) continue;
          if (list->size() == kMostImplied) return;
          list->add({anchor, judged[apart < 0 ? a : b], judged[apart < 0 ? b : a]});
          tags->push_back(person);
        }
    }
  }
  if (list->size() == 0) return;
  out.triplets = std::move(list);
  out.annotator = std::move(tags);
}

void renew_means_of_judgements(Observations& out) {
  if (!out.judgements || !out.triplets) return;
  std::vector<double> times(out.annotators.size(), 0);
  out.triplets->each(
      [&](std::uint64_t i, const Triplet& t) { times[(*out.annotator)[out.triplets->origin_index(i)]] = t.weight; });
  auto judged = std::make_shared<PairJudgements>(*out.judgements);
  for (PairJudgement& one : judged->all) one.weight *= times[one.person];
  std::erase_if(judged->all, [](const PairJudgement& one) { return one.weight == 0; });
  Dissimilarities means = means_of(*judged, out.object_count());
  const Index unknown = ((means.weights.array() == 0).count() - out.object_count()) / 2;
  require<DataError>(judged->weighted || unknown == 0,
                     "Without the people who are held out, nobody judged {} of the pairs. Hold out fewer people.",
                     unknown);
  if (judged->from_nearest) {
    const auto known = means.weights.array() > 0;
    const double nearest = known.select(means.values.array(), INFINITY).minCoeff();
    means.values = known.select((means.values.array() - nearest).max(0), 0.0).matrix().eval();
  }
  if (!judged->weighted) means.weights.resize(0, 0);
  means.name = out.dissimilarities.front().name;
  out.dissimilarities.front() = std::move(means);
  out.judgements = std::move(judged);
}

std::uint64_t fewest_judges(const Observations& of) {
  Matrix people = Matrix::Zero(of.object_count(), of.object_count());
  for (const PairJudgements& one : by_person(of)) {
    const Matrix weights = means_of(one, of.object_count()).weights;
    people.array() += (weights.array() > 0).cast<double>();
  }
  people.diagonal().setConstant(static_cast<double>(of.annotators.size()));
  return people.size() > 0 ? static_cast<std::uint64_t>(people.minCoeff()) : 0;
}

}  // namespace alidade
