#include "problems/triplet/triplet_sum.hpp"

#include <algorithm>
#include <array>

#include "problems/core/error.hpp"
#include "problems/triplet/triplet_kernel.hpp"

namespace alidade::triplet {
namespace {

constexpr std::uint64_t kInducedChunk = 1 << 16;  // triplets read and summed as one unit, at least
constexpr std::size_t kReadAtOnce = 1024;

}  // namespace

/// Buffers of one evaluation: partial gradients by chunk (the first chunk writes to the result), workspaces
/// by chunk, and copies in float.
struct TripletSum::Scratch {
  std::vector<std::vector<float>> float_partial;
  std::vector<std::vector<double>> double_partial;
  std::vector<Workspace<float>> float_work;
  std::vector<Workspace<double>> double_work;
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

TripletSum::TripletSum(std::shared_ptr<const TripletSource> source, TripletLoss loss, double lambda0,
                       bool single_precision)
    : source_(std::move(source)), loss_(loss), single_precision_(single_precision) {
  require_valid(loss_);
  double total_weight = static_cast<double>(source_->size());
  if (source_->stored()) {
    if (dynamic_cast<const TripletList*>(source_.get()) == nullptr)
      source_ = std::make_shared<TripletList>(TripletList::copy_of(*source_));
    list_ = static_cast<const TripletList*>(source_.get());
    groups_ = AnchorGroups(list_->anchors(), list_->nears(), list_->fars(), list_->weights(),
                           list_->object_count());
    total_weight = groups_.total_weight();
  }
  const auto n = static_cast<double>(std::max<Index>(1, object_count()));
  lambda_ = lambda0 * total_weight / n;
  count_mentions();
}

void TripletSum::count_mentions() {
  const auto n = static_cast<std::size_t>(object_count());
  mentioned_.assign(n, false);
  std::vector<std::uint64_t> count(n, 0);
  const auto* table = dynamic_cast<const AttributeTable*>(source_.get());
  if (table) {
    for (const AttributeTable::ClassBlock& block : table->class_blocks()) {
      const std::uint64_t m = block.members.size();
      for (const ObjectId i : block.members) count[i] += 2 * (m - 1) * block.far_count();
      for (const ObjectId i : block.before) count[i] += m * (m - 1);
      for (const ObjectId i : block.after) count[i] += m * (m - 1);
    }
  } else {
    std::array<Triplet, kReadAtOnce> buffer;
    for (std::uint64_t begin = 0; begin < source_->size(); begin += kReadAtOnce) {
      const std::span<Triplet> batch(buffer.data(), static_cast<std::size_t>(std::min<std::uint64_t>(
                                                        kReadAtOnce, source_->size() - begin)));
      source_->read(begin, batch);
      for (const Triplet& t : batch) {
        ++count[t.anchor];
        ++count[t.near];
        ++count[t.far];
      }
    }
  }
  if (lambda_ > 0) term_lambda_.assign(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    mentioned_[i] = count[i] > 0;
    if (lambda_ > 0 && count[i] > 0) term_lambda_[i] = lambda_ / static_cast<double>(count[i]);
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
  const std::span<const GroupRange> chunks = groups_.chunks();
  auto& partial = scratch.template partial<Real>();
  auto& work = scratch.template work<Real>();
  partial.resize(chunks.size());
  work.resize(chunks.size());
  scratch.values.assign(chunks.size(), 0.0);
  evaluation.executor.run(static_cast<Index>(chunks.size()), [&](Index c) {
    const auto k = static_cast<std::size_t>(c);
    if (!with_gradient) {
      scratch.values[k] = triplet::value<Real>(loss_, groups_, chunks[k], y, d, work[k]);
      return;
    }
    partial[k].assign(y.size(), Real{0});
    scratch.values[k] =
        add_value_and_gradient<Real>(loss_, groups_, chunks[k], y, d, partial[k], work[k]);
  });
  double total = 0;
  for (const double v : scratch.values) total += v;
  if (with_gradient)
    for (const auto& part : partial)
      for (std::size_t i = 0; i < part.size(); ++i) gradient[i] += static_cast<double>(part[i]);
  return total;
}

double TripletSum::add_induced(std::span<const double> y, Index d, std::span<double> gradient,
                               bool with_gradient, Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  const std::uint64_t size = source_->size();
  const auto chunks = static_cast<std::size_t>(std::clamp<std::uint64_t>(size / kInducedChunk, 1, 16));
  const auto edge = [&](std::size_t c) { return size / chunks * c + std::min<std::uint64_t>(c, size % chunks); };
  scratch.values.assign(chunks, 0.0);
  scratch.double_partial.resize(chunks);
  const auto cols = static_cast<std::size_t>(d);
  evaluation.executor.run(static_cast<Index>(chunks), [&](Index chunk) {
    const auto k = static_cast<std::size_t>(chunk);
    std::vector<double>& g = scratch.double_partial[k];
    if (with_gradient) g.assign(y.size(), 0.0);
    std::array<Triplet, kReadAtOnce> buffer;
    scratch.values[k] = with_form(loss_, [&](const auto& form) {
      double total = 0;
      for (std::uint64_t begin = edge(k); begin < edge(k + 1); begin += kReadAtOnce) {
        const std::span<Triplet> batch(buffer.data(), static_cast<std::size_t>(std::min<std::uint64_t>(
                                                          kReadAtOnce, edge(k + 1) - begin)));
        source_->read(begin, batch);
        for (const Triplet& t : batch) {
          const double* yi = y.data() + t.anchor * cols;
          const double* yj = y.data() + t.near * cols;
          const double* yk = y.data() + t.far * cols;
          double a = 0, b = 0;
          for (std::size_t c = 0; c < cols; ++c) {
            a += (yi[c] - yj[c]) * (yi[c] - yj[c]);
            b += (yi[c] - yk[c]) * (yi[c] - yk[c]);
          }
          const LossTerm<double> term = form(a, b);
          total += t.weight * term.value;
          if (!with_gradient) continue;
          const double near = 2 * t.weight * term.d_near, far = 2 * t.weight * term.d_far;
          for (std::size_t c = 0; c < cols; ++c) {
            const double pull = near * (yi[c] - yj[c]), push = far * (yi[c] - yk[c]);
            g[t.anchor * cols + c] += pull + push;
            g[t.near * cols + c] -= pull;
            g[t.far * cols + c] -= push;
          }
        }
      }
      return total;
    });
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
    total = add_induced(y, d, gradient, with_gradient, evaluation);
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
