#include "problems/multiview/map_dissimilarities.hpp"

#include "problems/evidence/aspects.hpp"

namespace alidade::multiview {

std::vector<Dissimilarities> map_dissimilarities(const Embedding& embedding, const Observations& observations) {
  const std::vector<std::vector<bool>> observed = observed_objects(observations);
  const bool by_aspect = !embedding.latent_views && embedding.maps.size() == observed.size();
  std::vector<Dissimilarities> out;
  for (std::size_t m = 0; m < embedding.maps.size(); ++m) {
    const Matrix& map = embedding.maps[m].coordinates;
    const Index n = map.rows();
    std::vector<bool> placed(static_cast<std::size_t>(n), observed.empty());
    for (std::size_t t = 0; t < observed.size(); ++t)
      for (std::size_t i = 0; i < placed.size(); ++i)
        if ((!by_aspect || t == m) && i < observed[t].size() && observed[t][i]) placed[i] = true;
    for (Index i = 0; i < n; ++i)
      if (!map.row(i).allFinite()) placed[static_cast<std::size_t>(i)] = false;
    Dissimilarities view{embedding.maps[m].name, Matrix::Zero(n, n), Matrix::Zero(n, n)};
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) {
        if (map.row(i).allFinite() && map.row(j).allFinite())
          view.values(i, j) = view.values(j, i) = (map.row(i) - map.row(j)).norm();
        if (placed[static_cast<std::size_t>(i)] && placed[static_cast<std::size_t>(j)])
          view.weights(i, j) = view.weights(j, i) = 1;
      }
    out.push_back(std::move(view));
  }
  return out;
}

}  // namespace alidade::multiview
