// A matrix of reference numbers, as files of JSON hold them: an array of its rows.
// Rows are of equal length, and there is one at least.
// Nothing else is checked here.
#pragma once

#include <nlohmann/json.hpp>

#include "problems/core/types.hpp"

namespace alidade::testing {

[[nodiscard]] inline Matrix matrix_of(const nlohmann::json& rows) {
  Matrix out(static_cast<Index>(rows.size()), static_cast<Index>(rows[0].size()));
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j)
      out(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].get<double>();
  return out;
}

}  // namespace alidade::testing
