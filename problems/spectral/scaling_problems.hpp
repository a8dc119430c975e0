// Classical scaling of distances (Torgerson 1952, Gower 1966) and of distances along a graph of neighbours: Isomap.
// Tenenbaum, de Silva & Langford 2000; with landmarks, de Silva & Tenenbaum 2003: only theirs are scaled, all others
// placed by their distances to them. The leading eigenvectors of B = -1/2 J D2 J, which is not formed.
#pragma once

#include <string>
#include <vector>

#include "problems/core/executor.hpp"
#include "problems/core/options.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/problem_entry.hpp"

namespace alidade::spectral {

struct ClassicalMdsOptions {
  Index n_components = 2;
  [[nodiscard]] static const OptionList<ClassicalMdsOptions>& list();
};

struct IsomapOptions {
  Index n_components = 2;
  Index n_neighbors = 10;
  std::string disconnected = "join";
  Index landmarks = 0;
  Index seed = 1;
  [[nodiscard]] static const OptionList<IsomapOptions>& list();
};

/// SpectralMaps whose matrix is B / n, so that eigenvalues are variances. Along eigenvalues that are not positive there
/// are no coordinates: they are 0. Memory n^2 doubles; Isomap's with m landmarks m n. Estimates: `strain`, the share of
/// sum_ij B_ij^2 that the map leaves.
/// @throws DataError as DissimilarityRows, or by a graph in parts where that is an error; ConfigError
[[nodiscard]] ProblemEntry classical_mds_entry();
[[nodiscard]] ProblemEntry isomap_entry();

}  // namespace alidade::spectral
