// The capabilities `stages` and `n_stages`: a path of problems on one domain; the last stage is the problem itself.
// For continuation: each stage is solved from the solution of the stage before. With `n_stages`, the solver may choose
// the number of stages. A stage may depend on the solution of the stage before.
#pragma once

#include <concepts>
#include <string_view>

#include "problems/core/index.hpp"
#include "problems/programs/solution.hpp"

namespace alidade {

class Problem;

template <class P>
concept StagedProblem = requires(const P& p, const Solution& x) {
  { p.stage_count() } -> std::same_as<Index>;
  requires std::same_as<decltype(p.stage(Index{}, x)), Problem>;
};

template <class P>
concept StageNumberProblem = StagedProblem<P> && requires(const P& p) {
  requires std::same_as<decltype(p.with_n_stages(Index{})), Problem>;
};

class StagesFace {
 public:
  static constexpr std::string_view kName = "stages";
  template <class P>
  static constexpr bool kOfferedBy = StagedProblem<P>;
  template <class P>
  class Of;

  virtual ~StagesFace() = default;
  [[nodiscard]] virtual Index stage_count() const = 0;
  /// Stage k of the path, given the solution of the stage before (for k = 0: the start).
  [[nodiscard]] virtual Problem stage(Index k, const Solution& x) const = 0;
};

/// For problems whose option `n_stages` says how finely their path is divided.
class StageNumberFace {
 public:
  static constexpr std::string_view kName = "n_stages";
  template <class P>
  static constexpr bool kOfferedBy = StageNumberProblem<P>;
  template <class P>
  class Of;

  virtual ~StageNumberFace() = default;
  /// The same problem with n in place of its option `n_stages`; n >= 1.
  [[nodiscard]] virtual Problem with_n_stages(Index n) const = 0;
};

template <class P>
class StagesFace::Of final : public StagesFace {
 public:
  explicit Of(const P& problem) : p_(problem) {}
  [[nodiscard]] Index stage_count() const override { return p_.stage_count(); }
  [[nodiscard]] Problem stage(Index k, const Solution& x) const override { return p_.stage(k, x); }

 private:
  const P& p_;
};

template <class P>
class StageNumberFace::Of final : public StageNumberFace {
 public:
  explicit Of(const P& problem) : p_(problem) {}
  [[nodiscard]] Problem with_n_stages(Index n) const override { return p_.with_n_stages(n); }

 private:
  const P& p_;
};

}  // namespace alidade
