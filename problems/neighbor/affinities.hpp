// Neighbour probabilities of given perplexity: p_ij = exp(-beta_i D_ij) / sum over l != i of exp(-beta_i D_il).
// [HR02] Hinton & Roweis 2002; beta_i = 1 / (2 sigma_i^2) makes the entropy of row i ln(perplexity), to 1e-10.
// D are squared dissimilarities. Everything is in closed form, ln p_ij = -beta_i D_ij - log_normalizer_i, so nothing is
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
  bool capped = false;  // too many ties at the least D: no beta has that entropy; beta gives 1e-6 more than theirs
};

/// beta of a row, by Newton steps on ln beta inside a bracket until |entropy - ln(perplexity)| <= 1e-10.
/// `squared`: D_ij of row i; j = `self` is left out (a value out of range leaves none out). If all D are equal,
/// beta is their inverse.
/// @pre 1 < perplexity < number of others; entries finite, >= 0. O(n) a step, about 8 steps.
[[nodiscard]] RowAffinity calibrate(std::span<const double> squared, Index self, double perplexity);

/// ln sum over the others of exp(-beta D), and the entropy at this beta. O(n).
[[nodiscard]] RowAffinity affinity_at(std::span<const double> squared, Index self, double beta);

/// The calibration of all rows.
struct Affinities {
  Vector beta;            // n
  Vector log_normalizer;  // n
  Index capped = 0;       // number of rows
};
/// @throws ConfigError unless 1 < perplexity < n - 1. Same bits for any number of threads. O(n^2 (p + 8)).
[[nodiscard]] Affinities affinities(const DissimilarityRows& rows, double perplexity, Executor& executor);

/// Checks a perplexity for n objects. @throws ConfigError
void require_perplexity(double perplexity, Index n);
/// A third of the other objects, but at least 1.5: the largest default perplexity for n objects.
[[nodiscard]] double largest_usual_perplexity(Index n);
/// A note for the row.
[[nodiscard]] std::string lowered_perplexity_note(double requested, double lowered);

}  // namespace alidade::neighbor
