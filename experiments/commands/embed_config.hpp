// Turns a request to `alidade embed` into the configuration of an experiment of one run.
// In messages, an option's own name is its place.
// Values come from the options, then from a finished map (--onto); --set overrides both.
#pragma once

#include <optional>

#include "experiments/commands/commands.hpp"
#include "experiments/run/finished_map.hpp"
#include "problems/core/value.hpp"

namespace alidade::commands {

/// The file that the map's objects come from.
[[nodiscard]] const fs::path& source(const EmbedRequest& request);
/// The option that names it; "" for answers.
[[nodiscard]] std::string_view input_option(const EmbedRequest& request);
/// Where the request names the files of each kind of evidence.
[[nodiscard]] std::vector<std::optional<fs::path>*> input_files(EmbedRequest& request);
/// The name of a file, or of the folder that a folder or a pattern of files (data/*.csv) means.
[[nodiscard]] fs::path plain_name(const fs::path& file);
/// "answers.v2.csv.gz" -> "answers.v2_map", in the current folder: where embed writes by default.
[[nodiscard]] fs::path default_place(const fs::path& file);
[[nodiscard]] bool has_answers(const EmbedRequest& request);
/// Whether validation chooses the number of dimensions.
[[nodiscard]] bool chooses_dimension(const EmbedRequest& request);

/// @throws ConfigError without a file or with two, and on options that have no effect: they need evidence of another
/// kind, or another option
void require_consistent(const EmbedRequest& request);
/// The same of a finished map (--onto) that the answers judge. @throws ConfigError on options of what is fitted
void require_judging(const EmbedRequest& request);

/// `map`: that of --onto; its method and options apply where the request gives none. `--set` overrides everything.
/// @throws ConfigError
[[nodiscard]] ValueTable config_of(const EmbedRequest& request, const std::optional<FinishedMap>& map);

}  // namespace alidade::commands
