#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "experiments/metrics/metric.hpp"
#include "experiments/metrics/pair_judgements.hpp"

namespace alidade::metrics {
namespace {

constexpr std::size_t kMostEdges = 50'000;

/// An exact sum of doubles: J. Shewchuk, Adaptive precision floating-point arithmetic, DCG 18, 1997.
class ExactSum {
 public:
  void add_product(double x, double y) {
    const double high = x * y;
    add(std::fma(x, y, -high));
    add(high);
  }
  [[nodiscard]] int sign() const {
    for (std::size_t i = count_; i-- > 0;)
      if (parts_[i] != 0) return parts_[i] > 0 ? 1 : -1;
    return 0;
  }

 private:
  /// Parts do not overlap and grow in size, so the last nonzero part has the sign of the sum.
  void add(double value) {
    for (std::size_t i = 0; i < count_; ++i) {
      const double sum = value + parts_[i];
      const double kept = sum - value;
      parts_[i] = (value - (sum - kept)) + (parts_[i] - kept);
      value = sum;
    }
    parts_[count_++] = value;
  }
  std::array<double, 12> parts_{};
  std::size_t count_ = 0;
};

struct Edge {
  ObjectId i, j;
  std::array<double, 2> low, high;  // of its bounding box
};

bool share_object(const Edge& a, const Edge& b) { return a.i == b.i || a.i == b.j || a.j == b.i || a.j == b.j; }

}  // namespace

int orientation(const double* a, const double* b, const double* c) {
  const double left = (b[0] - a[0]) * (c[1] - a[1]), right = (b[1] - a[1]) * (c[0] - a[0]);
  const double area = left - right;
  // Twice the bound of Shewchuk's first stage.
  const double error = 8 * std::numeric_limits<double>::epsilon() * (std::abs(left) + std::abs(right));
  if (area > error) return 1;
  if (area < -error) return -1;
  ExactSum exact;
  exact.add_product(a[0], b[1]);
  exact.add_product(-a[0], c[1]);
  exact.add_product(b[0], c[1]);
  exact.add_product(-b[0], a[1]);
  exact.add_product(c[0], a[1]);
  exact.add_product(-c[0], b[1]);
  return exact.sign();
}

double edge_crossings(const Matrix& coordinates, const PairSigns& signs, const Executor& looked) {
  if (coordinates.cols() != 2 || coordinates.rows() != signs.object_count()) return kDoesNotApply;
  std::vector<Edge> drawn;
  std::vector<Edge> nowhere;
  for (const auto& [i, j] : signs.similar_pairs()) {
    if (j < i && signs.sign(static_cast<Index>(j), static_cast<Index>(i)) == 1) continue;  // once
    const auto a = coordinates.row(static_cast<Index>(i)), b = coordinates.row(static_cast<Index>(j));
    Edge edge{i, j, {}, {}};
    if (!a.allFinite() || !b.allFinite()) {
      nowhere.push_back(edge);
      continue;
    }
    for (std::size_t c = 0; c < 2; ++c) {
      const auto axis = static_cast<Index>(c);
      edge.low[c] = std::min(a[axis], b[axis]);
      edge.high[c] = std::max(a[axis], b[axis]);
    }
    drawn.push_back(edge);
  }
  if (drawn.size() + nowhere.size() > kMostEdges) return kDoesNotApply;
  std::uint64_t crossings = 0;
  for (std::size_t e = 0; e < nowhere.size(); ++e) {
    for (std::size_t f = 0; f < e; ++f) crossings += share_object(nowhere[e], nowhere[f]) ? 0U : 1U;
    for (const Edge& other : drawn) crossings += share_object(nowhere[e], other) ? 0U : 1U;
  }
  std::ranges::sort(drawn, {}, [](const Edge& edge) { return std::pair(edge.low[0], edge.low[1]); });
  const auto place = [&](ObjectId i) { return coordinates.row(static_cast<Index>(i)).data(); };
  for (std::size_t e = 0; e < drawn.size(); ++e) {
    looked.look();
    const Edge& a = drawn[e];
    for (std::size_t f = e + 1; f < drawn.size() && drawn[f].low[0] <= a.high[0]; ++f) {
      const Edge& b = drawn[f];
      if (b.low[1] > a.high[1] || b.high[1] < a.low[1] || share_object(a, b)) continue;
      // Their boxes meet, so they cross unless the ends of one lie strictly on one side of the other.
      const double *p = place(a.i), *q = place(a.j), *r = place(b.i), *s = place(b.j);
      if (orientation(p, q, r) * orientation(p, q, s) <= 0 && orientation(r, s, p) * orientation(r, s, q) <= 0)
        ++crossings;
    }
  }
  return static_cast<double>(crossings);
}

std::vector<MetricEntry> edge_crossings_metrics() {
  return {{"edge_crossings", "number of edge crossings on a map of two dimensions; every similar pair is an edge", "",
           "[0, inf)", false, "one map of two dimensions, and pair signs", of_pair_signs<edge_crossings>}};
}

}  // namespace alidade::metrics
