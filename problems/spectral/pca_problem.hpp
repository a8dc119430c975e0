// Principal component analysis: the linear map of features that keeps most of their variance.
// Pearson 1901, Hotelling 1933; the leading eigenvectors of principal_components.hpp's scatter matrix.
// It comes with its projector, so that new objects have their place; features are centred and not scaled.
#pragma once

#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/problem_entry.hpp"

namespace alidade::spectral {

struct PcaOptions {
  Index n_components = 2;
  [[nodiscard]] static const OptionList<PcaOptions>& list();
};

/// A SpectralMap of the covariance (n x n of objects where they are fewer than features, divided by n). Components past
/// the rank are 0 for every object. Estimates: `explained_variance`, the share of the variance that is on the map.
/// @throws DataError without features, or ones that are not finite or all the same; ConfigError
[[nodiscard]] ProblemEntry pca_entry();

}  // namespace alidade::spectral
