// Latent views of a map given to the aspects they show, before anything is measured on them.
// The match is that of multiview/view_matching.hpp, found by the solver `hungarian`; rule `observed` looks at training
// triplets only, `all` at everything there is, which no method could know: an oracle, for comparison with papers.
// Embeddings that have no latent views pass unchanged.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/setup.hpp"
#include "problems/embedding.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade {

struct MatchedEmbedding {
  Embedding embedding;
  /// For the row: by, aspects -> view (from 1), satisfied share per aspect, gap of the certificate, unmatched views;
  /// null if nothing was to be matched.
  Value note;
  std::vector<std::string> notes;
};

/// `training` are the observations learnt from, `all` those of the whole data set.
[[nodiscard]] MatchedEmbedding match_views(Embedding embedding, MatchingRule rule, const Observations& training,
                                           const Observations& all);

}  // namespace alidade
