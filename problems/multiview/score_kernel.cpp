#include "problems/multiview/score_kernel.hpp"

#include <algorithm>
#include <array>

#include "problems/core/wide_call.hpp"
#include "problems/multiview/score_term.hpp"
#include "problems/multiview/tangent_map.hpp"
#include "problems/triplet_sums/log_product.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a call: everything is inlined

namespace alidade::multiview {
namespace {

constexpr std::size_t kWidest = 8;     // lanes of the widest vector of doubles
constexpr double kLargestAlpha = 100;  // of sums without exponentials a triplet

/// One anchor of one class. Objects of the aspect are numbered by class, coordinates stored by column.
struct AnchorWork {
  std::size_t dimension = 0;  // K
  std::size_t count = 0,
              padded = 0;                      // objects of the aspect; up to a multiple of the widest vector
  std::size_t anchor = 0, begin = 0, end = 0;  // its number, and those of its class
  double alpha = 0, delta = 1;
  const std::uint64_t* mask = nullptr;  // null: all selected
  std::uint64_t first_bit = 0;          // of the row of the first near object
  const double* coordinates = nullptr;  // (K + 1) x padded: those of the map, then the heights x . y
  double* gradient = nullptr;           // the same, added to; null: not asked for
  double* normal_gradient = nullptr;    // K, added to: in tangent coordinates
  double d_delta = 0;                   // added to
  // By object, each `padded` long.
  double *near_row = nullptr,
         *near_dot_row = nullptr;  // exp(-alpha d), exp(alpha (y . y - 1)); or d and y . y
  double* inverse_distance = nullptr;
  double *far_row = nullptr,
         *far_dot_row = nullptr;  // near_row and near_dot_row of the far objects, then 0
  double *far_slope = nullptr, *far_dot_slope = nullptr;
  double *slope = nullptr, *dot_slope = nullptr;  // d value / d distance, d value / d dot product

