
#include <map>

#include "experiments/commands/commands.hpp"
#include "experiments/config/kinds.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/tables/claims.hpp"

namespace alidade::commands {
namespace {

struct ClaimsRequest {
  fs::path file;
  std::vector<fs::path> folders;  // told apart by their names
  std::string format = "auto";
  bool given_only = false;
};
CommandOptions options_of(ClaimsRequest& r) {
  return {{"file", "FILE", &r.file, "the claims: TOML with a [[claim]] for each"},
          {"folders", "DIR", &r.folders, "the results folders that the claims name"},
          {"--format", "NAME", &r.format, "output format: text, md or csv; auto: text on a terminal, else md",
           one_of({"text", "md", "csv", "auto"})},
          {"--given-only", "", &r.given_only, "leave out claims about other folders than these"}};
}

/// The last name of a path: "results/study/" is "study".
std::string folder_name(const fs::path& folder) {
  const fs::path plain = (folder / "").parent_path();
  return (plain.filename() == "." || plain.filename() == ".." ? fs::weakly_canonical(plain) : plain)
      .filename()
      .string();
}

/// Prints for each claim what the rows say of it: evidence and verdict.
/// @throws ConfigError, DataError with file and line
int claims(const ClaimsRequest& request) {
  std::vector<Claim> all = read_claims(request.file), claims;
  std::map<std::string, std::vector<ValueTable>> rows;
  std::vector<std::string> notes;
  for (const fs::path& folder : request.folders) {
    const std::string name = folder_name(folder);
    require<ConfigError>(!rows.contains(name), "Two results folders are called '{}'. Claims could not say which.",
                         name);
    rows[name] = read_rows_on_last_data(folder, {}, notes);
  }
  std::vector<Judgement> judgements;
  for (Claim& claim : all) {
    require_at(claim.at, !claim.results.empty() || rows.size() == 1,
               "claim '{}' does not say which of the {} folders it is about. Add results = \"NAME\".", claim.name,
               rows.size());
    const auto entry = claim.results.empty() ? rows.begin() : rows.find(claim.results);
    if (entry != rows.end())
      judgements.push_back(judge(claim, entry->second));
    else if (!request.given_only)
      judgements.push_back(
          {.verdict = Verdict::not_run, .evidence = fmt::format("no results of {} were given", claim.results)});
    else
      continue;
    claims.push_back(std::move(claim));
  }
  require<ConfigError>(!claims.empty(), "{}: no claim is about the results that were given.", request.file.string());
  print_document(to_text(claims, judgements, request.format == "csv" ? TableFormat::csv : TableFormat::markdown),
                 request.format == "text" || (request.format == "auto" && prints_on_terminal()));
  say_notes(notes);
  return 0;
}

}  // namespace

Command claims_command() {
  return command<ClaimsRequest>(
      "claims", kShowing, "Judge claims about methods by the rows of results", options_of, claims,
      {"alidade claims claims.toml results/study", "alidade claims claims.toml results/zoo results/votes --format csv"},
      "alidade help table");
}

}  // namespace alidade::commands
