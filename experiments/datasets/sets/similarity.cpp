#include "experiments/datasets/sets/similarity.hpp"

#include <memory>

#include "problems/core/error.hpp"
#include "problems/core/executor.hpp"
#include "problems/distances/neighbor_signs.hpp"
#include "problems/evidence/derived_signs.hpp"

namespace alidade::datasets {
namespace {

const std::vector<std::string>& symmetries() {
  static const std::vector<std::string> kNames = {"directed", "union"};
  return kNames;
}

constexpr const char* kSymmetryDoc =
    "directed: i is similar to j, as seen from j, if i is among the k nearest of j; union: also "
    "if j is among the k nearest of i";

}  // namespace

OptionList<SimilarityOptions> SimilarityOptions::list() {
  return OptionList<SimilarityOptions>()
      .text("similarity", &SimilarityOptions::similarity, {"none", "knn", "labels", "triplets", "pose"}, kDescribed)
      .integer("k", &SimilarityOptions::k, at_least(1), kDescribed)
      .text("symmetry", &SimilarityOptions::symmetry, symmetries(), kDescribed);
}

OptionList<NeighborOptions> NeighborOptions::list() {
  return OptionList<NeighborOptions>()
      .integer("k", &NeighborOptions::k, at_least(1), kDescribed)
      .text("symmetry", &NeighborOptions::symmetry, symmetries(), kDescribed);
}

void add_similarity(Observations& observations, const SimilarityOptions& options, const Matrix& pose,
                    std::uint64_t seed, std::string_view dataset) {
  if (options.similarity == "none") return;
  const auto require_kind = [&](bool there, std::string_view what) {
    require<DataError>(there,
                       "dataset '{}' has no {}, but similarity = \"{}\" is made from them. Choose another "
                       "similarity.",
                       dataset, what, options.similarity);
  };
  Executor executor;
  const Symmetry symmetry = symmetry_of(options.symmetry);
  if (options.similarity == "knn") {
    require_kind(observations.features != nullptr, "features");
    observations.pair_signs = std::make_shared<PairSigns>(
        observations.precise_features ? signs_of_places(*observations.precise_features, options.k, symmetry, executor)
                                      : signs_of_features(*observations.features, options.k, symmetry, seed, executor));
  } else if (options.similarity == "pose") {
    require_kind(pose.size() > 0, "parameters of pose");
    observations.pair_signs = std::make_shared<PairSigns>(signs_of_places(pose, options.k, symmetry, executor));
  } else if (options.similarity == "labels") {
    require_kind(!observations.labels.empty(), "labels");
    observations.pair_signs = std::make_shared<PairSigns>(signs_of_labels(observations.labels));
  } else {
    require_kind(observations.triplets != nullptr, "triplets");
    observations.signs_of_triplets = true;
    observations.notes.push_back(renew_signs_of_triplets(observations));
  }
}

}  // namespace alidade::datasets
