// Ready methods that are commands: scripts for programs that many people use, which the program holds.
// Their texts are files of experiments/adapters/, whose first lines say what each is.
// Example: `alidade list adapters rtsne.R` prints one.
#pragma once

#include <string>
#include <vector>

namespace alidade {

struct Adapter {
  std::string name;     // of its file
  std::string summary;  // its first line
};

[[nodiscard]] const std::vector<Adapter>& adapters();

}  // namespace alidade
