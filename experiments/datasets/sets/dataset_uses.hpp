// Which of the configurations that come with the source use which data set.
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

/// Sorted by configuration; a data set once for each.
[[nodiscard]] std::span<const DatasetUse> dataset_uses();

}  // namespace alidade::datasets
