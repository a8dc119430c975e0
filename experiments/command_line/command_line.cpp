#include "experiments/command_line/command_line.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "experiments/command_line/command_options.hpp"
#include "experiments/command_line/plugin.hpp"
#include "experiments/commands/commands.hpp"
#include "experiments/commands/examples.hpp"
#include "experiments/config/synonyms.hpp"
#include "experiments/files/json.hpp"
#include "experiments/files/standard_error.hpp"
#include "experiments/results/manifest.hpp"
#include "problems/core/error.hpp"
#include "problems/core/instruction_set.hpp"
#include "problems/core/text.hpp"
#include "solvers/semidefinite/blas.hpp"

namespace alidade {
namespace {

using namespace commands;
using namespace command_line;

constexpr int kBadInput = 2;

OptionDescription described(const CLI::Option& option) {
  OptionDescription out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  if (out.names.empty()) out.names.push_back(option.get_name());
  out.doc = option.get_description();
  out.takes_value = option.get_items_expected_max() > 0;
  out.required = option.get_required();
  out.several = option.get_items_expected_max() > 1;
  out.default_text = option.get_default_str();
  return out;
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

/// The command line as completion and the manual page need it.
CommandDescription described(const CLI::App& app) {
  CommandDescription out{app.get_name(), app.get_description(), {}, {}, {}};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? out.arguments : out.options).push_back(described(*option));
  for (const CLI::App* below : app.get_subcommands({})) out.commands.push_back(described(*below));
  return out;
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
    std::vector<std::string> names;
    for (const CLI::App* sub : at->get_subcommands({})) names.push_back(sub->get_name());
    text = fmt::format("{} has no command '{}'.{}", command, extras.front(), suggestion(extras.front(), names));
  } else if (!extras.empty()) {
    const bool embeds = at->get_name() == "embed" || at->get_name() == "curve";
    text = fmt::format("{}: unexpected argument '{}'.{}", command, extras.front(),
                       embeds ? " Several files, one for each person, are read together: name their folder, or give a "
                                "pattern in quotes, such as 'data/*.csv'."
                              : "");
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
      std::vector<std::string> names;
      for (const CLI::App* sub : below) names.push_back(sub->get_name());
      throw ConfigError(fmt::format("{} has no command '{}'.{}", above, name, suggestion(name, names)));
    }
    at = *position;
    above += " " + name;
  }
  return laid_out(at->get_formatter()->make_help(at, above, CLI::AppFormatMode::Normal));
}

struct SchemaRequest {
  std::string format = "json";
};
void add_schema(CLI::App& app, SchemaRequest& r) {
  app.add_option("--format", r.format, "output format: json or md")->capture_default_str();
}

struct ListRequest {
  std::string what, name, format = "text";
};
void add_list(CLI::App& app, ListRequest& r) {
  app.add_option("what", r.what,
                 "the list: problems, solvers, samplers, datasets or metrics; default all five; or fields, "
                 "of a row of results");
  app.add_option("name", r.name, "show this entry in detail, with its options");
  app.add_option("--format", r.format, "output format: text or md; md is one list as a table")->capture_default_str();
  take(app, "NAME", {"what", "name", "--format"});
}

struct DataRequest {
  std::string name;                // for one
  std::vector<std::string> names;  // for several; empty: all
};
void add_data_info(CLI::App& app, DataRequest& r) {
  app.add_option("name", r.name, "name of the data set")->required();
  take(app, "NAME", {"name"});
}
void add_data_verify(CLI::App& app, DataRequest& r) {
  app.add_option("names", r.names, "names of the data sets; default all");
  take(app, "NAME", {"names"});
}

struct CompletionRequest {
  std::string shell;
};
void add_completion(CLI::App& app, CompletionRequest& r) {
  app.add_option("shell", r.shell, "the shell: bash or zsh")->required();
  take(app, "NAME", {"shell"});
}

struct HelpRequest {
  std::vector<std::string> path;
};
void add_help(CLI::App& app, HelpRequest& r) {
  app.add_option("command", r.path, "name of the command; without one, list all commands");
}

/// Lets a command load plug-ins, before it reads its other options.
CLI::Option* take_plugins(CLI::App& app) {
  return app
      .add_option_function<std::vector<std::string>>(
          "--plugin",
          [](const std::vector<std::string>& files) {
            for (const std::string& file : files) load_plugin(file);
          },
          "shared library with problems, solvers, metrics or data sets of your own, for any command; may be given "
          "again")
      ->allow_extra_args(false)
      ->type_name("FILE")
      ->trigger_on_parse();
}

