#include "problems/neighbor/nerv_tradeoff.hpp"

#include "problems/core/text.hpp"
#include "problems/neighbor/affinities.hpp"

namespace alidade::neighbor {

const OptionList<NervTradeoff>& NervTradeoff::list() {
  using O = NervTradeoff;
  static const OptionList<O> kList =
      OptionList<O>()
          .real("lambda", &O::lambda, between(0, 1),
                "weight of misses in J = lambda * misses + (1 - lambda) * false neighbours; 1 "
                "gives SNE")
          .real("perplexity", &O::perplexity, above(1),
                "effective number of neighbours of each object, below n - 1; the default is "
                "lowered to a third of the other objects where it is not");
  return kList;
}

void adapt_default_perplexity(NervTradeoff& options, Index n, std::vector<std::string>& notes) {
  if (options.perplexity != NervTradeoff{}.perplexity || options.perplexity < static_cast<double>(n - 1)) return;
  const double largest = largest_usual_perplexity(n);
  notes.push_back(lowered_perplexity_note(options.perplexity, largest));
  options.perplexity = largest;
}

std::string capped_note(Index capped, Index n, double perplexity) {
  return fmt::format(
      "{} of {} objects have more nearest neighbours at the same distance than the perplexity, "
      "{:g}. Their neighbourhoods include all of them.",
      capped, n, perplexity);
}

}  // namespace alidade::neighbor
