#include "problems/contract/framed_projector.hpp"

#include <cmath>

#include "problems/core/error.hpp"
#include "problems/core/matrix_text.hpp"

namespace alidade {

ValueTable FramedProjector::description() const {
  ValueTable out;
  out.set("kind", "framed");
  out.set("unit", frame_.unit);
  out.set("factor", factor_);
  out.set("shift", matrix_to_table(Eigen::Ref<const Matrix>(Matrix(frame_.shift))));
  out.set("projector", inner_->description());
  return out;
}

std::shared_ptr<const Projector> FramedProjector::from(const ValueTable& description,
                                                       std::shared_ptr<const Projector> inner) {
  const auto number = [&](std::string_view key) {
    const Value* value = description.find(key);
    const double out = value ? value->number().value_or(0) : 0;
    require<DataError>(std::isfinite(out) && out > 0, "'{}' is not a number above 0.", key);
    return out;
  };
  FeatureFrame frame;
  frame.unit = number("unit");
  const Matrix shift = matrix_from_table(description.find("shift"), "shift");
  require<DataError>(shift.size() == 0 || (shift.cols() == 1 && shift.rows() == inner->feature_count()),
                     "'shift' has {} x {} numbers for {} features.", shift.rows(), shift.cols(),
                     inner->feature_count());
  if (shift.size() > 0) frame.shift = shift.col(0);
  return std::make_shared<const FramedProjector>(std::move(inner), std::move(frame), number("factor"));
}

}  // namespace alidade
