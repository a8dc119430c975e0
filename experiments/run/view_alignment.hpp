// Matches the latent views of a map with the aspects they show, before any metric is measured.
// The solver `hungarian` finds the match of multiview/view_matching.hpp. Rule `observed` uses training triplets only;
// `all` uses every triplet, which no method could know: an oracle, for comparison with papers.
// Embeddings without latent views pass unchanged.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/setup.hpp"
#include "problems/contract/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

struct MatchedEmbedding {
  Embedding embedding;
  /// For the row: by, aspects -> view (from 1), satisfied share per aspect, gap of the certificate, unmatched views;
  /// null if nothing was matched.
  Value note;
  std::vector<std::string> notes;
};

/// `training`: the training observations; `all`: those of the whole data set.
[[nodiscard]] MatchedEmbedding match_views(Embedding embedding, MatchingRule rule, const Observations& training,
                                           const Observations& all);

}  // namespace alidade
