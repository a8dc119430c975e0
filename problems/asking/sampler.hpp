// Samplers: strategies that choose the next questions to ask from a list of candidates.
// Catalog: random, balanced, uncertainty, information_gain, anchor_posterior, round_robin. Scores are in bits.
// Samplers are immutable, use no random numbers and depend on the order of the candidates only to break ties.
#pragma once

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

class Sampler {
 public:
  virtual ~Sampler() = default;
  /// The expected information of each question in bits, in [0, 1]; empty if the sampler expects nothing.
  [[nodiscard]] virtual std::vector<double> information(std::span<const Question> questions, const Knowledge& knowledge,
                                                        Executor& executor) const = 0;
  /// Chooses min(count, candidates) different candidates, best first, by their information. Returns their places in the
  /// list. @pre information.size() is that of the candidates, or 0 as above
  [[nodiscard]] virtual std::vector<std::size_t> choose(std::span<const Question> candidates,
                                                        std::span<const double> information, std::size_t count,
                                                        const Knowledge& knowledge) const = 0;
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

/// A diverse batch: takes, again and again, the candidate of the largest score / (1 + uses of its anchor + half the
/// uses of its other objects), where uses count the candidates taken so far. The first of equals wins.
/// O(count * candidates).
[[nodiscard]] std::vector<std::size_t> diverse_batch(std::span<const Question> candidates,
                                                     std::span<const double> score, std::size_t count,
                                                     Index object_count);

}  // namespace alidade::asking
