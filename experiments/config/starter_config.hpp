// A configuration to start from: short, commented by the records of config_keys, run in seconds.
// On data that come with the program, or on the user's own file of answers, of features or of distances.
// The text is what `alidade init` writes; it parses, checks and runs as it stands.
#pragma once

#include <string>

namespace alidade {

enum class StarterData { embedded, triplets, features, distances };

struct Starter {
  std::string name;       // of the experiment
  std::string file_name;  // of the configuration, for its comments
  StarterData data = StarterData::embedded;
  std::string data_file{};                    // of the user's own: as the configuration is to name it
  std::string name_column{}, label_column{};  // of features, the former of distances too; "": none
  std::string answers{}, order{};             // of triplets; "": triplets, and columns as a header names them
};

[[nodiscard]] std::string starter_config(const Starter& starter);

}  // namespace alidade
