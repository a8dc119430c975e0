#include "problems/scaling/scaled_dissimilarities.hpp"

#include <utility>

#include "problems/distances/classical_scaling.hpp"
#include "problems/distances/dissimilarity_rows.hpp"

namespace alidade::scaling {

ScaledDissimilarities scaled_dissimilarities(const Observations& observations, std::string_view problem, Index d,
                                             Executor& executor) {
  auto squared = squared_dissimilarities<double>(DissimilarityRows(observations, problem), executor);
  ScaledDissimilarities out;
  out.unit = squared.mean;
  squared.values /= squared.mean * squared.mean;
  out.classical = classical_scaling(squared.values, d, executor).coordinates;
  out.values = std::move(squared.values);
  out.values = out.values.cwiseSqrt();
  return out;
}

}  // namespace alidade::scaling
