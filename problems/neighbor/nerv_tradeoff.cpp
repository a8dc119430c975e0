#include "problems/neighbor/nerv_tradeoff.hpp"

#include "problems/core/text.hpp"

namespace alidade::neighbor {

const OptionList<NervTradeoff>& NervTradeoff::list() {
  using O = NervTradeoff;
  static const OptionList<O> kList =
      OptionList<O>()
          .real("lambda", &O::lambda, between(0, 1),
                "J = lambda * misses + (1 - lambda) * false neighbours; 1 is SNE")
          .real("perplexity", &O::perplexity, above(1),
                "neighbours that each object effectively has, below n - 1");
  return kList;
}

std::string capped_note(Index capped, Index n, double perplexity) {
  return fmt::format(
      "{} of {} objects have more equally near others than the perplexity of {:g} counts; their "
      "neighbourhoods hold all of those.",
      capped, n, perplexity);
}

}  // namespace alidade::neighbor
