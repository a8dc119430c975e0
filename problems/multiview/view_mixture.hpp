// A mixture of views that explains triplets: losses per view, and sums over all triplets with their gradients.
// f_v = -ln p_v of a triplet in view v is the loss of STE (Gaussian kernel) or t-STE (Student kernel). Memberships say
// to which views a triplet belongs: posteriors of a mixture, or the ratio rule of [AU15] Eq. 9.
// Views are n x d, row-major, one after the other. The data fix the chunks of sums: threads change no bit.
#pragma once

#include <span>
#include <vector>

#include "problems/contract/problem.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/triplet_sums/triplet_loss.hpp"

namespace alidade::multiview {

enum class ViewKernel { gaussian, student };  // exp(-d^2), 1 / (1 + d^2)

class ViewMixture {
 public:
  /// Copies the triplets: 12 bytes each, 8 more if weighted.
  ViewMixture(const TripletSource& triplets, ViewKernel kernel);

  [[nodiscard]] Index object_count() const { return object_count_; }
  [[nodiscard]] std::size_t size() const { return anchor_.size(); }
  /// Sum of the triplets' weights.
  [[nodiscard]] double total_weight() const { return total_weight_; }
  /// Per object, the number of triplets that mention it.
  [[nodiscard]] std::vector<std::uint64_t> mentions() const;

  /// -sum_tau w_tau ln sum_v exp(log_weights_v) p_v, and its gradient in the views unless `gradient` is empty.
  /// `counts`, one per view unless empty, receives sum_tau w_tau r_tau,v of the posteriors r. Both are overwritten.
  /// O(triplets views d).
  double mixture(std::span<const double> views, Index d, std::span<const double> log_weights,
                 std::span<double> gradient, std::span<double> counts, Evaluation& evaluation) const;
  /// w_tau r_tau,v of view v: the posterior probability that v explains the triplet, times the weight.
  [[nodiscard]] std::vector<double> posteriors(std::span<const double> views, Index d,
                                               std::span<const double> log_weights, Index v, Executor& executor) const;
  /// w_tau z_tau,v of view v, z_v = rho_v / sum_u rho_u with the ratio of distances rho = d(anchor, far) /
  /// d(anchor, near). A rho that is not above 1 becomes 2^-52 (the spacing of doubles above 1), an infinite one 1e5.
  [[nodiscard]] std::vector<double> ratios(std::span<const double> views, Index d, Index view_count, Index v,
                                           Executor& executor) const;
  /// sum_tau w_tau sum_v z_tau,v f_tau,v with these memberships. O(triplets views d).
  [[nodiscard]] double ratio_cost(std::span<const double> views, Index d, Index view_count,
                                  Evaluation& evaluation) const;
  /// sum_tau memberships_tau f in one view, and its gradient (overwritten) unless that is empty.
  double weighted(std::span<const double> view, Index d, std::span<const double> memberships,
                  std::span<double> gradient, Evaluation& evaluation) const;

  /// Triplet i alone: -w ln sum_v shares_v p_v plus ridge_o |y_o|^2 over its three objects o in every view. The
  /// gradient of both goes to `out`, three rows of block v for view v. The first numbers of `room` (mixture_room() in
  /// size) become w r_v, one per view. Needs one exponential per view (Gaussian kernel) and one logarithm. `ridge`: one
  /// per object, or empty.
  double mixture_term(std::size_t i, std::span<const double> views, Index d, std::span<const double> shares,
                      std::span<const double> ridge, double* room, TermGradient& out) const;
  [[nodiscard]] static std::size_t mixture_room(std::size_t view_count);
  /// Triplet i alone: w sum_v z_v f_v and the same ridge, with memberships z by the ratio rule at the point. With
  /// `fixed`, `out` is the gradient at these z, which [AU15] descends; otherwise it is the true gradient.
  double ratio_term(std::size_t i, std::span<const double> views, Index d, Index view_count,
                    std::span<const double> ridge, bool fixed, TermGradient& out) const;

 private:
  struct Workspace;
  struct Scratch;
  [[nodiscard]] Index chunk_count() const;
  /// Calls visit(begin, end) for batches of the chunk.
  template <class Visit>
  void for_batches(Index chunk, const Visit& visit) const;
  [[nodiscard]] double weight(std::size_t i) const { return weight_.empty() ? 1.0 : weight_[i]; }
  void squared_distances(std::size_t begin, std::size_t end, const double* y, Index d, Workspace& work) const;
  void evaluate(std::size_t begin, std::size_t end, const double* y, Index d, Workspace& work, std::size_t v) const;
  void scatter(std::size_t begin, std::size_t end, const double* y, Index d, const double* shares,
               const Workspace& work, std::size_t v, double* gradient) const;
  /// Replaces the values of all views in the workspace by posteriors times the weights; returns the batch's sum.
  double to_posteriors(std::size_t begin, std::size_t end, std::span<const double> log_weights, Workspace& work) const;

  template <int kCols>
  void term_distances(std::size_t i, const double* views, Index d, std::size_t view_count, double* near,
                      double* far) const;
  template <int kCols>
  double scatter_term(std::size_t i, const double* views, Index d, std::size_t view_count, const double* near_slope,
                      const double* far_slope, std::span<const double> ridge, TermGradient& out) const;

  Index object_count_;
  ViewKernel kernel_;
  triplet::TripletLoss loss_;
  std::vector<ObjectId> anchor_, near_, far_;
  std::vector<double> weight_;  // empty: all 1
  double total_weight_ = 0;
};

}  // namespace alidade::multiview
