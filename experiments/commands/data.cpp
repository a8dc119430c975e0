#include <sentences/commands.hpp>

#include <set>

#include "experiments/commands/commands.hpp"
#include "experiments/datasets/download/fetch.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/datasets/sets/embedded_tables.hpp"
#include "experiments/files/terminal_text.hpp"
#include "experiments/launch/run_watch.hpp"
#include "experiments/metrics/noise_ceiling.hpp"
#include "experiments/report/wording.hpp"

namespace alidade::commands {
namespace {

using datasets::DatasetEntry;
using datasets::FileCheck;
using datasets::FileState;

/// "" for sets that need files of the data folder.
std::string_view made_of(const DatasetEntry& entry) {
  if (!entry.files.empty()) return "";
  const bool takes_file =
      std::ranges::any_of(entry.options, [](const OptionInfo& option) { return option.name == "file"; });
  return takes_file ? "your own file" : "built in";
}

/// The worst state of its files, in one word.
std::string_view state_of(const DatasetEntry& entry, const fs::path& folder) {
  if (entry.files.empty()) return made_of(entry);
  const auto checks = datasets::verify(entry, folder);
  const auto any = [&](FileState state) {
    return std::ranges::any_of(checks, [&](const FileCheck& c) { return c.state == state; });
  };
  if (any(FileState::differs)) return "differs";
  if (!any(FileState::missing)) return "here";
  return any(FileState::present) ? "in part" : "missing";
}

/// The expected hash of the file found.
const std::string& hash_due(const FileCheck& check, const fs::path& folder) {
  return check.path.empty() || check.path == folder / check.file.path ? check.file.sha256 : check.file.unpacked_sha256;
}

std::string commas(std::uintmax_t number) { return report::with_commas(static_cast<std::int64_t>(number)); }

void print_counts(const datasets::DatasetCounts& counts) {
  std::vector<std::string> parts;
  const auto add = [&](std::uint64_t count, std::string_view noun) {
    if (count > 0) parts.push_back(fmt::format("{} {}", commas(count), noun));
  };
  add(counts.objects, "objects");
  add(counts.features, "features");
  add(counts.classes, "classes");
  add(counts.aspects, "aspects");
  add(counts.annotators, "annotators");
  add(counts.triplets, "triplets");
  if (!parts.empty()) fmt::print("Counts:   {}\n", join(parts, ", "));
}

/// How far the answers of a set that is here contradict each other, if questions were repeated. Reads the set.
void print_noise(const DatasetEntry& entry, const fs::path& folder) {
  if (!entry.load || entry.counts.triplets == 0 || state_of(entry, folder) != "here") return;
  const Observations data = entry.load({}, {folder, 0, 0});
  if (!data.triplets) return;
  if (const auto ceiling = metrics::noise_ceiling(*data.triplets, data.annotator))
    fmt::print(words::kNoiseOfData, 100 * ceiling->disagreement, 100 * ceiling->error, commas(ceiling->questions),
               metrics::note_on_weights(ceiling->answers, data.triplets->size()));
}

void print_file(const FileCheck& check, const fs::path& folder) {
  const datasets::DataFile& file = check.file;
  fmt::print("  {}  {}, {} bytes{}{}\n", file.path, datasets::to_string(check.state), commas(file.bytes),
             file.about.empty() ? "" : "; ", file.about);
  // With many files, one line each is enough for good ones.
  if (!file.about.empty() && check.state != FileState::differs) return;
  fmt::print("    sha256   {}\n", file.sha256);
  if (!file.unpacked_sha256.empty()) fmt::print("    unpacked {}\n", file.unpacked_sha256);
  if (check.state == FileState::present && check.path != folder / file.path)
    fmt::print("    present unpacked, as {}\n", check.path.filename().string());
  if (check.state == FileState::differs) fmt::print("    has      {}\n", check.found_sha256);
  for (const datasets::Download& source : file.downloads)
    fmt::print("    from {}{}\n", source.url,
               source.member.empty() ? "" : fmt::format(" (the file {} in it)", source.member));
  if (!file.by_hand.empty())
    fmt::print("    {}: {}\n", file.downloads.empty() ? "get it by hand" : "or get it by hand", file.by_hand);
}

std::vector<const DatasetEntry*> entries_named(const std::vector<std::string>& names) {
  const auto& catalog = datasets::data_catalog();
  std::vector<const DatasetEntry*> out;
  const bool all = std::ranges::find(names, "all") != names.end();
  for (const std::string& name : names)
    if (name != "all") out.push_back(&catalog.at(name));
  if (!all) return out;
  out.clear();
  for (const DatasetEntry& entry : catalog.entries())
    if (!entry.files.empty()) out.push_back(&entry);
  return out;
}

using Folder = std::optional<fs::path>;  // --data

/// One line per data set: its name, whether it is downloaded, what it is.
int data_list(const Folder& data) {
  const fs::path folder = datasets::data_folder(data);
  fmt::print("Data folder: {}\n", folder.string());
  const auto& catalog = datasets::data_catalog();
  std::size_t width = 0;
  for (const std::string& name : catalog.names()) width = std::max(width, name.size());
  for (const DatasetEntry& entry : catalog.entries())
    fmt::print("{:<{}}  {:<13}  {}\n", entry.name, width, state_of(entry, folder), entry.summary);
  fmt::print("`alidade data info NAME` shows one in detail; `alidade data fetch NAME` downloads it.\n");
  return 0;
}

int data_info(const Folder& data, const std::string& name) {
  const DatasetEntry& entry = datasets::data_catalog().at(name);
  const fs::path folder = datasets::data_folder(data);
  fmt::print("{}: {}\n", entry.name, entry.summary);
  if (entry.files.empty()) fmt::print("Files:    none; {}\n", made_of(entry));
  if (!entry.format.empty()) fmt::print("Format:   {}\n", entry.format);
  print_counts(entry.counts);
  print_noise(entry, folder);
  if (!entry.licence.empty()) fmt::print("Licence:  {}\n", entry.licence);
  if (!entry.citation.empty()) fmt::print("Cite:     {}\n", entry.citation);
  std::set<std::string> pages;
  for (const datasets::DataFile& file : entry.files)
    if (pages.insert(file.url).second) fmt::print("Original: {}\n", file.url);
  if (!entry.files.empty()) {
    fmt::print("Files in {}:\n", folder.string());
    for (const FileCheck& check : datasets::verify(entry, folder)) print_file(check, folder);
  }
  std::vector<std::string> uses;
  for (const datasets::DatasetUse& use : datasets::dataset_uses())
    if (use.dataset == entry.name) uses.emplace_back(use.config);
  if (!uses.empty()) fmt::print("Used by:  {}\n", join(uses, ", "));
  if (entry.load)
    fmt::print("Options:  alidade list datasets {}\n", entry.name);
  else
    fmt::print("Solve:    alidade sdp {}\n", shell_word((folder / entry.files.front().path).string()));
  return 0;
}

Words data_names() { return datasets::data_catalog().names(); }

struct DataInfoRequest {
  std::string name;
};
CommandOptions options_of(DataInfoRequest& r) {
  return {{"name", "NAME", &r.name, "name of the data set", names_in(data_names)}};
}

struct DataVerifyRequest {
  Words names;
};
CommandOptions options_of(DataVerifyRequest& r) {
  return {{"[names]", "NAME", &r.names, "names of the data sets; default all", names_in(data_names)}};
}

struct FetchRequest {
  Words names;
  datasets::FetchOptions options;
  std::string stall = "30s";
};
CommandOptions options_of(FetchRequest& r) {
  const auto names = [] {
    Words out = data_names();
    out.emplace_back("all");
    return out;
  };
  return {{"names", "NAME", &r.names, "names of data sets, or all", Choices{names}},
          {"--from", "DIR|ADDRESS", &r.options.from,
           "mirror to download from: a folder or an http(s) address with the same files at the same relative paths"},
          {"--stall", "DURATION", &r.stall, "how long to wait for the next byte before a new attempt"},
          {"--retries", "", &r.options.download.retries,
           "how many attempts in a row may bring no new bytes before giving up", at_least(0)}};
}

/// Returns 0: all requested files are there; 1: some are not, each with its reason; 130: interrupted.
int data_fetch(const Folder& data, const FetchRequest& request) {
  datasets::FetchOptions options = request.options;
  options.download.stall_seconds = *seconds_given(request.stall);
  TerminalLine progress;
  options.say = [&](const std::string& line) {
    progress.wipe();
    say("{}\n", line);
  };
  options.progress = [&](const std::string& path, std::uintmax_t have, std::optional<std::uintmax_t> all) {
    const std::string share =
        all && *all > 0 ? fmt::format(" of {} bytes, {} %", commas(*all), 100 * have / *all) : " bytes";
    progress.show(fmt::format("{}: {}{}", path, commas(have), share));
  };
  watch_for_interrupts();
  const RunWatch watch(interrupted);
  options.stop = watch.token();

  const fs::path folder = datasets::data_folder(data);
  bool all_there = true;
  for (const DatasetEntry* entry : entries_named(request.names)) {
    if (entry->files.empty()) {
      say("{}: There is nothing to download: it is {}.\n", entry->name, made_of(*entry));
      continue;
    }
    bool fetched = false;
    for (const datasets::FetchedFile& done : datasets::fetch(*entry, folder, options)) {
      progress.wipe();
      fmt::print("{:<8} {}\n", datasets::to_string(done.state), done.file.path);
      std::fflush(stdout);
      if (!done.message.empty()) say("{}: {}\n", done.file.path, done.message);
      fetched = fetched || done.state == datasets::FetchState::fetched;
      all_there =
          all_there && (done.state == datasets::FetchState::present || done.state == datasets::FetchState::fetched);
    }
    if (fetched) say("{}: licence: {}; cite: {}.\n", entry->name, entry->licence, entry->citation);
    if (interrupted()) return 130;
  }
  return all_there ? 0 : 1;
}

int data_verify(const Folder& data, const Words& names) {
  const fs::path folder = datasets::data_folder(data);
  const auto& catalog = datasets::data_catalog();
  bool all_present = true;
  for (const std::string& name : names.empty() ? catalog.names() : names)
    for (const FileCheck& check : datasets::verify(catalog.at(name), folder)) {
      fmt::print("{:<8} {}\n", datasets::to_string(check.state), check.file.path);
      if (check.state == FileState::differs)
        fmt::print("         has sha256 {}\n         not         {}\n", check.found_sha256, hash_due(check, folder));
      if (check.state == FileState::missing) fmt::print("         from {}\n", check.file.url);
      all_present = all_present && check.state == FileState::present;
    }
  return all_present ? 0 : 1;
}

}  // namespace

Command data_command() {
  const auto folder = std::make_shared<Folder>();
  Command list = command_texts("data list"), out = command_texts("data");
  list.run = [folder](const Words&) { return data_list(*folder); };
  out.options = {{"--data", "DIR", folder.get(), "folder of the data sets; default $ALIDADE_DATA, else ./data"}};
  out.commands = {list,
                  command<DataInfoRequest>("data info", options_of,
                                           [folder](const DataInfoRequest& r) { return data_info(*folder, r.name); }),
                  command<FetchRequest>("data fetch", options_of,
                                        [folder](const FetchRequest& r) { return data_fetch(*folder, r); }),
                  command<DataVerifyRequest>("data verify", options_of, [folder](const DataVerifyRequest& r) {
                    return data_verify(*folder, r.names);
                  })};
  return out;
}

}  // namespace alidade::commands
