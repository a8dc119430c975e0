// The capability `finite_sum`: the objective is a sum of many terms, each of which touches few rows.
// One virtual call handles a run of terms. The loop over them is in term_run.hpp, compiled for each problem; every
// finite sum includes that header.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "problems/spaces/domain.hpp"

namespace alidade {

class RowUpdate;     // row_update.hpp
struct RunScratch;   // term_run.hpp
class TermGradient;  // term_run.hpp

using TermIndex = std::uint64_t;

template <class P>
concept FiniteSumProblem = HasDomain<P> && requires(const P& p, const Point& x, TermIndex t, TermGradient& g) {
  { p.term_count() } -> std::convertible_to<TermIndex>;
  /// Value of one term; its rows and their gradients go to g (cleared by the caller).
  { p.term(x, t, g) } -> std::same_as<double>;
};

class FiniteSumFace {
 public:
  static constexpr std::string_view kName = "finite_sum";
  template <class P>
  static constexpr bool kOfferedBy = FiniteSumProblem<P>;
  template <class P>
  class Of;  // in term_run.hpp

  virtual ~FiniteSumFace() = default;
  [[nodiscard]] virtual TermIndex term_count() const = 0;
  /// The largest number of rows that a term touches; RunScratch needs room for it.
  [[nodiscard]] virtual std::size_t rows_per_term() const = 0;
  /// Adds the gradients of the terms [first, last) at x; returns the sum of their values. Where a term touches more
  /// rows than it promised, this and those below throw ConfigError.
  virtual double add_terms(const Point& x, TermIndex first, TermIndex last, Point& gradient) const = 0;
  /// The sum of the values alone, with the same bits.
  [[nodiscard]] virtual double value_of_terms(const Point& x, TermIndex first, TermIndex last) const = 0;
  /// What is wrong with the rows that a term writes at x (TermGradient::fault). For checks: it takes memory each time.
  [[nodiscard]] virtual std::string fault_of_term(const Point& x, TermIndex index) const = 0;
  /// run_terms(), compiled for this problem.
  virtual double run(Point& x, std::span<const TermIndex> terms, Index batch_size, double scale, RowUpdate& update,
                     RunScratch& scratch) const = 0;
};

}  // namespace alidade
