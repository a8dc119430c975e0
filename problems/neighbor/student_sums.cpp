#include "problems/neighbor/student_sums.hpp"

#include <vector>

#include "problems/core/wide_call.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade::neighbor {
namespace {

template <class Real>
struct Task {
  std::span<const Real> y;
  Index d;
  double nu;
  const Sources<Real>& sources;
  const SumsOut& out;
  Real* room;  // 2 d vectors, if d is not known at compile time
};

/// One point. kDim: d, or 0 for any.
template <int bytes, class Real, int kDim, bool kRepel, bool kUnit, bool kSplit>
[[gnu::always_inline]] inline double sums_of_point(const Task<Real>& task, std::size_t i) {
  using V = Vec<Real, bytes>;
  const auto d = kDim > 0 ? std::size_t{kDim} : static_cast<std::size_t>(task.d);
  constexpr std::size_t kHeld = kDim > 0 ? kDim : 1;
  const Real* y = task.y.data() + i * d;
  const Sources<Real>& from = task.sources;
  const auto inverse_nu = static_cast<Real>(1 / task.nu);
  const auto power = static_cast<Real>(-0.5 * (task.nu + 1));
  V sum{}, weight{};
  V force[kHeld]{}, magnitude[kHeld]{};
  if constexpr (kDim == 0)
    for (std::size_t c = 0; c < 2 * d; ++c) store<V>(task.room + c * kLanes<V>, V{});
  for (std::size_t j = 0; j < from.count; j += kLanes<V>) {
    V t[kHeld];
    V squared{};
    for (std::size_t c = 0; c < d; ++c) {
      const V difference = y[c] - load<V>(from.coordinates + c * from.stride + j);
      if constexpr (kDim > 0) t[c] = difference;
      squared += difference * difference;
    }
    const V m = load<V>(from.weights + j);
    V pull;  // coefficient of t
    if constexpr (kRepel) {
      if constexpr (kUnit) {
        const V v = 1 / (squared + 1);
        const V mu = m * v;
        sum += mu;
        pull = mu * v;
      } else {
        const auto [log, v] = log1p_pair_of_nonnegative(V(squared * inverse_nu));
        const V mu = m * exp_of_nonpositive(V(power * log));
        sum += mu;
        pull = mu * v;
      }
    } else {
      const auto [log, v] = log1p_pair_of_nonnegative(V(squared * inverse_nu));
      sum += m * log;
      pull = m * v;
    }
    if constexpr (kSplit) weight += pull;
    for (std::size_t c = 0; c < d; ++c) {
      if constexpr (kDim > 0) {
        force[c] += pull * t[c];
        if constexpr (kSplit) magnitude[c] += pull * absolute(t[c]);
      } else {
        const V difference = y[c] - load<V>(from.coordinates + c * from.stride + j);
        Real* const held = task.room + 2 * c * kLanes<V>;
        store<V>(held, load<V>(held) + pull * difference);
        if constexpr (kSplit) store<V>(held + kLanes<V>, load<V>(held + kLanes<V>) + pull * absolute(difference));
      }
    }
  }
  for (std::size_t c = 0; c < d; ++c) {
    if constexpr (kDim == 0) {
      force[0] = load<V>(task.room + 2 * c * kLanes<V>);
      magnitude[0] = load<V>(task.room + (2 * c + 1) * kLanes<V>);
    }
    task.out.force[i * d + c] = sum_lanes(force[kDim > 0 ? c : 0]);
    if constexpr (kSplit) task.out.magnitude[i * d + c] = sum_lanes(magnitude[kDim > 0 ? c : 0]);
  }
  if constexpr (kSplit) task.out.weight[i] = sum_lanes(weight);
  return sum_lanes(sum);
}

template <int bytes, class Real, int kDim, bool kRepel, bool kUnit, bool kSplit>
[[gnu::always_inline]] inline double sums_of_points(const Task<Real>& task) {
  double sum = 0;
  const std::size_t count = task.y.size() / static_cast<std::size_t>(task.d);
  for (std::size_t i = 0; i < count; ++i) sum += sums_of_point<bytes, Real, kDim, kRepel, kUnit, kSplit>(task, i);
  return sum;
}

template <int bytes, class Real, int kDim, bool kSplit>
[[gnu::always_inline]] inline double sums_by_kind(const Task<Real>& task, bool repel) {
  if (!repel) return sums_of_points<bytes, Real, kDim, false, false, kSplit>(task);
  if (task.nu == 1) return sums_of_points<bytes, Real, kDim, true, true, kSplit>(task);
  return sums_of_points<bytes, Real, kDim, true, false, kSplit>(task);
}

template <int bytes, class Real>
[[gnu::always_inline]] inline double sums_in_lanes(const Task<Real>& task, bool repel) {
  if (task.out.weight != nullptr)
    return task.d == 2 ? sums_by_kind<bytes, Real, 2, true>(task, repel)
                       : sums_by_kind<bytes, Real, 0, true>(task, repel);
  if (task.d == 2) return sums_by_kind<bytes, Real, 2, false>(task, repel);
  if (task.d == 3) return sums_by_kind<bytes, Real, 3, false>(task, repel);
  return sums_by_kind<bytes, Real, 0, false>(task, repel);
}

/// kDim: d, or 0 for any.
template <class Real, std::size_t kDim>
void copy(const Real* y, std::size_t d, const ObjectId* ids, std::size_t count, Real* __restrict out) {
  if constexpr (kDim > 0) d = kDim;
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t c = 0; c < d; ++c) out[c * count + k] = y[ids[k] * d + c];
}

}  // namespace

template <class Real>
void copy_places(std::span<const Real> y, Index d, std::span<const ObjectId> ids, Real* out) {
  (d == 2 ? copy<Real, 2> : copy<Real, 0>)(y.data(), static_cast<std::size_t>(d), ids.data(), ids.size(), out);
}

template <class Real>
double student_sums(bool repel, std::span<const Real> y, Index d, double nu, const Sources<Real>& sources,
                    const SumsOut& out, InstructionSet instructions) {
  constexpr std::size_t kMostLanes = 64 / sizeof(Real);
  std::vector<Real> room(d > 3 || out.weight || d == 1 ? 2 * static_cast<std::size_t>(d) * kMostLanes : 0);
  const Task<Real> task{y, d, nu, sources, out, room.data()};
  return call_in_lanes(
      instructions, [&](auto bytes) __attribute__((always_inline)) { return sums_in_lanes<bytes, Real>(task, repel); });
}

template void copy_places(std::span<const float>, Index, std::span<const ObjectId>, float*);
template void copy_places(std::span<const double>, Index, std::span<const ObjectId>, double*);
template double student_sums(bool, std::span<const float>, Index, double, const Sources<float>&, const SumsOut&,
                             InstructionSet);
template double student_sums(bool, std::span<const double>, Index, double, const Sources<double>&, const SumsOut&,
                             InstructionSet);

}  // namespace alidade::neighbor
