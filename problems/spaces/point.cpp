#include "problems/spaces/point.hpp"

#include "problems/core/error.hpp"

namespace alidade {

Point::Point(std::shared_ptr<const Layout> layout) : layout_(std::move(layout)) {
  Index size = 0;
  for (const BlockShape& block : *layout_) size = std::max(size, block.offset + block.size());
  data_.assign(static_cast<std::size_t>(size), 0.0);
}

namespace {
const BlockShape& shape_of(const Layout& layout, std::size_t index) {
  require<ConfigError>(index < layout.size(), "A point has no block {}: it has {}, numbered from 0.", index,
                       layout.size());
  return layout[index];
}
}  // namespace

Point::Block Point::block(std::size_t index) {
  const BlockShape& shape = shape_of(*layout_, index);
  return {data_.data() + shape.offset, shape.rows, shape.cols};
}

Point::ConstBlock Point::block(std::size_t index) const {
  const BlockShape& shape = shape_of(*layout_, index);
  return {data_.data() + shape.offset, shape.rows, shape.cols};
}

std::size_t Point::index_of(std::string_view name) const {
  for (std::size_t i = 0; i < layout_->size(); ++i)
    if ((*layout_)[i].name == name) return i;
  throw ConfigError(fmt::format("A point has no block '{}'.", name));
}

}  // namespace alidade
