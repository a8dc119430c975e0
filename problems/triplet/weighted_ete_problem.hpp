// Dimensionality reduction by weighted t-exponential triplet embedding: from features to a map.
// [AVW16] Eq. 12 and 13; reduction_triplets.hpp gives neighbours and outliers, product_block_kernel.hpp the sums.
// A term of the finite sum is one object with its whole block, about 320 triplets (or one triplet if they are drawn).
// The sum over blocks is fast enough to make quasi-Newton solvers the better choice.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/options.hpp"
#include "problems/distances/feature_start.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/triplet/product_block_kernel.hpp"
#include "problems/triplet/reduction_triplets.hpp"
#include "problems/triplet_sums/triplet_sum.hpp"

namespace alidade::triplet {

struct WeightedEteOptions {
  Index n_components = 2;
  double t = 2;
  double t_prime = 2;
  double lambda0 = 1e-6;
  Index n_inliers = 10;
  Index n_outliers = 32;
  Index sigma_neighbor = 10;
  std::string weights = "tempered_log";
  double gamma = 0.01;
  std::string triplets = "blocks";  // drawn; or trimap, an entry of its own
  std::string neighbors = "auto";
  Index seed = 1;
  std::string start = "pca";
  double init_scale = 0.01;
  std::string precision = "float";
  bool placement = false;
  [[nodiscard]] static const OptionList<WeightedEteOptions>& list();
  [[nodiscard]] ReductionTriplets choice() const;
};

class WeightedEteProblem {
 public:
  /// Finds the neighbours on the executor's threads; nearest_neighbors.hpp states the cost. @throws DataError
  /// without features, with fewer than 3 objects, or with features that are not finite; ConfigError on bad parameters.
  /// `name` is the entry's, in messages; `choice` says which triplets.
  WeightedEteProblem(const Observations& observations, std::string_view name, const WeightedEteOptions& options,
                     const ReductionTriplets& choice, Executor& executor);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  /// The first principal components, scaled to init_scale along the first; draws no random number, except that a
  /// component without variance gets noise of a hundredth of init_scale.
  [[nodiscard]] Solution start(Rng& rng) const { return start_named(start_names().front(), rng); }
  [[nodiscard]] std::vector<std::string> start_names() const { return starts_.names(); }
  /// "pca": principal components at the scale of the start, with noise on axes without variance; "random": normal.
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const {
    return starts_.named(kind, *domain_, rng);
  }
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const;
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const;

  [[nodiscard]] TermIndex term_count() const;
  [[nodiscard]] std::size_t rows_per_term() const;
  double term(const Point& x, TermIndex index, TermGradient& out) const;

 private:
  struct Scratch;
  double sum(const Point& x, std::span<double> gradient, Evaluation& evaluation) const;
  template <class Real>
  double sum_of_blocks(std::span<const Real> y, std::span<double> gradient, Scratch& scratch, Executor& executor) const;
  template <class Real>
  double block_term(const double* y, std::size_t anchor, SumBlock<Real> sum_block, TermGradient& out) const;

  EteLoss loss_;
  Index cols_;
  double lambda_ = 0;  // of blocks
  FeatureStart starts_;
  bool single_precision_;
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const ProductBlocks> blocks_;  // or else
  std::shared_ptr<const TripletSum> drawn_;
  struct Placing;
  std::shared_ptr<const Placing> placing_;  // what places new objects; null: nothing is stored
  SumBlock<float> sum_block_float_;
  SumBlock<double> sum_block_double_;
  std::vector<std::string> notes_;
};

}  // namespace alidade::triplet
