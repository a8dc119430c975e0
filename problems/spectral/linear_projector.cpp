#include "problems/spectral/linear_projector.hpp"

#include "problems/core/error.hpp"
#include "problems/core/matrix_text.hpp"

namespace alidade::spectral {

Matrix LinearProjector::places_of(const Eigen::Ref<const FeatureMatrix>& X) const {
  Matrix out(X.rows(), axes_.cols());
  for (Index i = 0; i < X.rows(); ++i) {
    const Vector centred = X.row(i).cast<double>().transpose() - mean_;
    out.row(i).noalias() = centred.transpose() * axes_;
  }
  return out;
}

ValueTable LinearProjector::description() const {
  ValueTable out;
  out.set("kind", "linear");
  out.set("mean", matrix_to_table(Eigen::Ref<const Matrix>(Matrix(mean_))));
  out.set("axes", matrix_to_table(Eigen::Ref<const Matrix>(axes_)));
  return out;
}

std::shared_ptr<const Projector> LinearProjector::from(const ValueTable& description) {
  const Matrix mean = matrix_from_table(description.find("mean"), "mean");
  Matrix axes = matrix_from_table(description.find("axes"), "axes");
  require<DataError>(mean.cols() == 1, "'mean' is not a column.");
  require<DataError>(axes.rows() == mean.rows() && axes.cols() >= 1, "'axes' has {} rows for {} features.", axes.rows(),
                     mean.rows());
  return std::make_shared<const LinearProjector>(Vector(mean.col(0)), std::move(axes));
}

}  // namespace alidade::spectral
