#include "tests/support/domain_laws.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/support/approx.hpp"

namespace alidade::testing {
namespace {

using Values = std::vector<double>;

Values random_values(std::size_t size, Rng& rng, double scale = 1) {
  Values out(size);
  for (double& v : out) v = scale * rng.normal();
  return out;
}

double dot(ConstRowSpan a, ConstRowSpan b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double distance(ConstRowSpan a, ConstRowSpan b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

template <class M>
void check_laws(const M& m, std::size_t cols, Rng& rng) {
  const std::string name = m.name();
  CAPTURE(name);
  CAPTURE(cols);
  Values x(cols), other(cols);
  m.random(rng, x);
  m.random(rng, other);
  const double size = largest_entry(x);
  const double rounding = 1e-14 * (1 + size);
  CHECK(m.residual(x) <= rounding);
  CHECK_FALSE(same_bits(x, other));

  // Projection: idempotent, self-adjoint, of the right rank.
  const Values u = random_values(cols, rng), w = random_values(cols, rng);
  Values pu(cols), pw(cols), twice(cols);
  m.project(x, u, pu);
  m.project(x, w, pw);
  m.project(x, pu, twice);
  CHECK(all_close(twice, pu, kSum));
  CHECK(close(dot(pu, w), dot(u, pw), {1e-12, 1e-13}));
  double trace = 0;
  for (std::size_t i = 0; i < cols; ++i) {
    Values unit(cols, 0.0), image(cols);
    unit[i] = 1;
    m.project(x, unit, image);
    trace += image[i];
  }
  CHECK(close(trace, static_cast<double>(m.dimension(static_cast<Index>(cols))), {1e-12, 1e-12}));
  Values in_place = u;
  m.project(x, in_place, in_place);
  CHECK(same_bits(in_place, pu));

  // Metric: symmetric, positive, and the Riemannian gradient represents the Euclidean one in it.
  CHECK(close(m.inner(x, pu, pw), m.inner(x, pw, pu), {1e-13, 1e-13}));
  CHECK(m.inner(x, pu, pu) > 0);
  Values gradient(cols);
  m.gradient(x, u, gradient);
  CHECK(close(m.inner(x, gradient, pw), dot(u, pw), {1e-11, 1e-12}));
  Values tangent(cols);
  m.project(x, gradient, tangent);
  CHECK(all_close(tangent, gradient, kSum));
  Values over_u = u;
  m.gradient(x, over_u, over_u);
  CHECK(same_bits(over_u, gradient));

  // Frame: symmetric, an isometry of the tangent space, the square root of the gradient's map.
  Values fu(cols), fw(cols);
  m.frame(x, u, fu);
  m.frame(x, w, fw);
  CHECK(close(dot(fu, w), dot(u, fw), {1e-12, 1e-13}));
  CHECK(close(m.inner(x, fu, fw), dot(pu, pw), {1e-11, 1e-12}));
  m.frame(x, fu, fu);
  CHECK(all_close(fu, gradient, kSum));

  // Retraction: of zero the identity, first order, on the manifold even for long steps; aliases allowed.
  Values moved(cols);
  m.retract(x, Values(cols, 0.0), moved);
  CHECK(distance(moved, x) <= rounding);
  const auto remainder = [&](double t) {
    Values step = pu;
    for (double& v : step) v *= t;
    m.retract(x, step, moved);
    for (std::size_t i = 0; i < cols; ++i) step[i] += x[i];
    return distance(moved, step);
  };
  double room = std::min(1.0, size);  // how far x is from a border, if there is one
  if (m.has_border())
    for (double t = 1; t > 1e-6 && remainder(t) > 0; t /= 2) room = t / 2;
  for (const double t : {1e-2, 1e-3}) {
    CAPTURE(t);
    const double here = remainder(t * room), further = remainder(2 * t * room);
    CHECK((here <= 16 * rounding || std::abs(std::log2(further / here) - 2) < 0.1));
  }
  for (const double t : {1e-3, 1.0, 30.0, 1e4}) {
    Values step = pu;
    for (double& v : step) v *= t;
    m.retract(x, step, moved);
    CHECK(m.residual(moved) <= 1e-14 * (1 + largest_entry(moved)));
    CHECK(std::isfinite(largest_entry(moved)));
    Values over_x = x;
    m.retract(over_x, step, over_x);
    CHECK(same_bits(over_x, moved));
    m.retract(x, step, step);
    CHECK(same_bits(step, moved));
  }

  // Transport: tangent where it arrives, linear, nothing to do for no move; may write over its argument.
  Values carried(cols), image(cols);
  m.retract(x, pu, moved);
  m.transport(x, moved, pw, carried);
  m.project(moved, carried, image);
  CHECK(all_close(image, carried, {1e-12, 1e-13}));
  Values sum(cols), sum_carried(cols), pu_carried(cols);
  for (std::size_t i = 0; i < cols; ++i) sum[i] = 2 * pu[i] - 3 * pw[i];
  m.transport(x, moved, pu, pu_carried);
  m.transport(x, moved, sum, sum_carried);
  for (std::size_t i = 0; i < cols; ++i) sum[i] = 2 * pu_carried[i] - 3 * carried[i];
  CHECK(all_close(sum_carried, sum, {1e-12, 1e-12}));
  m.transport(x, x, pu, image);
  CHECK(all_close(image, pu, kSum));
  Values over_pw = pw;
  m.transport(x, moved, over_pw, over_pw);
  CHECK(same_bits(over_pw, carried));

  // Repair: nothing to do on the manifold, brings back what left it, aliases allowed.
  Values repaired(cols);
  m.repair(x, repaired);
  CHECK(distance(repaired, x) <= rounding);
  for (const double away : {1e-3, 1.0, 100.0}) {
    Values ambient = random_values(cols, rng, away);
    for (std::size_t i = 0; i < cols; ++i) ambient[i] += x[i];
    m.repair(ambient, repaired);
    CHECK(m.residual(repaired) <= 1e-14 * (1 + largest_entry(repaired)));
    m.repair(ambient, ambient);
    CHECK(same_bits(ambient, repaired));
  }
  m.repair(Values(cols, 0.0), repaired);
  CHECK(m.residual(repaired) <= rounding);
}

}  // namespace

void check_row_manifold(const Manifold& manifold, Index cols, Rng& rng) {
  std::visit([&](const auto& m) { check_laws(m, static_cast<std::size_t>(cols), rng); }, manifold);
}

void check_domain(const Domain& domain, Rng& rng) {
  const Point x = domain.random(rng);
  CHECK(domain.residual(x) <= 1e-14 * (1 + largest_entry(x.flat())));
  Point u = domain.zero(), w = domain.zero(), pu = domain.zero(), pw = domain.zero();
  for (double& v : u.flat()) v = rng.normal();
  for (double& v : w.flat()) v = rng.normal();
  domain.project(x, u, pu);
  domain.project(x, w, pw);
  Point gradient = domain.zero(), moved = domain.zero(), carried = domain.zero();
  Point framed = domain.zero();
  domain.frame(x, u, framed);
  domain.gradient(x, u, gradient);
  domain.retract(x, pu, moved);
  domain.transport(x, moved, pw, carried);
  Point repaired = x;
  repaired.vector() += 0.3 * u.vector();
  domain.repair(repaired);
  CHECK(domain.residual(repaired) <= 1e-14 * (1 + largest_entry(repaired.flat())));
  Point unmoved = domain.zero();
  domain.retract(x, domain.zero(), unmoved);
  CHECK(all_close(unmoved.flat(), x.flat(), kRounding));
  Point alias = x;
  domain.retract(alias, pu, alias);
  CHECK(same_bits(alias.flat(), moved.flat()));

  // Rowwise = whole.
  double inner = 0, residual = 0;
  Index dimension = 0;
  std::size_t place = 0;
  for (const DomainBlock& block : domain.blocks()) {
    const auto cols = static_cast<std::size_t>(block.cols);
    std::visit(
        [&](const auto& m) {
          dimension += block.rows * m.dimension(block.cols);
          for (Index r = 0; r < block.rows; ++r, place += cols) {
            const auto row = [&](const Point& p) { return p.flat().subspan(place, cols); };
            Values out(cols);
            m.project(row(x), row(u), out);
            CHECK(same_bits(out, row(pu)));
            m.gradient(row(x), row(u), out);
            CHECK(same_bits(out, row(gradient)));
            m.frame(row(x), row(u), out);
            CHECK(same_bits(out, row(framed)));
            m.retract(row(x), row(pu), out);
            CHECK(same_bits(out, row(moved)));
            m.transport(row(x), row(moved), row(pw), out);
            CHECK(same_bits(out, row(carried)));
            inner += m.inner(row(x), row(pu), row(pw));
            residual = std::max(residual, m.residual(row(x)));
          }
        },
        block.manifold);
  }
  CHECK(place == x.flat().size());
  CHECK(domain.dimension() == dimension);
  CHECK(domain.inner(x, pu, pw) == inner);
  CHECK(domain.residual(x) == residual);
  CHECK(close(domain.norm(x, pu) * domain.norm(x, pu), domain.inner(x, pu, pu), kRounding));
  CHECK(domain.stationarity(x, domain.zero()) <= 1e-14 * (1 + largest_entry(x.flat())));
  CHECK(domain.stationarity(x, u) > 0);
}

}  // namespace alidade::testing
