#include "problems/neighbor/grid_repulsion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <unsupported/Eigen/FFT>

namespace alidade::neighbor {
namespace {

constexpr double kWidestSpacing = 0.4;  // of a kernel with nu >= 1
constexpr double kFewestCells = 50;     // along the longer side
constexpr std::size_t kBandRows = 16;   // of cells, at once; more than a spline is wide
constexpr Index kLinesAtOnce = 8;
constexpr std::size_t kBeyond = 12;  // nodes over which what a spline's inverse adds has faded

/// A cubic spline's weights of the nodes at -1, 0, 1 and 2 for a place t in [0, 1].
template <class Real>
std::array<Real, 4> spline(Real t) {
  const Real r = 1 - t;
  return {r * r * r / 6, (3 * t * t * (t - 2) + 4) / 6, (3 * r * r * (r - 2) + 4) / 6, t * t * t / 6};
}

/// A length that is fast to transform, with room for 2 `nodes`.
std::size_t padded_length(std::size_t nodes) {
  const std::size_t needed = 2 * nodes + kBeyond;
  for (std::size_t power = 32;; power *= 2)
    for (const std::size_t eighths : std::array<std::size_t, 5>{8, 9, 10, 12, 15})
      if (power * eighths / 8 >= needed) return power * eighths / 8;
}

/// Squares of what the splines of a period of `length` nodes make of its waves: 1 / |b|^2 of [EPBDLP95].
std::vector<double> squared_gain(std::size_t length) {
  std::vector<double> out(length);
  for (std::size_t k = 0; k < length; ++k) {
    const double gain = (2 + std::cos(2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length))) / 3;
    out[k] = gain * gain;
  }
  return out;
}

/// Places of n around a circle, seen from 0: 0, 1, ..., -2, -1.
double around(std::size_t k, std::size_t n) {
  return k <= n / 2 ? static_cast<double>(k) : static_cast<double>(k) - static_cast<double>(n);
}

template <class Real>
Eigen::FFT<Real> transform() {
  Eigen::FFT<Real> out;
  out.SetFlag(Eigen::FFT<Real>::HalfSpectrum);
  out.SetFlag(Eigen::FFT<Real>::Unscaled);
  return out;
}

}  // namespace

template <class Real>
std::optional<double> GridRepulsion<Real>::sums(std::span<const Real> y, double nu, std::size_t most_nodes,
                                                double* force, Executor& executor) {
  const std::size_t n = y.size() / 2;
  std::array<double, 2> low, high;
  for (std::size_t c = 0; c < 2; ++c) low[c] = high[c] = static_cast<double>(y[c]);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < 2; ++c) {
      low[c] = std::min(low[c], static_cast<double>(y[2 * i + c]));
      high[c] = std::max(high[c], static_cast<double>(y[2 * i + c]));
    }
  const double side = std::max(high[0] - low[0], high[1] - low[1]);
  const double widest = kWidestSpacing * std::min(1.0, std::sqrt(nu));
  if (!(side > 0) || !(side / widest < static_cast<double>(most_nodes))) return std::nullopt;
  // Halved until there are enough cells: so the kernel serves many iterations of a growing map.
  spacing_ = std::ldexp(widest, -std::max(0, static_cast<int>(std::ceil(std::log2(kFewestCells * widest / side)))));
  for (std::size_t c = 0; c < 2; ++c) {
    axes_[c].first = std::floor(low[c] / spacing_);
    axes_[c].cells = static_cast<std::size_t>(std::floor(high[c] / spacing_) - axes_[c].first) + 1;
    axes_[c].padded = padded_length(axes_[c].nodes());
  }
  if (axes_[0].padded * axes_[1].padded > most_nodes) return std::nullopt;
  transform_kernel(nu, executor);
  sort_into_cells(y);
  spread(executor);
  const double total = convolve(executor);
  gather(force, executor);
  return total;
}

