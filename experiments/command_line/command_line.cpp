#include "experiments/command_line/command_line.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <sentences/command_line.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "experiments/command_line/plugin.hpp"
#include "experiments/commands/commands.hpp"
#include "experiments/config/synonyms.hpp"
#include "experiments/external/command_method.hpp"
#include "experiments/files/embedded_text.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/standard_error.hpp"
#include "experiments/results/manifest.hpp"
#include "problems/core/decompositions/blas.hpp"
#include "problems/core/error.hpp"
#include "problems/core/instruction_set.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

using namespace commands;

constexpr int kBadInput = 2;
constexpr auto kWhatItDoes =
    "Draw maps from comparisons such as \"A is more like B than like C\", and compare the methods that draw them.";

/// All commands; `app` is what the help is made by.
std::vector<Command> program(const CLI::App* app);

/// The option of this name, or null. CLI11's own search is noexcept and allocates: it would end the program where
/// memory is short.
const CLI::Option* option_of(const CLI::App& app, const std::string& name) {
  for (const CLI::Option* option : app.get_options({}))
    if (option->check_name(name)) return option;
  return nullptr;
}

std::vector<std::string> long_options(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  return out;
}

/// CLI11's message, reworded where we can be clearer.
std::string explain_alone(const CLI::App& app, const std::string& command, const CLI::ParseError& error) {
  const std::string text = error.what();
  const auto between = [&](std::string_view begin, std::string_view end) {
    const auto first = text.find(begin) + begin.size(), last = text.find(end);
    return last == std::string::npos || first > last ? text : text.substr(first, last - first);
  };
  if (error.get_name() == "RequiredError" && text.find("subcommand") == std::string::npos)
    return fmt::format("{}: the argument '{}' is missing.", command, between("", " is required"));
  if (error.get_name() == "RequiredError")
    return command == "alidade" ? std::string("The subcommand is missing.")
                                : fmt::format("{}: the subcommand is missing.", command);
  if (error.get_name() == "ConversionError" && text.find(" = ") != std::string::npos) {
    const std::string option = between(": ", " = ");
    const CLI::Option* declared = option_of(app, option);
    return fmt::format("{}: {} takes a {}number, not '{}'.", command, option,
                       declared && declared->get_type_name() == "INT" ? "whole " : "",
                       text.substr(text.find(" = ") + 3));
  }
  if (error.get_name() == "ArgumentMismatch" && text.starts_with("--")) {
    const std::string option = between("", ":");
    const CLI::Option* declared = option_of(app, option);
    return fmt::format("{}: {}", command,
                       declared && declared->results().size() > 1
                           ? option + " is given more than once, but takes one value."
                           : option + " needs a value after it.");
  }
  if (text.starts_with(": "))  // CLI11 leaves out the name of an option that a command's own help leaves out
    return fmt::format("{}: --plugin needs a value after it.", command);
  return fmt::format("{}: {}.", command, text);
}

/// One line on the error in a command line.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* at = &app;
  std::string path = "alidade";
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    path += " " + at->get_name();
  }
  const std::string command = at == &app ? path : path.substr(path.find(' ') + 1);
  const std::vector<std::string> extras = at->remaining();
  const auto option = std::ranges::find_if(extras, [](const std::string& e) { return e.starts_with("-") && e != "-"; });
  std::string text;
  if (option != extras.end()) {
    const std::string typed = option->substr(0, option->find('='));
    const std::vector<std::string> names = long_options(*at);
    const auto ours = option_synonym(typed, names);
    text = fmt::format("{} has no option '{}'.{}", command, typed,
                       ours                      ? fmt::format(" Here it is {}.", *ours)
                       : typed.starts_with("--") ? suggestion(typed, names)
                                                 : "");
  } else if (!extras.empty() && at->get_require_subcommand_min() > 0) {
    const auto names = mapped(at->get_subcommands({}), [&](const CLI::App* sub) { return sub->get_name(); });
    text = fmt::format("{} has no command '{}'.{}", command, extras.front(), suggestion(extras.front(), names));
  } else if (!extras.empty()) {
    const bool embeds = at->get_name() == "embed" || at->get_name() == "curve";
    text = fmt::format("{}: unexpected argument '{}'.{}", command, extras.front(), embeds ? words::kSeveralFiles : "");
  } else {
    text = explain_alone(*at, command, error);
  }
  std::ranges::replace(text, '\n', ' ');
  constexpr std::string_view kProgram = "alidade: ";  // as every error begins
  if (text.starts_with(kProgram)) text.erase(0, kProgram.size());
  return fmt::format("{} See {} --help.", text, path);
}

