// What a problem's numbers are measured in, and what they are multiplied by to be in units of the data.
// Data in extreme units are rescaled before a problem is made of them, so that neither float nor a tolerance meets
// them. Only maps and what is decoded with them are handed out in units of the data; faces and objectives are not.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace alidade {

class Problem;
struct FeatureFrame;

/// By which power of the data's unit the numbers of a problem are multiplied when that of the data is: of a problem
/// whose map is in units of the data and whose objective is a sum of squared distances, 1 and 2.
struct UnitPowers {
  double map = 0, objective = 0;
  std::vector<std::pair<std::string, double>> estimates{};  // by name; 0 of others
  bool of_dissimilarities = false;                          // the unit is theirs even where there are features
};

/// What numbers of a problem are multiplied by to be in units of the data; other than 1 where the data were in extreme
/// units.
struct UnitFactors {
  double map = 1, objective = 1;
};

/// A problem made of data that were divided by `unit`: it hands out its maps, their estimates and the projector, which
/// takes features in `frame`, in units of the data.
[[nodiscard]] Problem in_units(const Problem& problem, double unit, FeatureFrame frame);

}  // namespace alidade
