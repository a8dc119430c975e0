#include "solvers/semidefinite/factor/distance_lagrangian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "problems/core/sorted_lists.hpp"

namespace alidade {
namespace {

/// Calls f with p as a compile-time constant if it is a common number, otherwise with 0.
template <class F>
auto with_columns(Index p, F f) {
  switch (p) {
    case 2: return f(std::integral_constant<int, 2>{});
    case 3: return f(std::integral_constant<int, 3>{});
    case 4: return f(std::integral_constant<int, 4>{});
    case 5: return f(std::integral_constant<int, 5>{});
    case 6: return f(std::integral_constant<int, 6>{});
    case 8: return f(std::integral_constant<int, 8>{});
    case 10: return f(std::integral_constant<int, 10>{});
    case 12: return f(std::integral_constant<int, 12>{});
    default: return f(std::integral_constant<int, 0>{});
  }
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double flow(const RadiusRows& rows, double b, double& slope) {
  double sum = 0;
  slope = 0;
  for (std::size_t k = 0; k < rows.coefficient.size(); ++k) {
    const double r = rows.coefficient[k];
    const double s = rows.multiplier[k] + rows.penalty * (rows.violation[k] + r * b);
    if (!rows.equality[k] && s <= 0) continue;
    if (!rows.equality[k] && s >= rows.cap[k]) {
      sum += r * rows.cap[k];
      continue;
    }
    sum += r * s;
    slope += r * r;
  }
  slope *= rows.penalty;
  return sum;
}

/// The root between low, where the sum is negative, and high, where it is positive or which is infinite: among every b
/// at which a multiplier meets 0 or its cap.
double root_among_breakpoints(const RadiusRows& rows, double low, double high) {
  std::vector<double> breaks;
  for (std::size_t k = 0; k < rows.coefficient.size(); ++k)
    for (const double edge : {0.0, rows.cap[k]})
      if (const double p = ((edge - rows.multiplier[k]) / rows.penalty - rows.violation[k]) / rows.coefficient[k];
          p > low && p < high)
        breaks.push_back(p);
  std::ranges::sort(breaks);
  double slope = 0;
  const auto above = std::ranges::partition_point(breaks, [&](double p) { return flow(rows, p, slope) < 0; });
  if (above != breaks.end()) high = *above;
  if (above != breaks.begin()) low = *std::prev(above);
  const double below = flow(rows, low, slope);
  if (below >= 0) return low;
  if (!std::isfinite(high)) return slope > 0 ? low - below / slope : low;
  const double beyond = flow(rows, high, slope);
  return std::clamp(low + (high - low) * (below / (below - beyond)), low, high);
}

}  // namespace

double radius_at_rest(const RadiusRows& rows, double start, int newton_steps) {
  double b = start, low = 0, high = kInfinity, slope = 0;
  for (int step = 0; step < newton_steps; ++step) {
    const double f = flow(rows, b, slope);
    if (f == 0 || (b == 0 && f > 0)) return b;
    (f > 0 ? high : low) = b;
    const double next = std::max(0.0, b - f / slope);
    if (std::abs(next - b) <= 1e-16 * std::abs(b)) return next;
    if (!(slope > 0) || next >= high || (next <= low && low > 0)) break;
    b = next;
  }
  if (low == 0 && flow(rows, 0, slope) >= 0) return 0;
  return root_among_breakpoints(rows, low, high);
}

DistanceLagrangian::DistanceLagrangian(const DistanceProgram& program, double length, double scale)
    : program_(program),
      length_(length),
      scale_(scale),
      has_basis_(program.cost().basis.size() > 0),
      radius_(subscript(program.cost().radius_count), 0.0) {
  rebuild();
}

Index DistanceLagrangian::add_rows(std::span<const ConstraintId> ids) {
  std::vector<ConstraintId> listed(ids_.begin(), ids_.end());
  std::ranges::sort(listed);
  std::vector<ConstraintId> fresh(ids.begin(), ids.end());
  sort_distinct(fresh);
  std::erase_if(fresh, [&](ConstraintId id) { return std::ranges::binary_search(listed, id); });
  if (fresh.empty()) return 0;
  ids_.insert(ids_.end(), fresh.begin(), fresh.end());
  y_.resize(ids_.size(), 0.0);
  rebuild();
  return static_cast<Index>(fresh.size());
}

void DistanceLagrangian::rebuild() {
  const std::size_t m = ids_.size();
  std::vector<DistanceConstraint> rows(m);
  for (std::size_t k = 0; k < m; ++k) rows[k] = program_.row(ids_[k]);
  std::vector<std::size_t> order(m);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return rows[a].radius != rows[b].radius ? rows[a].radius < rows[b].radius : ids_[a] < ids_[b];
  });
  std::vector<ConstraintId> ids(m);
  std::vector<double> y(m);
  first_term_.assign(1, 0);
  term_i_.clear();
  term_j_.clear();
  term_a_.clear();
  bound_.assign(m + 1, 0);
  cap_.resize(m);
  radius_coefficient_.resize(m);
  radius_of_.resize(m);
  equality_.resize(m);
  groups_.clear();
  for (std::size_t k = 0; k < m; ++k) {
    const DistanceConstraint& row = rows[order[k]];
    ids[k] = ids_[order[k]];
    y[k] = y_[order[k]];
    each_term(row, [&](const DistanceTerm& term) {
      term_i_.push_back(term.i);
      term_j_.push_back(term.j);
      term_a_.push_back(term.coefficient);
    });
    first_term_.push_back(static_cast<std::uint32_t>(term_i_.size()));
    bound_[k] = row.bound * length_;
    cap_[k] = row.cap * scale_;
    radius_coefficient_[k] = row.radius >= 0 ? row.radius_coefficient : 0;
    radius_of_[k] = row.radius;
    equality_[k] = row.equality;
    if (row.radius < 0) continue;
    const auto place = static_cast<std::uint32_t>(k);
    if (groups_.empty() || groups_.back().radius != row.radius) groups_.push_back({place, place, row.radius});
    groups_.back().last = place + 1;
  }
  for (const WeightedPair& pair : program_.cost().pairs) {
    term_i_.push_back(pair.i);
    term_j_.push_back(pair.j);
    term_a_.push_back(scale_ * pair.weight);
  }
  first_term_.push_back(static_cast<std::uint32_t>(term_i_.size()));
  ids_ = std::move(ids);
  y_ = std::move(y);
  value_.assign(m + 1, 0);
  estimate_.assign(m + 1, 1);
  active_.assign(m + 1, 0);
  slope_.assign(m + 1, 0);
}

