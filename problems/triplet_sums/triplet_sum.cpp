#include "problems/triplet_sums/triplet_sum.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "problems/core/text.hpp"
#include "problems/evidence/triplet_chunks.hpp"
#include "problems/triplet_sums/chunk_sums.hpp"
#include "problems/triplet_sums/triplet_kernel.hpp"
#include "problems/triplet_sums/whole_table_kernel.hpp"

namespace alidade::triplet {

double Regulariser::weight(double total_weight, Index objects, Index mentioned) const {
  const auto at_least_one = [](Index count) { return static_cast<double>(std::max<Index>(1, count)); };
  const double fixed = lambda + lambda0 * total_weight / at_least_one(objects);
  return root > 0 ? fixed + root * std::sqrt(total_weight / at_least_one(mentioned)) : fixed;
}

struct TripletSum::Scratch : ChunkScratch<Workspace> {
  ChunkSums<double, ClassBlockWorkspace> table;
  ChunkSums<double, WholeTableWorkspace> whole_table;
};

TripletSum::TripletSum(std::shared_ptr<const TripletSource> source, TripletLoss loss, Regulariser regulariser,
                       bool single_precision)
    : source_(std::move(source)), loss_(loss), single_precision_(single_precision) {
  require_valid(loss_);
  total_weight_ = static_cast<double>(source_->size());
  if (auto selection = table_selection(*source_)) {
    blocks_ = std::make_shared<const AnchorBlocks>(anchor_blocks(*selection->table));
    constexpr std::uint64_t kTripletsPerChunk = 1 << 20;
    if (selection->mask.empty())
      whole_blocks_ = std::make_shared<const AnchorBlocks>(anchor_blocks(*selection->table, kTripletsPerChunk));
    note_mentions(mention_counts(*selection), regulariser);
    selection_ = std::make_shared<const TableSelection>(std::move(*selection));
    return;
  }
  listed_ = std::make_shared<Listed>();
  const TripletList& triplets = *list();
  constexpr std::uint64_t kSortedAtOnce = 1 << 19;  // beside a copy; fewer take more readings of it
  groups_ = std::make_shared<const AnchorGroups>(triplets.anchors(), triplets.nears(), triplets.fars(),
                                                 triplets.weights(), triplets.object_count(), 2, kSortedAtOnce);
  total_weight_ = groups_->total_weight();
  std::vector<std::uint64_t> mentions(static_cast<std::size_t>(object_count()), 0);
  each_in_chunks(triplets, [&](std::size_t) {
    return [&](std::uint64_t, const Triplet& t) {
      for (const ObjectId i : {t.anchor, t.near, t.far})
        std::atomic_ref(mentions[i]).fetch_add(1, std::memory_order_relaxed);
    };
  });
  note_mentions(mentions, regulariser);
  listed_ = std::make_shared<Listed>();  // sums do not need the copy
}

const TripletList* TripletSum::make_list() const {
  const std::scoped_lock lock(listed_->making);
  if (!listed_->held) {
    const bool is_list = dynamic_cast<const TripletList*>(source_.get()) != nullptr;
    listed_->held = is_list ? source_ : std::make_shared<const TripletList>(TripletList::copy_of(*source_));
    listed_->made.store(static_cast<const TripletList*>(listed_->held.get()), std::memory_order_release);
  }
  return listed_->made.load(std::memory_order_relaxed);
}

TripletSum TripletSum::with_loss(TripletLoss loss) const {
  require_valid(loss);
  TripletSum out = *this;
  out.loss_ = loss;
  return out;
}

void TripletSum::note_mentions(const std::vector<std::uint64_t>& mentions, Regulariser regulariser) {
  const auto mentioned = static_cast<Index>(mentions.size()) - std::ranges::count(mentions, std::uint64_t{0});
  lambda_ = regulariser.weight(total_weight_, object_count(), static_cast<Index>(mentioned));
  mentioned_.assign(mentions.size(), false);
  if (lambda_ > 0) term_lambda_.assign(mentions.size(), 0.0);
  for (std::size_t i = 0; i < mentions.size(); ++i) {
    mentioned_[i] = mentions[i] > 0;
    if (lambda_ > 0 && mentions[i] > 0) term_lambda_[i] = lambda_ / static_cast<double>(mentions[i]);
  }
}

std::vector<ObjectId> TripletSum::unmentioned() const {
  std::vector<ObjectId> out;
  for (std::size_t i = 0; i < mentioned_.size(); ++i)
    if (!mentioned_[i]) out.push_back(static_cast<ObjectId>(i));
  return out;
}

std::vector<std::string> TripletSum::notes_on_unmentioned(const std::vector<std::string>& names,
                                                          std::string_view where) const {
  constexpr std::size_t kNamed = 5;
  const std::vector<ObjectId> idle = unmentioned();
  if (idle.empty()) return {};
  std::vector<std::string> some;
  for (std::size_t i = 0; i < std::min(idle.size(), kNamed); ++i) some.push_back(names[idle[i]]);
  return {fmt::format("{} of {} objects are in no training triplet and {}: {}{}.", idle.size(), object_count(), where,
                      join(some, ", "), idle.size() > kNamed ? ", ..." : "")};
}

template <class Real>
double TripletSum::sum(std::span<const Real> y, Index d, std::span<double> gradient, Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  const std::span<const GroupRange> chunks = groups_->chunks();
  const bool with_gradient = !gradient.empty();
  return scratch.template of<Real>()(
      chunks.size(), gradient, evaluation.executor, [&](std::size_t c, std::span<Real> part, Workspace<Real>& work) {
        return with_gradient ? add_value_and_gradient<Real>(loss_, *groups_, chunks[c], y, d, part, work)
                             : triplet::value<Real>(loss_, *groups_, chunks[c], y, d, work);
      });
}

double TripletSum::sum_of_table(std::span<const double> y, Index d, std::span<double> gradient,
                                Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  const auto* hinge = std::get_if<SoeLoss>(&loss_);
  const auto* logistic = std::get_if<SteLoss>(&loss_);
  if (whole_blocks_ && (hinge || (logistic && logistic->lapse_rate == 0)))
    return scratch.whole_table(whole_blocks_->chunk_count(), gradient, evaluation.executor,
                               [&](std::size_t c, std::span<double> part, WholeTableWorkspace& work) {
                                 const AttributeTable& table = *selection_->table;
                                 return hinge ? add_distance_hinges(hinge->margin, table, whole_blocks_->chunk(c), y, d,
                                                                    part, work)
                                              : add_logistic_pairs(table, whole_blocks_->chunk(c), y, d, part, work);
                               });
  return scratch.table(blocks_->chunk_count(), gradient, evaluation.executor,
                       [&](std::size_t c, std::span<double> part, ClassBlockWorkspace& work) {
                         return add_class_blocks(loss_, *selection_, blocks_->chunk(c), y, d, part, work);
                       });
}

double TripletSum::add_regulariser(std::span<const double> y, Index d, std::span<double> gradient,
                                   Executor& executor) const {
  if (lambda_ == 0) return 0;
  constexpr Index kRows = 1 << 15;  // summed at once
  std::vector<double> squared(static_cast<std::size_t>(chunk_count(object_count(), kRows)), 0.0);
  const auto cols = static_cast<std::size_t>(d);
  executor.run_chunks(object_count(), kRows, [&](const Chunk& rows) {
    double sum = 0;
    for (auto i = static_cast<std::size_t>(rows.first); i < static_cast<std::size_t>(rows.last); ++i) {
      if (!mentioned_[i]) continue;
      for (std::size_t c = i * cols; c < (i + 1) * cols; ++c) {
        sum += y[c] * y[c];
        if (!gradient.empty()) gradient[c] += 2 * lambda_ * y[c];
      }
    }
    squared[static_cast<std::size_t>(rows.number)] = sum;
  });
  return lambda_ * std::accumulate(squared.begin(), squared.end(), 0.0);
}

double TripletSum::evaluate(std::span<const double> y, Index d, std::span<double> gradient,
                            Evaluation& evaluation) const {
  std::ranges::fill(gradient, 0.0);
  double total = 0;
  if (!listed_) {
    total = sum_of_table(y, d, gradient, evaluation);
  } else if (single_precision_) {
    auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
    scratch.y.assign(y.begin(), y.end());
    total = sum<float>(scratch.y, d, gradient, evaluation);
  } else {
    total = sum<double>(y, d, gradient, evaluation);
  }
  return total + add_regulariser(y, d, gradient, evaluation.executor);
}

double TripletSum::value(std::span<const double> y, Index d, Evaluation& evaluation) const {
  return evaluate(y, d, {}, evaluation);
}

double TripletSum::value_and_gradient(std::span<const double> y, Index d, std::span<double> gradient,
                                      Evaluation& evaluation) const {
  return evaluate(y, d, gradient, evaluation);
}

}  // namespace alidade::triplet
