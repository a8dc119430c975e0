// A point: one contiguous buffer with named row-major blocks, for iterates, gradients and directions.
// Ceres and L-BFGS take it flat; stochastic solvers take rows.
// Copies are deep; the layout is shared.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade {

struct BlockShape {
  std::string name;
  Index rows = 0;
  Index cols = 0;
  Index offset = 0;  // of the block's first entry in the flat buffer
  [[nodiscard]] Index size() const { return rows * cols; }
};
using Layout = std::vector<BlockShape>;

class Point {
 public:
  using Block = Eigen::Map<Matrix>;
  using ConstBlock = Eigen::Map<const Matrix>;

  Point() = default;
  /// All zeros.
  explicit Point(std::shared_ptr<const Layout> layout);

  [[nodiscard]] const std::shared_ptr<const Layout>& layout() const { return layout_; }
  [[nodiscard]] Index size() const { return static_cast<Index>(data_.size()); }
  [[nodiscard]] std::span<double> flat() { return data_; }
  [[nodiscard]] std::span<const double> flat() const { return data_; }
  [[nodiscard]] Eigen::Map<Vector> vector() { return {data_.data(), size()}; }
  [[nodiscard]] Eigen::Map<const Vector> vector() const { return {data_.data(), size()}; }
  /// @throws ConfigError if there is no block of that number.
  [[nodiscard]] Block block(std::size_t index);
  [[nodiscard]] ConstBlock block(std::size_t index) const;
  /// @throws ConfigError if there is no block of that name.
  [[nodiscard]] std::size_t index_of(std::string_view name) const;
  void set_zero() { std::fill(data_.begin(), data_.end(), 0.0); }

 private:
  std::shared_ptr<const Layout> layout_;
  std::vector<double> data_;
};

}  // namespace alidade