/// CLI11's help with lines of at most 100 columns and single empty lines.
std::string laid_out(const std::string& help) {
  constexpr std::size_t kWidth = 100, kColumn = 30;  // where descriptions begin
  std::string out;
  std::istringstream lines(help);
  bool empty = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() && empty) continue;
    empty = line.empty();
    const bool option =
        line.starts_with("  ") && line.size() > kColumn && line[kColumn - 1] == ' ' && line[kColumn] != ' ';
    std::string shown;
    std::istringstream words(option ? line.substr(kColumn) : "");
    if (!option) {
      out += line + "\n";
      continue;
    }
    out += line.substr(0, kColumn);
    for (std::string word; words >> word;) {
      if (!shown.empty() && kColumn + shown.size() + 1 + word.size() > kWidth) {
        out += shown + "\n" + std::string(kColumn, ' ');
        shown.clear();
      }
      shown += (shown.empty() ? "" : " ") + word;
    }
    out += shown + "\n";
  }
  return out;
}

/// The output of `--help` for the command that `path` names: none, "table", or "data", "fetch".
std::string help_on(const CLI::App& app, const std::vector<std::string>& path) {
  const CLI::App* at = &app;
  std::string above = "alidade";
  for (const std::string& name : path) {
    const auto below = at->get_subcommands({});
    const auto position = std::ranges::find_if(below, [&](const CLI::App* sub) { return sub->check_name(name); });
    if (position == below.end()) {
      const auto names = mapped(below, [&](const CLI::App* sub) { return sub->get_name(); });
      throw ConfigError(fmt::format("{} has no command '{}'.{}", above, name, suggestion(name, names)));
    }
    at = *position;
    above += " " + name;
  }
  return laid_out(at->get_formatter()->make_help(at, above, CLI::AppFormatMode::Normal));
}

const CommandOption kHelp{"-h,--help", "", static_cast<bool*>(nullptr), "Print this help message and exit"},
    kVersion{"--version", "", static_cast<bool*>(nullptr),
             "print the version of the program, its compiler and its libraries"},
    kPlugin{"--plugin", "FILE", static_cast<Words*>(nullptr),
            "shared library with problems, solvers, metrics or data sets of your own, for any command; may be given "
            "again"};

/// A command with the options that every command has, for completion and the manual page.
Command with_common_options(Command command) {
  command.options.insert(command.options.begin(), kHelp);
  if (command.run) command.options.push_back(kPlugin);
  for (Command& below : command.commands) below = with_common_options(std::move(below));
  return command;
}

struct CompletionRequest {
  std::string shell;
};
CommandOptions options_of(CompletionRequest& r) {
  return {{"shell", "NAME", &r.shell, "the shell: {}", one_of({"bash", "zsh"})}};
}
struct HelpRequest {
  Words path;
};
CommandOptions options_of(HelpRequest& r) {
  const auto names = [] { return mapped(program(nullptr), &Command::name); };
  return {{"[command]", "TEXT", &r.path, "name of the command; without one, list all commands", Choices{names}}};
}

Command described_program() {
  Command out{"alidade", "", kWhatItDoes};
  out.commands = program(nullptr);
  out = with_common_options(std::move(out));
  append(out.options, {kVersion, kPlugin});
  return out;
}

std::vector<Command> program(const CLI::App* app) {
  std::vector<Command> out = all_commands();
  out.push_back(command<CompletionRequest>("completion", options_of, [](const CompletionRequest& r) {
    fmt::print("{}", completion_script(described_program(), r.shell));
    return 0;
  }));
  Command& man = out.emplace_back(command_texts("man"));
  man.run = [](const Words&) {
    fmt::print("{}", man_page(described_program(), version()));
    return 0;
  };
  out.push_back(command<HelpRequest>("help", options_of, [app](const HelpRequest& r) {
    fmt::print("{}", help_on(*app, r.path));
    return 0;
  }));
  return out;
}

/// Lets a command load plug-ins, before it reads its other options.
CLI::Option* take_plugins(CLI::App& app) {
  return app
      .add_option_function<Words>(
          kPlugin.name,
          [](const Words& files) {
            for (const std::string& file : files) load_plugin(file);
          },
          kPlugin.doc)
      ->allow_extra_args(false)
      ->type_name(kPlugin.takes)
      ->trigger_on_parse();
}

/// Adds a setting; of an option given again, the values are joined.
CLI::Option* add_setting(CLI::App& app, const CommandOption& option, const SettingTarget& target) {
  const std::string name = option.names().back();
  const auto set = [target, name](const std::string& text) { target.settings->push_back({name, target.key, text}); };
  if (!target.flag.empty())
    return app.add_flag_callback(
        option.name, [set, target] { set(target.flag); }, option.doc);
  if (option.is_flag())  // which takes another word after an equals sign
    return app.add_flag(option.name, option.doc)->each([set](const std::string& word) {
      set(word == "true" ? "yes" : word);
    });
  if (option.is_several())
    return app.add_option_function<Words>(
        option.name, [set](const Words& texts) { set(join(texts, ",")); }, option.doc);
  return app.add_option_function<std::string>(option.name, set, option.doc);
}

