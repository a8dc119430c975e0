#include <sentences/commands.hpp>

#include "experiments/launch/merge.hpp"

#include "experiments/commands/commands.hpp"

namespace alidade::commands {
namespace {

struct MergeRequest {
  std::vector<fs::path> folders;
  std::optional<fs::path> out;
};
CommandOptions options_of(MergeRequest& r) {
  return {{"folders", "DIR", &r.folders, "the results folders of the shards, all of one config"},
          {"-o,--out", "DIR", &r.out, "folder to merge into; default: the shards' common name, without .shard-..."}};
}

/// As --shard takes it.
std::string text_of(const Shard& shard) { return fmt::format("{}/{}", shard.number, shard.count); }

/// Returns 1 also if runs are missing.
int merge(const MergeRequest& request, const Words& command) {
  std::error_code ignored;
  for (const fs::path& folder : request.folders)
    require<DataError>(fs::is_directory(folder, ignored), words::kNoShardFolder, folder.string());
  const fs::path out = request.out ? *request.out : whole_of_shards(request.folders);
  const MergeReport report = merge_results(request.folders, out, command);
  say_notes(report.notes);
  fmt::print(words::kMerged, report.planned, report.planned == 1 ? "" : "s", report.ok, report.failed, report.skipped,
             report.missing.size(), report.taken, out.string());
  if (report.missing.empty()) return report.failed > 0 ? 1 : 0;
  constexpr std::size_t kShown = 10;
  Words missing, shards;
  for (const auto& [run, what, shard] : report.missing) {
    missing.push_back(what + (shard ? fmt::format(" (shard {})", text_of(*shard)) : ""));
    if (shard && std::ranges::find(shards, text_of(*shard)) == shards.end()) shards.push_back(text_of(*shard));
  }
  print_first(missing, kShown, "Missing: {} more", "Missing: ");
  fmt::print("To do the missing runs, give `alidade run CONFIG --out {}`{}.\n", out.string(),
             shards.empty() ? "; or run their shards, and merge again"
                            : fmt::format("; or run CONFIG with --shard {}, and merge again", join(shards, " or ")));
  return 1;
}

}  // namespace

Command merge_command() { return command<MergeRequest>("merge", options_of, merge); }

}  // namespace alidade::commands
