#include "problems/spaces/product_manifold.hpp"

#include <algorithm>

#include "problems/core/error.hpp"
#include "problems/spaces/domain.hpp"

namespace alidade {
namespace {

/// Calls visit(manifold, first, count) for every part.
template <class Visit>
void each_part(const std::vector<ProductManifold::Part>& parts, Visit visit) {
  std::size_t first = 0;
  for (const ProductManifold::Part& part : parts) {
    const auto count = static_cast<std::size_t>(part.cols);
    std::visit([&](const auto& m) { visit(m, first, count); }, part.manifold);
    first += count;
  }
}

}  // namespace

static_assert(RowManifold<ProductManifold>);

ProductManifold::ProductManifold(std::vector<Part> parts) : parts_(std::move(parts)) {
  require<ConfigError>(!parts_.empty(), "A product of manifolds needs parts.");
  std::vector<DomainBlock> blocks;
  for (const Part& part : parts_)
    blocks.push_back({fmt::format("part {} of a product", blocks.size() + 1), 1, part.cols, part.manifold});
  static_cast<void>(Domain(std::move(blocks)));
}

std::string ProductManifold::name() const {
  std::string out;
  for (const Part& part : parts_) {
    if (!out.empty()) out += " x ";
    out += std::visit([](const auto& m) { return m.name(); }, part.manifold);
  }
  return out;
}

bool ProductManifold::fits(Index cols) const {
  Index sum = 0;
  for (const Part& part : parts_) sum += part.cols;
  return cols == sum;
}

void ProductManifold::project(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
  each_part(parts_, [&](const auto& m, std::size_t a, std::size_t n) {
    m.project(x.subspan(a, n), v.subspan(a, n), out.subspan(a, n));
  });
}

void ProductManifold::gradient(ConstRowSpan x, ConstRowSpan g, RowSpan out) const {
  each_part(parts_, [&](const auto& m, std::size_t a, std::size_t n) {
    m.gradient(x.subspan(a, n), g.subspan(a, n), out.subspan(a, n));
  });
}

void ProductManifold::frame(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
  each_part(parts_, [&](const auto& m, std::size_t a, std::size_t n) {
    m.frame(x.subspan(a, n), v.subspan(a, n), out.subspan(a, n));
  });
}

void ProductManifold::retract(ConstRowSpan x, ConstRowSpan v, RowSpan out) const {
  each_part(parts_, [&](const auto& m, std::size_t a, std::size_t n) {
    m.retract(x.subspan(a, n), v.subspan(a, n), out.subspan(a, n));
  });
}

void ProductManifold::transport(ConstRowSpan x, ConstRowSpan x_new, ConstRowSpan v, RowSpan out) const {
  each_part(parts_, [&](const auto& m, std::size_t a, std::size_t n) {
    m.transport(x.subspan(a, n), x_new.subspan(a, n), v.subspan(a, n), out.subspan(a, n));
  });
}

double ProductManifold::inner(ConstRowSpan x, ConstRowSpan u, ConstRowSpan v) const {
  double sum = 0;
  each_part(parts_, [&](const auto& m, std::size_t a, std::size_t n) {
    sum += m.inner(x.subspan(a, n), u.subspan(a, n), v.subspan(a, n));
  });
  return sum;
}

void ProductManifold::repair(ConstRowSpan x, RowSpan out) const {
  each_part(parts_, [&](const auto& m, std::size_t a, std::size_t n) { m.repair(x.subspan(a, n), out.subspan(a, n)); });
}

void ProductManifold::random(Rng& rng, RowSpan out) const {
  each_part(parts_, [&](const auto& m, std::size_t a, std::size_t n) { m.random(rng, out.subspan(a, n)); });
}

double ProductManifold::residual(ConstRowSpan x) const {
  double worst = 0;
  each_part(parts_,
            [&](const auto& m, std::size_t a, std::size_t n) { worst = std::max(worst, m.residual(x.subspan(a, n))); });
  return worst;
}

Index ProductManifold::dimension(Index) const {
  Index sum = 0;
  for (const Part& part : parts_)
    sum += std::visit([&](const auto& m) { return m.dimension(part.cols); }, part.manifold);
  return sum;
}

bool ProductManifold::has_border() const {
  return std::ranges::any_of(
      parts_, [](const Part& part) { return std::visit([](const auto& m) { return m.has_border(); }, part.manifold); });
}

}  // namespace alidade
