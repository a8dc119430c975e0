// A command of `alidade` as data: one record for each option, from which parsing, help, completion, the manual page and
// checks come. A command's own file has its request, their records and its entry, as those of problems and solvers do;
// commands.cpp lists the entries. Nothing here knows the parser.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "problems/core/options.hpp"
#include "problems/core/value.hpp"

namespace alidade::commands {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// An option that was given for a key of the config, such as "dataset.scale".
struct Setting {
  std::string option;  // "--scale"
  std::string key;
  std::string text;  // of an option given several times: joined by commas
};
using Settings = std::vector<Setting>;
/// Overrides of a config, and the settings as more of them.
[[nodiscard]] Words with_settings(Words overrides, const Settings& settings);
/// The text given for a key, or null.
[[nodiscard]] const std::string* given(const Settings& settings, std::string_view key);

/// Where an option goes that sets a key of the config: one line names both.
struct SettingTarget {
  Settings* settings;
  std::string key;
  std::string flag{};  // the text that a flag sets
};

/// Where the value of an option goes; its type is what the option takes, what is there before is its default.
using Target =
    std::variant<bool*, int*, std::int64_t*, double*, std::string*, fs::path*, std::optional<double>*,
                 std::optional<std::string>*, std::optional<fs::path>*, Words*, std::vector<fs::path>*, SettingTarget>;

struct Choices {
  std::function<Words()> words;  // asked late: a plug-in adds to catalogs
  bool checked = false;          // else by whoever takes the value
};
/// The option takes one of these and nothing else.
[[nodiscard]] Choices one_of(Words words);
/// Names of which the owner of the value knows what they mean.
[[nodiscard]] Choices names_in(Words (*words)());
template <std::size_t N>
Choices names_in(const std::array<std::string_view, N>& names) {
  return {[&names] { return Words(names.begin(), names.end()); }};
}

/// More of an option: its values come several in one word, or it is a setting that may be given again.
enum class Several { in_one_word, again };
/// More of an option: one that does not go with it.
struct Excludes {
  std::string option;
};

struct CommandOption {
  /// `more`, in any order: Choices, Bounds, Several, Excludes.
  template <class... More>
  CommandOption(std::string name_, std::string takes_, Target target_, std::string doc_, More... more)
      : name(std::move(name_)), takes(std::move(takes_)), target(std::move(target_)), doc(std::move(doc_)) {
    (add(std::move(more)), ...);
  }
  std::string name;   // "-o,--out"; an argument has no dash, and brackets if it may be left out: "[file]"
  std::string takes;  // FILE, NAME, ... in the help; "" for a number, and for a flag
  Target target;
  std::string doc;    // {} stands for the choices: "lower or higher"
  Choices choices{};  // empty: any value
  Bounds bounds{};
  std::optional<Several> several{};
  std::string excludes{};
  std::string heading{};  // of the help

  [[nodiscard]] bool is_argument() const { return name.front() != '-'; }
  [[nodiscard]] bool is_required() const { return is_argument() && name.front() != '['; }
  [[nodiscard]] bool is_flag() const;
  [[nodiscard]] bool is_several() const;
  /// "-o" and "--out"; of an argument its name without brackets.
  [[nodiscard]] Words names() const;
  /// What the value may be, where that is known: the choices, or those of the key that a setting sets.
  [[nodiscard]] Words values() const;
  /// Whether the help shows the default.
  [[nodiscard]] bool shows_default() const;
  [[nodiscard]] std::string default_text() const;

 private:
  void add(Choices more) { choices = std::move(more); }
  void add(Bounds more) { bounds = more; }
  void add(Several more) { several = more; }
  void add(Excludes more) { excludes = std::move(more.option); }
};
using CommandOptions = std::vector<CommandOption>;
/// No option, but the heading of those after it.
[[nodiscard]] CommandOption under(std::string heading);
/// With their texts whole and without such headings; each option knows its own.
[[nodiscard]] CommandOptions finished(CommandOptions options);

struct Command {
  std::string name{}, heading{}, doc{};
  Words examples{};  // two
  std::string next{};
  CommandOptions options{};
  std::function<int(const Words& command_line)> run{};  // none for a command that has others below
  std::vector<Command> commands{};
};

/// @throws ConfigError on a value that its record does not allow
void check(const CommandOptions& options);

/// Two options that do not go together, or one that needs another; data of a command.
struct OptionRule {
  std::string option;
  Words others;  // none of which goes with it, or one of which it needs
  bool needs_one = false;
  std::string sentence{};  // what the message says; "": that the option makes a table of its own
};
/// `options`: of a request; `defaults`: of one that gives nothing. Rules count in order. @throws ConfigError
void check(const std::vector<OptionRule>& rules, const CommandOptions& options, const CommandOptions& defaults);
/// Sets options by their names, "retry_failed", and checks them. @throws ConfigError, also for an unknown name
void set_values(const CommandOptions& options, const ValueTable& values, std::string_view owner);

/// The name of a command, "data info", and what texts/commands.txt says of it.
[[nodiscard]] Command command_texts(std::string_view path);

/// A command whose options are those of a request; `run` takes the request, and the words of the command line if it
/// wants them.
template <class Request, class Run>
Command command(std::string_view path, CommandOptions (*options_of)(Request&), Run run) {
  const auto request = std::make_shared<Request>();
  Command out = command_texts(path);
  out.options = finished(options_of(*request));
  out.run = [request, run, options = out.options](const Words& command_line) {
    check(options);
    if constexpr (std::is_invocable_v<Run, const Request&, const Words&>)
      return run(*request, command_line);
    else
      return run(*request);
  };
  return out;
}

// Headings and texts of options that several commands have.
inline constexpr const char *kData = "Your data", *kRunning = "Running and output",
                            *kThreads = "number of threads; never changes the result",
                            *kThreadsEach = "number of threads of each run; never changes a result",
                            *kJobs = "number of runs at the same time; never changes a result",
                            *kSeed = "seed of all random numbers", *kAlpha = "significance level, in (0, 1)",
                            *kPictures =
                                "folder of the objects' pictures, named after them (NAME.png, .jpg, ...): the "
                                "page shows them",
                            *kDataFolder = "folder of the public data sets; default $ALIDADE_DATA, else ./data",
                            *kTimeLimit = "time limit, such as 60s or 5min",
                            *kValue = "metrics.heldout_error, or the first metric if there is no such error";
/// The manual page alidade(1), in man(7); `alidade man | man -l -` shows it.
[[nodiscard]] std::string man_page(const Command& program, std::string_view version);
/// Completion of the command line in "bash" or "zsh", with the names of all catalogs that the program has.
/// Whatever no record names completes to files.
[[nodiscard]] std::string completion_script(const Command& program, std::string_view shell);

/// Appends options.
void append(CommandOptions& out, const CommandOptions& more);
/// How a file of answers is read; settings of the data set.
[[nodiscard]] CommandOptions answer_options(Settings& settings);
/// --where: which rows of a file of answers to read.
[[nodiscard]] CommandOption answers_where_option(Target target);
/// Names of the problems or solvers, and "auto".
[[nodiscard]] Words problem_names();
[[nodiscard]] Words solver_names();
/// What the lists of `alidade list` hold.
[[nodiscard]] std::vector<std::pair<std::string, Words>> names_by_list();
[[nodiscard]] CommandOption max_size_option(Target target);
/// --where: which runs of a results folder count.
[[nodiscard]] CommandOption runs_option(Words& where);

}  // namespace alidade::commands
