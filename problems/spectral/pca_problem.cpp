// Principal component analysis: the linear map of features that keeps most of their variance.
// Pearson 1901, Hotelling 1933; the leading eigenvectors of principal_components.hpp's scatter matrix.
// The projector places new objects. Features are centred but not scaled.
#include <algorithm>

#include "problems/contract/problem_entry.hpp"
#include "problems/contract/problem_model.hpp"
#include "problems/core/error.hpp"
#include "problems/core/executor.hpp"
#include "problems/core/options.hpp"
#include "problems/distances/principal_components.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/spectral/spectral_map.hpp"

namespace alidade::spectral {
namespace {

struct PcaOptions {
  Index n_components = 2;
  [[nodiscard]] static const OptionList<PcaOptions>& list() {
    static const OptionList<PcaOptions> kList = dimension_option<PcaOptions>();
    return kList;
  }
};

Problem make_pca(const Observations& observations, const ValueTable& options, Executor& executor) {
  const Index d = PcaOptions::list().parse(options, "problem 'pca'").n_components;
  require_offered(observations.features != nullptr, observations, "pca", "features");
  const std::shared_ptr<const FeatureMatrix> X = observations.features;
  const Index n = observations.object_count();
  require<DataError>(X->rows() == n && X->cols() >= 1 && n >= 2,
                     "pca needs features of at least two objects, but '{}' has {} objects and features of {} x "
                     "{}.",
                     observations.name, n, X->rows(), X->cols());
  for (Index i = 0; i < n; ++i)
    require<DataError>(X->row(i).allFinite(),
                       "A feature of '{}' (row {}) is not a finite number. "
                       "Correct it, or leave the object out.",
                       observations.objects[static_cast<std::size_t>(i)], i + 1);
  const std::shared_ptr<const Matrix> precise = observations.precise_features;
  const auto scatter = std::make_shared<const ScatterMatrix>(precise ? scatter_matrix(*precise, executor)
                                                                     : scatter_matrix(*X, executor));
  const double variance = scatter->values.trace() / static_cast<double>(n);
  require<DataError>(variance > 0,
                     "All objects of '{}' have the same features, so there is nothing to draw. "
                     "Give objects that differ.",
                     observations.name);
  SpectralModel model;
  model.units = {.map = 1, .objective = 2};
  const Index size = scatter->values.rows();
  model.request = {size, std::min(d, size), true,
                   {},   nullptr,           std::make_shared<const Matrix>(scatter->values / static_cast<double>(n))};
  model.decode = [X, precise, scatter, variance, n, d](const EigenSolution& x) {
    const Vector values = x.values * static_cast<double>(n);
    const PrincipalComponents components = precise ? components_by(*precise, *scatter, x.vectors, values, d)
                                                   : components_by(*X, *scatter, x.vectors, values, d);
    Embedding out;
    if (precise) {  // a projector reads new objects in float
      out = {{{"", components.scores}}};
    } else {
      auto projector = std::make_shared<const LinearProjector>(components.mean, components.axes);
      out = {{{"", projector->project(*X)}}};
      out.projector = std::move(projector);
    }
    out.estimates.emplace_back("explained_variance", components.variances.sum() / variance);
    return out;
  };
  return {"pca", SpectralMap(std::move(model))};
}

}  // namespace

/// A SpectralMap of the covariance (or, with fewer objects than features, of the n x n matrix of objects; divided by
/// n). Components beyond the rank are 0 for every object. Estimates: `explained_variance`, the share of variance on the
/// map.
/// @throws DataError without features, or if they are not finite or all equal; ConfigError
ProblemEntry pca_entry() {
  return {
      .name = "pca",
      .summary =
          "principal components: the linear map of features that keeps the most variance; "
          "it places new objects too",
      .reference = "Pearson 1901; Hotelling 1933",
      .equation =
          "max over V with V'V = I: tr V' S V, S the covariance of the features; coordinates (x - "
          "mean)' V",
      .needs = {ObservationKind::features},
      .offers = offered_by<SpectralMap>(),
      .options = PcaOptions::list().infos(),
      .make = make_pca,
      .places_objects = true,
  };
}

}  // namespace alidade::spectral
