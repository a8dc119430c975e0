// Losses of triplets as a convex function of the Gram matrix X of the objects (convex_triplets.md):
//   F(X) = sum_t w_t phi(m_t) + lambda tr X,  m_t = d2_ik - d2_ij for "i is nearer to j than to k".
// phi: logistic (STE), hinge or hinge with a rounded corner (GNMDS). CKL's and t-STE's losses are not convex in X.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/faces/gram.hpp"
#include "problems/programs/gram_program.hpp"
#include "problems/semidefinite/distance_map.hpp"
#include "problems/semidefinite/pair_kernel.hpp"
#include "problems/triplet_sums/triplet_sum.hpp"

namespace alidade::semidefinite {

/// ln(1 + e^-m), or max(0, 1 - m) with a quadratic corner of width `smoothing` (0: none).
struct MarginLoss {
  bool logistic = true;
  double smoothing = 0;  // of the hinge
};

class TripletGramProgram final : public GramProgram {
 public:
  /// The largest numbers of triplets and of objects, for memory: 32 bytes a triplet, 24 n^2 bytes for a certificate.
  static constexpr std::uint64_t kMostTriplets = 50'000'000;
  static constexpr Index kMostObjects = 5'000;

  /// lambda is not needed for lambda_max(). O(T log T). @throws DataError as the limits say
  TripletGramProgram(std::shared_ptr<const TripletSource> triplets, MarginLoss loss, double lambda = 0);

  /// The smallest lambda for which X = 0 is optimal: the largest eigenvalue of S(u) at X = 0.
  [[nodiscard]] double lambda_max() const;
  /// Objects in no triplet: their rows of X are 0 at any optimum.
  [[nodiscard]] std::vector<ObjectId> unmentioned() const { return sum_->unmentioned(); }
  [[nodiscard]] std::vector<std::string> notes(const std::vector<std::string>& names) const {
    return sum_->notes_on_unmentioned(names, "are placed at the centre");
  }

  [[nodiscard]] Index order() const override { return sum_->object_count(); }
  [[nodiscard]] bool smooth() const override { return loss_.logistic || loss_.smoothing > 0; }
  [[nodiscard]] std::unique_ptr<GramProgram> smoothed(double width) const override;
  double value_and_gradient(std::span<const double> y, Index columns, std::span<double> gradient,
                            Evaluation& evaluation) const override;
  /// O((T + pairs) p)
  [[nodiscard]] GramModel model_at(const Matrix& y) const override;
  void hessian_times(const GramModel& model, const Matrix& v, Matrix& out) const override;
  [[nodiscard]] Vector clipped(const Vector& u) const override;
  [[nodiscard]] Eigen::MatrixXd dual_matrix(const Vector& u) const override;
  [[nodiscard]] double dual_value(const Vector& u) const override;

 private:
  struct Triplets {
    std::vector<RowPair> pairs;            // distinct, a < b, sorted
    std::vector<std::uint32_t> near, far;  // places in `pairs` of (anchor, near) and (anchor, far)
    std::vector<double> weights;           // empty: all 1
  };
  struct Slope {
    double v = 0, curvature = 0;  // -phi'(m), phi''(m)
  };
  [[nodiscard]] Slope slope(double margin) const;
  [[nodiscard]] double weight(std::size_t t) const { return data_->weights.empty() ? 1.0 : data_->weights[t]; }
  /// sum over pairs' shares of x: minus x_t at the near pair, plus x_t at the far one.
  [[nodiscard]] std::vector<double> by_pair(const Vector& x) const;

  std::shared_ptr<const triplet::TripletSum> sum_;
  std::shared_ptr<const Triplets> data_;
  MarginLoss loss_;
};

/// The same losses of maps that are functions of features, X = R M R' for M psd (features in the rows of R, n x q),
/// with the regulariser lambda tr M. The factor's rows are directions of the features: Y = R B for M = BB'. The dual
/// matrix is R' S(u) R.
class FeatureGramProgram final : public GramProgram {
 public:
  FeatureGramProgram(std::shared_ptr<const TripletGramProgram> objects, Matrix features, double lambda = 0)
      : GramProgram(lambda), objects_(std::move(objects)), features_(std::move(features)) {}