/// Adds commands to a program; the one named on the command line sets the exit status.
class CommandLine {
 public:
  /// `path`: names of the commands above, "data "; "" for the program.
  CommandLine(CLI::App& app, int& status, std::string path = "") : app_(app), status_(status), path_(std::move(path)) {}

  template <class Request>
  CLI::App* add(const std::string& name, const std::string& summary, void (*add_options)(CLI::App&, Request&),
                std::function<int(const Request&)> run) const {
    const auto request = std::make_shared<Request>();
    CLI::App* out = app_.add_subcommand(name, summary);
    add_options(*out, *request);
    take_plugins(*out)->group("");  // the program's help has it
    out->footer(examples_of(path_ + name));
    out->callback([request, run, &status = status_] { status = run(*request); });
    return out;
  }
  CLI::App* add(const std::string& name, const std::string& summary, std::function<int()> run) const {
    CLI::App* out = app_.add_subcommand(name, summary);
    take_plugins(*out)->group("");
    out->footer(examples_of(path_ + name));
    out->callback([run, &status = status_] { status = run(); });
    return out;
  }

 private:
  CLI::App& app_;
  int& status_;
  std::string path_;
};

/// Commands that make results.
void add_making(const CommandLine& line, CLI::App& app, const std::vector<std::string>& command) {
  line.add<EmbedRequest>(
      "embed", "Make a map from a file of answers, features, distances, pairs or a graph", add_embed,
      [&](const EmbedRequest& r) {
        require<ConfigError>(
            app.get_subcommand("embed")->count("file") > 0 || r.features || r.distances || r.graph || r.pairs,
            "embed: no input is given. Name a file of answers, or give --features FILE, "
            "--distances FILE, --graph FILE or --pairs FILE. See alidade embed --help.");
        return embed(r, command);
      });
  line.add<AskRequest>("ask", "Choose which questions to ask next", add_ask, ask);
  line.add<CurveRequest>("curve", "Show how the error falls with the number of answers, and what more would give",
                         add_curve, curve);
  line.add<RunCommand>("run", "Run the experiment of a config, or resume it", add_run,
                       [&](const RunCommand& r) { return run(r, command); });
}

/// Commands that keep results whole, and that solve and prove.
void add_keeping(const CommandLine& line, const std::vector<std::string>& command) {
  line.add<MergeCommand>("merge", "Join the results folders of shards into one folder", add_merge,
                         [&](const MergeCommand& r) { return merge(r, command); });
  line.add<VerifyCommand>("verify",
                          "Check that the rows and files of a results folder are whole, or prove the bound of a "
                          "semidefinite program's solution",
                          add_verify, verify);
  line.add<RepairCommand>("repair",
                          "Move bad rows and damaged files of a results folder aside, and do their runs again",
                          add_repair, [&](const RepairCommand& r) { return repair(r, command); });
  line.add<CertifyRequest>("certify", "Prove how far a finished map is from the best map in any dimension", add_certify,
                           certify_map);
  line.add<SdpRequest>("sdp", "Solve a semidefinite program from a file", add_sdp, sdp);
}

/// Commands on configurations, and on what a configuration may name.
void add_configuration(const CommandLine& line) {
  line.add<RunCommand>("check",
                       "Check a config without running it: its keys, its number of runs, which "
                       "methods fit which data sets, and the gradients",
                       add_check, [](const RunCommand& r) { return check(r.config, r.overrides, r.data); });
  line.add<InitRequest>("init", "Write a commented config to start from", add_init, init);
  line.add<SchemaRequest>("schema", "Print all keys of a config: as JSON Schema for editors, or as text", add_schema,
                          [](const SchemaRequest& r) { return schema(r.format); });
  line.add<ListRequest>("list", "List the problems, solvers, samplers, data sets and metrics", add_list,
                        [](const ListRequest& r) { return list(r.what, r.name, r.format); });
}

/// Commands that show results.
void add_showing(const CommandLine& line) {
  line.add<TableCommand>("table", "Print a comparison table of a results folder", add_table, table);
  line.add<RanksCommand>("ranks",
                         "Test which methods differ over several data sets: Friedman's test and a "
                         "critical-difference diagram",
                         add_ranks, ranks);
  line.add<ClaimsCommand>("claims", "Judge claims about methods by the rows of results", add_claims, claims);
  line.add<PagesCommand>("pages", "Write tables of results into Markdown pages, or check that they are up to date",
                         add_pages, pages);
  line.add<ReportCommand>("report", "Write one HTML page of one or more results folders", add_report, report);
  line.add<FigureRequest>("figure", "Draw a map, or another figure for a paper, into one PDF, SVG or PNG", add_figure,
                          figure);
  line.add<DiffRequest>("diff", "Show what differs between two results folders: settings, runs, values", add_diff,
                        diff);
  line.add<CiteRequest>("cite", "Print a methods paragraph for a paper, and the BibTeX of what was used", add_cite,
                        cite);
}

