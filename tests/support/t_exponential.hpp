// The deformed logarithm and exponential, and the bounded transform of a loss that is made from them.
// [AVW16] Amid, Vlassis, Warmuth, "t-Exponential Triplet Embedding" (arXiv:1611.09957), Eq. 3 to 6.
// Temperatures are positive; t = 1 gives ln and exp, and all functions are continuous there.
#pragma once

namespace alidade::triplet {

/// log_t(x) = (x^{1-t} - 1) / (1 - t) for x >= 0; minus infinity or -1/(1-t) at 0. [AVW16] Eq. 3.
[[nodiscard]] double log_t(double x, double t);

/// exp_t(x) = [1 + (1-t) x]_+^{1/(1-t)}, the inverse of log_t on its range; 0 below it (t < 1),
/// infinity above it (t > 1). [AVW16] Eq. 4.
[[nodiscard]] double exp_t(double x, double t);

/// log_t(1 + loss) for loss >= 0, accurate for small losses: 0 at 0, slope (1 + loss)^{-t},
/// below 1/(t-1) for t > 1. [AVW16] Eq. 5 and 6.
[[nodiscard]] double bounded_loss(double loss, double t);

}  // namespace alidade::triplet
