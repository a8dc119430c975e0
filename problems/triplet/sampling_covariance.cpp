#include "problems/triplet/sampling_covariance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "problems/core/decompositions/cholesky.hpp"
#include "problems/core/decompositions/orthonormal_columns.hpp"
#include "problems/core/decompositions/symmetric_eigen.hpp"
#include "problems/core/error.hpp"
#include "problems/core/sorted_lists.hpp"

namespace alidade::triplet {
namespace {

/// The second derivatives of the loss in a and b, by central differences of its first.
struct Curvature {
  double near_near, near_far, far_far;
};
Curvature curvature_of(const AnswerModel& model, double a, double b) {
  constexpr double kStep = 1e-5;
  const double step = kStep * std::max(a + b, std::numeric_limits<double>::min());
  const auto slope = [&](bool of_near) {
    const double low = std::max(0.0, (of_near ? a : b) - step), high = (of_near ? a : b) + step;
    const AnswerLoss above = of_near ? model.loss(high, b) : model.loss(a, high);
    const AnswerLoss below = of_near ? model.loss(low, b) : model.loss(a, low);
    return std::array{(above.d_near - below.d_near) / (high - low), (above.d_far - below.d_far) / (high - low)};
  };
  const auto in_near = slope(true), in_far = slope(false);
  return {in_near[0], (in_near[1] + in_far[0]) / 2, in_far[1]};
}

/// One triplet's part of H and of the gradient, over anchor, near and far, d coordinates each.
struct LocalTerm {
  std::array<Index, 3> places;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;
};

class Terms {
 public:
  Terms(const SamplingRequest& request, const std::vector<Index>& place) : request_(request), place_(place) {}

  void at(const Triplet& t, LocalTerm& out) const {
    const Index d = request_.map.cols();
    const auto row = [&](ObjectId i) { return request_.map.row(static_cast<Index>(i)); };
    out.places = {place_[t.anchor], place_[t.near], place_[t.far]};
    Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(3 * d, 2);  // of a and b
    const Eigen::VectorXd to_near = 2 * (row(t.anchor) - row(t.near)).transpose();
    const Eigen::VectorXd to_far = 2 * (row(t.anchor) - row(t.far)).transpose();
    slopes.block(0, 0, d, 1) = to_near;
    slopes.block(d, 0, d, 1) = -to_near;
    slopes.block(0, 1, d, 1) = to_far;
    slopes.block(2 * d, 1, d, 1) = -to_far;
    const double a = to_near.squaredNorm() / 4, b = to_far.squaredNorm() / 4;
    const AnswerLoss loss = request_.model.loss(a, b);
    const Curvature second = curvature_of(request_.model, a, b);
    out.gradient = t.weight * (slopes.col(0) * loss.d_near + slopes.col(1) * loss.d_far);
    Eigen::Matrix2d middle;
    middle << second.near_near, second.near_far, second.near_far, second.far_far;
    out.hessian = slopes * middle * slopes.transpose();
    for (Index c = 0; c < d; ++c) {
      add_square(out.hessian, c, d + c, 2 * loss.d_near);
      add_square(out.hessian, c, 2 * d + c, 2 * loss.d_far);
    }
    out.hessian *= t.weight;
  }

 private:
  /// The Hessian of weight / 2 * (x_p - x_q)^2.
  static void add_square(Eigen::MatrixXd& hessian, Index p, Index q, double weight) {
    hessian(p, p) += weight;
    hessian(q, q) += weight;
    hessian(p, q) -= weight;
    hessian(q, p) -= weight;
  }

