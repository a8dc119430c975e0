#include "problems/spaces/domain.hpp"

#include <algorithm>
#include <cmath>

#include "problems/core/error.hpp"

namespace alidade {
namespace {

std::shared_ptr<const Layout> layout_of(const std::vector<DomainBlock>& blocks) {
  Layout layout;
  Index offset = 0;
  for (const DomainBlock& block : blocks) {
    layout.push_back({block.name, block.rows, block.cols, offset});
    offset += block.rows * block.cols;
  }
  return std::make_shared<const Layout>(std::move(layout));
}

RowSpan row_of(Point& p, const BlockShape& shape, Index r) {
  return p.flat().subspan(static_cast<std::size_t>(shape.offset + r * shape.cols),
                          static_cast<std::size_t>(shape.cols));
}
ConstRowSpan row_of(const Point& p, const BlockShape& shape, Index r) {
  return p.flat().subspan(static_cast<std::size_t>(shape.offset + r * shape.cols),
                          static_cast<std::size_t>(shape.cols));
}

/// Calls visit(manifold, shape, row) for every row; the manifold is resolved once a block. A box whose numbers
/// have an interval each is one long row.
template <class Visit>
void each_row(const std::vector<DomainBlock>& blocks, const Layout& layout, Visit visit) {
  for (std::size_t b = 0; b < blocks.size(); ++b)
    std::visit(
        [&](const auto& manifold) {
          if constexpr (std::is_same_v<std::decay_t<decltype(manifold)>, Box>)
            if (!manifold.is_uniform())
              return visit(manifold, BlockShape{{}, 1, layout[b].size(), layout[b].offset}, 0);
          for (Index r = 0; r < blocks[b].rows; ++r) visit(manifold, layout[b], r);
        },
        blocks[b].manifold);
}

}  // namespace

Domain::Domain(std::vector<DomainBlock> blocks) : blocks_(std::move(blocks)), layout_(layout_of(blocks_)) {
  for (const DomainBlock& block : blocks_) {
    require<ConfigError>(block.rows >= 0 && block.cols >= 1,
                         "Block '{}' of a domain needs rows >= 0 and cols >= 1, not {} x {}.", block.name, block.rows,
                         block.cols);
    if (const auto* sphere = std::get_if<Oblique>(&block.manifold))
      require<ConfigError>(block.cols >= 2 && sphere->radius > 0,
                           "Block '{}': rows on a sphere need radius > 0 and at least 2 coordinates.", block.name);
    if (const auto* box = std::get_if<Box>(&block.manifold)) {
      const std::string fault = box->fault(static_cast<std::size_t>(block.rows * block.cols));
      require<ConfigError>(fault.empty(), "Block '{}': {}.", block.name, fault);
    }
    if (const auto* any = std::get_if<AnyManifold>(&block.manifold))
      require<ConfigError>(any->fits(block.cols), "Block '{}': a row of {} coordinates is none of the manifold '{}'.",
                           block.name, block.cols, any->name());
  }
}

Index Domain::dimension() const {
  Index total = 0;
  for (const DomainBlock& block : blocks_)
    total += block.rows * std::visit([&](const auto& m) { return m.dimension(block.cols); }, block.manifold);
  return total;
}

bool Domain::has_border() const {
  return std::ranges::any_of(blocks_, [](const DomainBlock& block) {
    return std::visit([](const auto& m) { return m.has_border(); }, block.manifold);
  });
}

bool Domain::is_euclidean() const {
  return std::ranges::all_of(
      blocks_, [](const DomainBlock& block) { return std::holds_alternative<Euclidean>(block.manifold); });
}

bool Domain::is_boxed() const {
  return has_border() && std::ranges::all_of(blocks_, [](const DomainBlock& block) {
           return std::holds_alternative<Euclidean>(block.manifold) || std::holds_alternative<Box>(block.manifold);
         });
}

Point Domain::random(Rng& rng) const {
  Point out = zero();
  each_row(blocks_, *layout_,
           [&](const auto& m, const BlockShape& shape, Index r) { m.random(rng, row_of(out, shape, r)); });
  return out;
}

void Domain::project(const Point& x, const Point& v, Point& out) const {
  each_row(blocks_, *layout_, [&](const auto& m, const BlockShape& shape, Index r) {
    m.project(row_of(x, shape, r), row_of(v, shape, r), row_of(out, shape, r));
  });
}

void Domain::gradient(const Point& x, const Point& g, Point& out) const {
  each_row(blocks_, *layout_, [&](const auto& m, const BlockShape& shape, Index r) {
    m.gradient(row_of(x, shape, r), row_of(g, shape, r), row_of(out, shape, r));
  });
}

void Domain::frame(const Point& x, const Point& v, Point& out) const {
  each_row(blocks_, *layout_, [&](const auto& m, const BlockShape& shape, Index r) {
    m.frame(row_of(x, shape, r), row_of(v, shape, r), row_of(out, shape, r));
  });
}

void Domain::retract(const Point& x, const Point& v, Point& out) const {
  each_row(blocks_, *layout_, [&](const auto& m, const BlockShape& shape, Index r) {
    m.retract(row_of(x, shape, r), row_of(v, shape, r), row_of(out, shape, r));
  });
}

void Domain::transport(const Point& x, const Point& x_new, const Point& v, Point& out) const {
  each_row(blocks_, *layout_, [&](const auto& m, const BlockShape& shape, Index r) {
    m.transport(row_of(x, shape, r), row_of(x_new, shape, r), row_of(v, shape, r), row_of(out, shape, r));
  });
}

double Domain::inner(const Point& x, const Point& u, const Point& v) const {
  double sum = 0;
  each_row(blocks_, *layout_, [&](const auto& m, const BlockShape& shape, Index r) {
    sum += m.inner(row_of(x, shape, r), row_of(u, shape, r), row_of(v, shape, r));
  });
  return sum;
}

double Domain::norm(const Point& x, const Point& v) const { return std::sqrt(inner(x, v, v)); }

void Domain::repair(Point& x) const {
  each_row(blocks_, *layout_, [&](const auto& m, const BlockShape& shape, Index r) {
    const RowSpan row = row_of(x, shape, r);
    m.repair(row, row);
  });
}

double Domain::residual(const Point& x) const {
  double worst = 0;
  each_row(blocks_, *layout_, [&](const auto& m, const BlockShape& shape, Index r) {
    worst = std::max(worst, m.residual(row_of(x, shape, r)));
  });
  return worst;
}

double Domain::stationarity(const Point& x, const Point& euclidean_gradient) const {
  if (is_euclidean()) return euclidean_gradient.vector().norm();
  Point step = x;
  gradient(x, euclidean_gradient, step);
  if (!has_border()) return norm(x, step);
  step.vector() *= -1.0;
  Point moved = x;
  retract(x, step, moved);
  return (moved.vector() - x.vector()).norm();
}

}  // namespace alidade
