#include "problems/neighbor/nerv_tradeoff.hpp"

#include <cmath>
#include <limits>

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

double least_cost_scale(double mean_distance,
                        const std::function<std::vector<double>(std::span<const double>)>& costs) {
  const auto best_of = [&](const std::vector<double>& scales) {
    const std::vector<double> values = costs(scales);
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < scales.size(); ++s) {
      if (!(values[s] < least)) continue;
      least = values[s];
      best = s;
    }
    return scales[best];
  };
  std::vector<double> coarse, fine;
  for (int k = -12; k <= 16; ++k) coarse.push_back(std::exp2(0.5 * k) / mean_distance);
  const double coarse_best = best_of(coarse);
  for (int k = -8; k <= 8; ++k) fine.push_back(coarse_best * std::exp2(0.0625 * k));
  return best_of(fine);
}

}  // namespace alidade::neighbor
