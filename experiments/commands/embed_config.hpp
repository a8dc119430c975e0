// What `alidade embed` is asked for, as the configuration of an experiment of one run.
// Options of the command line carry their own name as the place where they stand, for messages.
// Made first from the options, then from a finished map (--onto), last from --set.
#pragma once

#include <optional>

#include "experiments/commands/commands.hpp"
#include "experiments/run/finished_map.hpp"
#include "problems/core/value.hpp"

namespace alidade::commands {

/// Where the map's objects come from.
[[nodiscard]] const fs::path& source(const EmbedRequest& request);
[[nodiscard]] bool has_answers(const EmbedRequest& request);

/// @throws ConfigError on options that say something of answers with a table of features, or the other way round
void require_consistent(const EmbedRequest& request);

/// `map`: that of --onto, whose method and options are taken where the request says nothing. `--set` has the last word.
/// @throws ConfigError
[[nodiscard]] Table config_of(const EmbedRequest& request, const std::optional<FinishedMap>& map);

}  // namespace alidade::commands
