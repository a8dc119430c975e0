#include "problems/multiview/view_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problems/core/vector_math.hpp"
#include "problems/triplet/chunk_sums.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade::multiview {
namespace {

constexpr std::size_t kBatch = 128;
using V = Vec<double, 16>;
constexpr std::size_t kWide = 2;

}  // namespace

/// Per view a stretch of kBatch numbers; distances of one view at a time.
struct ViewMixture::Workspace {
  std::vector<double> value, near_slope, far_slope;
  alignas(16) double near[kBatch], far[kBatch], least[kBatch], sum[kBatch];
  void fit(std::size_t views) {
    for (auto* array : {&value, &near_slope, &far_slope}) array->resize(views * kBatch);
  }
};

struct ViewMixture::Scratch {
  triplet::ChunkSums<double, Workspace> sums;
};

ViewMixture::ViewMixture(const TripletSource& triplets, triplet::TripletLoss loss)
    : object_count_(triplets.object_count()), loss_(loss) {
  const auto count = static_cast<std::size_t>(triplets.size());
  for (auto* ids : {&anchor_, &near_, &far_}) ids->reserve(count);
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    const Triplet one = triplets.at(i);
    anchor_.push_back(one.anchor);
    near_.push_back(one.near);
    far_.push_back(one.far);
    if (triplets.weighted()) weight_.push_back(one.weight);
    total_weight_ += one.weight;
  }
}

std::vector<bool> ViewMixture::mentioned() const {
  std::vector<bool> out(static_cast<std::size_t>(object_count_), false);
  for (const auto* ids : {&anchor_, &near_, &far_})
    for (const ObjectId id : *ids) out[id] = true;
  return out;
}

Index ViewMixture::chunk_count() const {
  return std::clamp<Index>(static_cast<Index>(size() / 8192), 1, 16);
}

template <class Visit>
void ViewMixture::for_batches(Index chunk, const Visit& visit) const {
  const auto chunks = static_cast<std::size_t>(chunk_count());
  const auto edge = [&](std::size_t c) {
    return size() / chunks * c + std::min(size() % chunks, c);
  };
  const std::size_t end = edge(static_cast<std::size_t>(chunk) + 1);
  for (std::size_t begin = edge(static_cast<std::size_t>(chunk)); begin < end; begin += kBatch)
    visit(begin, std::min(begin + kBatch, end));
}

void ViewMixture::squared_distances(std::size_t begin, std::size_t end, const double* y, Index d,
                                    Workspace& work) const {
  for (std::size_t i = begin; i < end; ++i) {
    const double* anchor = y + static_cast<Index>(anchor_[i]) * d;
    const double* near = y + static_cast<Index>(near_[i]) * d;
    const double* far = y + static_cast<Index>(far_[i]) * d;
    double a = 0, b = 0;
    for (Index c = 0; c < d; ++c) {
      a += (anchor[c] - near[c]) * (anchor[c] - near[c]);
      b += (anchor[c] - far[c]) * (anchor[c] - far[c]);
    }
    work.near[i - begin] = a;
    work.far[i - begin] = b;
  }
  for (std::size_t i = end - begin; i < kBatch && i % kWide != 0; ++i)
    work.near[i] = work.far[i] = 0;
}

void ViewMixture::evaluate(std::size_t begin, std::size_t end, const double* y, Index d,
                           Workspace& work, std::size_t v) const {
  squared_distances(begin, end, y, d, work);
  double* value = work.value.data() + v * kBatch;
  double* near_slope = work.near_slope.data() + v * kBatch;
  double* far_slope = work.far_slope.data() + v * kBatch;
  triplet::with_form(loss_, [&](const auto& form) {
    for (std::size_t i = 0; i < end - begin; i += kWide) {
      const auto term = form(load<V>(work.near + i), load<V>(work.far + i));
      store<V>(value + i, term.value);
      store<V>(near_slope + i, term.d_near);
      store<V>(far_slope + i, term.d_far);
    }
  });
}

void ViewMixture::scatter(std::size_t begin, std::size_t end, const double* y, Index d,
                          const double* shares, const Workspace& work, std::size_t v,
                          double* gradient) const {
  const double* near_slope = work.near_slope.data() + v * kBatch;
  const double* far_slope = work.far_slope.data() + v * kBatch;
  for (std::size_t i = begin; i < end; ++i) {
    const double s = 2 * shares[i - begin] * near_slope[i - begin];
    const double t = 2 * shares[i - begin] * far_slope[i - begin];
    const Index a = static_cast<Index>(anchor_[i]) * d, n = static_cast<Index>(near_[i]) * d,
                f = static_cast<Index>(far_[i]) * d;
    for (Index c = 0; c < d; ++c) {
      const double towards = s * (y[a + c] - y[n + c]), away = t * (y[a + c] - y[f + c]);
      gradient[a + c] += towards + away;
      gradient[n + c] -= towards;
      gradient[f + c] -= away;
    }
  }
}

