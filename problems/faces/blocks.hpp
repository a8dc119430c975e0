// The capabilities `blocks` and `separate_blocks`: with all other blocks fixed, each block is a problem of its own.
// For block coordinate descent; each separate block is solved once.
// A block's objective differs from the whole objective by a constant.
#pragma once

#include <concepts>
#include <string_view>

#include "problems/core/index.hpp"
#include "problems/programs/solution.hpp"

namespace alidade {

class Problem;

template <class P>
concept BlocksProblem = requires(const P& p, const Solution& x, Solution& y) {
  { p.block_count() } -> std::same_as<Index>;
  requires std::same_as<decltype(p.block_problem(Index{}, x)), Problem>;
  { p.block_of(Index{}, x) } -> std::same_as<Solution>;
  {p.set_block(Index{}, x, y)};
};
/// Declared by the member `static constexpr bool kSeparateBlocks = true`.
template <class P>
concept SeparateBlocksProblem = BlocksProblem<P> && requires {
  requires P::kSeparateBlocks;
};

class BlocksFace {
 public:
  static constexpr std::string_view kName = "blocks";
  template <class P>
  static constexpr bool kOfferedBy = BlocksProblem<P>;
  template <class P>
  class Of;

  virtual ~BlocksFace() = default;
  [[nodiscard]] virtual Index block_count() const = 0;
  /// The problem of block b with all other blocks fixed at x; its objective differs by a constant.
  [[nodiscard]] virtual Problem block_problem(Index b, const Solution& x) const = 0;
  [[nodiscard]] virtual Solution block_of(Index b, const Solution& x) const = 0;
  virtual void set_block(Index b, const Solution& block, Solution& x) const = 0;
};

/// No block's problem depends on another block.
class SeparateBlocks {
 public:
  static constexpr std::string_view kName = "separate_blocks";
  template <class P>
  static constexpr bool kOfferedBy = SeparateBlocksProblem<P>;
};

template <class P>
class BlocksFace::Of final : public BlocksFace {
 public:
  explicit Of(const P& problem) : p_(problem) {}
  [[nodiscard]] Index block_count() const override { return p_.block_count(); }
  [[nodiscard]] Problem block_problem(Index b, const Solution& x) const override { return p_.block_problem(b, x); }
  [[nodiscard]] Solution block_of(Index b, const Solution& x) const override { return p_.block_of(b, x); }
  void set_block(Index b, const Solution& block, Solution& x) const override { p_.set_block(b, block, x); }

 private:
  const P& p_;
};

}  // namespace alidade