  /// The smallest lambda for which M = 0 is optimal. O(n^2 q)
  [[nodiscard]] double lambda_max() const;
  [[nodiscard]] Matrix places(const Matrix& factor) const { return features_ * factor; }

  [[nodiscard]] Index order() const override { return features_.cols(); }
  [[nodiscard]] bool shifts_freely() const override { return false; }
  [[nodiscard]] bool smooth() const override { return objects_->smooth(); }
  [[nodiscard]] std::unique_ptr<GramProgram> smoothed(double width) const override;
  double value_and_gradient(std::span<const double> y, Index columns, std::span<double> gradient,
                            Evaluation& evaluation) const override;
  [[nodiscard]] GramModel model_at(const Matrix& y) const override { return objects_->model_at(places(y)); }
  void hessian_times(const GramModel& model, const Matrix& v, Matrix& out) const override;
  [[nodiscard]] Vector clipped(const Vector& u) const override { return objects_->clipped(u); }
  [[nodiscard]] Eigen::MatrixXd dual_matrix(const Vector& u) const override;
  [[nodiscard]] double dual_value(const Vector& u) const override { return objects_->dual_value(u); }

 private:
  std::shared_ptr<const TripletGramProgram> objects_;  // of lambda 0
  Matrix features_;
};

/// The options of convex losses of triplets, and that of hinges.
struct ConvexOptions {
  double lambda_fraction = 0.1, lambda = 0, smoothing = 0;
  [[nodiscard]] static const OptionList<ConvexOptions>& list();
  [[nodiscard]] static const OptionList<ConvexOptions>& hinge();
  [[nodiscard]] double lambda_for(double lambda_max) const {
    return lambda > 0 ? lambda : lambda_fraction * lambda_max;
  }
};

/// What maps of convex losses of triplets share. `lambda_max`: as lambda_max() of the program, for the estimates.
class GramMap {
 public:
  /// n_components 0: as many axes as X has.
  GramMap(std::shared_ptr<const GramProgram> program, double lambda_max, Index n_components,
          std::vector<std::string> notes)
      : program_(std::move(program)), lambda_max_(lambda_max), n_components_(n_components), notes_(std::move(notes)) {}

  [[nodiscard]] const GramProgram& gram_program() const { return *program_; }
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const;
  [[nodiscard]] UnitPowers unit_powers() const { return {.weights = 1}; }
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

 protected:
  [[nodiscard]] static Matrix factor_of(const Solution& x);
  /// The places Y of the objects on their principal axes. Estimates, beside those of drawn_axes(): `lambda`, and
  /// `lambda_fraction`, which is lambda / lambda_max.
  [[nodiscard]] Embedding drawn(const Matrix& axes) const;
  [[nodiscard]] Index n_components() const { return n_components_; }

 private:
  std::shared_ptr<const GramProgram> program_;
  double lambda_max_;
  Index n_components_;
  std::vector<std::string> notes_;
};

class ConvexTripletMap : public GramMap {
 public:
  ConvexTripletMap(std::shared_ptr<const TripletGramProgram> program, double lambda_max, Index n_components,
                   std::vector<std::string> notes)
      : GramMap(program, lambda_max, n_components, std::move(notes)), objects_(std::move(program)) {}

  /// A small random factor, with 2 d + 10 columns for a map of d axes, or n - 1 for at most 100 objects.
  [[nodiscard]] Solution start(Rng& rng) const;
  [[nodiscard]] Embedding decode(const Solution& x) const {
    return drawn(std::get<SemidefiniteSolution>(x).blocks.front().principal_axes());
  }

 private:
  std::shared_ptr<const TripletGramProgram> objects_;
};
static_assert(GramProblem<ConvexTripletMap>);

}  // namespace alidade::semidefinite