void DistanceLagrangian::solve_radii() {
  for (const Group& group : groups_) {
    const auto part = [&](const auto& all) { return std::span(all).subspan(group.first, group.last - group.first); };
    double& b = radius_[subscript(group.radius)];
    b = radius_at_rest({part(radius_coefficient_), part(value_), part(y_), part(cap_), part(equality_), rho_}, b);
  }
}

template <int kColumns>
void DistanceLagrangian::read_rows(const double* x, Index columns) {
  const Index p = kColumns > 0 ? kColumns : columns;
  for (std::size_t k = 0; k <= ids_.size(); ++k) {
    double c = -bound_[k];
    for (std::uint32_t t = first_term_[k]; t < first_term_[k + 1]; ++t) {
      const double* a = x + static_cast<Index>(term_i_[t]) * p;
      const double* b = x + static_cast<Index>(term_j_[t]) * p;
      double d2 = 0;
      for (Index q = 0; q < p; ++q) d2 += (a[q] - b[q]) * (a[q] - b[q]);
      c += term_a_[t] * d2;
    }
    value_[k] = c;
  }
}

template <int kColumns>
double DistanceLagrangian::add_penalties(const double* x, Index columns, double* out) {
  const Index p = kColumns > 0 ? kColumns : columns;
  double penalty = 0;
  live_.clear();
  for (std::size_t k = 0; k < ids_.size(); ++k) {
    const double b = radius_of_[k] >= 0 ? radius_[subscript(radius_of_[k])] : 0;
    const double c = value_[k] + radius_coefficient_[k] * b;
    const double s = y_[k] + rho_ * c, e = equality_[k] ? s : std::clamp(s, 0.0, cap_[k]);
    active_[k] = equality_[k] || (s > 0 && s < cap_[k]);
    estimate_[k] = e;
    penalty += e * c - (e - y_[k]) * (e - y_[k]) / (2 * rho_);
    if (e != 0 || active_[k]) live_.push_back(static_cast<std::uint32_t>(k));
  }
  live_.push_back(static_cast<std::uint32_t>(ids_.size()));
  for (const std::uint32_t k : live_)
    for (std::uint32_t t = first_term_[k]; t < first_term_[k + 1]; ++t) {
      const Index i = static_cast<Index>(term_i_[t]) * p, j = static_cast<Index>(term_j_[t]) * p;
      const double w = 2 * estimate_[k] * term_a_[t];
      for (Index q = 0; q < p; ++q) {
        const double step = w * (x[i + q] - x[j + q]);
        out[i + q] += step;
        out[j + q] -= step;
      }
    }
  return penalty;
}

