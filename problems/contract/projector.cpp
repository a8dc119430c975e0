#include "problems/contract/projector.hpp"

#include "problems/core/error.hpp"

namespace alidade {

Matrix Projector::project(const Eigen::Ref<const FeatureMatrix>& X) const {
  require<DataError>(X.cols() == feature_count() || !takes_dissimilarities(),
                     "The map was made of dissimilarities. Give those of each new object to the {} objects of the map, "
                     "not {} numbers.",
                     feature_count(), X.cols());
  require<DataError>(X.cols() == feature_count(),
                     "The map was learnt from {} features per object, but the new objects have {}. Give the same "
                     "features.",
                     feature_count(), X.cols());
  for (Index i = 0; i < X.rows(); ++i)
    require<DataError>(X.row(i).allFinite(),
                       "A feature of row {} is not a finite number. Correct it, or leave the row out.", i + 1);
  require<DataError>(!takes_dissimilarities() || X.size() == 0 || X.minCoeff() >= 0,
                     "A dissimilarity of a new object is {}. It must be a number >= 0.", X.size() ? X.minCoeff() : 0);
  return places_of(X);
}

}  // namespace alidade
