#include "problems/multiview/view_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "problems/core/vector_math.hpp"
#include "problems/triplet_sums/chunk_sums.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade::multiview {
namespace {

constexpr std::size_t kBatch = 128;
using V = Vec<double, 16>;
constexpr std::size_t kWide = 2;

}  // namespace

/// kBatch numbers per view; distances of one view at a time.
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

ViewMixture::ViewMixture(const TripletSource& triplets, ViewKernel kernel)
    : object_count_(triplets.object_count()), kernel_(kernel) {
  if (kernel == ViewKernel::student)
    loss_ = triplet::TSteLoss{1};
  else
    loss_ = triplet::SteLoss{};
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

std::vector<std::uint64_t> ViewMixture::mentions() const {
  std::vector<std::uint64_t> out(static_cast<std::size_t>(object_count_), 0);
  for (const auto* ids : {&anchor_, &near_, &far_})
    for (const ObjectId id : *ids) ++out[id];
  return out;
}

Index ViewMixture::chunk_count() const { return std::clamp<Index>(static_cast<Index>(size() / 8192), 1, 16); }

template <class Visit>
void ViewMixture::for_batches(Index chunk, const Visit& visit) const {
  const auto chunks = static_cast<std::size_t>(chunk_count());
  const auto edge = [&](std::size_t c) { return size() / chunks * c + std::min(size() % chunks, c); };
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
  for (std::size_t i = end - begin; i < kBatch && i % kWide != 0; ++i) work.near[i] = work.far[i] = 0;
}

void ViewMixture::evaluate(std::size_t begin, std::size_t end, const double* y, Index d, Workspace& work,
                           std::size_t v) const {
  squared_distances(begin, end, y, d, work);
  double* value = work.value.data() + v * kBatch;
  double* near_slope = work.near_slope.data() + v * kBatch;
  double* far_slope = work.far_slope.data() + v * kBatch;
  triplet::with_form(loss_, [&](const auto& form) {
    for (std::size_t i = 0; i < end - begin; i += kWide) {
      const auto term = triplet::whole(form(load<V>(work.near + i), load<V>(work.far + i)));
      store<V>(value + i, term.value);
      store<V>(near_slope + i, term.d_near);
      store<V>(far_slope + i, term.d_far);
    }
  });
}

void ViewMixture::scatter(std::size_t begin, std::size_t end, const double* y, Index d, const double* shares,
                          const Workspace& work, std::size_t v, double* gradient) const {
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

double ViewMixture::to_posteriors(std::size_t begin, std::size_t end, std::span<const double> log_weights,
                                  Workspace& work) const {
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

double ViewMixture::mixture(std::span<const double> views, Index d, std::span<const double> log_weights,
                            std::span<double> gradient, std::span<double> counts, Evaluation& evaluation) const {
  const std::size_t view_count = log_weights.size();
  const Index rows = object_count_ * d;
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  // Gradients of the views, then counts.
  std::vector<double> all(gradient.size() + counts.size(), 0.0);
  const double total = scratch.sums(static_cast<std::size_t>(chunk_count()), all, evaluation.executor,
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
                                            scatter(begin, end, views.data() + static_cast<Index>(v) * rows, d, shares,
                                                    work, v, part.data() + static_cast<Index>(v) * rows);
                                          if (!counts.empty())
                                            for (std::size_t i = 0; i < end - begin; ++i)
                                              part[gradient.size() + v] += shares[i];
                                        }
                                      });
                                      return sum;
                                    });
  std::copy_n(all.begin(), gradient.size(), gradient.begin());
  std::copy(all.begin() + static_cast<std::ptrdiff_t>(gradient.size()), all.end(), counts.begin());
  return total;
}