template <int kColumns>
double DistanceLagrangian::evaluate_columns(const Matrix& u, Matrix& gradient) {
  const Index p = kColumns > 0 ? kColumns : u.cols();
  if (has_basis_)
    points_.noalias() = program_.cost().basis * u;
  else
    points_ = u;
  const double* x = points_.data();
  Matrix& g = has_basis_ ? work_gradient_ : gradient;
  g.setZero(points_.rows(), p);
  double* out = g.data();

  read_rows<kColumns>(x, p);
  solve_radii();
  const double penalty = add_penalties<kColumns>(x, p, out);
  cost_ = value_.back();
  if (has_basis_) gradient.noalias() = program_.cost().basis.transpose() * work_gradient_;
  const double complete = program_.cost().all_pairs * static_cast<double>(program_.cost().object_count);
  if (complete != 0) {
    cost_ += scale_ * complete * u.squaredNorm();
    gradient += (2 * scale_ * complete) * u;
  }
  if (program_.cost().ridge.size() > 0) {
    const Matrix ridged = program_.cost().ridge * u;
    cost_ += scale_ * ridged.cwiseProduct(u).sum();
    gradient += (2 * scale_) * ridged;
  }
  return cost_ + penalty;
}

double DistanceLagrangian::evaluate(const Matrix& u, Matrix& gradient) {
  return with_columns(u.cols(), [&](auto columns) { return evaluate_columns<decltype(columns)::value>(u, gradient); });
}

