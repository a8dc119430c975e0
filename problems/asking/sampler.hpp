// Samplers: strategies that choose the next questions to ask from a list of candidates.
// Each is a file NAME_sampler.cpp and its line in sampler.cpp. Scores are in bits.
// Samplers are immutable, use no random numbers and depend on the order of the candidates only to break ties.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "problems/asking/question.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/options.hpp"
#include "problems/core/registry.hpp"
#include "problems/core/types.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::asking {

/// What is known when questions are chosen. Refers to its parts.
struct Knowledge {
  const TripletSource& answers;  // so far; none for a first batch
  const Matrix* map = nullptr;   // n x d, made from them; null where the sampler needs none
  std::span<const Matrix> maps;  // an ensemble: what else the answers allow; empty where the sampler needs none
};

/// What of the knowledge a sampler uses beyond the answers.
enum class SamplerNeed { nothing, map, ensemble };

/// A diverse batch: takes, again and again, the candidate of the largest score / (1 + uses of its anchor + half the
/// uses of its other objects), where uses count the candidates taken so far. The first of equals wins.
/// O(count * candidates).
[[nodiscard]] std::vector<std::size_t> diverse_batch(std::span<const Question> candidates,
                                                     std::span<const double> score, std::size_t count,
                                                     Index object_count);

/// How questions are judged, and chosen from a list of candidates. What a sampler does not say is as in most of them.
struct Sampler {
  /// The expected information of each question in bits, in [0, 1]; empty if the sampler expects nothing.
  std::function<std::vector<double>(std::span<const Question> questions, const Knowledge&, Executor&)> information =
      [](auto&&...) { return std::vector<double>(); };
  /// Chooses min(count, candidates) different candidates, best first, by their information: a diverse batch. Returns
  /// their places in the list. @pre information.size() is that of the candidates, or 0 as above
  std::function<std::vector<std::size_t>(std::span<const Question> candidates, std::span<const double> information,
                                         std::size_t count, const Knowledge&)>
      choose = [](auto candidates, auto score, std::size_t count, const Knowledge& knowledge) {
        return diverse_batch(candidates, score, count, knowledge.answers.object_count());
      };
};

struct SamplerEntry {
  std::string name;
  std::string summary;
  std::string reference;
  std::string equation;  // the score, in plain text
  SamplerNeed need = SamplerNeed::nothing;
  std::vector<OptionInfo> options{};
  std::function<std::unique_ptr<Sampler>(const ValueTable&)> make{};  // @throws ConfigError
};

[[nodiscard]] const Registry<SamplerEntry>& sampler_catalog();

/// With a sampler that has no options.
[[nodiscard]] SamplerEntry sampler_entry(SamplerEntry entry, const Sampler& sampler);

/// Takes min(count, candidates) places one by one: each time that of the largest value(q), the first of equals; then
/// took(q) is called. O(count * candidates).
template <class Value, class Took>
std::vector<std::size_t> taken_greedily(std::size_t count, std::size_t candidates, const Value& value,
                                        const Took& took) {
  std::vector<bool> taken(candidates, false);
  std::vector<std::size_t> out;
  while (out.size() < std::min(count, candidates)) {
    std::size_t best = candidates;
    double largest = 0;
    for (std::size_t q = 0; q < candidates; ++q) {
      if (taken[q]) continue;
      const double v = value(q);
      if (best < candidates && !(v > largest)) continue;
      best = q;
      largest = v;
    }
    out.push_back(best);
    took(best);
    taken[best] = true;
  }
  return out;
}

}  // namespace alidade::asking
