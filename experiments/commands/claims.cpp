#include <sentences/commands.hpp>

#include <map>

#include "experiments/commands/commands.hpp"
#include "experiments/config/kinds.hpp"
#include "experiments/files/folder.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/tables/claims.hpp"

namespace alidade::commands {
namespace {

struct ClaimsRequest {
  fs::path file;
  std::vector<fs::path> folders;  // told apart by their names
  std::string format = "auto", paper;
  bool given_only = false;
};
CommandOptions options_of(ClaimsRequest& r) {
  return {{"file", "FILE", &r.file, "the claims: TOML with a [[claim]] for each"},
          {"folders", "DIR", &r.folders, "the results folders that the claims name"},
          {"--format", "NAME", &r.format,
           "output format: text, md or csv; auto: text on a terminal, else md; summary: how many of each paper hold; "
           "changes: earlier verdicts beside those of now",
           one_of({"text", "md", "csv", "auto", "summary", "changes"})},
          {"--paper", "KEY", &r.paper, "only claims of this paper"},
          {"--given-only", "", &r.given_only, "leave out claims about other folders than these"}};
}

/// The rows of a folder, each with the instruction set of the machine that made it, as its manifest has it.
std::vector<Row> rows_of(const fs::path& folder, std::vector<std::string>& notes) {
  std::vector<Row> rows = read_rows_on_last_data(folder, {}, notes);
  std::map<std::string, std::string> sets;
  for (const ValueTable& entry : read_manifest(folder))
    sets[text_field(entry, "id")] = text_field(entry, kInstructionSet);
  for (Row& row : rows)
    if (const auto set = sets.find(row.made_by.value_or("")); set != sets.end() && !set->second.empty())
      row.set(kInstructionSet, set->second);
  return rows;
}

/// Prints for each claim what the rows say of it: evidence and verdict.
/// @throws ConfigError, DataError with file and line
int claims(const ClaimsRequest& request) {
  std::vector<Claim> all = read_claims(request.file), claims;
  std::map<std::string, std::vector<Row>> rows;
  std::vector<std::string> notes;
  for (const fs::path& folder : request.folders) {
    const std::string name = folder_name(folder);
    require<ConfigError>(!rows.contains(name), words::kFolderTwice, name);
    rows[name] = rows_of(folder, notes);
  }
  std::vector<Judgement> judgements;
  for (Claim& claim : all) {
    if (!request.paper.empty() && claim.paper != request.paper) continue;
    require_at(claim.at, !claim.results.empty() || rows.size() == 1, words::kClaimOfNoFolder, claim.name, rows.size());
    std::vector<Row> of_claim;  // of "study", and of "study.avx2", the same on another machine
    for (const auto& [name, of_folder] : rows)
      if (claim.results.empty() || name == claim.results || name.starts_with(claim.results + "."))
        of_claim.insert(of_claim.end(), of_folder.begin(), of_folder.end());
    if (!of_claim.empty())
      judgements.push_back(judge(claim, of_claim));
    else if (!request.given_only)
      judgements.push_back({.verdict = Verdict::not_run,
                            .evidence = fmt::format("no results of {} were given",
                                                    claim.results.empty() ? rows.begin()->first : claim.results)});
    else
      continue;
    claims.push_back(std::move(claim));
  }
  require<ConfigError>(
      !claims.empty(), "{}: no claim is about the {}.", request.file.string(),
      request.paper.empty() ? "results that were given" : "paper '" + request.paper + "' and these results");
  print_document(request.format == "summary" ? summary_text(claims, judgements)
                 : request.format == "changes"
                     ? changes_text(claims, judgements)
                     : to_text(claims, judgements, request.format == "csv" ? TableFormat::csv : TableFormat::markdown),
                 request.format == "text" || (request.format == "auto" && prints_on_terminal()));
  say_notes(notes);
  return 0;
}

}  // namespace

Command claims_command() { return command<ClaimsRequest>("claims", options_of, claims); }

}  // namespace alidade::commands
