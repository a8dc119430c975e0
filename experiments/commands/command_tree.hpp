// The command line as data: commands, their options and arguments, as main.cpp declares them to its parser.
// What completion.hpp and man_page.hpp write is made of this, so that neither knows the parser nor falls behind it.
// Plain values.
#pragma once

#include <string>
#include <vector>

namespace alidade {

struct OptionDescription {
  std::vector<std::string> names;  // "-o", "--out"; of an argument its name alone
  std::string doc;
  bool takes_value = false;
  bool required = false;
  bool several = false;      // may be given more than once
  std::string default_text;  // "" where none is shown
};

struct CommandDescription {
  std::string name;
  std::string doc;
  std::vector<OptionDescription> options;
  std::vector<OptionDescription> arguments;  // in their order
  std::vector<CommandDescription> commands;
};

}  // namespace alidade
