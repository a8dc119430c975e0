// Neighbour probabilities of given perplexity: p_ij = exp(-beta_i D_ij) / sum over l != i of exp(-beta_i D_il).
// [HR02] Hinton & Roweis 2002; beta_i = 1 / (2 sigma_i^2) is where the entropy of row i is ln(perplexity), to 1e-10.
// D are squared dissimilarities; all is in closed form, ln p_ij = -beta_i D_ij - log_normalizer_i, so nothing is
// floored.
#pragma once

#include <span>
#include <string>

#include "problems/core/executor.hpp"
#include "problems/core/types.hpp"
#include "problems/distances/dissimilarity_rows.hpp"

namespace alidade::neighbor {

struct RowAffinity {
  double beta = 0;            // >= 0
  double log_normalizer = 0;  // ln sum over the others of exp(-beta D)
  double entropy = 0;         // nats
  bool capped = false;  // so many are equally near that no beta has that entropy; beta is that of 1e-6 more than theirs
};

/// beta of a row, by Newton steps on ln beta inside a bracket until |entropy - ln(perplexity)| <= 1e-10.
/// `squared`: D_ij of row i, with j = `self` left out (any other value: none is). Where all others are equally near,
/// beta is the inverse of their D.
/// @pre 1 < perplexity < number of others; entries finite, >= 0. O(n) a step, about 8 steps.
[[nodiscard]] RowAffinity calibrate(std::span<const double> squared, Index self, double perplexity);

/// ln sum over the others of exp(-beta D), and the entropy that goes with it. O(n).
[[nodiscard]] RowAffinity affinity_at(std::span<const double> squared, Index self, double beta);

/// What every row is calibrated to.
struct Affinities {
  Vector beta;            // n
  Vector log_normalizer;  // n
  Index capped = 0;       // rows
};
/// @throws ConfigError unless 1 < perplexity < n - 1. Same bits for any number of threads. O(n^2 (p + 8)).
[[nodiscard]] Affinities affinities(const DissimilarityRows& rows, double perplexity, Executor& executor);

/// The check of a perplexity that goes with it. @throws ConfigError
void require_perplexity(double perplexity, Index n);
/// A third of the other objects, but at least 1.5: the most that a default of few objects may be.
[[nodiscard]] double largest_usual_perplexity(Index n);
/// For the row's notes.
[[nodiscard]] std::string lowered_perplexity_note(double given, double lowered);

}  // namespace alidade::neighbor
