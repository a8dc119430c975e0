// Weekly sea-surface temperatures of the four Nino regions, as NOAA's Climate Prediction Center writes them.
// Four lines of header, then a week a line in fixed columns: " 03JAN1990     23.4-0.4     25.1-0.3 ...".
// Nothing need stand between a temperature and the anomaly after it, so that columns alone separate them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problems/core/types.hpp"

namespace alidade::datasets {

struct SeaTemperatures {
  std::vector<std::string> weeks;  // the day on which each is centred: "03JAN1990"
  Matrix degrees;                  // weeks x 4, Celsius: Nino 1+2, 3, 3.4 and 4
};

/// `name` stands for the file in messages. @throws DataError "file:line: what is wrong and what to do"
[[nodiscard]] SeaTemperatures parse_sea_temperatures(std::string_view text, const std::string& name);

}  // namespace alidade::datasets
