// Weekly sea-surface temperatures of the four Nino regions, as published by NOAA's Climate Prediction Center.
// Four header lines, then one week per line in fixed columns: " 03JAN1990     23.4-0.4     25.1-0.3 ...".
// A temperature and its anomaly may touch, so only columns separate them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::datasets {

struct SeaTemperatures {
  std::vector<std::string> weeks;  // the day at the centre of each: "03JAN1990"
  Matrix degrees;                  // weeks x 4, Celsius: Nino 1+2, 3, 3.4 and 4
};

/// Messages call the text `name`. @throws DataError "file:line: what is wrong and what to do"
[[nodiscard]] SeaTemperatures parse_sea_temperatures(std::string_view text, const std::string& name);

}  // namespace alidade::datasets