template <int kColumns>
void DistanceLagrangian::hessian_columns(const Matrix& d, Matrix& out) const {
  const Index p = kColumns > 0 ? kColumns : d.cols();
  const double* x = points_.data();
  const double* v = d.data();
  out.setZero(points_.rows(), p);
  double* h = out.data();
  for (const std::uint32_t k : live_) {
    double change = 0;
    if (active_[k]) {
      for (std::uint32_t t = first_term_[k]; t < first_term_[k + 1]; ++t) {
        const Index i = static_cast<Index>(term_i_[t]) * p, j = static_cast<Index>(term_j_[t]) * p;
        double dot = 0;
        for (Index q = 0; q < p; ++q) dot += (x[i + q] - x[j + q]) * (v[i + q] - v[j + q]);
        change += 2 * term_a_[t] * dot;
      }
    }
    slope_[k] = change;
  }
  for (const Group& group : groups_) {
    if (radius_[subscript(group.radius)] <= 0) continue;
    double sum = 0, weight = 0;
    for (std::uint32_t k = group.first; k < group.last; ++k) {
      if (!active_[k]) continue;
      sum += radius_coefficient_[k] * slope_[k];
      weight += radius_coefficient_[k] * radius_coefficient_[k];
    }
    if (weight == 0) continue;
    const double mean = sum / weight;
    for (std::uint32_t k = group.first; k < group.last; ++k)
      if (active_[k]) slope_[k] -= radius_coefficient_[k] * mean;
  }
  for (const std::uint32_t k : live_) {
    const double moved = active_[k] ? rho_ * slope_[k] : 0;
    for (std::uint32_t t = first_term_[k]; t < first_term_[k + 1]; ++t) {
      const Index i = static_cast<Index>(term_i_[t]) * p, j = static_cast<Index>(term_j_[t]) * p;
      const double along = 2 * term_a_[t] * moved, across = 2 * term_a_[t] * estimate_[k];
      for (Index q = 0; q < p; ++q) {
        const double step = along * (x[i + q] - x[j + q]) + across * (v[i + q] - v[j + q]);
        h[i + q] += step;
        h[j + q] -= step;
      }
    }
  }
}

double DistanceLagrangian::hessian_times(const Matrix&, const Matrix& d, Matrix& out) {
  const auto run = [&](const Matrix& direction, Matrix& result) {
    with_columns(d.cols(), [&](auto columns) { hessian_columns<decltype(columns)::value>(direction, result); });
  };
  if (has_basis_) {
    work_points_.noalias() = program_.cost().basis * d;
    run(work_points_, work_gradient_);
    out.noalias() = program_.cost().basis.transpose() * work_gradient_;
  } else {
    run(d, out);
  }
  const double complete = program_.cost().all_pairs * static_cast<double>(program_.cost().object_count);
  if (complete != 0) out += (2 * scale_ * complete) * d;
  if (program_.cost().ridge.size() > 0) out.noalias() += (2 * scale_) * (program_.cost().ridge * d);
  return d.cwiseProduct(out).sum();
}

void DistanceLagrangian::add_diagonal_blocks(std::vector<double>& blocks) const {
  if (has_basis_) return;
  const Index p = points_.cols();
  const double* x = points_.data();
  const auto add_across = [&](Index i, double w) {
    for (Index q = 0; q < p; ++q) blocks[subscript(i * p * p + q * p + q)] += w;
  };
  for (const std::uint32_t k : live_) {
    for (std::uint32_t t = first_term_[k]; t < first_term_[k + 1]; ++t) {
      const auto i = static_cast<Index>(term_i_[t]), j = static_cast<Index>(term_j_[t]);
      const double across = 2 * term_a_[t] * estimate_[k];
      add_across(i, across);
      add_across(j, across);
      if (!active_[k]) continue;
      const double along = 4 * rho_ * term_a_[t] * term_a_[t];
      for (Index q = 0; q < p; ++q)
        for (Index c = 0; c < p; ++c) {
          const double w = along * (x[i * p + q] - x[j * p + q]) * (x[i * p + c] - x[j * p + c]);
          blocks[subscript(i * p * p + q * p + c)] += w;
          blocks[subscript(j * p * p + q * p + c)] += w;
        }
    }
  }
  const double complete = program_.cost().all_pairs * static_cast<double>(program_.cost().object_count);
  for (Index i = 0; i < points_.rows(); ++i) {
    double entry = 2 * scale_ * complete;
    if (program_.cost().ridge.size() > 0) entry += 2 * scale_ * program_.cost().ridge(i, i);
    add_across(i, entry);
  }
}

double DistanceLagrangian::infeasibility() const {
  double worst = 0;
  for (std::size_t k = 0; k < ids_.size(); ++k) worst = std::max(worst, std::abs(estimate_[k] - y_[k]) / rho_);
  return worst;
}

}  // namespace alidade
