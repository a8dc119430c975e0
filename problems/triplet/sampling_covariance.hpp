// How far the objects of a triplet map would move with other answers of the same kind, without fitting again: from the
// curvature of the objective at the map, and the spread of the answers' gradients there.
//   H = Hessian of the objective at the map,   g_u = gradient of the answers of unit u,   J = sum g_u g_u'
//   curvature: H^-1;   sandwich: H^-1 J H^-1 (Huber 1967; White 1982), each without rigid motions
// H^-1 holds where the loss is the answers' negative log-likelihood; the sandwich holds for any loss, of the map that
// the loss would find with all answers. Neither holds for the true places unless the loss fits the answers, and neither
// knows of other local optima.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "problems/contract/answer_model.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::triplet {

struct SamplingRequest {
  const Matrix& map;              // n x d, a minimum of the objective over the triplets
  const TripletSource& triplets;  // of weights in the unit of with_ordinary_weights()
  const AnswerModel& model;
  /// The unit of each triplet, such as its annotator; units are independent of each other. Empty: each triplet is one.
  std::function<std::uint64_t(std::uint64_t triplet)> unit_of{};
};

class SamplingCovariance {
 public:
  /// More coordinates than this take too long: their number cubed.
  static constexpr Index kMostCoordinates = 3000;
  enum class Kind { curvature, sandwich };

  /// @pre the map is finite where objects are in triplets, and 0 < n d <= kMostCoordinates over those objects.
  /// Memory: three matrices of (n d)^2 numbers. O(T d^2 + (n d)^3), and (k d)^2 for each unit of k objects.
  explicit SamplingCovariance(const SamplingRequest& request);

  /// Whether the map is a strict minimum up to rigid motions. If not, nothing else may be asked.
  [[nodiscard]] bool is_minimum() const { return is_minimum_; }

  /// n x d(d+1)/2: the covariance of each object's place in maps laid on this one by the best translation, rotation and
  /// scale, entries (1,1), (1,2), ..., (1,d), (2,2), ...; NaN for objects in no triplet.
  [[nodiscard]] Matrix of_objects(Kind kind) const;
  /// Root mean square displacement of the objects in triplets over the root mean square distance from their centre.
  [[nodiscard]] double typical_shift(Kind kind) const;

  /// A function of the places, linear near the map: the sum of near_slope * a + far_slope * b over triplets, with a and
  /// b their squared distances. Triplets with an object that is in none of the request's triplets add nothing.
  using Form = Eigen::VectorXd;
  [[nodiscard]] Form zero() const { return Form::Zero(curvature_.rows()); }
  void add_to(Form& form, const Triplet& triplet, double near_slope, double far_slope) const;
  /// The covariances, by the curvature, of functions that are the columns. O(columns (n d)^2)
  [[nodiscard]] Eigen::MatrixXd covariance_of(const Eigen::MatrixXd& forms) const;
  /// The variance of the function that add_to(zero()) gives for one triplet. O(d^2)
  [[nodiscard]] double variance_of_margin(const Triplet& triplet, double near_slope, double far_slope) const;

 private:
  struct Slopes {
    std::array<Index, 3> places;  // of anchor, near and far; -1: none
    std::array<Eigen::VectorXd, 3> of;
  };
  [[nodiscard]] Slopes slopes_of(const Triplet& triplet, double near_slope, double far_slope) const;
  [[nodiscard]] Index place_of(ObjectId object) const { return place_[static_cast<std::size_t>(object)]; }

  const Matrix& map_;
  std::vector<Index> place_;  // of each object among those in triplets, or -1
  Index cols_ = 0;
  bool is_minimum_ = false;
  Eigen::MatrixXd curvature_;  // H^-1 without rigid motions
  Eigen::MatrixXd sandwich_;
  Eigen::VectorXd radial_;  // the places from their centre, of length 1
};

}  // namespace alidade::triplet
