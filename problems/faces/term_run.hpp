// The loop of stochastic steps over the terms of a finite sum, and what a term returns: its rows and their gradients.
// It is compiled for each problem, so a step of stochastic gradient descent makes no virtual call, allocation or
// look-up. A term's gradient is Euclidean; RowUpdate makes it Riemannian.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/faces/finite_sum.hpp"
#include "problems/faces/row_update.hpp"
#include "problems/spaces/point.hpp"

namespace alidade {

/// The rows that one term touches, with their gradients. A term adds a row at most once.
class TermGradient {
 public:
  static constexpr std::size_t kUsualRows = 8;  // for terms that do not say how many rows they touch
  struct Entry {
    std::size_t block;
    Index row;
    double* gradient;
  };
  /// `widest`: most columns of any block; `rows`: most rows that a term touches.
  explicit TermGradient(Index widest, std::size_t rows = kUsualRows)
      : limit_(rows * static_cast<std::size_t>(widest)), storage_(limit_), entries_(limit_) {}
  void clear() {
    count_ = 0;
    used_ = 0;
  }
  /// Room for the gradient of one row; the caller writes it. @throws ConfigError beyond the rows that were promised, if
  /// they are of the widest block
  double* add(std::size_t block, Index row, Index cols) {
    double* place = storage_.data() + used_;
    used_ += static_cast<std::size_t>(cols);
    if (used_ > limit_) [[unlikely]]
      throw_no_room();
    entries_[count_++] = {block, row, place};
    return place;
  }
  /// As clear(), and makes numbers that a term does not write NaN.
  void clear_to_nan();
  /// What is wrong with the rows of a term after clear_to_nan(), a sentence: no rows of the map, one twice, or numbers
  /// left unwritten. Empty: nothing.
  [[nodiscard]] std::string fault(const Layout& layout) const;
  [[nodiscard]] std::span<const Entry> entries() const { return {entries_.data(), count_}; }
  /// Room for `count` numbers during the computation of a term; uninitialised.
  template <class Real>
  [[nodiscard]] Real* room(std::size_t count) {
    if (room_.size() < count * sizeof(Real)) room_.resize(count * sizeof(Real));
    return reinterpret_cast<Real*>(room_.data());
  }