void add_option(CLI::App& app, const CommandOption& option) {
  const std::string name = option.is_argument() ? option.names().front() : option.name;
  CLI::Option* const added = std::visit(
      [&](auto target) -> CLI::Option* {
        using Kind = decltype(target);
        if constexpr (std::is_same_v<Kind, SettingTarget>)
          return add_setting(app, option, target);
        else if constexpr (std::is_same_v<Kind, bool*>)
          return app.add_flag(name, *target, option.doc);
        else
          return app.add_option(name, *target, option.doc);
      },
      option.target);
  if (!option.takes.empty()) added->type_name(option.takes);
  if (!option.heading.empty()) added->group(option.heading);
  if (option.is_required()) added->required();
  if (option.shows_default()) added->capture_default_str();
  if (option.is_several() && !option.is_argument()) added->allow_extra_args(false);
  if (option.several == Several::in_one_word) added->delimiter(',');
  if (!option.excludes.empty()) added->excludes(app.get_option(option.excludes));
}

std::string footer_of(const Command& command) {
  if (command.examples.empty()) return {};
  return "Examples:\n  " + join(command.examples, "\n  ") + (command.next.empty() ? "" : "\nNext: " + command.next);
}

/// Adds a command to those above it; the one that the command line names sets the exit status.
CLI::App* add_command(CLI::App& above, const Command& command, const Words& words, int& status) {
  CLI::App* const app = above.add_subcommand(command.name, command.doc);
  for (const CommandOption& option : command.options) add_option(*app, option);
  for (const Command& below : command.commands) add_command(*app, below, words, status)->fallthrough();
  if (!command.heading.empty()) app->group(command.heading);  // which those below would take over
  if (!command.run) {
    app->require_subcommand(1);
    return app;
  }
  take_plugins(*app)->group("");  // the program's help has it
  app->footer(footer_of(command));
  app->callback([run = command.run, &words, &status] { status = run(words); });
  return app;
}

/// For a message: bytes that are not ASCII as \xNN.
std::string to_shown(const std::string& word) {
  std::string out;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x80 ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return out;
}

int dispatch(int argc, char** argv) {
  CLI::App app{kWhatItDoes};
  app.name("alidade");
  app.set_version_flag(kVersion.name, build_details(), kVersion.doc);
  app.require_subcommand(1);
  take_plugins(app);
  for (const char* number : {"INT", "UINT", "FLOAT"}) app.get_formatter()->label(number, "NUMBER");
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->label("Positionals", "Arguments");
  const std::vector<std::string> command(argv, argv + argc);
  if (argc < 2) {
    fmt::print("{}", embedded_text("first_steps.txt"));
    return 0;
  }
  for (const std::string& word : command)  // names get into configs and rows
    require<ConfigError>(is_utf8(word), words::kNoUtf8, to_shown(word));
  int status = 0;
  for (const Command& each : program(&app)) add_command(app, each, command, status);
  app.footer("`alidade` alone shows what to do first; `alidade help COMMAND` shows options and examples.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", laid_out(app.help()));
    return 0;
  } catch (const CLI::Success& asked) {  // --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    throw ConfigError(explain(app, error));
  }
  return status;
}

}  // namespace

int main(int argc, char** argv, Catalogs additions) {
  open_standard_streams();
  start_without_blas_threads(argv);
  std::signal(SIGXFSZ, SIG_IGN);  // beyond `ulimit -f` a write then fails, and we can say so
  commands::end_at_interrupts();
  try {
    static_cast<void>(best_instruction_set());  // an environment that asks for an unknown one is said first
    add_to_catalogs(std::move(additions));
    offer_commands();
    const int status = dispatch(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), "Cannot write to standard output");
    return status;
  } catch (const Error& error) {
    say("alidade: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    say(words::kOutOfMemory);
  } catch (const std::filesystem::filesystem_error& error) {
    say(words::kFileUnreachable, error.path1().string(), error.code().message());
  } catch (const std::system_error& error) {  // file systems and streams: full, forbidden, too long
    if (error.code() == std::errc::resource_unavailable_try_again)
      say("alidade: No thread could be started: the machine, or its limits of memory and processes (ulimit -v, ulimit "
          "-u), leave no room. Close other programs, or raise the limits.\n");
    else
      say("alidade: {}.\n", error.what());
  }
  return kBadInput;
}

}  // namespace alidade
