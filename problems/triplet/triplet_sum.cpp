#include "problems/triplet/triplet_sum.hpp"

#include <algorithm>

#include "problems/triplet/triplet_kernel.hpp"

namespace alidade::triplet {

/// Buffers of one evaluation: partial gradients by chunk and workspaces by
/// chunk, and copies in float.
struct TripletSum::Scratch {
  std::vector<std::vector<float>> float_partial;
  std::vector<std::vector<double>> double_partial;
  std::vector<Workspace<float>> float_work;
  std::vector<Workspace<double>> double_work;
  std::vector<ClassBlockWorkspace> table_work;
  std::vector<double> values;
  std::vector<float> y;

  template <class Real>
  auto& partial() {
    if constexpr (std::is_same_v<Real, float>)
      return float_partial;
    else
      return double_partial;
  }
  template <class Real>
  auto& work() {
    if constexpr (std::is_same_v<Real, float>)
      return float_work;
    else
      return double_work;
  }
};

TripletSum::TripletSum(std::shared_ptr<const TripletSource> source, TripletLoss loss, Regulariser regulariser,
                       bool single_precision)
    : source_(std::move(source)), loss_(loss), single_precision_(single_precision) {
  require_valid(loss_);
  double total_weight = static_cast<double>(source_->size());
  if (auto selection = table_selection(*source_)) {
    blocks_ = std::make_shared<const AnchorBlocks>(anchor_blocks(*selection->table));
    note_mentions(mention_counts(*selection), regulariser, total_weight);
    selection_ = std::make_shared<const TableSelection>(std::move(*selection));
    return;
  }
  if (dynamic_cast<const TripletList*>(source_.get()) == nullptr)
    source_ = std::make_shared<TripletList>(TripletList::copy_of(*source_));
  list_ = static_cast<const TripletList*>(source_.get());
  groups_ = std::make_shared<const AnchorGroups>(list_->anchors(), list_->nears(), list_->fars(),
                                                 list_->weights(), list_->object_count());
  total_weight = groups_->total_weight();
  std::vector<std::uint64_t> mentions(static_cast<std::size_t>(object_count()), 0);
  for (const auto ids : {list_->anchors(), list_->nears(), list_->fars()})
    for (const ObjectId i : ids) ++mentions[i];
  note_mentions(mentions, regulariser, total_weight);
}

TripletSum TripletSum::with_loss(TripletLoss loss) const {
  require_valid(loss);
  TripletSum out = *this;
  out.loss_ = loss;
  return out;
}

void TripletSum::note_mentions(const std::vector<std::uint64_t>& mentions, Regulariser regulariser,
                               double total_weight) {
  lambda_ = regulariser.lambda +
            regulariser.lambda0 * total_weight / static_cast<double>(std::max<Index>(1, object_count()));
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

template <class Real>
double TripletSum::sum(std::span<const Real> y, Index d, std::span<double> gradient,
                       bool with_gradient, Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  const std::span<const GroupRange> chunks = groups_->chunks();
  auto& partial = scratch.template partial<Real>();
  auto& work = scratch.template work<Real>();
  partial.resize(chunks.size());
  work.resize(chunks.size());
  scratch.values.assign(chunks.size(), 0.0);
  evaluation.executor.run(static_cast<Index>(chunks.size()), [&](Index c) {
    const auto k = static_cast<std::size_t>(c);
    if (!with_gradient) {
      scratch.values[k] = triplet::value<Real>(loss_, *groups_, chunks[k], y, d, work[k]);
      return;
    }
    partial[k].assign(y.size(), Real{0});
    scratch.values[k] =
        add_value_and_gradient<Real>(loss_, *groups_, chunks[k], y, d, partial[k], work[k]);
  });
  double total = 0;
  for (const double v : scratch.values) total += v;
  if (with_gradient)
    for (const auto& part : partial)
      for (std::size_t i = 0; i < part.size(); ++i) gradient[i] += static_cast<double>(part[i]);
  return total;
}

double TripletSum::sum_of_table(std::span<const double> y, Index d, std::span<double> gradient,
                                bool with_gradient, Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  const std::size_t chunks = blocks_->chunk_count();
  scratch.values.assign(chunks, 0.0);
  scratch.double_partial.resize(chunks);
  scratch.table_work.resize(chunks);
  evaluation.executor.run(static_cast<Index>(chunks), [&](Index chunk) {
    const auto k = static_cast<std::size_t>(chunk);
    std::span<double> part;
    if (with_gradient) {
      scratch.double_partial[k].assign(y.size(), 0.0);
      part = scratch.double_partial[k];
    }
    scratch.values[k] =
        add_class_blocks(loss_, *selection_, blocks_->chunk(k), y, d, part, scratch.table_work[k]);
  });
  double total = 0;
  for (const double v : scratch.values) total += v;
  if (with_gradient)
    for (const auto& part : scratch.double_partial)
      for (std::size_t i = 0; i < part.size(); ++i) gradient[i] += part[i];
  return total;
}

double TripletSum::add_regulariser(std::span<const double> y, Index d, std::span<double> gradient) const {
  if (lambda_ == 0) return 0;
  double squared = 0;
  const auto cols = static_cast<std::size_t>(d);
  for (std::size_t i = 0; i < mentioned_.size(); ++i) {
    if (!mentioned_[i]) continue;
    for (std::size_t c = i * cols; c < (i + 1) * cols; ++c) {
      squared += y[c] * y[c];
      if (!gradient.empty()) gradient[c] += 2 * lambda_ * y[c];
    }
  }
  return lambda_ * squared;
}

double TripletSum::evaluate(std::span<const double> y, Index d, std::span<double> gradient,
                            bool with_gradient, Evaluation& evaluation) const {
  std::ranges::fill(gradient, 0.0);
  double total = 0;
  if (!list_) {
    total = sum_of_table(y, d, gradient, with_gradient, evaluation);
  } else if (single_precision_) {
    auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
    scratch.y.assign(y.begin(), y.end());
    total = sum<float>(scratch.y, d, gradient, with_gradient, evaluation);
  } else {
    total = sum<double>(y, d, gradient, with_gradient, evaluation);
  }
  return total + add_regulariser(y, d, gradient);
}

double TripletSum::value(std::span<const double> y, Index d, Evaluation& evaluation) const {
  return evaluate(y, d, {}, false, evaluation);
}

double TripletSum::value_and_gradient(std::span<const double> y, Index d, std::span<double> gradient,
                                      Evaluation& evaluation) const {
  return evaluate(y, d, gradient, true, evaluation);
}

}  // namespace alidade::triplet