 private:
  [[noreturn, gnu::cold]] void throw_no_room() const;
  std::size_t limit_;  // of numbers, and so of rows
  std::vector<double> storage_;
  std::vector<Entry> entries_;
  std::vector<std::byte> room_;
  std::size_t count_ = 0, used_ = 0;
};

/// Most columns of any block.
[[nodiscard]] Index widest_block(const Layout& layout);

/// Work arrays for a run of stochastic steps; one per solver thread.
struct RunScratch {
  explicit RunScratch(const Domain& domain, std::size_t rows_per_term = TermGradient::kUsualRows);
  TermGradient term;
  Point batch_gradient;              // zero between batches
  std::vector<std::uint32_t> stamp;  // by row number: the last batch that touched it
  std::uint32_t batch = 0;
  std::vector<std::pair<std::size_t, Index>> touched;
};

/// A sum whose published stochastic steps do not always follow the gradient of a term.
template <class P>
concept DirectedSum = FiniteSumProblem<P> && requires(const P& p, const Point& x, TermIndex t, TermGradient& g) {
  /// Value of one term; writes the rows it touches and the directions that steps descend along to g.
  { p.direction(x, t, g) } -> std::same_as<double>;
};

/// What a stochastic step on one term descends along: by default, the term's gradient.
template <FiniteSumProblem P>
[[gnu::always_inline]] inline double step_direction(const P& problem, const Point& x, TermIndex index,
                                                    TermGradient& out) {
  if constexpr (DirectedSum<P>)
    return problem.direction(x, index, out);
  else
    return problem.term(x, index, out);
}

/// The largest number of rows that a term touches, as the problem says; by default kUsualRows.
template <FiniteSumProblem P>
[[nodiscard]] std::size_t rows_per_term(const P& problem) {
  if constexpr (requires { problem.rows_per_term(); }) return problem.rows_per_term();
  return TermGradient::kUsualRows;
}

/// A sum that can say early and cheaply what a term will need. Terms come in random order, so without prefetching
/// nearly every access misses the caches.
template <class P>
concept ForeseeableSum = FiniteSumProblem<P> && requires(const P& p, TermIndex t, void (*visit)(std::size_t, Index)) {
  /// Prefetches the data that `rows_of` and `term` read. always_inline: g++ 12 drops calls of functions that
  /// only prefetch.
  {p.prefetch(t)};
  /// Calls visit(block, row) for the rows of the term.
  {p.rows_of(t, visit)};
};

/// How many terms ahead data and then rows are fetched: longer than a memory access takes, less than a cache holds.
inline constexpr std::size_t kDataAhead = 24;
inline constexpr std::size_t kRowsAhead = 12;

/// Prefetches what terms[i + kDataAhead] and terms[i + kRowsAhead] will need.
template <class P>
[[gnu::always_inline]] inline void look_ahead(const P& problem, const Point& x, std::span<const TermIndex> terms,
                                              std::size_t i, const RowUpdate& update) {
  if constexpr (ForeseeableSum<P>) {
    if (i + kDataAhead < terms.size()) problem.prefetch(terms[i + kDataAhead]);
    if (i + kRowsAhead < terms.size())
      problem.rows_of(
          terms[i + kRowsAhead], [&](std::size_t block, Index row)
                                     __attribute__((always_inline)) { update.prefetch(x, block, row); });
  }
}

/// Steps through `terms` in order, `batch_size` at a time. The gradient of a batch is `scale` times the sum over its
/// terms. Returns the sum of the terms' values, each evaluated before its step.
template <class P>
double run_terms(const P& problem, Point& x, std::span<const TermIndex> terms, Index batch_size, double scale,
                 RowUpdate& update, RunScratch& scratch) {
  double sum = 0;
  TermGradient& term = scratch.term;
  if (batch_size == 1) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      look_ahead(problem, x, terms, i, update);
      term.clear();
      sum += step_direction(problem, x, terms[i], term);
      update.begin_step();
      for (const auto& entry : term.entries()) update.apply(x, entry.block, entry.row, entry.gradient);
    }
    return sum;
  }
  const Layout& layout = *x.layout();
  double* gradient = scratch.batch_gradient.flat().data();
  for (std::size_t begin = 0; begin < terms.size(); begin += static_cast<std::size_t>(batch_size)) {
    const auto batch = terms.subspan(begin, std::min(static_cast<std::size_t>(batch_size), terms.size() - begin));
    scratch.touched.clear();
    if (++scratch.batch == 0) {
      std::ranges::fill(scratch.stamp, 0U);
      scratch.batch = 1;
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      look_ahead(problem, x, terms, begin + i, update);
      term.clear();
      sum += step_direction(problem, x, batch[i], term);
      for (const auto& entry : term.entries()) {
        std::uint32_t& stamp = scratch.stamp[update.row_number(entry.block, entry.row)];
        if (stamp != scratch.batch) {
          stamp = scratch.batch;
          scratch.touched.emplace_back(entry.block, entry.row);
        }
        const BlockShape& shape = layout[entry.block];
        double* row = gradient + shape.offset + entry.row * shape.cols;
        for (Index c = 0; c < shape.cols; ++c) row[c] += scale * entry.gradient[c];
      }
    }
    update.begin_step();
    for (const auto& [block, row] : scratch.touched) {
      const BlockShape& shape = layout[block];
      double* place = gradient + shape.offset + row * shape.cols;
      update.apply(x, block, row, place);
      std::fill(place, place + shape.cols, 0.0);
    }
  }
  return sum;
}

template <class P>
class FiniteSumFace::Of final : public FiniteSumFace {
 public:
  explicit Of(const P& problem) : p_(problem) {}
  [[nodiscard]] TermIndex term_count() const override { return p_.term_count(); }
  [[nodiscard]] std::size_t rows_per_term() const override { return alidade::rows_per_term(p_); }
  double add_terms(const Point& x, TermIndex first, TermIndex last, Point& g) const override {
    return sum_of_terms(x, first, last, [&](const TermGradient& term) {
      for (const auto& entry : term.entries()) {
        const BlockShape& shape = (*x.layout())[entry.block];
        double* row = g.flat().data() + shape.offset + entry.row * shape.cols;
        for (Index c = 0; c < shape.cols; ++c) row[c] += entry.gradient[c];
      }
    });
  }
  [[nodiscard]] double value_of_terms(const Point& x, TermIndex first, TermIndex last) const override {
    return sum_of_terms(x, first, last, [](const TermGradient&) {});
  }
  [[nodiscard]] std::string fault_of_term(const Point& x, TermIndex index) const override {
    TermGradient term(widest_block(*x.layout()), rows_per_term());
    term.clear_to_nan();
    p_.term(x, index, term);
    return term.fault(*x.layout());
  }
  double run(Point& x, std::span<const TermIndex> terms, Index batch_size, double scale, RowUpdate& update,
             RunScratch& scratch) const override {
    return run_terms(p_, x, terms, batch_size, scale, update, scratch);
  }

 private:
  template <class Use>
  [[nodiscard]] double sum_of_terms(const Point& x, TermIndex first, TermIndex last, const Use& use) const {
    TermGradient term(widest_block(*x.layout()), rows_per_term());
    double sum = 0;
    for (TermIndex t = first; t < last; ++t) {
      term.clear();
      sum += p_.term(x, t, term);
      use(term);
    }
    return sum;
  }
  const P& p_;
};

}  // namespace alidade