  [[nodiscard]] std::size_t far_count() const { return count - (end - begin); }
  [[nodiscard]] std::size_t near_count() const { return end - begin - 1; }
  /// Number of far object f.
  [[nodiscard]] std::size_t far_number(std::size_t f) const { return f < begin ? f : f + (end - begin); }
  [[nodiscard]] bool selected(std::uint64_t bit) const {
    return mask == nullptr || (mask[bit / 64] >> (bit % 64) & 1U) != 0;
  }
};

/// Distances and dot products of all objects with the anchor, exponentiated or not.
template <int bytes, bool kMixed, bool kExponentials>
[[gnu::always_inline]] inline void compare_with_anchor(const AnchorWork& w) {
  using V = Vec<double, bytes>;
  const double* heights = w.coordinates + w.dimension * w.padded;
  for (std::size_t i = 0; i < w.padded; i += kLanes<V>) {
    V squared{}, dot{};
    for (std::size_t c = 0; c < w.dimension; ++c) {
      const double* column = w.coordinates + c * w.padded;
      const V other = load<V>(column + i);
      const V apart = column[w.anchor] - other;
      squared += apart * apart;
      if constexpr (kMixed) dot += column[w.anchor] * other;
    }
    const RootPair<V> root = roots_of_nonnegative(squared);
    store<V>(w.inverse_distance + i, select(root.root < kLeastDistance, V{}, root.inverse));
    if constexpr (kMixed) dot += heights[w.anchor] * load<V>(heights + i);
    if constexpr (kExponentials) {
      store<V>(w.near_row + i, exp_of_nonpositive(V(-w.alpha * root.root)));
      if constexpr (kMixed) {
        const V exponent = w.alpha * (dot - 1);
        store<V>(w.near_dot_row + i, exp_of_nonpositive(V(exponent < 0 ? exponent : V{})));
      }
    } else {
      store<V>(w.near_row + i, root.root);
      if constexpr (kMixed) store<V>(w.near_dot_row + i, dot);
    }
  }
}

/// The 64 bits from `bit` on. @pre a word follows the last
[[gnu::always_inline]] inline std::uint64_t bits_at(const std::uint64_t* mask, std::uint64_t bit) {
  const std::uint64_t low = mask[bit / 64] >> (bit % 64);
  return bit % 64 == 0 ? low : low | (mask[bit / 64 + 1] << (64 - bit % 64));
}

/// Sums all triplets of the anchor: returns their value and leaves slopes by object.
template <int bytes, bool kMixed, bool kMasked>
[[gnu::always_inline]] inline double sum_triplets(AnchorWork& w) {
  using V = Vec<double, bytes>;
  using Bits = Vec<std::int64_t, bytes>;
  constexpr std::size_t L = kLanes<V>;
  Bits lane;
  for (std::size_t i = 0; i < L; ++i) lane[i] = static_cast<std::int64_t>(i);
  const std::size_t far_count = w.far_count();
  triplet::LogProduct<V> value;
  V d_delta{};
  std::uint64_t row_bit = w.first_bit;
  for (std::size_t near = w.begin; near < w.end; ++near) {
    if (near == w.anchor) continue;
    const double up = 1 / w.near_row[near];
    const double dot_up = kMixed ? 1 / w.near_dot_row[near] : 0;
    V slope{}, dot_slope{};
    for (std::size_t begin = 0; begin < far_count; begin += 64) {
      const std::size_t end = std::min(begin + 64, far_count);
      std::uint64_t bits = 0;
      if constexpr (kMasked) {
        bits = bits_at(w.mask, row_bit + begin);
        if (end - begin < 64) bits &= (std::uint64_t{1} << (end - begin)) - 1;
      }
      for (std::size_t f = begin; f < end; f += L) {
        V u = load<V>(w.far_row + f) * up;
        V v{};
        if constexpr (kMixed) v = load<V>(w.far_dot_row + f) * dot_up;
        if constexpr (kMasked) {
          const Bits chosen = ((Bits{} + static_cast<std::int64_t>(bits)) >> lane) & 1;
          const V weight = __builtin_convertvector(chosen, V);
          bits >>= L;
          u *= weight;
          if constexpr (kMixed) v *= weight;
        }
        if constexpr (kMixed) {
          const MixtureRatios<V> ratios = mixture_ratios(u, v, w.delta);
          value.add(ratios.excess);
          slope += ratios.local;
          dot_slope += ratios.global;
          d_delta += ratios.d_delta;
          store<V>(w.far_slope + f, load<V>(w.far_slope + f) + ratios.local);
          store<V>(w.far_dot_slope + f, load<V>(w.far_dot_slope + f) + ratios.global);
        } else {
          const V share = u / (u + 1);
          value.add(u);
          slope += share;
          store<V>(w.far_slope + f, load<V>(w.far_slope + f) + share);
        }
      }
    }
    row_bit += far_count;
    w.slope[near] = sum_lanes(slope);
    if constexpr (kMixed) w.dot_slope[near] = sum_lanes(dot_slope);
  }
  w.d_delta -= sum_lanes(d_delta);
  return sum_lanes(value.sum());
}

/// As above for any alpha, with exponentials per triplet. The slopes include the factors alpha, delta and 1 - delta.
double sum_triplets_in_logarithms(AnchorWork& w, bool mixed) {
  double value = 0;
  std::uint64_t bit = w.first_bit;
  for (std::size_t near = w.begin; near < w.end; ++near) {
    if (near == w.anchor) continue;
    for (std::size_t f = 0; f < w.far_count(); ++f, ++bit) {
      if (!w.selected(bit)) continue;
      const double longer = w.near_row[near] - w.far_row[f];
      const MixtureTerm term = mixed ? mixture_term(w.alpha, w.delta, longer, w.far_dot_row[f] - w.near_dot_row[near])
                                     : map_term(w.alpha, longer);
      value += term.loss;
      w.d_delta -= term.d_delta;
      w.slope[near] += term.local;
      w.far_slope[f] += term.local;
      w.dot_slope[near] += term.global;
      w.far_dot_slope[f] += term.global;
    }
  }
  return value;
}

/// Slopes of near and far objects, scaled and signed, by number.
template <bool kMixed>
[[gnu::always_inline]] inline void gather_slopes(const AnchorWork& w, double local, double global) {
  for (std::size_t i = w.begin; i < w.end; ++i) {
    w.slope[i] *= local;
    if constexpr (kMixed) w.dot_slope[i] *= -global;
  }
  for (std::size_t f = 0; f < w.far_count(); ++f) {
    const std::size_t i = w.far_number(f);
    w.slope[i] = -local * w.far_slope[f];
    if constexpr (kMixed) w.dot_slope[i] = global * w.far_dot_slope[f];
  }
}

/// Gradients of map coordinates, heights and normal from the slopes.
template <int bytes, bool kMixed>
[[gnu::always_inline]] inline void add_pairs(const AnchorWork& w) {
  using V = Vec<double, bytes>;
  const double* heights = w.coordinates + w.dimension * w.padded;
  double* height_gradient = w.gradient + w.dimension * w.padded;
  for (std::size_t c = 0; c < w.dimension; ++c) {
    const double* column = w.coordinates + c * w.padded;
    double* gradient = w.gradient + c * w.padded;
    V anchor_sum{}, normal_sum{};
    for (std::size_t i = 0; i < w.padded; i += kLanes<V>) {
      const V other = load<V>(column + i);
      const V pull = load<V>(w.slope + i) * load<V>(w.inverse_distance + i) * (column[w.anchor] - other);
      V change = -pull;
      anchor_sum += pull;
      normal_sum -= pull * (heights[w.anchor] - load<V>(heights + i));
      if constexpr (kMixed) {
        const V dot_slope = load<V>(w.dot_slope + i);
        change += dot_slope * column[w.anchor];
        anchor_sum += dot_slope * other;
      }
      store<V>(gradient + i, load<V>(gradient + i) + change);
    }
    gradient[w.anchor] += sum_lanes(anchor_sum);
    w.normal_gradient[c] += sum_lanes(normal_sum);
  }
  if constexpr (kMixed) {
    V anchor_sum{};
    for (std::size_t i = 0; i < w.padded; i += kLanes<V>) {
      const V dot_slope = load<V>(w.dot_slope + i);
      store<V>(height_gradient + i, load<V>(height_gradient + i) + dot_slope * heights[w.anchor]);
      anchor_sum += dot_slope * load<V>(heights + i);
    }
    height_gradient[w.anchor] += sum_lanes(anchor_sum);
  }
}

template <int bytes, bool kMixed>
[[gnu::always_inline]] inline double sum_anchor(AnchorWork& w) {
  const bool exponentials = w.alpha <= kLargestAlpha;
  if (exponentials)
    compare_with_anchor<bytes, kMixed, true>(w);
  else
    compare_with_anchor<bytes, kMixed, false>(w);
  const std::size_t far_count = w.far_count();
  const auto pack = [&](const double* row, double* far) {
    std::copy(row, row + w.begin, far);
    std::copy(row + w.end, row + w.count, far + w.begin);
    std::fill(far + far_count, far + w.padded, 0.0);
  };
  pack(w.near_row, w.far_row);
  std::fill_n(w.slope, w.padded, 0.0);
  std::fill_n(w.far_slope, w.padded, 0.0);
  if constexpr (kMixed) {
    pack(w.near_dot_row, w.far_dot_row);
    std::fill_n(w.dot_slope, w.padded, 0.0);
    std::fill_n(w.far_dot_slope, w.padded, 0.0);
  }
  double value = 0;
  if (!exponentials)
    value = sum_triplets_in_logarithms(w, kMixed);
  else if (w.mask)
    value = sum_triplets<bytes, kMixed, true>(w);
  else
    value = sum_triplets<bytes, kMixed, false>(w);
  if (!w.gradient) return value;
  gather_slopes<kMixed>(w, exponentials ? w.alpha * w.delta : 1, exponentials ? w.alpha * (1 - w.delta) : 1);
  add_pairs<bytes, kMixed>(w);
  return value;
}

/// Assigns the rows of `work`; only `mixed` sums use those of dot products.
void place_rows(AnchorWork& work, std::vector<double>& rows) {
  const std::array<double**, 9> places = {&work.near_row,      &work.near_dot_row, &work.inverse_distance,
                                          &work.far_row,       &work.far_dot_row,  &work.far_slope,
                                          &work.far_dot_slope, &work.slope,        &work.dot_slope};
  rows.assign(places.size() * work.padded, 0.0);
  for (std::size_t r = 0; r < places.size(); ++r) *places[r] = rows.data() + r * work.padded;
}

}  // namespace

double add_class_blocks(const ScorePoint& at, const triplet::TableSelection& selection,
                        std::span<const triplet::AnchorBlock> blocks, std::span<double> gradient,
                        ScoreWorkspace& workspace) {
  const auto cols = static_cast<std::size_t>(at.columns);
  const auto& classes = selection.table->class_blocks();
  const InstructionSet best = best_instruction_set();
  AnchorWork work;
  work.dimension = cols - 1;
  work.alpha = at.alpha;
  if (!selection.mask.empty()) work.mask = selection.mask.data();
  double total = 0;
  for (std::size_t b = 0; b < blocks.size();) {
    // All following anchors of the same aspect.
    const std::uint32_t aspect = classes[blocks[b].block].aspect;
    const std::span<const ObjectId> order = classes[blocks[b].block].order();
    const std::size_t map = at.map_of(aspect);
    const TangentFrame frame(at.normals.subspan(map * cols, cols));
    work.count = order.size();
    work.padded = (order.size() + kWidest - 1) / kWidest * kWidest;
    work.delta = at.mixed ? at.deltas[map] : 1;
    work.d_delta = 0;
    place_rows(work, workspace.rows);
    workspace.coordinates.assign(cols * work.padded, 0.0);
    std::vector<double> row(cols);
    for (std::size_t i = 0; i < order.size(); ++i) {
      row[cols - 1] = frame.coordinates(at.objects.data() + order[i] * cols, row.data());
      for (std::size_t c = 0; c < cols; ++c) workspace.coordinates[c * work.padded + i] = row[c];
    }
    work.coordinates = workspace.coordinates.data();
    if (!gradient.empty()) {
      workspace.gradient.assign(cols * work.padded, 0.0);
      workspace.normal_gradient.assign(cols, 0.0);
      work.gradient = workspace.gradient.data();
      work.normal_gradient = workspace.normal_gradient.data();
    }
    for (; b < blocks.size() && classes[blocks[b].block].aspect == aspect; ++b) {
      const AttributeTable::ClassBlock& block = classes[blocks[b].block];
      work.begin = block.before.size();
      work.end = work.begin + block.members.size();
      work.anchor = work.begin + blocks[b].member;
      work.first_bit = block.first + blocks[b].member * work.near_count() * work.far_count();
      total += call_in_lanes(
          best, [&](auto bytes) __attribute__((always_inline)) {
            return at.mixed ? sum_anchor<bytes, true>(work) : sum_anchor<bytes, false>(work);
          });
    }
    if (gradient.empty()) continue;
    const double* normal = at.normals.data() + map * cols;
    double* d_objects = gradient.data();
    double* d_normal = d_objects + at.objects.size() + map * cols;
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t c = 0; c < cols; ++c) row[c] = workspace.gradient[c * work.padded + i];
      double* place = d_objects + order[i] * cols;
      frame.add_lifted(row.data(), place);
      for (std::size_t c = 0; c < cols; ++c) place[c] += row[cols - 1] * normal[c];
    }
    frame.add_lifted(workspace.normal_gradient.data(), d_normal);
    d_objects[at.objects.size() + at.normals.size() + map] += work.d_delta;
  }
  return total;
}

