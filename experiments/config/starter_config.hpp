// Writes a first configuration: short, with comments from the records of config_keys, run in seconds.
// Its data come with the program, or are the user's file of answers, features or distances.
// `alidade init` writes this text; it parses, checks and runs without changes.
#pragma once

#include <string>

namespace alidade {

enum class StarterData { embedded, triplets, features, distances };

struct Starter {
  std::string name;       // of the experiment
  std::string file_name;  // of the configuration, for its comments
  StarterData data = StarterData::embedded;
  std::string data_file{};                    // the user's file, as the configuration names it
  std::string name_column{}, label_column{};  // of features; name_column also of distances; "": none
  std::string answers{}, order{};             // of triplets; "": triplets, and columns named by a header
  std::string max_size{};                     // of the user's file; "": the default
  std::string adapters{};                     // folder of scripts of other programs to add as methods; "": none
};

[[nodiscard]] std::string starter_config(const Starter& starter);

/// The text of a starter configuration with one more setting, "repeats=5" or "dataset.0.scale=standard": its line is
/// changed, or made. @throws ConfigError if the path has no line of its own, or the setting is wrong.
[[nodiscard]] std::string with_setting(const std::string& text, const std::string& assignment);

}  // namespace alidade
