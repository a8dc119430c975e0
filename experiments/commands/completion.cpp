#include "experiments/commands/completion.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "experiments/datasets/readers/answer_formats.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

using Words = std::vector<std::string>;

/// The names that an option of any command takes, if it takes names.
Words words_of_option(const OptionDescription& option, const CatalogNames& names) {
  for (const std::string& name : option.names) {
    if (name == "--problem") return names.problems;
    if (name == "--solver") return names.solvers;
    if (name == "--strategy") return names.samplers;
    if (name == "--format") return {"auto", "text", "md", "csv", "latex", "json"};
    if (name == "--aggregate") return {"mean", "median", "sd", "min", "max"};
    if (name == "--interval") return {"t", "bootstrap", "none"};
    if (name == "--test") return {"wilcoxon", "t"};
    if (name == "--gaps") return {"best", "start", "absolute"};
    if (name == "--better") return {"lower", "higher"};
    if (name == "--post-hoc") return {"nemenyi", "holm"};
    if (name == "--scale") return {"none", "standard", "range"};
    if (name == "--answers") return datasets::answer_kind_names();
  }
  return {};
}

/// Names for the arguments of a command, whichever argument it is; `list` has its own words.
Words words_of_arguments(std::string_view path, const CatalogNames& names) {
  if (path == " data info" || path == " data verify") return names.data;
  if (path == " data fetch") {
    Words out = names.data;
    out.emplace_back("all");
    return out;
  }
  if (path == " completion") return {"bash", "zsh"};
  if (path == " help") return names.commands;
  return {};
}

/// Calls `visit(path, command)` for a command and all its subcommands; the program's path is "".
template <class Visit>
void walk(const CommandDescription& command, const std::string& path, const Visit& visit) {
  visit(path, command);
  for (const CommandDescription& inner : command.commands) walk(inner, path + " " + inner.name, visit);
}

std::string list_cases(const CatalogNames& names, std::string_view indent) {
  std::string out;
  for (const auto& [list, words] : {std::pair<std::string_view, const Words*>{"problems", &names.problems},
                                    {"solvers", &names.solvers},
                                    {"samplers", &names.samplers},
                                    {"datasets", &names.datasets},
                                    {"metrics", &names.metrics}})
    out += fmt::format("{}{}) words='{}' ;;\n", indent, list, join(*words, " "));
  return out;
}

std::string bash_script(const CommandDescription& root, const CatalogNames& names) {
  std::string paths, values, options, arguments;
  walk(root, "", [&](const std::string& path, const CommandDescription& command) {
    if (!path.empty()) paths += fmt::format("{}'{}'", paths.empty() ? "" : " | ", path);
    Words flags, valued;
    for (const OptionDescription& option : command.options) {
      flags.insert(flags.end(), option.names.begin(), option.names.end());
      if (!option.takes_value) continue;
      const Words words = words_of_option(option, names);
      std::string cases;
      for (const std::string& name : option.names)
        cases += fmt::format("{}'{} {}'", cases.empty() ? "" : " | ", path, name);
      values += fmt::format("    {}) {} ;;\n", cases,
                            words.empty() ? "files=1" : fmt::format("words='{}'", join(words, " ")));
    }
    options += fmt::format("      '{}') words='{}' ;;\n", path, join(flags, " "));
    Words inner;
    for (const CommandDescription& below : command.commands) inner.push_back(below.name);
    if (inner.empty()) inner = words_of_arguments(path, names);
    if (!inner.empty()) arguments += fmt::format("      '{}') words='{}' ;;\n", path, join(inner, " "));
  });
  return fmt::format(
      R"(# Completion of alidade in bash: source <(alidade completion bash)
_alidade() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} path='' words='' files='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  COMPREPLY=()
  case "$path $previous" in
{}  esac
  if [[ -z $words && -z $files ]]; then
    if [[ $current == -* ]]; then
      case "$path" in
{}      esac
    elif [[ $path == ' list' && $previous != list ]]; then
      case "$previous" in
{}      esac
    else
      case "$path" in
        ' list') words='problems solvers samplers datasets metrics fields' ;;
{}        *) files=1 ;;
      esac
    fi
  fi
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -F _alidade alidade
)",
      paths, values, options, list_cases(names, "        "), arguments);
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

std::string zsh_script(const CommandDescription& root, const CatalogNames& names) {
  std::string functions;
  walk(root, "", [&](const std::string& path, const CommandDescription& command) {
    std::string name = path;
    std::ranges::replace(name, ' ', '_');
    std::string body;
    for (const OptionDescription& option : command.options)
      for (const std::string& flag : option.names)
        body += fmt::format(" \\\n    '{}{}[{}]{}'",
                            option.several ? "*" : fmt::format("({})", join(option.names, " ")), flag,
                            zsh_text(option.doc), option.takes_value ? zsh_value(words_of_option(option, names)) : "");
    if (!command.commands.empty()) {
      std::string inner, dispatch;
      for (const CommandDescription& below : command.commands) {
        inner += fmt::format("\n        '{}:{}'", below.name, zsh_text(below.doc));
        dispatch += fmt::format("        {}) _alidade{}_{} ;;\n", below.name, name, below.name);
      }
      functions += fmt::format(
          "_alidade{}() {{\n  local curcontext=$curcontext state line\n  local -a commands\n"
          "  _arguments -C{} \\\n    '1: :->command' '*:: :->rest'\n  case $state in\n    "
          "command)\n"
          "      commands=({})\n      _describe command commands ;;\n    rest)\n      case "
          "$words[1] "
          "in\n{}      esac ;;\n  esac\n}}\n",
          name, body, inner, dispatch);
      return;
    }
    if (path == " list") {
      functions += fmt::format(
          "_alidade_list_names() {{\n  local words\n  case $line[1] in\n{}  esac\n  compadd -- "
          "${{=words}}\n}}\n",
          list_cases(names, "    "));
      body +=
          " \\\n    '1:list:(problems solvers samplers datasets metrics fields)' \\\n    "
          "'2:name:_alidade_list_names'";
    } else {
      const Words words = words_of_arguments(path, names);
      if (!command.arguments.empty())
        body += fmt::format(" \\\n    '*:{}:{}'", command.arguments.front().names.front(),
                            words.empty() ? "_files" : fmt::format("({})", join(words, " ")));
    }
    functions += fmt::format("_alidade{}() {{\n  local line\n  _arguments{}\n}}\n", name, body);
  });
  return "#compdef alidade\n" + functions + "_alidade \"$@\"\n";
}

}  // namespace

std::string completion_script(const CommandDescription& command, std::string_view shell, const CatalogNames& names) {
  constexpr std::array<std::string_view, 2> kShells = {"bash", "zsh"};
  require<ConfigError>(std::ranges::find(kShells, shell) != kShells.end(),
                       "There is no completion for the shell '{}'. Choose bash or zsh.", shell);
  CatalogNames all = names;
  all.commands.clear();
  for (const CommandDescription& below : command.commands) all.commands.push_back(below.name);
  return shell == "bash" ? bash_script(command, all) : zsh_script(command, all);
}

}  // namespace alidade
