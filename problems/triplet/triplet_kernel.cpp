#include "problems/triplet/triplet_kernel.hpp"

namespace alidade::triplet {
namespace {

struct Partners {
  std::size_t near, far;
};

Partners partners(const AnchorGroups::Group& group, std::size_t t, std::size_t d) {
  if (group.direct()) return {group.partners[t] * d, group.partners[group.size + t] * d};
  return {group.partners[group.near[t]] * d, group.partners[group.far[t]] * d};
}

template <class Real>
Real squared_distance(std::span<const Real> y, std::size_t i, std::size_t j, std::size_t d) {
  Real sum = 0;
  for (std::size_t c = 0; c < d; ++c) {
    const Real difference = y[i + c] - y[j + c];
    sum += difference * difference;
  }
  return sum;
}

template <class Real>
double sum_terms(const TripletLoss& loss, const AnchorGroups& groups, GroupRange range,
                 std::span<const Real> y, std::size_t d, std::span<Real> gradient) {
  return with_form(loss, [&](const auto& form) {
    double objective = 0;
    for (Index g = range.begin; g < range.end; ++g) {
      const AnchorGroups::Group group = groups.group(g);
      const std::size_t i = group.anchor * d;
      for (std::size_t t = 0; t < group.size; ++t) {
        const auto [j, k] = partners(group, t, d);
        const LossTerm<Real> term =
            form(squared_distance(y, i, j, d), squared_distance(y, i, k, d));
        const Real weight = group.weights.empty() ? Real(1) : static_cast<Real>(group.weights[t]);
        objective += static_cast<double>(weight * term.value);
        if (gradient.empty()) continue;
        for (std::size_t c = 0; c < d; ++c) {
          const Real near = 2 * weight * term.d_near * (y[i + c] - y[j + c]);
          const Real far = 2 * weight * term.d_far * (y[i + c] - y[k + c]);
          gradient[i + c] += near + far;
          gradient[j + c] -= near;
          gradient[k + c] -= far;
        }
      }
    }
    return objective;
  });
}

}  // namespace

template <class Real>
double add_value_and_gradient(const TripletLoss& loss, const AnchorGroups& groups, GroupRange range,
                              std::span<const Real> y, Index d, std::span<Real> gradient,
                              Workspace<Real>&) {
  return sum_terms(loss, groups, range, y, static_cast<std::size_t>(d), gradient);
}

template <class Real>
double value(const TripletLoss& loss, const AnchorGroups& groups, GroupRange range,
             std::span<const Real> y, Index d, Workspace<Real>&) {
  return sum_terms<Real>(loss, groups, range, y, static_cast<std::size_t>(d), {});
}

template <class Real>
Violations violations(const AnchorGroups& groups, GroupRange range, std::span<const Real> y,
                      Index d, Workspace<Real>&) {
  const auto dim = static_cast<std::size_t>(d);
  Violations out;
  for (Index g = range.begin; g < range.end; ++g) {
    const AnchorGroups::Group group = groups.group(g);
    for (std::size_t t = 0; t < group.size; ++t) {
      const auto [j, k] = partners(group, t, dim);
      if (squared_distance(y, group.anchor * dim, j, dim) <
          squared_distance(y, group.anchor * dim, k, dim))
        continue;
      const double weight = group.weights.empty() ? 1 : group.weights[t];
      out.weight += weight;
      out.count += groups.merged() ? static_cast<std::int64_t>(weight) : 1;
    }
  }
  return out;
}

template double add_value_and_gradient(const TripletLoss&, const AnchorGroups&, GroupRange,
                                       std::span<const float>, Index, std::span<float>,
                                       Workspace<float>&);
template double add_value_and_gradient(const TripletLoss&, const AnchorGroups&, GroupRange,
                                       std::span<const double>, Index, std::span<double>,
                                       Workspace<double>&);
template double value(const TripletLoss&, const AnchorGroups&, GroupRange, std::span<const float>,
                      Index, Workspace<float>&);
template double value(const TripletLoss&, const AnchorGroups&, GroupRange, std::span<const double>,
                      Index, Workspace<double>&);
template Violations violations(const AnchorGroups&, GroupRange, std::span<const float>, Index,
                               Workspace<float>&);
template Violations violations(const AnchorGroups&, GroupRange, std::span<const double>, Index,
                               Workspace<double>&);

}  // namespace alidade::triplet
