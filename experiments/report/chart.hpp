// The frame of a figure with two axes: a box with ticks and titles, and a legend of methods below it.
// Pixels as in svg.hpp; the drawing grows with its legend.
// Scales must not be empty: low < high.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "experiments/report/svg.hpp"

namespace alidade::report {

struct LegendEntry {
  std::size_t k = 0;  // of the palette
  std::string name;
};

class Chart {
 public:
  /// The scales get their pixels here.
  Chart(Scale x, Scale y, const std::string& x_title, const std::string& y_title,
        const std::vector<LegendEntry>& legend);
  [[nodiscard]] Pixel at(double x, double y) const { return {x_(x), y_(y)}; }
  [[nodiscard]] const Scale& x() const { return x_; }
  [[nodiscard]] const Scale& y() const { return y_; }
  SvgDrawing& drawing() { return drawing_; }

 private:
  Scale x_, y_;
  SvgDrawing drawing_;
};

/// A scale from the least to the greatest of `values`, widened where they are one.
[[nodiscard]] Scale scale_of(const std::vector<double>& values, bool logarithmic, bool from_zero);

}  // namespace alidade::report