double add_triplets(const ScorePoint& at, const TripletSource& source, std::uint64_t first, std::uint64_t last,
                    std::span<double> gradient) {
  constexpr std::size_t kBuffer = 1024;  // triplets read at once
  const auto cols = static_cast<std::size_t>(at.columns);
  std::vector<Triplet> buffer(std::min<std::size_t>(kBuffer, static_cast<std::size_t>(last - first)));
  std::vector<double> rows(4 * cols);
  const ScoreRows<double> d{rows.data(), rows.data() + cols, rows.data() + 2 * cols, rows.data() + 3 * cols};
  double total = 0;
  while (first < last) {
    const std::span<Triplet> read =
        std::span(buffer).first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), last - first)));
    source.read(first, read);
    first += read.size();
    for (const Triplet& t : read) {
      if (t.weight == 0) continue;
      const std::size_t map = at.map_of(t.aspect);
      const double* y = at.objects.data();
      const auto evaluate = [&]<std::size_t kColumns>() {
        return score_triplet<kColumns>(
            {cols, at.alpha, at.mixed ? at.deltas[map] : 1, at.mixed},
            {y + t.anchor * cols, y + t.near * cols, y + t.far * cols, at.normals.data() + map * cols}, t.weight, d);
      };
      const MixtureTerm term = cols == 3 ? evaluate.template operator()<3>() : evaluate.template operator()<0>();
      total += t.weight * term.loss;
      if (gradient.empty()) continue;
      double* d_objects = gradient.data();
      double* place = d_objects + at.objects.size() + map * cols;
      for (std::size_t c = 0; c < cols; ++c) {
        d_objects[t.anchor * cols + c] += d.anchor[c];
        d_objects[t.near * cols + c] += d.near[c];
        d_objects[t.far * cols + c] += d.far[c];
        place[c] += d.normal[c];
      }
      d_objects[at.objects.size() + at.normals.size() + map] -= t.weight * term.d_delta;
    }
  }
  return total;
}

}  // namespace alidade::multiview
