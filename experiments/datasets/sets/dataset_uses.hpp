// Which data sets the configurations in the source tree use.
// dataset_uses.cmake reads them when the build is configured.
// A configuration that includes another's data sets is not listed for them.
#pragma once

#include <span>
#include <string_view>

namespace alidade::datasets {

struct DatasetUse {
  std::string_view dataset;
  std::string_view config;  // file below experiments/configs
};

/// Sorted by configuration; each data set once per configuration.
[[nodiscard]] std::span<const DatasetUse> dataset_uses();

}  // namespace alidade::datasets