template <class Real>
void GridRepulsion<Real>::sort_into_cells(std::span<const Real> y) {
  const std::size_t n = y.size() / 2, cells = bands() * kBandRows * axes_[1].cells;
  const double per_step = 1 / spacing_;
  const auto place = [&](std::size_t i, std::size_t c) {
    return std::max(0.0, static_cast<double>(y[2 * i + c]) * per_step - axes_[c].first);
  };
  const auto cell = [&](std::size_t i, std::size_t c) {
    return std::min(static_cast<std::size_t>(place(i, c)), axes_[c].cells - 1);
  };
  cell_of_.resize(n);
  begin_.assign(cells + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = cell(i, 0), band = row / kBandRows;
    cell_of_[i] = static_cast<std::uint32_t>((band * axes_[1].cells + cell(i, 1)) * kBandRows + row % kBandRows);
    ++begin_[cell_of_[i]];
  }
  std::exclusive_scan(begin_.begin(), begin_.end(), begin_.begin(), 0U);
  order_.resize(n);
  within_.resize(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t p = begin_[cell_of_[i]]++;
    order_[p] = static_cast<std::uint32_t>(i);
    for (std::size_t c = 0; c < 2; ++c)
      within_[2 * p + c] = static_cast<Real>(place(i, c) - static_cast<double>(cell(i, c)));
  }
  std::shift_right(begin_.begin(), begin_.end(), 1);
  begin_.front() = 0;
}

template <class Real>
std::size_t GridRepulsion<Real>::bands() const {
  return (axes_[0].cells + kBandRows - 1) / kBandRows;
}

template <class Real>
template <class Use>
void GridRepulsion<Real>::for_each_point(std::size_t band, const Use& use) const {
  std::size_t cell = band * axes_[1].cells * kBandRows;
  for (std::size_t column = 0; column < axes_[1].cells; ++column)
    for (std::size_t row = band * kBandRows; row < (band + 1) * kBandRows; ++row, ++cell)
      for (std::size_t p = begin_[cell]; p < begin_[cell + 1]; ++p)
        use(p, row * axes_[1].padded + column, spline(within_[2 * p]), spline(within_[2 * p + 1]));
}

template <class Real>
void GridRepulsion<Real>::transform_kernel(double nu, Executor& executor) {
  const std::size_t rows = axes_[0].padded, length = axes_[1].padded, width = columns();
  if (kernel_spacing_ == spacing_ && kernel_nu_ == nu && kernel_padded_[0] == rows && kernel_padded_[1] == length)
    return;
  kernel_spacing_ = spacing_, kernel_nu_ = nu, kernel_padded_[0] = rows, kernel_padded_[1] = length;
  const std::vector<double> row_gain = squared_gain(rows), column_gain = squared_gain(length);
  const double scale = 1 / (static_cast<double>(rows) * static_cast<double>(length));
  std::vector<std::complex<double>> spectrum(rows * width);
  // 0: u; 1 and 2: u v t along an axis, whose transforms are odd and imaginary.
  for (std::size_t kind = 0; kind < 3; ++kind) {
    std::vector<Real>& out = kind == 0 ? sum_kernel_ : force_kernels_[kind - 1];
    out.resize(width * rows);
    executor.run_chunks(static_cast<Index>(rows), kLinesAtOnce, [&](const Chunk& chunk) {
      auto fft = transform<double>();
      std::vector<double> line(length);
      for (auto i = static_cast<std::size_t>(chunk.first); i < static_cast<std::size_t>(chunk.last); ++i) {
        const double a = spacing_ * around(i, rows);
        for (std::size_t k = 0; k < length; ++k) {
          const double b = spacing_ * around(k, length), v = 1 / (1 + (a * a + b * b) / nu);
          const double u = nu == 1 ? v : std::pow(v, 0.5 * (nu + 1));
          // Halfway around an odd kernel has no sign.
          line[k] = kind == 0 ? u : kind == 1 ? (2 * i == rows ? 0 : u * v * a) : (2 * k == length ? 0 : u * v * b);
        }
        fft.fwd(spectrum.data() + i * width, line.data(), static_cast<Index>(length));
      }
    });
    executor.run_chunks(static_cast<Index>(width), kLinesAtOnce, [&](const Chunk& chunk) {
      auto fft = transform<double>();
      std::vector<std::complex<double>> column(rows), transformed(rows);
      for (auto k = static_cast<std::size_t>(chunk.first); k < static_cast<std::size_t>(chunk.last); ++k) {
        for (std::size_t i = 0; i < rows; ++i) column[i] = spectrum[i * width + k];
        fft.fwd(transformed.data(), column.data(), static_cast<Index>(rows));
        for (std::size_t i = 0; i < rows; ++i) {
          const double part = kind == 0 ? transformed[i].real() : transformed[i].imag();
          out[k * rows + i] = static_cast<Real>(part * scale / (row_gain[i] * column_gain[k]));
        }
      }
    });
  }
}

