// The options of each command of `alidade`, by what the command does.
// Each adds to a command of CLI11; its values go to the request given, which must outlive the command.
// Texts are those of `--help`; what values mean is checked by the command.
#pragma once

#include <initializer_list>
#include <string>

#include "experiments/commands/commands.hpp"

namespace CLI {
class App;
}

namespace alidade::command_line {

using Names = std::initializer_list<const char*>;

/// The option of this name, or null. CLI11's own search is noexcept and allocates: it would end the program where
/// memory is short.
template <class App>
auto option_of(App& app, const std::string& name) -> decltype(app.get_option(name)) {
  for (auto* option : app.get_options({}))
    if (option->check_name(name)) return option;
  return nullptr;
}

/// What the values of options are, for the help: FILE, DIR, NAME, ...
void take(CLI::App& app, const char* kind, Names options);

// What makes maps, runs and their inputs.
void add_embed(CLI::App& app, commands::EmbedRequest& r);
void add_ask(CLI::App& app, commands::AskRequest& r);
void add_curve(CLI::App& app, commands::CurveRequest& r);
void add_run(CLI::App& app, commands::RunCommand& r);
void add_check(CLI::App& app, commands::RunCommand& r);
void add_init(CLI::App& app, commands::InitRequest& r);
void add_fetch(CLI::App& app, commands::FetchRequest& r);

// What shows results.
void add_report(CLI::App& app, commands::ReportCommand& r);
void add_figure(CLI::App& app, commands::FigureRequest& r);
void add_table(CLI::App& app, commands::TableCommand& r);
void add_ranks(CLI::App& app, commands::RanksCommand& r);
void add_claims(CLI::App& app, commands::ClaimsCommand& r);
void add_pages(CLI::App& app, commands::PagesCommand& r);
void add_diff(CLI::App& app, commands::DiffRequest& r);
void add_cite(CLI::App& app, commands::CiteRequest& r);

// What keeps results whole, and proves.
void add_merge(CLI::App& app, commands::MergeCommand& r);
void add_verify(CLI::App& app, commands::VerifyCommand& r);
void add_repair(CLI::App& app, commands::RepairCommand& r);
void add_sdp(CLI::App& app, commands::SdpRequest& r);
void add_certify(CLI::App& app, commands::CertifyRequest& r);

}  // namespace alidade::command_line