  const SamplingRequest& request_;
  const std::vector<Index>& place_;
};

std::vector<Index> places_in(const TripletSource& triplets, Index n) {
  std::vector<Index> out(static_cast<std::size_t>(n), -1);
  for (std::uint64_t i = 0; i < triplets.size(); ++i) {
    const Triplet t = triplets.at(i);
    for (const ObjectId o : {t.anchor, t.near, t.far}) out[o] = 0;
  }
  Index next = 0;
  for (Index& place : out)
    if (place == 0) place = next++;
  return out;
}

/// Whether rotations of the places are independent motions: at most one axis is flat.
bool turns_freely(const Eigen::MatrixXd& centred) {
  constexpr double kFlat = 1e-20;
  if (centred.cols() < 2) return true;
  const Eigen::VectorXd spread = SymmetricEigen(centred.transpose() * centred, false).eigenvalues();
  return spread[1] > kFlat * spread[spread.size() - 1];
}

/// An orthonormal basis of the rigid motions at centred places: translations, and rotations in the planes of two axes.
Eigen::MatrixXd rigid_motions(const Eigen::MatrixXd& centred) {
  const Index m = centred.rows(), d = centred.cols();
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(m * d, d + d * (d - 1) / 2);
  for (Index c = 0; c < d; ++c)
    for (Index i = 0; i < m; ++i) out(i * d + c, c) = 1;
  Index column = d;
  for (Index p = 0; p < d; ++p)
    for (Index q = p + 1; q < d; ++q, ++column)
      for (Index i = 0; i < m; ++i) {
        out(i * d + p, column) = -centred(i, q);
        out(i * d + q, column) = centred(i, p);
      }
  return orthonormal_columns(out);
}

/// (E'HE)^-1 between E and E', with E the complement of the orthonormal `motions`; empty unless E'HE is positive
/// definite. Overwrites `h`.
Eigen::MatrixXd inverse_without(const Eigen::MatrixXd& motions, Eigen::MatrixXd& h) {
  const double scale = h.diagonal().mean();
  if (!(scale > 0)) return {};
  const Eigen::MatrixXd along = h * motions;
  const Eigen::MatrixXd both = motions.transpose() * along;
  h.noalias() -= along * motions.transpose();
  h.noalias() -= motions * along.transpose();
  h.noalias() += motions * both * motions.transpose();
  h.noalias() += scale * motions * motions.transpose();
  constexpr double kFlat = 1e-10;  // a pivot below this share of the mean curvature is rounding
  if (!cholesky_in_place(h)) return {};
  for (Index i = 0; i < h.rows(); ++i)
    if (!(h(i, i) * h(i, i) > kFlat * scale)) return {};
  Eigen::MatrixXd out = Eigen::MatrixXd::Identity(h.rows(), h.cols());
  solve_lower_in_place(h, out);
  solve_transposed_lower_in_place(h, out);
  out.noalias() -= motions * motions.transpose() / scale;
  return out;
}

/// Triplets in the order of their units.
std::vector<std::uint64_t> by_unit(const SamplingRequest& request) {
  std::vector<std::uint64_t> out(static_cast<std::size_t>(request.triplets.size()));
  std::iota(out.begin(), out.end(), std::uint64_t{0});
  std::ranges::stable_sort(out, {}, request.unit_of);
  return out;
}

/// Share of a term's own curvature that the fit has used up; its residual is that much too small.
double leverage(const LocalTerm& term, const Eigen::MatrixXd& inverse) {
  constexpr double kMost = 0.9;
  const Index d = term.gradient.size() / 3;
  double out = 0;
  for (std::size_t p = 0; p < 3; ++p)
    for (std::size_t q = 0; q < 3; ++q)
      out += inverse.block(term.places[p] * d, term.places[q] * d, d, d)
                 .cwiseProduct(term.hessian.block(static_cast<Index>(p) * d, static_cast<Index>(q) * d, d, d))
                 .sum();
  return std::clamp(out, 0.0, kMost);
}

}  // namespace

SamplingCovariance::SamplingCovariance(const SamplingRequest& request)
    : map_(request.map), place_(places_in(request.triplets, request.map.rows())), cols_(request.map.cols()) {
  const Index d = cols_, m = std::ranges::count_if(place_, [](Index p) { return p >= 0; }), size = m * d;
  ALIDADE_ASSERT(size > 0 && size <= kMostCoordinates);
  Eigen::MatrixXd centred(m, d);
  for (std::size_t i = 0; i < place_.size(); ++i)
    if (place_[i] >= 0) centred.row(place_[i]) = map_.row(static_cast<Index>(i));
  centred.rowwise() -= centred.colwise().mean().eval();

  const Terms terms(request, place_);
  LocalTerm term;
  const auto block = [&](std::size_t p) { return static_cast<Index>(p) * d; };
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(size, size);
  h.diagonal().setConstant(2 * request.model.lambda);
  for (std::uint64_t t = 0; t < request.triplets.size(); ++t) {
    terms.at(request.triplets.at(t), term);
    for (std::size_t p = 0; p < 3; ++p)
      for (std::size_t q = 0; q < 3; ++q)
        h.block(term.places[p] * d, term.places[q] * d, d, d) += term.hessian.block(block(p), block(q), d, d);
  }
  if (!h.allFinite() || !(centred.norm() > 0) || !turns_freely(centred)) return;
  curvature_ = inverse_without(rigid_motions(centred), h);
  is_minimum_ = curvature_.size() > 0;
  if (!is_minimum_) return;

  Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(size);
  std::vector<Index> touched;
  const auto end_unit = [&] {
    sort_distinct(touched);
    for (const Index p : touched)
      for (const Index q : touched)
        spread.block(p * d, q * d, d, d).noalias() += sum.segment(p * d, d) * sum.segment(q * d, d).transpose();
    for (const Index p : touched) sum.segment(p * d, d).setZero();
    touched.clear();
  };
  const std::vector<std::uint64_t> order = request.unit_of ? by_unit(request) : std::vector<std::uint64_t>{};
  for (std::uint64_t k = 0; k < request.triplets.size(); ++k) {
    const std::uint64_t t = order.empty() ? k : order[static_cast<std::size_t>(k)];
    if (order.empty() ? k > 0 : k > 0 && request.unit_of(t) != request.unit_of(order[static_cast<std::size_t>(k) - 1]))
      end_unit();
    terms.at(request.triplets.at(t), term);
    const double whole = 1 / (1 - leverage(term, curvature_));
    for (std::size_t p = 0; p < 3; ++p) {
      sum.segment(term.places[p] * d, d) += whole * term.gradient.segment(block(p), d);
      touched.push_back(term.places[p]);
    }
  }
  end_unit();
  sandwich_.noalias() = curvature_ * spread * curvature_;

  radial_.resize(size);
  for (Index i = 0; i < m; ++i) radial_.segment(i * d, d) = centred.row(i).transpose() / centred.norm();
}

Matrix SamplingCovariance::of_objects(Kind kind) const {
  ALIDADE_ASSERT(is_minimum_);
  const Eigen::MatrixXd& whole = kind == Kind::curvature ? curvature_ : sandwich_;
  const Index d = cols_;
  const Eigen::VectorXd with_scale = whole * radial_;
  const double of_scale = radial_.dot(with_scale);
  Matrix out(map_.rows(), d * (d + 1) / 2);
  for (Index i = 0; i < map_.rows(); ++i) {
    const Index at = place_of(static_cast<ObjectId>(i));
    if (at < 0) {
      out.row(i).setConstant(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    Index entry = 0;
    for (Index a = at * d; a < (at + 1) * d; ++a)
      for (Index b = a; b < (at + 1) * d; ++b)
        out(i, entry++) =
            whole(a, b) - radial_[a] * with_scale[b] - with_scale[a] * radial_[b] + radial_[a] * radial_[b] * of_scale;
  }
  return out;
}

double SamplingCovariance::typical_shift(Kind kind) const {
  const Matrix covariance = of_objects(kind);
  const Index d = cols_;
  double displacement = 0, radius = 0;
  Vector centre = Vector::Zero(d);
  Index m = 0;
  for (Index i = 0; i < map_.rows(); ++i)
    if (place_of(static_cast<ObjectId>(i)) >= 0) {
      centre += map_.row(i).transpose();
      ++m;
    }
  centre /= static_cast<double>(m);
  for (Index i = 0; i < map_.rows(); ++i) {
    if (place_of(static_cast<ObjectId>(i)) < 0) continue;
    radius += (map_.row(i).transpose() - centre).squaredNorm();
    Index entry = 0;
    for (Index a = 0; a < d; entry += d - a, ++a) displacement += covariance(i, entry);
  }
  return std::sqrt(displacement / radius);
}

SamplingCovariance::Slopes SamplingCovariance::slopes_of(const Triplet& triplet, double near_slope,
                                                         double far_slope) const {
  const auto row = [&](ObjectId i) { return map_.row(static_cast<Index>(i)).transpose(); };
  const Eigen::VectorXd to_near = 2 * near_slope * (row(triplet.anchor) - row(triplet.near));
  const Eigen::VectorXd to_far = 2 * far_slope * (row(triplet.anchor) - row(triplet.far));
  return {{place_of(triplet.anchor), place_of(triplet.near), place_of(triplet.far)},
          {to_near + to_far, -to_near, -to_far}};
}

void SamplingCovariance::add_to(Form& form, const Triplet& triplet, double near_slope, double far_slope) const {
  const Slopes slopes = slopes_of(triplet, near_slope, far_slope);
  if (std::ranges::min(slopes.places) < 0) return;
  for (std::size_t p = 0; p < 3; ++p) form.segment(slopes.places[p] * cols_, cols_) += slopes.of[p];
}

Eigen::MatrixXd SamplingCovariance::covariance_of(const Eigen::MatrixXd& forms) const {
  ALIDADE_ASSERT(is_minimum_);
  const Eigen::MatrixXd moved = curvature_ * forms;
  return forms.transpose() * moved;
}

double SamplingCovariance::variance_of_margin(const Triplet& triplet, double near_slope, double far_slope) const {
  ALIDADE_ASSERT(is_minimum_);
  const Index d = cols_;
  const Slopes slopes = slopes_of(triplet, near_slope, far_slope);
  if (std::ranges::min(slopes.places) < 0) return 0;
  double out = 0;
  for (std::size_t p = 0; p < 3; ++p)
    for (std::size_t q = 0; q < 3; ++q)
      out += slopes.of[p].dot(curvature_.block(slopes.places[p] * d, slopes.places[q] * d, d, d) * slopes.of[q]);
  return std::max(0.0, out);
}

}  // namespace alidade::triplet
