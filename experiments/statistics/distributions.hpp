// Tail probabilities and quantiles of the distributions used in tests and intervals.
// Boost.Math behind plain functions; the studentized range with infinitely many degrees of freedom by quadrature of P(Q
// < q) = k \int phi(z) (Phi(z) - Phi(z - q))^(k-1) dz.
// Arguments must be finite and in the stated ranges; they are not checked.
#pragma once

namespace alidade::statistics {

/// Phi(z), and the z of a probability in (0, 1).
[[nodiscard]] double normal_probability(double z);
[[nodiscard]] double normal_quantile(double probability);

/// P(|T| >= |t|) of Student's t, degrees > 0; t may be infinite.
[[nodiscard]] double student_two_sided(double t, double degrees);
/// The t with P(|T| >= t) = level, in (0, 1).
[[nodiscard]] double student_two_sided_quantile(double level, double degrees);

/// P(X >= hits) of `trials` > 0 independent trials of this probability; 0 < hits <= trials.
[[nodiscard]] double binomial_upper(double hits, double trials, double probability);

/// P(X >= x), x >= 0.
[[nodiscard]] double chi_squared_upper(double x, double degrees);
[[nodiscard]] double f_upper(double x, double degrees_between, double degrees_within);

/// P(Q < q) of the range of k >= 2 standard normals; to about 1e-12.
[[nodiscard]] double studentized_range_probability(double q, int k);
/// The q with P(Q >= q) = level, in (0, 1).
[[nodiscard]] double studentized_range_quantile(double level, int k);

}  // namespace alidade::statistics
