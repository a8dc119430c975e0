// One map from triplets: n rows in R^d (or on a sphere), a triplet loss, a small L2 term.
// The class behind GNMDS, CKL, STE, t-STE, SOE and ETE; a loss is a functor of triplet_loss.hpp.
// A term of the finite sum is one triplet with its share of the regulariser, so the terms add up to the
// objective exactly.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/core/options.hpp"
#include "problems/problem.hpp"
#include "problems/triplet/triplet_sum.hpp"

namespace alidade::triplet {

/// Options that every single-map triplet problem has.
struct MapOptions {
  Index n_components = 2;
  std::string manifold = "euclidean";
  double radius = 10;
  double init_scale = 1e-4;
  double lambda0 = 0;
  std::string precision = "double";
  [[nodiscard]] static const OptionList<MapOptions>& list();
};

template <class Loss>
class TripletMap {
 public:
  /// @throws DataError without triplets or with fewer than 3 objects; ConfigError on bad parameters.
  TripletMap(const Observations& observations, const Loss& loss, const MapOptions& options);

  /// The same answers and options under other parameters of the loss; shares all that is large. O(n).
  [[nodiscard]] TripletMap with_loss(const Loss& loss) const;

  [[nodiscard]] const TripletSum& sum() const { return *sum_; }
  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] Solution start(Rng& rng) const;
  [[nodiscard]] double objective(const Solution& x, Evaluation& evaluation) const {
    return value(std::get<Point>(x), evaluation);
  }
  [[nodiscard]] Embedding decode(const Solution& x) const;
  [[nodiscard]] std::vector<std::string> notes() const { return notes_; }

  [[nodiscard]] double value(const Point& x, Evaluation& evaluation) const {
    return sum_->value(x.flat(), cols_, evaluation);
  }
  double value_and_gradient(const Point& x, Point& gradient, Evaluation& evaluation) const {
    return sum_->value_and_gradient(x.flat(), cols_, gradient.flat(), evaluation);
  }

  [[nodiscard]] TermIndex term_count() const { return sum_->terms().size(); }
  double term(const Point& x, TermIndex index, TermGradient& out) const;
  [[gnu::always_inline]] inline void prefetch(TermIndex index) const {
    if (!list_) return;
    __builtin_prefetch(list_->anchors().data() + index);
    __builtin_prefetch(list_->nears().data() + index);
    __builtin_prefetch(list_->fars().data() + index);
  }
  template <class Visit>
  [[gnu::always_inline]] inline void rows_of(TermIndex index, const Visit& visit) const {
    if (!list_) return;  // computing them costs more than waiting for the rows
    visit(0, static_cast<Index>(list_->anchors()[index]));
    visit(0, static_cast<Index>(list_->nears()[index]));
    visit(0, static_cast<Index>(list_->fars()[index]));
  }

 private:
  /// kCols is the number of columns, or 0 for cols_.
  template <std::size_t kCols>
  double term_of(const Point& x, const Triplet& t, TermGradient& out) const;
  [[nodiscard]] Triplet triplet(TermIndex index) const {
    return list_ ? list_->at(index) : sum_->terms().at(index);
  }

  Loss loss_;
  Index cols_;  // ambient coordinates of an object
  bool regularised_ = false;
  double init_scale_;
  std::shared_ptr<const Domain> domain_;
  std::shared_ptr<const TripletSum> sum_;
  const TripletList* list_;  // owned by sum_; null when triplets are induced
  std::vector<std::string> notes_;
};

template <class Loss>
double TripletMap<Loss>::term(const Point& x, TermIndex index, TermGradient& out) const {
  const Triplet t = triplet(index);
  if (cols_ == 2) return term_of<2>(x, t, out);
  if (cols_ == 3) return term_of<3>(x, t, out);
  return term_of<0>(x, t, out);
}

template <class Loss>
template <std::size_t kCols>
double TripletMap<Loss>::term_of(const Point& x, const Triplet& t, TermGradient& out) const {
  const std::size_t cols = kCols > 0 ? kCols : static_cast<std::size_t>(cols_);
  const double* y = x.flat().data();
  const double* yi = y + t.anchor * cols;
  const double* yj = y + t.near * cols;
  const double* yk = y + t.far * cols;
  double a = 0, b = 0;
  for (std::size_t c = 0; c < cols; ++c) {
    a += (yi[c] - yj[c]) * (yi[c] - yj[c]);
    b += (yi[c] - yk[c]) * (yi[c] - yk[c]);
  }
  const LossTerm<double> loss = loss_(a, b);
  const double near = 2 * t.weight * loss.d_near, far = 2 * t.weight * loss.d_far;
  double* gi = out.add(0, static_cast<Index>(t.anchor), cols_);
  double* gj = out.add(0, static_cast<Index>(t.near), cols_);
  double* gk = out.add(0, static_cast<Index>(t.far), cols_);
  double value = t.weight * loss.value;
  for (std::size_t c = 0; c < cols; ++c) {
    const double pull = near * (yi[c] - yj[c]), push = far * (yi[c] - yk[c]);
    gi[c] = pull + push;
    gj[c] = -pull;
    gk[c] = -push;
  }
  if (!regularised_) return value;
  const double li = sum_->term_lambda(t.anchor), lj = sum_->term_lambda(t.near),
               lk = sum_->term_lambda(t.far);
  for (std::size_t c = 0; c < cols; ++c) {
    gi[c] += 2 * li * yi[c];
    gj[c] += 2 * lj * yj[c];
    gk[c] += 2 * lk * yk[c];
    value += li * yi[c] * yi[c] + lj * yj[c] * yj[c] + lk * yk[c] * yk[c];
  }
  return value;
}

/// Problems of the catalog, from tables of options. @throws ConfigError, DataError
[[nodiscard]] Problem make_ste(const Observations& observations, const Table& options);
[[nodiscard]] Problem make_tste(const Observations& observations, const Table& options);
[[nodiscard]] Problem make_ete(const Observations& observations, const Table& options);
[[nodiscard]] Problem make_gnmds(const Observations& observations, const Table& options);
[[nodiscard]] Problem make_ckl(const Observations& observations, const Table& options);
[[nodiscard]] Problem make_soe(const Observations& observations, const Table& options);
[[nodiscard]] std::vector<OptionInfo> gnmds_options();
[[nodiscard]] std::vector<OptionInfo> ckl_options();
[[nodiscard]] std::vector<OptionInfo> soe_options();
[[nodiscard]] std::vector<OptionInfo> ste_options();
[[nodiscard]] std::vector<OptionInfo> tste_options();
[[nodiscard]] std::vector<OptionInfo> ete_options();

}  // namespace alidade::triplet
