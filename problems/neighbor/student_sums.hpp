// Sums over pairs of points of a map with Student's kernel, v = 1 / (1 + s / nu) and u = v^((nu + 1) / 2) for a squared
// distance s: [vdMH08] Eq. 4 and 5 are nu = 1, [KLSKB19] any nu. They give attraction and repulsion.
// Points are read coordinate by coordinate, in whole vectors. The sums of one point are in Real; callers add these in
// double.
#pragma once

#include <cstddef>
#include <span>

#include "problems/core/types.hpp"
#include "problems/core/vector_math.hpp"

namespace alidade::neighbor {

/// Numbers of points are padded to a multiple of this; padding has weight 0 and any finite place.
inline constexpr std::size_t kPointsAtOnce = 16;
[[nodiscard]] constexpr std::size_t whole_vectors(std::size_t count) {
  return (count + kPointsAtOnce - 1) / kPointsAtOnce * kPointsAtOnce;
}

/// Points that act on others.
template <class Real>
struct Sources {
  const Real* coordinates = nullptr;  // d rows of `stride`; `count` of each are read
  std::size_t stride = 0;
  const Real* weights = nullptr;  // m: count
  std::size_t count = 0;          // a multiple of kPointsAtOnce
};

/// Output for `count` points, row by row.
struct SumsOut {
  double* force = nullptr;      // count x d
  double* magnitude = nullptr;  // count x d; null, with `weight`: not requested
  double* weight = nullptr;     // count
};

/// For points y (count x d, row by row) and sources x with weights m, t = y - x:
///   attraction  force = sum of m v t, magnitude = sum of m v |t|, weight = sum of m v; returned: sum of m ln(1 + s /
///   nu)
///   repulsion   force = sum of m u v t, magnitude = sum of m u v |t|, weight = sum of m u v; returned: sum of m u
/// Attraction unless `repel`. A source at the point itself adds nothing to force and magnitude, 1 to a sum of u.
/// In float within about 1e-6 of the sum of magnitudes. O(count sources d).
template <class Real>
[[nodiscard]] double student_sums(bool repel, std::span<const Real> y, Index d, double nu, const Sources<Real>& sources,
                                  const SumsOut& out, InstructionSet instructions = best_instruction_set());
extern template double student_sums(bool, std::span<const float>, Index, double, const Sources<float>&, const SumsOut&,
                                    InstructionSet);
extern template double student_sums(bool, std::span<const double>, Index, double, const Sources<double>&,
                                    const SumsOut&, InstructionSet);

/// Coordinates of some of the points y (n x d, row by row), as Sources have them: d rows of ids.size().
template <class Real>
void copy_places(std::span<const Real> y, Index d, std::span<const ObjectId> ids, Real* out);
extern template void copy_places(std::span<const float>, Index, std::span<const ObjectId>, float*);
extern template void copy_places(std::span<const double>, Index, std::span<const ObjectId>, double*);

}  // namespace alidade::neighbor
