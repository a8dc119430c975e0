// Several maps as linear views of one common space: map_t = Y L_t, learnt from triplets under a trace norm.
// IDIOSCAL (Carroll & Chang 1972: one space, seen through one matrix per aspect) for ordinal evidence. At full width,
// the ridge on both factors is the trace norm of all maps side by side (Srebro, Rennie & Jaakkola 2005; Argyriou,
// Evgeniou & Pontil 2008): the common space gets as few directions as the answers allow. See common_space.md.
// An object that an aspect does not observe is placed on its map by the answers of other aspects.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/options.hpp"
#include "problems/spaces/domain.hpp"
#include "problems/triplet_sums/triplet_sum.hpp"

namespace alidade::multiview {

struct CommonSpaceOptions {
  Index n_components = 2;
  Index width = 0;
  Index fit_components = 0;
  double lambda = 0.01;
  std::string loss = "ste";
  double margin = 0.1;
  std::string object_weights = "observed";
  std::string aspect_weights = "equal";
  double init_scale = 0.5;
  [[nodiscard]] static const OptionList<CommonSpaceOptions>& list();
};

/// Y: n x D (block "objects"), L = [L_1 ... L_T]: D x T d (block "views"); the objective is
///   sum_t w_t / M_t sum over the M_t triplets of aspect t of f(|m_j - m_i|^2, |m_j - m_k|^2)
///     + lambda (sum_i v_i |y_i|^2 / n + |L|^2 / T),   m = rows of Y L_t,
/// where M_t is the sum of the triplets' weights and sum_t w_t = 1; aspects without a triplet have w_t = 0. v_i is in
/// proportion to the number of aspects that observe object i (0 if none does) and has mean 1. This is the weighted
/// trace norm (Salakhutdinov & Srebro 2010); it pulls objects that few aspects observe less to the middle. A map is
/// fitted in d = fit_components dimensions and shown in its widest ones; a d above the number shown leaves fewer local
/// optima. Over all scalings (c Y, L / c) the least ridge is 2 lambda |Y| |L| / sqrt(n T). Of two separate weights only
/// the product would matter, so there is one.
class CommonSpaceProblem {
 public:
  /// @throws DataError without triplets or with fewer than 3 objects; ConfigError on bad parameters.
  CommonSpaceProblem(const Observations& observations, const CommonSpaceOptions& options);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  /// Independent normal numbers of standard deviation init_scale in both factors.
  [[nodiscard]] Solution start(Rng& rng) const;
  /// One map per aspect on its widest principal axes, all at one scale. The map of an aspect without a triplet shows
  /// the directions in which all other maps together vary most. The estimate `rank` is the number of directions of the
  /// common space: the singular values of the maps side by side that exceed a thousandth of the largest.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  /// O(n D T d) and one pass over the triplets; aspects run in parallel on the executor's threads.
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

 private:
  struct Scratch;
  double evaluate(const Point& x, Point* gradient, Evaluation& evaluation) const;

  Index n_components_;    // of the maps that are shown
  Index fit_components_;  // of the maps that are fitted: d
  double lambda_;
  double init_scale_;
  std::vector<std::string> aspects_;
  std::shared_ptr<const Domain> domain_;
  std::vector<std::shared_ptr<const triplet::TripletSum>> sums_;  // null for an aspect without a triplet
  Vector object_weights_;                                         // v_i
  std::vector<double> weights_;                                   // w_t / M_t
  std::vector<std::string> notes_;
};

}  // namespace alidade::multiview