void add_data(CLI::App& app, int& status) {
  const auto folder = std::make_shared<std::optional<fs::path>>();
  CLI::App* data = app.add_subcommand("data", "List, download and verify public data sets");
  data->require_subcommand(1);
  data->add_option("--data", *folder, "folder of the data sets; default $ALIDADE_DATA, else ./data");
  take(*data, "DIR", {"--data"});
  const CommandLine line(*data, status, "data ");
  line.add("list", "List all data sets, and which of them are on this machine", [folder] { return data_list(*folder); })
      ->fallthrough();
  line.add<DataRequest>("info",
                        "Show one data set: format, counts, licence, citation, files and the configs that use it",
                        add_data_info, [folder](const DataRequest& r) { return data_info(*folder, r.name); })
      ->fallthrough();
  line.add<FetchRequest>("fetch", "Download data sets from their public sources", add_fetch,
                         [folder](FetchRequest r) {
                           r.data = *folder;
                           return data_fetch(r);
                         })
      ->fallthrough();
  line.add<DataRequest>("verify", "Compare the files on this machine with their published SHA-256 hashes",
                        add_data_verify, [folder](const DataRequest& r) { return data_verify(*folder, r.names); })
      ->fallthrough();
}

/// Commands about the command line itself.
void add_describing(const CommandLine& line, CLI::App& app) {
  line.add<CompletionRequest>("completion", "Print a script that completes alidade's command lines in a shell",
                              add_completion,
                              [&](const CompletionRequest& r) { return completion(described(app), r.shell); });
  line.add("man", "Print the manual page", [&] { return man(described(app)); });
  line.add<HelpRequest>("help", "Show the help of a command, such as `alidade help table`", add_help,
                        [&](const HelpRequest& r) {
                          fmt::print("{}", help_on(app, r.path));
                          return 0;
                        });
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
  CLI::App app{
      "Draw maps from comparisons such as \"A is more like B than like C\", and compare "
      "the methods that draw them."};
  app.name("alidade");
  app.set_version_flag("--version", build_details(),
                       "print the version of the program, its compiler and its libraries");
  app.require_subcommand(1);
  take_plugins(app);
  for (const char* number : {"INT", "UINT", "FLOAT"}) app.get_formatter()->label(number, "NUMBER");
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->label("Positionals", "Arguments");
  const std::vector<std::string> command(argv, argv + argc);
  if (argc < 2) {
    fmt::print("{}", first_steps());
    return 0;
  }
  for (const std::string& word : command)  // names get into configs and rows
    require<ConfigError>(is_utf8(word),
                         "'{}' is not UTF-8. Rename the file or folder, such as with: convmv -f latin1 -t utf8",
                         to_shown(word));
  int status = 0;
  const CommandLine line(app, status);
  add_making(line, app, command);
  add_showing(line);
  add_configuration(line);
  add_data(app, status);
  add_keeping(line, command);
  add_describing(line, app);
  const auto heading = [&](const char* text, Names names) {
    for (const char* name : names) app.get_subcommand(name)->group(text);
  };
  heading("Make a map, or compare methods", {"embed", "ask", "curve", "init", "check", "run"});
  heading("Look at results", {"report", "figure", "table", "ranks", "claims", "pages", "diff", "cite"});
  heading("What there is", {"list", "data", "schema"});
  heading("Keep results whole", {"verify", "repair", "merge"});
  heading("Semidefinite programs and proofs", {"sdp", "certify"});
  heading("This command line", {"help", "completion", "man"});
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
  try {
    static_cast<void>(best_instruction_set());  // an environment that asks for an unknown one is said first
    add_to_catalogs(std::move(additions));
    const int status = dispatch(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), "Cannot write to standard output");
    return status;
  } catch (const Error& error) {
    say("alidade: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    say("alidade: The machine, or its limit of memory (ulimit -v), ran out of memory. Close other programs, "
        "raise the limit, or use fewer objects or runs at a time.\n");
  } catch (const std::filesystem::filesystem_error& error) {
    say("alidade: Cannot reach {}: {}. Check its disk, and that you may use it.\n", error.path1().string(),
        error.code().message());
  } catch (const std::system_error& error) {  // file systems and streams: full, forbidden, too long
    say("alidade: {}.\n", error.what());
  }
  return kBadInput;
}

}  // namespace alidade
