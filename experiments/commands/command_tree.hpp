// The command line as data: commands, options and arguments, as command_line.cpp declares them to its parser.
// completion.hpp and man_page.hpp are made from it: they do not know the parser and are always current.
// Plain values.
#pragma once

#include <string>
#include <vector>

namespace alidade {

struct OptionDescription {
  std::vector<std::string> names;  // "-o", "--out"; an argument has its name only
  std::string doc;
  bool takes_value = false;
  bool required = false;
  bool several = false;      // may be given more than once
  std::string default_text;  // "" if none is shown
};

struct CommandDescription {
  std::string name;
  std::string doc;
  std::vector<OptionDescription> options;
  std::vector<OptionDescription> arguments;  // in their order
  std::vector<CommandDescription> commands;
};

}  // namespace alidade
