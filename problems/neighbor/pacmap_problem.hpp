// The problem `pacmap`: a map by three kinds of pairs, whose weights change in three phases.
// [WHRS21] Wang, Huang, Rudin & Shaposhnik 2021, section 5 and Algorithm 1. With s' = 1 + |y_i - y_j|^2:
//   w_near sum over near pairs of s' / (10 + s')  +  w_mid sum over mid-near pairs of s' / (10,000 + s')
//   + w_far sum over further pairs of 1 / (1 + s').
// The problem itself is the last phase, without mid-near pairs; the others are its stages. A term is one object with
// its near and further pairs, or with its mid-near ones.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/options.hpp"
#include "problems/distances/feature_start.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/neighbor/out_of_sample.hpp"

namespace alidade::neighbor {

struct PacmapOptions {
  Index n_components = 2;
  Index n_neighbors = 10;
  double mn_ratio = 0.5;
  double fp_ratio = 2;
  Index n_stages = 10;
  std::string neighbors = "auto";
  Index seed = 0;
  std::string start = "pca";
  double init_scale = 0.01;
  bool placement = true;
  [[nodiscard]] static const OptionList<PacmapOptions>& list();
};

/// The partners of objects, row by row; those of a row are distinct. No near partner is a further one.
struct PacmapPairs {
  RowMajorMatrix<ObjectId> near, far, mid;
};

class PacmapProblem {
 public:
  /// Lowers the numbers of pairs where there are too few objects; notes() say so. @throws DataError without features or
  /// dissimilarities, on bad ones (see DissimilarityRows), or if all objects coincide.
  PacmapProblem(const Observations& observations, const PacmapOptions& options, Executor& executor);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return start_named(start_names().front(), rng); }
  [[nodiscard]] std::vector<std::string> start_names() const { return starts_.names(); }
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const {
    return starts_.named(kind, *domain_, rng);
  }
  /// With a projector if placement is on and features are not read in double.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }
  [[nodiscard]] const PacmapPairs& pairs() const { return *pairs_; }

  [[nodiscard]] TermIndex term_count() const {
    return static_cast<TermIndex>(domain_->blocks().front().rows * (weights_.mid > 0 ? 2 : 1));
  }
  [[nodiscard]] double value(const Point& x, Evaluation&) const {
    return FiniteSumFace::Of<PacmapProblem>(*this).value_of_terms(x, 0, term_count());
  }
  [[nodiscard]] std::size_t rows_per_term() const {
    return static_cast<std::size_t>(1 + std::max(pairs_->near.cols() + pairs_->far.cols(), pairs_->mid.cols()));
  }
  double term(const Point& x, TermIndex index, TermGradient& out) const;

  /// n_stages steps of the first phase, in which w_mid falls from 1000 to 3 while w_near = 2; as many of the second, in
  /// which both are 3; the problem itself.
  [[nodiscard]] Index stage_count() const { return 2 * n_stages_ + 1; }
  [[nodiscard]] Problem stage(Index k, const Solution& x) const;
  [[nodiscard]] Problem with_n_stages(Index n) const;

 private:
  struct Weights {
    double near = 1, mid = 0, far = 1;
  };
  Weights weights_;
  Index cols_, n_stages_;
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const PacmapPairs> pairs_;
  FeatureStart starts_;
  std::shared_ptr<const FeatureMatrix> placed_;  // for placement; null: of dissimilarities
  bool places_;
  PacmapRow row_;  // of a new object
  std::vector<std::string> notes_;
};

}  // namespace alidade::neighbor