template <class Real>
void GridRepulsion<Real>::spread(Executor& executor) {
  const std::size_t length = axes_[1].padded;
  charges_.assign(axes_[0].nodes() * length, Real{0});
  // Points of a band reach into the next one, but no farther.
  for (std::size_t odd = 0; odd < 2; ++odd)
    executor.run(static_cast<Index>((bands() + 1 - odd) / 2), [&](Index half) {
      for_each_point(2 * static_cast<std::size_t>(half) + odd,
                     [&](std::size_t, std::size_t node, const auto& a, const auto& b) {
                       Real* row = charges_.data() + node;
                       for (std::size_t r = 0; r < 4; ++r, row += length)
                         for (std::size_t k = 0; k < 4; ++k) row[k] += a[r] * b[k];
                     });
    });
}

template <class Real>
double GridRepulsion<Real>::convolve(Executor& executor) {
  const std::size_t nodes = axes_[0].nodes(), rows = axes_[0].padded, length = axes_[1].padded, width = columns();
  for (std::vector<Complex>& spectrum : spectra_) spectrum.resize(nodes * width);
  for (std::vector<Real>& field : fields_) field.resize(nodes * length);
  executor.run_chunks(static_cast<Index>(nodes), kLinesAtOnce, [&](const Chunk& chunk) {
    auto fft = transform<Real>();
    for (auto i = static_cast<std::size_t>(chunk.first); i < static_cast<std::size_t>(chunk.last); ++i)
      fft.fwd(spectra_[0].data() + i * width, charges_.data() + i * length, static_cast<Index>(length));
  });
  std::vector<double> parts(static_cast<std::size_t>(chunk_count(static_cast<Index>(width), kLinesAtOnce)), 0.0);
  executor.run_chunks(static_cast<Index>(width), kLinesAtOnce, [&](const Chunk& chunk) {
    auto fft = transform<Real>();
    std::vector<Complex> column(rows), charge(rows), product(rows);
    double sum = 0;
    for (auto k = static_cast<std::size_t>(chunk.first); k < static_cast<std::size_t>(chunk.last); ++k) {
      for (std::size_t i = 0; i < nodes; ++i) column[i] = spectra_[0][i * width + k];
      std::fill(column.begin() + static_cast<std::ptrdiff_t>(nodes), column.end(), Complex{});
      fft.fwd(charge.data(), column.data(), static_cast<Index>(rows));
      const Real* kernel = sum_kernel_.data() + k * rows;
      double power = 0;
      for (std::size_t i = 0; i < rows; ++i) power += static_cast<double>(std::norm(charge[i]) * kernel[i]);
      sum += (k == 0 || 2 * k == length ? 1 : 2) * power;  // one half of the spectrum stands for the other
      for (std::size_t c = 0; c < 2; ++c) {
        kernel = force_kernels_[c].data() + k * rows;
        for (std::size_t i = 0; i < rows; ++i)
          product[i] = {-charge[i].imag() * kernel[i], charge[i].real() * kernel[i]};
        fft.inv(column.data(), product.data(), static_cast<Index>(rows));
        for (std::size_t i = 0; i < nodes; ++i) spectra_[c][i * width + k] = column[i];
      }
    }
    parts[static_cast<std::size_t>(chunk.number)] = sum;
  });
  executor.run_chunks(static_cast<Index>(2 * nodes), kLinesAtOnce, [&](const Chunk& chunk) {
    auto fft = transform<Real>();
    for (auto line = static_cast<std::size_t>(chunk.first); line < static_cast<std::size_t>(chunk.last); ++line) {
      const std::size_t c = line / nodes, i = line % nodes;
      fft.inv(fields_[c].data() + i * length, spectra_[c].data() + i * width, static_cast<Index>(length));
    }
  });
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

template <class Real>
void GridRepulsion<Real>::gather(double* force, Executor& executor) const {
  const std::size_t length = axes_[1].padded;
  executor.run(static_cast<Index>(bands()), [&](Index band) {
    for_each_point(static_cast<std::size_t>(band), [&](std::size_t p, std::size_t node, const auto& a, const auto& b) {
      for (std::size_t c = 0; c < 2; ++c) {
        const Real* row = fields_[c].data() + node;
        Real sum = 0;
        for (std::size_t r = 0; r < 4; ++r, row += length)
          sum += a[r] * (b[0] * row[0] + b[1] * row[1] + b[2] * row[2] + b[3] * row[3]);
        force[2 * order_[p] + c] = static_cast<double>(sum);
      }
    });
  });
}

template class GridRepulsion<float>;
template class GridRepulsion<double>;

}  // namespace alidade::neighbor
