// Principal component analysis: the linear map of features that keeps most of their variance.
// Pearson 1901, Hotelling 1933; the leading eigenvectors of principal_components.hpp's scatter matrix.
// The projector places new objects. Features are centred but not scaled.
#pragma once

#include <vector>

#include "problems/contract/problem_entry.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"

namespace alidade::spectral {

struct PcaOptions {
  Index n_components = 2;
  [[nodiscard]] static const OptionList<PcaOptions>& list();
};

/// A SpectralMap of the covariance (or, with fewer objects than features, of the n x n matrix of objects; divided by
/// n). Components beyond the rank are 0 for every object. Estimates: `explained_variance`, the share of variance on the
/// map.
/// @throws DataError without features, or if they are not finite or all equal; ConfigError
[[nodiscard]] ProblemEntry pca_entry();

}  // namespace alidade::spectral
