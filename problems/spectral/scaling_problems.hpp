// Classical scaling of distances (Torgerson 1952, Gower 1966), and of distances along a graph of neighbours: Isomap.
// Tenenbaum, de Silva & Langford 2000; with landmarks, de Silva & Tenenbaum 2003: only landmarks are scaled, and the
// other objects are placed by their distances to them. Uses the leading eigenvectors of B = -1/2 J D2 J, never formed.
#pragma once

#include "problems/contract/problem_entry.hpp"
#include "problems/spectral/graph_frame.hpp"

namespace alidade::spectral {

struct ClassicalMdsOptions {
  Index n_components = 2;
  [[nodiscard]] static const OptionList<ClassicalMdsOptions>& list();
};

struct IsomapOptions : NeighborGraphOptions {
  Index landmarks = 0;
  Index seed = 1;
  [[nodiscard]] static const OptionList<IsomapOptions>& list();
};

/// SpectralMaps of the matrix B / n, so that eigenvalues are variances. Coordinates along eigenvalues that are not
/// positive are 0. Memory n^2 doubles; m n for Isomap with m landmarks. Estimates: `strain`, the share of sum_ij B_ij^2
/// that the map leaves out, which is also that of the squared eigenvalues; `negative_share`, the part of it that
/// negative eigenvalues hold (above 600 objects or landmarks, the six most negative ones). A note says so from 1 %.
/// @throws DataError as DissimilarityRows, or on a disconnected graph if that is an error; ConfigError
[[nodiscard]] ProblemEntry classical_mds_entry();
[[nodiscard]] ProblemEntry isomap_entry();

}  // namespace alidade::spectral
