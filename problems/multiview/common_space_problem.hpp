// Many maps as linear views of one common space: map_t = Y L_t, learnt from triplets under a trace norm.
// The model of IDIOSCAL (Carroll & Chang 1972), one space seen through a matrix an aspect, for ordinal evidence. The
// ridge on both factors is, at full width, the trace norm of all maps side by side (Srebro, Rennie & Jaakkola 2005;
// Argyriou, Evgeniou & Pontil 2008): aspects share as few directions as their answers allow. See common_space.md.
// Objects that an aspect says nothing of are placed on its map by what other aspects say.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/core/options.hpp"
#include "problems/problem_entry.hpp"
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
/// where M_t is the sum of the triplets' weights, sum_t w_t = 1, aspects without a triplet have w_t = 0, and v_i is in
/// proportion to the number of aspects that observe object i, 0 if none does, with mean 1: the weighted trace norm
/// (Salakhutdinov & Srebro 2010), under which objects known from few aspects are drawn to the middle less. The d =
/// fit_components dimensions in which a map is fitted may be more than those that are shown, its widest: local optima
/// are fewer then.
/// Over all scalings (c Y, L / c) the ridge is least at 2 lambda |Y| |L| / sqrt(n T): only the product of two separate
/// weights would matter, so there is one.
class CommonSpaceProblem {
 public:
  /// @throws DataError without triplets or with fewer than 3 objects; ConfigError on bad parameters.
  CommonSpaceProblem(const Observations& observations, const CommonSpaceOptions& options);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  /// Both factors independent normal numbers of standard deviation init_scale.
  [[nodiscard]] Solution start(Rng& rng) const;
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const {
    return value(std::get<Point>(x), evaluation);
  }
  /// One map an aspect, on its widest principal axes, all of one scale. An aspect without a triplet is shown the
  /// objects by the directions in which all other maps together differ most. The estimate `rank` is the number of
  /// directions of the common space: singular values of the maps side by side above a thousandth of the largest.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  /// O(n D T d) and one pass over the triplets, aspects at once on the executor's threads.
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

 private:
  struct Scratch;
  double evaluate(const Point& x, Point* gradient, Evaluation& evaluation) const;

  Index n_components_;    // of the maps shown
  Index fit_components_;  // of those that are fitted: d
  double lambda_;
  double init_scale_;
  std::vector<std::string> aspects_;
  std::shared_ptr<const Domain> domain_;
  std::vector<std::shared_ptr<const triplet::TripletSum>> sums_;  // null for an aspect without a triplet
  Vector object_weights_;                                         // v_i
  std::vector<double> weights_;                                   // w_t / M_t
  std::vector<std::string> notes_;
};

[[nodiscard]] ProblemEntry common_space_entry();

}  // namespace alidade::multiview
