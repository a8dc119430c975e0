// The problem `umap`: a map whose neighbour graph, under a heavy-tailed kernel, is that of the data.
// [MHM18] McInnes, Healy & Melville 2018, sections 3 and 4; what its negative sampling minimises: [DH21] Damrich &
// Hamprecht 2021, Theorem 5.1. With v_ij the weights of the graph, w = 1 / (1 + a s^b) and s = |y_i - y_j|^2:
//   sum over samples of edges i -> j of their weight times [-ln w_ij - (repulsion / 2) sum over m others k of
//   ln(1 - w_ik)].
// An edge has about v_ij times `epochs_per_pass` samples, whose weights add up to v_ij; the program steps along it as
// often in that many epochs. The others of a sample are drawn once, by a hash of its number, so that this is a finite
// sum with a value. Both ends of a repelled pair move, each by half of what the published program moves the first
// alone. s is increased by 0.001, which the program does where it divides by s.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/options.hpp"
#include "problems/distances/feature_start.hpp"
#include "problems/faces/term_run.hpp"
#include "problems/neighbor/fuzzy_graph.hpp"
#include "problems/neighbor/out_of_sample.hpp"

namespace alidade::neighbor {

struct UmapOptions {
  Index n_components = 2;
  Index n_neighbors = 15;
  double min_dist = 0.1;
  double spread = 1;
  Index negative_sample_rate = 5;
  double repulsion_strength = 1;
  double local_connectivity = 1;
  double set_op_mix_ratio = 1;
  Index epochs_per_pass = 10;
  std::string neighbors = "auto";
  Index seed = 0;
  std::string start = "spectral";
  bool placement = true;
  [[nodiscard]] static const OptionList<UmapOptions>& list();
};

class UmapProblem {
 public:
  /// Lowers n_neighbors to the number of objects; notes() say so. @throws DataError without features or
  /// dissimilarities, on bad ones (see DissimilarityRows), or if all objects coincide; ConfigError unless min_dist <=
  /// spread.
  UmapProblem(const Observations& observations, const UmapOptions& options, Executor& executor);

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const { return start_named(start_names().front(), rng); }
  /// "spectral", if the graph is connected; "pca", for features; "random". The one asked for is first, or the first
  /// that these data have. All are scaled to a range of 10 along each axis, with noise of 1e-4.
  [[nodiscard]] std::vector<std::string> start_names() const;
  [[nodiscard]] Solution start_named(std::string_view kind, Rng& rng) const;
  /// With a projector if placement is on and features are not read in double.
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  [[nodiscard]] double value(const Point& x, Evaluation&) const {
    return FiniteSumFace::Of<UmapProblem>(*this).value_of_terms(x, 0, term_count());
  }
  [[nodiscard]] TermIndex term_count() const { return samples_->size(); }
  [[nodiscard]] std::size_t rows_per_term() const { return 2 + static_cast<std::size_t>(negatives_); }
  double term(const Point& x, TermIndex index, TermGradient& out) const { return sample_term<double>(x, index, out); }
  /// The same in single precision, each coordinate of a force of size at most 4, as the published program.
  double direction(const Point& x, TermIndex index, TermGradient& out) const {
    return sample_term<float>(x, index, out);
  }
  [[gnu::always_inline]] inline void prefetch(TermIndex index) const { __builtin_prefetch(samples_->data() + index); }
  template <class Visit>
  [[gnu::always_inline]] inline void rows_of(TermIndex index, const Visit& visit) const {
    const Sample& sample = (*samples_)[index];
    visit(0, static_cast<Index>(sample.head));
    visit(0, static_cast<Index>(sample.tail));
  }
  /// The k-th object that the head of a sample is repelled from; the head itself stands for none.
  [[nodiscard]] ObjectId negative(TermIndex index, Index k) const;

 private:
  struct Sample {
    ObjectId head, tail;
    float weight;
  };
  template <class Real>
  double sample_term(const Point& x, TermIndex index, TermGradient& out) const;

  Index cols_, negatives_;
  double repulsion_;
  UmapKernel kernel_;
  std::uint64_t seed_;
  std::string start_;
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const std::vector<Sample>> samples_;
  std::shared_ptr<const Matrix> spectral_;       // null: none
  std::shared_ptr<const FeatureMatrix> placed_;  // for placement; null: of dissimilarities
  bool places_;
  UmapRow row_;  // of a new object
  FeatureStart features_;
  std::vector<std::string> notes_;
};

}  // namespace alidade::neighbor
