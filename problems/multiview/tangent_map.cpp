#include "problems/multiview/tangent_map.hpp"

#include <cmath>

namespace alidade::multiview {

TangentFrame::TangentFrame(std::span<const double> x)
    : reflector_(x.begin(), x.end()), sign_(x.back() < 0 ? -1 : 1), inverse_(1 / (1 + std::abs(x.back()))) {
  reflector_.back() += sign_;
}

Matrix tangent_map(const Eigen::Ref<const Matrix>& y, std::span<const double> x) {
  const TangentFrame frame(x);
  Matrix out(y.rows(), y.cols() - 1);
  for (Index i = 0; i < y.rows(); ++i) frame.coordinates(y.row(i).data(), out.row(i).data());
  return out;
}

}  // namespace alidade::multiview
