#include "problems/semidefinite/drawn_axes.hpp"

#include <algorithm>

namespace alidade::semidefinite {

const OptionList<DrawnAxes>& DrawnAxes::list() {
  static const auto kList =
      OptionList<DrawnAxes>().integer("n_components", &DrawnAxes::n_components, at_least(0),
                                      "number of axes of largest variance to draw; 0: as many as the solution has");
  return kList;
}

Embedding drawn_axes(const Matrix& points, Index n_components) {
  constexpr double kNegligible = 1e-5;
  const Vector variances = points.colwise().squaredNorm();
  const double total = std::max(variances.sum(), 1e-300);
  const Index rank = (variances.array() > kNegligible * total).count();
  const Index shown = n_components > 0 ? n_components : std::max<Index>(1, rank);
  Matrix map = Matrix::Zero(points.rows(), shown);
  const Index filled = std::min(shown, points.cols());
  map.leftCols(filled) = points.leftCols(filled);
  Embedding out;
  out.maps.push_back({"", std::move(map)});
  out.estimates = {{"eigenvalue_share", variances.head(filled).sum() / total}, {"rank", static_cast<double>(rank)}};
  return out;
}

}  // namespace alidade::semidefinite
