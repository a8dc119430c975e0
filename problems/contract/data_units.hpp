// The units of a problem's numbers, and the factors that convert them to units of the data.
// Data in extreme units are rescaled before a problem is made, so that they stay within the range of float and of
// tolerances. Problems whose unknowns are distances also choose a unit of their own (their mean dissimilarity), so
// that a solver's first step and tolerances do not depend on the unit of the data.
// Only maps and what is decoded with them are in units of the data; faces and objectives are not.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace alidade {

class Problem;
struct FeatureFrame;

/// How a problem's numbers scale with the unit of the data: multiplying that unit by c multiplies them by c^power. A
/// map
/// in units of the data has power 1, and an objective that sums squared distances has power 2.
struct UnitPowers {
  double map = 0, objective = 0;
  std::vector<std::pair<std::string, double>> estimates{};  // by name; all others have power 0
  bool of_dissimilarities = false;  // the unit of the dissimilarities, even if there are features
  /// The objective's, in a common factor of the weights of answers: 1 for a sum over answers. Weights are divided by
  /// their typical_weight() before a problem is made, so that this changes no map.
  double weights = 0;
};

/// The factors that convert a problem's numbers to units of the data.
struct UnitFactors {
  double map = 1, objective = 1;
  /// By how much an objective of the problem, at any feasible point, may differ from that of the data, whose weights it
  /// has rounded; in its own unit.
  double rounding = 0;
};

/// A problem made of data that were divided by `unit`. Its maps, their estimates and its projector, which takes
/// features
/// in `frame`, are in units of the data. The objective was divided by `objective_scale` too.
[[nodiscard]] Problem in_units(const Problem& problem, double unit, FeatureFrame frame, double objective_scale);
/// A problem made of data that were divided by `unit`, and without a projector. The objective was divided by
/// `objective_scale` too, which has no unit. `rounding`: see UnitFactors.
[[nodiscard]] Problem in_own_units(const Problem& problem, double unit, double objective_scale = 1,
                                   double rounding = 0);

}  // namespace alidade