std::vector<double> ViewMixture::posteriors(std::span<const double> views, Index d, std::span<const double> log_weights,
                                            Index view, Executor& executor) const {
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

namespace {

/// The ratio of [AU15] Eq. 9, from squared distances.
[[gnu::always_inline]] inline double ratio_of(double near, double far) {
  constexpr double kLeast = std::numeric_limits<double>::epsilon(), kMost = 1e5;
  const double rho = std::sqrt(far / near);
  if (!(rho > 1)) return kLeast;
  return std::isinf(rho) ? kMost : rho;
}

/// The number of views, rounded up to whole vectors.
std::size_t whole(std::size_t views) { return (views + kWide - 1) / kWide * kWide; }

}  // namespace

std::vector<double> ViewMixture::ratios(std::span<const double> views, Index d, Index view_count, Index view,
                                        Executor& executor) const {
  std::vector<double> out(size());
  executor.run(chunk_count(), [&](Index chunk) {
    Workspace work;
    for_batches(chunk, [&](std::size_t begin, std::size_t end) {
      std::fill_n(work.sum, kBatch, 0.0);
      for (Index v = 0; v < view_count; ++v) {
        squared_distances(begin, end, views.data() + v * object_count_ * d, d, work);
        for (std::size_t i = 0; i < end - begin; ++i) {
          const double rho = ratio_of(work.near[i], work.far[i]);
          work.sum[i] += rho;
          if (v == view) out[begin + i] = rho;
        }
      }
      for (std::size_t i = 0; i < end - begin; ++i) out[begin + i] *= weight(begin + i) / work.sum[i];
    });
  });
  return out;
}

double ViewMixture::ratio_cost(std::span<const double> views, Index d, Index view_count, Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  const auto count = static_cast<std::size_t>(view_count);
  return scratch.sums(static_cast<std::size_t>(chunk_count()), {}, evaluation.executor,
                      [&](std::size_t chunk, std::span<double>, Workspace& work) {
                        double total = 0;
                        work.fit(count);
                        for_batches(static_cast<Index>(chunk), [&](std::size_t begin, std::size_t end) {
                          std::fill_n(work.sum, kBatch, 0.0);
                          std::fill_n(work.least, kBatch, 0.0);  // sums of rho_v f_v
                          for (std::size_t v = 0; v < count; ++v) {
                            evaluate(begin, end, views.data() + static_cast<Index>(v) * object_count_ * d, d, work, v);
                            for (std::size_t i = 0; i < end - begin; ++i) {
                              const double rho = ratio_of(work.near[i], work.far[i]);
                              work.sum[i] += rho;
                              work.least[i] += rho * work.value[v * kBatch + i];
                            }
                          }
                          for (std::size_t i = 0; i < end - begin; ++i)
                            total += weight(begin + i) * work.least[i] / work.sum[i];
                        });
                        return total;
                      });
}

double ViewMixture::weighted(std::span<const double> view, Index d, std::span<const double> memberships,
                             std::span<double> gradient, Evaluation& evaluation) const {
  auto& scratch = evaluation.scratch<Scratch>([] { return Scratch{}; });
  std::ranges::fill(gradient, 0.0);
  return scratch.sums(static_cast<std::size_t>(chunk_count()), gradient, evaluation.executor,
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

template <int kCols>
void ViewMixture::term_distances(std::size_t i, const double* views, Index d, std::size_t view_count, double* near,
                                 double* far) const {
  const Index cols = kCols > 0 ? kCols : d;
  const Index stride = object_count_ * cols;
  const double* anchor = views + static_cast<Index>(anchor_[i]) * cols;
  const double* close = views + static_cast<Index>(near_[i]) * cols;
  const double* distant = views + static_cast<Index>(far_[i]) * cols;
  for (std::size_t v = 0; v < view_count; ++v) {
    double a = 0, b = 0;
    for (Index c = 0; c < cols; ++c) {
      a += (anchor[c] - close[c]) * (anchor[c] - close[c]);
      b += (anchor[c] - distant[c]) * (anchor[c] - distant[c]);
    }
    near[v] = a;
    far[v] = b;
    anchor += stride;
    close += stride;
    distant += stride;
  }
  for (std::size_t v = view_count; v < whole(view_count); ++v) near[v] = far[v] = 0;
}

/// Writes the gradient of sum_v near_slope_v a_v + far_slope_v b_v and of the ridge; returns the ridge's value.
template <int kCols>
double ViewMixture::scatter_term(std::size_t i, const double* views, Index d, std::size_t view_count,
                                 const double* near_slope, const double* far_slope, std::span<const double> ridge,
                                 TermGradient& out) const {
  const Index cols = kCols > 0 ? kCols : d;
  const std::size_t ids[] = {anchor_[i], near_[i], far_[i]};
  double pull[] = {0, 0, 0};
  if (!ridge.empty())
    for (std::size_t r = 0; r < 3; ++r) pull[r] = ridge[ids[r]];
  double sum = 0;
  for (std::size_t v = 0; v < view_count; ++v) {
    const double* view = views + static_cast<Index>(v) * object_count_ * cols;
    const double* y[3];
    double* g[3];
    for (std::size_t r = 0; r < 3; ++r) {
      y[r] = view + static_cast<Index>(ids[r]) * cols;
      g[r] = out.add(v, static_cast<Index>(ids[r]), cols);
    }
    const double s = 2 * near_slope[v], t = 2 * far_slope[v];
    for (Index c = 0; c < cols; ++c) {
      const double towards = s * (y[0][c] - y[1][c]), away = t * (y[0][c] - y[2][c]);
      g[0][c] = towards + away + 2 * pull[0] * y[0][c];
      g[1][c] = 2 * pull[1] * y[1][c] - towards;
      g[2][c] = 2 * pull[2] * y[2][c] - away;
      sum += pull[0] * y[0][c] * y[0][c] + pull[1] * y[1][c] * y[1][c] + pull[2] * y[2][c] * y[2][c];
    }
  }
  return sum;
}

std::size_t ViewMixture::mixture_room(std::size_t view_count) { return 3 * whole(view_count); }

double ViewMixture::mixture_term(std::size_t i, std::span<const double> views, Index d, std::span<const double> shares,
                                 std::span<const double> ridge, double* room, TermGradient& out) const {
  const std::size_t view_count = shares.size(), padded = whole(view_count);
  double* posteriors = room;  // of each view p_v at first
  double* near = posteriors + padded;
  double* far = near + padded;
  if (d == 2)
    term_distances<2>(i, views.data(), d, view_count, near, far);
  else
    term_distances<0>(i, views.data(), d, view_count, near, far);
  // near and far become the slopes of f_v in these squared distances.
  const bool gaussian = kernel_ == ViewKernel::gaussian;
  double least_gap = std::numeric_limits<double>::infinity();
  if (gaussian) {
    for (std::size_t v = 0; v < view_count; ++v) least_gap = std::min(least_gap, near[v] - far[v]);
    for (std::size_t v = 0; v < padded; v += kWide) {
      const V gap = load<V>(near + v) - load<V>(far + v);
      const V e = exp_of_nonpositive(V(-absolute(gap)));
      const V large = 1 / (1 + e);
      const V small = e * large;
      const V miss = select(gap > 0, large, small);
      store<V>(posteriors + v, V(select(gap > 0, small, large)));
      store<V>(near + v, miss);
      store<V>(far + v, V(-miss));
    }
  } else {
    for (std::size_t v = 0; v < padded; v += kWide) {
      const V a = load<V>(near + v), b = load<V>(far + v);
      const V slope = 1 / (2 + a + b);
      const V inverse = 1 / (1 + b);
      store<V>(posteriors + v, V((1 + b) * slope));
      store<V>(near + v, slope);
      store<V>(far + v, V(slope - inverse));
    }
  }
  double sum = 0;
  for (std::size_t v = 0; v < view_count; ++v) {
    posteriors[v] *= shares[v];
    sum += posteriors[v];
  }
  constexpr double kSafe = 1e-250;
  double loss;
  if (sum > kSafe) {
    loss = -std::log(sum);
  } else {
    // Every p_v = e^-gap is so small that it would vanish, so take them relative to the least gap.
    if (d == 2)
      term_distances<2>(i, views.data(), d, view_count, posteriors, far);
    else
      term_distances<0>(i, views.data(), d, view_count, posteriors, far);
    sum = 0;
    for (std::size_t v = 0; v < view_count; ++v) {
      posteriors[v] = shares[v] * std::exp(least_gap - (posteriors[v] - far[v]));
      sum += posteriors[v];
      far[v] = -near[v];
    }
    loss = least_gap - std::log(sum);
  }
  const double w = weight(i);
  for (std::size_t v = 0; v < view_count; ++v) {
    posteriors[v] *= w / sum;
    near[v] *= posteriors[v];
    far[v] *= posteriors[v];
  }
  return w * loss + (d == 2 ? scatter_term<2>(i, views.data(), d, view_count, near, far, ridge, out)
                            : scatter_term<0>(i, views.data(), d, view_count, near, far, ridge, out));
}

double ViewMixture::ratio_term(std::size_t i, std::span<const double> views, Index d, Index view_count,
                               std::span<const double> ridge, bool fixed, TermGradient& out) const {
  const auto count = static_cast<std::size_t>(view_count);
  const std::size_t padded = whole(count);
  double* near = out.room<double>(6 * padded);
  double* far = near + padded;
  double* rho = far + padded;
  double* loss = rho + padded;
  double* near_slope = loss + padded;
  double* far_slope = near_slope + padded;
  if (d == 2)
    term_distances<2>(i, views.data(), d, count, near, far);
  else
    term_distances<0>(i, views.data(), d, count, near, far);
  double sum = 0;
  for (std::size_t v = 0; v < count; ++v) {
    rho[v] = ratio_of(near[v], far[v]);
    sum += rho[v];
  }
  triplet::with_form(loss_, [&](const auto& form) {
    for (std::size_t v = 0; v < padded; v += kWide) {
      const auto term = triplet::whole(form(load<V>(near + v), load<V>(far + v)));
      store<V>(loss + v, term.value);
      store<V>(near_slope + v, term.d_near);
      store<V>(far_slope + v, term.d_far);
    }
  });
  const double scale = weight(i) / sum;
  double mean = 0;  // of the losses
  for (std::size_t v = 0; v < count; ++v) mean += rho[v] / sum * loss[v];
  for (std::size_t v = 0; v < count; ++v) {
    const double z = scale * rho[v];
    near_slope[v] *= z;
    far_slope[v] *= z;
    if (fixed || !(far[v] > near[v]) || !(near[v] > 0)) continue;
    // d rho / d near = -rho / (2 near), d rho / d far = rho / (2 far), d sum / d rho_v = (f_v - mean) / sum of rho.
    near_slope[v] -= z * (loss[v] - mean) / (2 * near[v]);
    far_slope[v] += z * (loss[v] - mean) / (2 * far[v]);
  }
  return weight(i) * mean + (d == 2 ? scatter_term<2>(i, views.data(), d, count, near_slope, far_slope, ridge, out)
                                    : scatter_term<0>(i, views.data(), d, count, near_slope, far_slope, ridge, out));
}

}  // namespace alidade::multiview