double ViewMixture::to_posteriors(std::size_t begin, std::size_t end,
                                  std::span<const double> log_weights, Workspace& work) const {
  const std::size_t count = end - begin;
  std::fill_n(work.least, kBatch, std::numeric_limits<double>::infinity());
  for (std::size_t v = 0; v < log_weights.size(); ++v) {
    double* value = work.value.data() + v * kBatch;
    for (std::size_t i = 0; i < count; ++i) {
      value[i] -= log_weights[v];
      work.least[i] = std::min(work.least[i], value[i]);
    }
  }
  std::fill_n(work.sum, kBatch, 0.0);
  for (std::size_t v = 0; v < log_weights.size(); ++v) {
    double* value = work.value.data() + v * kBatch;
    for (std::size_t i = 0; i < count; i += kWide) {
      const V share = exp_of_nonpositive(V(load<V>(work.least + i) - load<V>(value + i)));
      store<V>(value + i, share);
      store<V>(work.sum + i, V(load<V>(work.sum + i) + share));
    }
  }
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double w = weight(begin + i);
    total += w * (work.least[i] - std::log(work.sum[i]));
    work.sum[i] = w / work.sum[i];
  }
  for (std::size_t v = 0; v < log_weights.size(); ++v) {
    double* value = work.value.data() + v * kBatch;
    for (std::size_t i = 0; i < count; ++i) value[i] *= work.sum[i];
  }
  return total;
}

double ViewMixture::mixture(std::span<const double> views, Index d,
                            std::span<const double> log_weights, std::span<double> gradient,
                            std::span<double> counts, Evaluation& evaluation) const {
  const std::size_t view_count = log_weights.size();
  const Index rows = object_count_ * d;
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  // Gradients of the views, then counts.
  std::vector<double> all(gradient.size() + counts.size(), 0.0);
  const double total = scratch.sums(
      static_cast<std::size_t>(chunk_count()), all, evaluation.executor,
      [&](std::size_t chunk, std::span<double> part, Workspace& work) {
        double sum = 0;
        work.fit(view_count);
        for_batches(static_cast<Index>(chunk), [&](std::size_t begin, std::size_t end) {
          for (std::size_t v = 0; v < view_count; ++v)
            evaluate(begin, end, views.data() + static_cast<Index>(v) * rows, d, work, v);
          sum += to_posteriors(begin, end, log_weights, work);
          for (std::size_t v = 0; v < view_count; ++v) {
            const double* shares = work.value.data() + v * kBatch;
            if (!gradient.empty())
              scatter(begin, end, views.data() + static_cast<Index>(v) * rows, d, shares, work, v,
                      part.data() + static_cast<Index>(v) * rows);
            if (!counts.empty())
              for (std::size_t i = 0; i < end - begin; ++i) part[gradient.size() + v] += shares[i];
          }
        });
        return sum;
      });
  std::copy_n(all.begin(), gradient.size(), gradient.begin());
  std::copy(all.begin() + static_cast<std::ptrdiff_t>(gradient.size()), all.end(), counts.begin());
  return total;
}

std::vector<double> ViewMixture::posteriors(std::span<const double> views, Index d,
                                            std::span<const double> log_weights, Index view,
                                            Executor& executor) const {
  std::vector<double> out(size());
  executor.run(chunk_count(), [&](Index chunk) {
    Workspace work;
    work.fit(log_weights.size());
    for_batches(chunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = 0; v < log_weights.size(); ++v)
        evaluate(begin, end, views.data() + static_cast<Index>(v) * object_count_ * d, d, work, v);
      to_posteriors(begin, end, log_weights, work);
      const double* shares = work.value.data() + static_cast<std::size_t>(view) * kBatch;
      std::copy_n(shares, end - begin, out.data() + begin);
    });
  });
  return out;
}

std::vector<double> ViewMixture::ratios(std::span<const double> views, Index d, Index view_count,
                                        Index view, Executor& executor) const {
  constexpr double kLeast = std::numeric_limits<double>::epsilon(), kMost = 1e5;
  std::vector<double> out(size());
  executor.run(chunk_count(), [&](Index chunk) {
    Workspace work;
    for_batches(chunk, [&](std::size_t begin, std::size_t end) {
      std::fill_n(work.sum, kBatch, 0.0);
      for (Index v = 0; v < view_count; ++v) {
        squared_distances(begin, end, views.data() + v * object_count_ * d, d, work);
        for (std::size_t i = 0; i < end - begin; ++i) {
          double rho = std::sqrt(work.far[i] / work.near[i]);
          if (!(rho > 1)) rho = kLeast;
          if (std::isinf(rho)) rho = kMost;
          work.sum[i] += rho;
          if (v == view) out[begin + i] = rho;
        }
      }
      for (std::size_t i = 0; i < end - begin; ++i)
        out[begin + i] *= weight(begin + i) / work.sum[i];
    });
  });
  return out;
}

double ViewMixture::weighted(std::span<const double> view, Index d,
                             std::span<const double> memberships, std::span<double> gradient,
                             Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  std::ranges::fill(gradient, 0.0);
  return scratch.sums(
      static_cast<std::size_t>(chunk_count()), gradient, evaluation.executor,
      [&](std::size_t chunk, std::span<double> part, Workspace& work) {
        double sum = 0;
        work.fit(1);
        for_batches(static_cast<Index>(chunk), [&](std::size_t begin, std::size_t end) {
          evaluate(begin, end, view.data(), d, work, 0);
          for (std::size_t i = begin; i < end; ++i) sum += memberships[i] * work.value[i - begin];
          if (!part.empty())
            scatter(begin, end, view.data(), d, memberships.data() + begin, work, 0, part.data());
        });
        return sum;
      });
}

}  // namespace alidade::multiview
