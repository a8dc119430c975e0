#include <algorithm>
#include <array>
#include <limits>

#include "experiments/metrics/metric.hpp"

namespace alidade::metrics {

double triplet_error(const Embedding& embedding, const TripletSource& triplets) {
  const std::uint64_t size = triplets.size();
  if (size == 0) return std::numeric_limits<double>::quiet_NaN();
  std::array<Triplet, 1024> buffer;
  std::uint64_t violated = 0;
  for (std::uint64_t begin = 0; begin < size; begin += buffer.size()) {
    const std::span<Triplet> batch(
        buffer.data(), static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size - begin)));
    triplets.read(begin, batch);
    for (const Triplet& t : batch) {
      const Matrix& y = embedding.maps[embedding.maps.size() > 1 ? t.aspect : 0].coordinates;
      const double* yi = y.row(t.anchor).data();
      const double* yj = y.row(t.near).data();
      const double* yk = y.row(t.far).data();
      double a = 0, b = 0;
      for (Index c = 0; c < y.cols(); ++c) {
        a += (yi[c] - yj[c]) * (yi[c] - yj[c]);
        b += (yi[c] - yk[c]) * (yi[c] - yk[c]);
      }
      violated += a < b ? 0U : 1U;
    }
  }
  return static_cast<double>(violated) / static_cast<double>(size);
}

}  // namespace alidade::metrics
