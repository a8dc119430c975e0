#include "problems/triplet_sums/class_block_kernel.hpp"

#include <algorithm>
#include <optional>

#include "problems/core/wide_call.hpp"
#include "problems/triplet_sums/log_product.hpp"
#include "problems/triplet_sums/loss_sum.hpp"

namespace alidade::triplet {
namespace {

constexpr std::size_t kPadding = 8;  // numbers that vector loops may read or write beyond the end

/// The inputs (distances) and outputs (slopes) of one anchor's loop.
struct Rows {
  const std::uint64_t* mask = nullptr;  // null: all selected
  std::uint64_t first_bit = 0;          // of the row of the first near object
  std::size_t near_count = 0;           // members without the anchor
  std::size_t far_count = 0;
  const double* near_distance = nullptr;
  const double* far_distance = nullptr;  // padded
  double* near_slope = nullptr;
  double* far_slope = nullptr;       // padded, zeros
  double* far_similarity = nullptr;  // padded, scratch
};

/// The 64 bits from `bit` on. @pre a word follows the last
[[gnu::always_inline]] inline std::uint64_t bits_at(const std::uint64_t* mask, std::uint64_t bit) {
  const std::uint64_t low = mask[bit / 64] >> (bit % 64);
  return bit % 64 == 0 ? low : low | (mask[bit / 64 + 1] << (64 - bit % 64));
}

/// Forms f = ln(1 + q(b) / q(a)): q, and so every exponential, is needed once per object, not per triplet.
template <class Form>
inline constexpr bool kOfSimilarities = false;
template <Tail tail>
inline constexpr bool kOfSimilarities<RatioForm<tail, Cap::t1>> = true;

/// -ln q(s), and its derivative.
template <class V>
struct Decay {
  V value, slope;
};
template <Tail tail, class V>
[[gnu::always_inline]] inline Decay<V> decay(const RatioForm<tail, Cap::t1>& form, const V& s) {
  if constexpr (tail == Tail::exponential) {
    return {s, splat<V>(1)};
  } else if constexpr (tail == Tail::cauchy) {
    return {log1p_of_nonnegative(s), 1 / (s + 1)};
  } else {
    return {log1p_of_nonnegative(V(s * form.c)) * form.m, form.m * form.c / (s * form.c + 1)};
  }
}

/// The sum by similarities, in which a triplet costs a product and a quotient. Returns nothing and does nothing if
/// distances differ so much that the exponentials would lose digits.
template <int bytes, class Form>
[[gnu::always_inline]] inline std::optional<double> sum_by_similarity(const Form& form, const Rows& rows) {
  using V = Vec<double, bytes>;
  using Bits = Vec<std::int64_t, bytes>;
  constexpr int L = kLanes<V>;
  constexpr double kWidest = 200;  // e^200: errors of about 1e-14
  if (rows.near_count == 0 || rows.far_count == 0) return 0;
  const auto [near_least, near_most] = std::minmax_element(rows.near_distance, rows.near_distance + rows.near_count);
  const auto [far_least, far_most] = std::minmax_element(rows.far_distance, rows.far_distance + rows.far_count);
  const double least = decay(form, std::min(*near_least, *far_least)).value;
  const double largest = decay(form, std::max(*near_most, *far_most)).value;
  if (!(largest - least <= kWidest)) return std::nullopt;

  for (std::size_t f = 0; f < rows.far_count; f += L) {
    const V s = load<V>(rows.far_distance + f);
    store<V>(rows.far_similarity + f, exp_of_nonpositive(V(splat<V>(least) - decay(form, s).value)));
  }
  // Padded distances are 0, less than the least; a similarity of 0 makes them have no effect.
  for (std::size_t f = rows.far_count; f < rows.far_count + kPadding; ++f) rows.far_similarity[f] = 0;
  Bits lane;
  for (int i = 0; i < L; ++i) lane[i] = i;
  LogProduct<V> total;
  for (std::size_t near = 0; near < rows.near_count; ++near) {
    const Decay<double> of_near = decay(form, rows.near_distance[near]);
    const V scale = splat<V>(1 / exp_of_nonpositive(least - of_near.value));
    V near_sum{};
    const std::uint64_t row_bit = rows.first_bit + near * rows.far_count;
    for (std::size_t f = 0; f < rows.far_count; f += L) {
      V odds = load<V>(rows.far_similarity + f) * scale;
      if (rows.mask) {
        const Bits chosen = ((Bits{} + static_cast<std::int64_t>(bits_at(rows.mask, row_bit + f))) >> lane) & 1;
        odds *= __builtin_convertvector(chosen, V);
      }
      total.add(odds);
      const V share = odds / (odds + 1);
      near_sum += share;
      store<V>(rows.far_slope + f, load<V>(rows.far_slope + f) - share);
    }
    rows.near_slope[near] = sum_lanes(near_sum) * of_near.slope;
  }
  for (std::size_t f = 0; f < rows.far_count; f += L)
    store<V>(rows.far_slope + f, load<V>(rows.far_slope + f) * decay(form, load<V>(rows.far_distance + f)).slope);
  return sum_lanes(total.sum());
}

template <int bytes, class Form>
[[gnu::always_inline]] inline double sum_by_term(const Form& form, const Rows& rows) {
  using V = Vec<double, bytes>;
  using Bits = Vec<std::int64_t, bytes>;
  constexpr int L = kLanes<V>;
  Bits lane;
  for (int i = 0; i < L; ++i) lane[i] = i;
  LossSum<Form, V, false> total;
  for (std::size_t near = 0; near < rows.near_count; ++near) {
    const V a = splat<V>(rows.near_distance[near]);
    V near_slope{};
    const std::uint64_t row_bit = rows.first_bit + near * rows.far_count;
    for (std::size_t begin = 0; begin < rows.far_count; begin += 64) {
      const std::size_t left = std::min<std::size_t>(64, rows.far_count - begin);
      std::uint64_t bits = rows.mask ? bits_at(rows.mask, row_bit + begin) : ~std::uint64_t{0};
      if (left < 64) bits &= (std::uint64_t{1} << left) - 1;
      const bool all = bits == ~std::uint64_t{0};
      for (std::size_t f = begin; f < begin + left; f += L) {
        V weight = splat<V>(1);
        if (!all) weight = __builtin_convertvector(((Bits{} + static_cast<std::int64_t>(bits)) >> lane) & 1, V);
        const LossTerm<V> term = total.add(form, a, load<V>(rows.far_distance + f), weight);
        near_slope += weight * term.d_near;
        store<V>(rows.far_slope + f, load<V>(rows.far_slope + f) + weight * term.d_far);
        bits >>= L;
      }
    }
    rows.near_slope[near] = sum_lanes(near_slope);
  }
  return total.total();
}

/// Wide ranges are rare, so that one instruction set is enough for them.
template <class Form>
[[gnu::noinline]] double sum_wide_range(const Form& form, const Rows& rows) {
  return sum_by_term<16>(form, rows);
}

template <int bytes, class Form>
[[gnu::always_inline]] inline double sum_rows(const Form& form, const Rows& rows) {
  if constexpr (kOfSimilarities<Form>) {
    const auto sum = sum_by_similarity<bytes>(form, rows);
    return sum ? *sum : sum_wide_range(form, rows);
  } else {
    return sum_by_term<bytes>(form, rows);
  }
}

double squared_distance(const double* a, const double* b, std::size_t d) {
  double sum = 0;
  for (std::size_t c = 0; c < d; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

/// g_i += 2 s (y_i - y_o), g_o -= 2 s (y_i - y_o).
void add_pair(double slope, ObjectId i, ObjectId o, const double* y, std::size_t d, double* gradient) {
  for (std::size_t c = 0; c < d; ++c) {
    const double pull = 2 * slope * (y[i * d + c] - y[o * d + c]);
    gradient[i * d + c] += pull;
    gradient[o * d + c] -= pull;
  }
}

}  // namespace

AnchorBlocks anchor_blocks(const AttributeTable& table, std::uint64_t least) {
  AnchorBlocks out;
  const auto& classes = table.class_blocks();
  const std::uint64_t chunks = std::clamp<std::uint64_t>(table.size() / least, 1, 16);
  std::uint64_t seen = 0;
  out.chunk_begin.push_back(0);
  for (std::uint32_t b = 0; b < classes.size(); ++b) {
    const std::uint64_t per_anchor = (classes[b].members.size() - 1) * classes[b].far_count();
    for (std::uint32_t member = 0; member < classes[b].members.size(); ++member) {
      if (seen >= table.size() / chunks * out.chunk_begin.size() && out.chunk_begin.size() < chunks)
        out.chunk_begin.push_back(out.blocks.size());
      out.blocks.push_back({b, member});
      seen += per_anchor;
    }
  }
  out.chunk_begin.push_back(out.blocks.size());
  return out;
}

std::vector<std::uint64_t> mention_counts(const TableSelection& selection) {
  std::vector<std::uint64_t> count(static_cast<std::size_t>(selection.table->object_count()), 0);
  for (const AttributeTable::ClassBlock& block : selection.table->class_blocks()) {
    const std::uint64_t m = block.members.size(), fars = block.far_count();
    const auto far_id = [&](std::size_t k) {
      return k < block.before.size() ? block.before[k] : block.after[k - block.before.size()];
    };
    if (selection.mask.empty()) {
      for (const ObjectId i : block.members) count[i] += 2 * (m - 1) * fars;
      for (std::size_t f = 0; f < fars; ++f) count[far_id(f)] += m * (m - 1);
      continue;
    }
    std::uint64_t bit = block.first;
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b < m; ++b) {
        if (b == a) continue;
        for (std::size_t f = 0; f < fars; ++f, ++bit) {
          if (!(selection.mask[static_cast<std::size_t>(bit / 64)] >> (bit % 64) & 1U)) continue;
          ++count[block.members[a]];
          ++count[block.members[b]];
          ++count[far_id(f)];
        }
      }
  }
  return count;
}

double add_class_blocks(const TripletLoss& loss, const TableSelection& selection, std::span<const AnchorBlock> blocks,
                        std::span<const double> y, Index d, std::span<double> gradient, ClassBlockWorkspace& work) {
  const auto& classes = selection.table->class_blocks();
  const auto cols = static_cast<std::size_t>(d);
  return with_form(loss, [&](const auto& form) {
    const InstructionSet best = best_instruction_set();
    double total = 0;
    for (const AnchorBlock& at : blocks) {
      const AttributeTable::ClassBlock& block = classes[at.block];
      const ObjectId anchor = block.members[at.member];
      const double* ya = y.data() + anchor * cols;
      Rows rows;
      rows.near_count = block.members.size() - 1;
      rows.far_count = block.far_count();
      if (!selection.mask.empty()) rows.mask = selection.mask.data();
      rows.first_bit = block.first + at.member * rows.near_count * rows.far_count;
      work.near_distance.resize(rows.near_count);
      work.near_slope.resize(rows.near_count);
      work.far_distance.resize(rows.far_count + kPadding);
      work.far_slope.assign(rows.far_count + kPadding, 0.0);
      work.far_similarity.resize(rows.far_count + kPadding);
      const auto near_id = [&](std::size_t k) { return block.members[k < at.member ? k : k + 1]; };
      const auto far_id = [&](std::size_t k) {
        return k < block.before.size() ? block.before[k] : block.after[k - block.before.size()];
      };
      for (std::size_t k = 0; k < rows.near_count; ++k)
        work.near_distance[k] = squared_distance(ya, y.data() + near_id(k) * cols, cols);
      for (std::size_t k = 0; k < rows.far_count; ++k)
        work.far_distance[k] = squared_distance(ya, y.data() + far_id(k) * cols, cols);
      std::fill_n(work.far_distance.begin() + static_cast<std::ptrdiff_t>(rows.far_count), kPadding, 0.0);
      rows.near_distance = work.near_distance.data();
      rows.far_distance = work.far_distance.data();
      rows.near_slope = work.near_slope.data();
      rows.far_slope = work.far_slope.data();
      rows.far_similarity = work.far_similarity.data();
      total += call_in_lanes(
          best, [&](auto bytes) __attribute__((always_inline)) { return sum_rows<bytes>(form, rows); });
      if (gradient.empty()) continue;
      for (std::size_t k = 0; k < rows.near_count; ++k)
        add_pair(work.near_slope[k], anchor, near_id(k), y.data(), cols, gradient.data());
      for (std::size_t k = 0; k < rows.far_count; ++k)
        add_pair(work.far_slope[k], anchor, far_id(k), y.data(), cols, gradient.data());
    }
    return total;
  });
}

}  // namespace alidade::triplet
