#include "experiments/commands/command.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "experiments/files/embedded_text.hpp"
#include "problems/core/text.hpp"

namespace alidade::commands {
namespace {

/// What the first argument of a command may be, or else the names of the commands below.
Words words_of_arguments(const Command& command) {
  Words out;
  for (const Command& below : command.commands) out.push_back(below.name);
  const auto argument = std::ranges::find_if(command.options, &CommandOption::is_argument);
  return out.empty() && argument != command.options.end() ? argument->values() : out;
}

/// Calls `visit(path, command)` for a command and all its subcommands; the program's path is "".
template <class Visit>
void walk(const Command& command, const std::string& path, const Visit& visit) {
  visit(path, command);
  for (const Command& inner : command.commands) walk(inner, path + " " + inner.name, visit);
}

/// The second argument of `list`, by the first.
std::string list_cases(std::string_view indent) {
  std::string out;
  for (const auto& [list, words] : names_by_list())
    out += fmt::format("{}{}) words='{}' ;;\n", indent, list, join(words, " "));
  return out;
}

std::string bash_script(const Command& root) {
  std::string paths, values, options, arguments;
  walk(root, "", [&](const std::string& path, const Command& command) {
    if (!path.empty()) paths += fmt::format("{}'{}'", paths.empty() ? "" : " | ", path);
    Words flags;
    for (const CommandOption& option : command.options) {
      if (option.is_argument()) continue;
      std::string cases;
      for (const std::string& name : option.names()) {
        flags.push_back(name);
        cases += fmt::format("{}'{} {}'", cases.empty() ? "" : " | ", path, name);
      }
      if (option.is_flag()) continue;
      const Words words = option.values();
      values += fmt::format("    {}) {} ;;\n", cases,
                            words.empty() ? "files=1" : fmt::format("words='{}'", join(words, " ")));
    }
    options += fmt::format("      '{}') words='{}' ;;\n", path, join(flags, " "));
    if (const Words words = words_of_arguments(command); !words.empty())
      arguments += fmt::format("      '{}') words='{}' ;;\n", path, join(words, " "));
  });
  return embedded_text("completion.bash", {{"%paths%", paths},
                                           {"%values%", values},
                                           {"%options%", options},
                                           {"%lists%", list_cases("        ")},
                                           {"%arguments%", arguments}});
}

/// A description for single quotes in zsh's _arguments and _describe.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c == '\n' ? ' ' : c;
    }
  }
  return out;
}

std::string zsh_value(const Words& words) {
  return words.empty() ? ":value:_files" : fmt::format(":value:({})", join(words, " "));
}

std::string zsh_script(const Command& root) {
  std::string functions;
  walk(root, "", [&](const std::string& path, const Command& command) {
    std::string name = path;
    std::ranges::replace(name, ' ', '_');
    std::string body;
    for (const CommandOption& option : command.options)
      if (!option.is_argument())
        for (const std::string& flag : option.names())
          body += fmt::format(" \\\n    '{}{}[{}]{}'",
                              option.is_several() ? "*" : fmt::format("({})", join(option.names(), " ")), flag,
                              zsh_text(option.doc), option.is_flag() ? "" : zsh_value(option.values()));
    if (!command.commands.empty()) {
      std::string inner, dispatch;
      for (const Command& below : command.commands) {
        inner += fmt::format("\n        '{}:{}'", below.name, zsh_text(below.doc));
        dispatch += fmt::format("        {}) _alidade{}_{} ;;\n", below.name, name, below.name);
      }
      functions += fmt::format(
          "_alidade{}() {{\n  local curcontext=$curcontext state line\n  local -a commands\n"
          "  _arguments -C{} \\\n    '1: :->command' '*:: :->rest'\n  case $state in\n    command)\n"
          "      commands=({})\n      _describe command commands ;;\n    rest)\n      case $words[1] in\n{}      esac "
          ";;\n  esac\n}}\n",
          name, body, inner, dispatch);
      return;
    }
    const Words words = words_of_arguments(command);
    if (path == " list") {
      functions += fmt::format(
          "_alidade_list_names() {{\n  local words\n  case $line[1] in\n{}  esac\n  compadd -- ${{=words}}\n}}\n",
          list_cases("    "));
      body += fmt::format(" \\\n    '1:list:({})' \\\n    '2:name:_alidade_list_names'", join(words, " "));
    } else if (const auto argument = std::ranges::find_if(command.options, &CommandOption::is_argument);
               argument != command.options.end()) {
      body += fmt::format(" \\\n    '*:{}:{}'", argument->names().front(),
                          words.empty() ? "_files" : fmt::format("({})", join(words, " ")));
    }
    functions += fmt::format("_alidade{}() {{\n  local line\n  _arguments{}\n}}\n", name, body);
  });
  return "#compdef alidade\n" + functions + "_alidade \"$@\"\n";
}

}  // namespace

std::string completion_script(const Command& program, std::string_view shell) {
  return shell == "bash" ? bash_script(program) : zsh_script(program);
}

}  // namespace alidade::commands
