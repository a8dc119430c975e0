#include <sentences/commands.hpp>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/config/kinds.hpp"
#include "experiments/files/durable_file.hpp"
#include "experiments/files/program_path.hpp"
#include "experiments/files/terminal_text.hpp"
#include "experiments/results/manifest.hpp"
#include "experiments/results/rows.hpp"
#include "experiments/tables/page_blocks.hpp"

namespace alidade::commands {
namespace {

struct PagesRequest {
  fs::path file;
  Words names;
  fs::path results = "results";
  std::string commit;
  bool list = false, check = false;
};
CommandOptions options_of(PagesRequest& r) {
  return {
      {"file", "FILE", &r.file, "the tables: TOML with a [[table]] for each"},
      {"[names]", "NAME", &r.names, "names of tables; default all of which there are results"},
      {"--results", "DIR", &r.results, "folder of the results folders"},
      {"--commit", "COMMIT", &r.commit, "commit of the program that made them, which the page names"},
      {"--list", "", &r.list,
       "print one line per table, separated by tabs: name, commit, CPU minutes, whether to check, configs, measured "
       "code, script"},
      {"--check", "", &r.check,
       "write nothing; say which figures of the pages differ from the results by more than their interval",
       Excludes{"--list"}}};
}

/// One [[table]] of a file.
struct PageTable {
  TextPosition at;
  std::string name, page, shows, script, claims;
  std::vector<std::string> of, configs, commands, measures;
  double cpu_minutes = 0;
  bool check = false;
};

const OptionList<PageTable>& page_table_keys() {
  static const auto kList =
      OptionList<PageTable>()
          .text("name", &PageTable::name, {}, "name of the table and of its block")
          .text("page", &PageTable::page, {}, "the Markdown file")
          .text("shows", &PageTable::shows, {}, "what the table shows, in a sentence or two")
          .texts("of", &PageTable::of, "tables above or below whose configurations and measured code are its own too")
          .text("claims", &PageTable::claims, {}, "a file of claims, whose verdicts on the runs it shows first")
          .texts("configs", &PageTable::configs, "configurations whose runs it shows")
          .texts("commands", &PageTable::commands, "commands that print it, without `alidade`")
          .text("script", &PageTable::script, {},
                "a command of the shell that prints the table, in place of configs and commands; what it printed is in "
                "NAME.md of the results")
          .texts("measures", &PageTable::measures, "files and folders of the code that it measures")
          .real("cpu_minutes", &PageTable::cpu_minutes, at_least(0), "CPU time of its runs, until its block says it")
          .flag("check", &PageTable::check, "cheap enough to be made again by every check");
  return kList;
}

std::string stem_of(const std::string& config) { return fs::path(config).stem().string(); }

void append_new(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const std::string& text : from)
    if (std::ranges::find(to, text) == to.end()) to.push_back(text);
}

/// Gives each table the configurations, code and minutes of those in its `of`, and the command and file of its claims.
void complete(std::vector<PageTable>& tables) {
  const std::vector<PageTable> given = tables;
  for (PageTable& table : tables) {
    for (const std::string& name : table.of) {
      const auto other = std::ranges::find(given, name, &PageTable::name);
      require_at(table.at, other != given.end() && other->of.empty(), words::kTableOfNoTable, table.name, name);
      append_new(table.configs, other->configs);
      append_new(table.measures, other->measures);
      table.cpu_minutes += other->cpu_minutes;
    }
    if (table.claims.empty()) continue;
    const std::string quote = table.claims.find(' ') == table.claims.npos ? "" : "\"";
    std::string command = "claims " + quote + table.claims + quote;
    for (const std::string& config : table.configs) command += " results/" + stem_of(config);
    table.commands.insert(table.commands.begin(), command + " --given-only");
    append_new(table.measures, {table.claims});
  }
}

std::vector<PageTable> read_page_tables(const fs::path& file) {
  const ValueTable content = read_config(file);
  std::vector<PageTable> out;
  for (const Value& value : config_keys::only_section(content, "table", file)) {
    PageTable table = page_table_keys().parse(config_keys::table_of(value, "table"), "a table");
    table.at = value.at;
    require_at(value.at, !table.name.empty() && !table.page.empty(), "a table needs 'name' and 'page'.");
    require_at(value.at, std::ranges::find(out, table.name, &PageTable::name) == out.end(),
               "there are two tables of the name '{}'.", table.name);
    require_at(value.at,
               table.script.empty() ||
                   (table.configs.empty() && table.commands.empty() && table.of.empty() && table.claims.empty()),
               words::kTableOfScript, table.name);
    out.push_back(std::move(table));
  }
  complete(out);
  return out;
}

/// The words of a command line; double quotes join words.
std::vector<std::string> words_of(const PageTable& table, const std::string& command) {
  std::vector<std::string> out;
  std::string word;
  bool quoted = false, any = false;
  for (const char c : command) {
    if (c == '"') {
      quoted = !quoted;
      any = true;
    } else if (c == ' ' && !quoted) {
      if (any) out.push_back(word);
      word.clear();
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  require_at(table.at, !quoted, "table '{}': a quote is not closed in '{}'.", table.name, command);
  if (any) out.push_back(word);
  return out;
}

/// What this program prints on these words. @throws DataError if it fails
std::string output_of(const PageTable& table, const std::vector<std::string>& words) {
  std::vector<std::string> all{"alidade"};
  all.insert(all.end(), words.begin(), words.end());
  std::string out;
  require<DataError>(succeeds("/proc/self/exe", std::move(all), &out), "{}table '{}': alidade {} failed.",
                     table.at.prefix(), table.name, join(words, " "));
  return out;
}

bool has_rows(const fs::path& folder) { return fs::exists(folder / kRowsFile); }

/// The words with "results/NAME" in the folder of results, and "results/*" as all folders there that have rows.
std::vector<std::string> with_folders(std::vector<std::string> words, const fs::path& results) {
  std::vector<std::string> out;
  for (std::string& word : words) {
    if (word == "results/*") {
      std::vector<std::string> folders;
      for (const auto& entry : fs::directory_iterator(results))
        if (entry.is_directory() && has_rows(entry.path())) folders.push_back(entry.path().string());
      std::ranges::sort(folders);
      out.insert(out.end(), folders.begin(), folders.end());
    } else if (word.starts_with("results/")) {
      out.push_back((results / word.substr(8)).string());
    } else {
      out.push_back(std::move(word));
    }
  }
  return out;
}

/// Where experiments/reproduce.sh keeps what the table's script printed.
fs::path printed_by_script(const PageTable& table, const fs::path& results) { return results / (table.name + ".md"); }

/// What the table's commands print, or its script printed.
std::string tables_text(const PageTable& table, const fs::path& results) {
  std::string out;
  if (!table.script.empty()) out = "\n" + file_content(printed_by_script(table, results)).value_or("");
  for (const std::string& command : table.commands)
    out += "\n" + output_of(table, with_folders(words_of(table, command), results));
  return out;
}

/// Date, processor and CPU time of the runs.
std::string made_text(const PageTable& table, const fs::path& results, const std::string& commit) {
  std::string date;
  std::set<std::string> processors;
  double seconds = 0;
  if (!table.script.empty()) date = trim(file_content(results / (table.name + ".date")).value_or(""));
  for (const std::string& config : table.configs) {
    const fs::path folder = results / stem_of(config);
    std::set<std::string> makers;
    for (const Row& row : read_rows(folder)) {
      seconds += row.seconds ? row.seconds->cpu.value_or(0) : 0;
      makers.insert(row.made_by.value_or(""));
    }
    for (const ValueTable& entry : read_manifest(folder)) {
      if (!makers.contains(text_field(entry, "id"))) continue;
      date = std::max(date, text_field(entry, "written").substr(0, 10));
      processors.insert(
          fmt::format("{} ({})", text_field(entry, "machine.processor"), text_field(entry, "machine.instruction_set")));
    }
  }
  std::string out = "*Made";
  if (!commit.empty()) out += fmt::format(" at commit {}", commit);
  if (!date.empty()) out += fmt::format(" on {}", date);
  if (!processors.empty())
    out += fmt::format(", {}", join(std::vector<std::string>(processors.begin(), processors.end()), "; "));
  if (!table.configs.empty())
    out += seconds < 60 ? fmt::format(", in {:.1f} seconds of CPU time", seconds)
                        : fmt::format(", in {:.1f} minutes of CPU time", seconds / 60);
  return out + ".*\n";
}

constexpr std::string_view kStale = "*Stale: made by an earlier program, and not again since.*\n";
constexpr std::string_view kNotMade = "*Not made yet.*\n";

/// What stands above the tables: what they show, and the commands.
std::string head_text(const PageTable& table) {
  std::string out;
  if (!table.shows.empty()) out += "\n" + table.shows + "\n";
  if (!table.configs.empty() || !table.commands.empty() || !table.script.empty()) out += "\n";
  if (!table.script.empty()) out += fmt::format("    {}\n", table.script);
  for (const std::string& config : table.configs) out += fmt::format("    alidade run {}\n", shell_word(config));
  for (const std::string& command : table.commands) out += fmt::format("    alidade {}\n", command);
  return out;
}

/// The text with lines of prose as wide as those of the page; commands, tables, drawings and the last line stay as
/// they are.
std::string with_short_lines(std::string_view text) {
  constexpr std::size_t kWidth = 120;
  std::string out;
  bool drawn = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line(text.substr(at, end - at));
    drawn = drawn != line.starts_with("```");
    const bool prose = !drawn && !line.starts_with("```") && line.find_first_of(" |*<") != 0;
    out += prose ? wrapped(line, kWidth) : line + "\n";
    at = end + 1;
  }
  return out;
}

/// The commit that a block names; "" if none.
std::string commit_in(const std::string& block) {
  const std::string_view mark = "*Made at commit ";
  const auto at = block.rfind(mark);
  if (at == block.npos) return "";
  const auto begin = at + mark.size();
  return block.substr(begin, block.find_first_of(" ,.", begin) - begin);
}

/// The CPU time that a block names, in minutes.
std::optional<double> cpu_minutes_in(const std::string& block) {
  for (const auto& [mark, unit] : {std::pair{" minutes of CPU time.*", 1.0}, {" seconds of CPU time.*", 60.0}}) {
    const auto end = block.rfind(mark);
    if (end == block.npos) continue;
    const auto begin = block.rfind(' ', end - 1) + 1;
    if (const auto amount = parse_double(block.substr(begin, end - begin))) return *amount / unit;
  }
  return std::nullopt;
}

struct Pages {
  std::map<std::string, std::string> texts;

  std::string& text(const std::string& page) {
    const auto entry = texts.find(page);
    if (entry != texts.end()) return entry->second;
    auto content = file_content(page);
    require<DataError>(content.has_value(), "{}: {}.", page, std::strerror(errno));
    return texts.emplace(page, std::move(*content)).first->second;
  }
  std::string block(const PageTable& table) {
    auto block = block_of(text(table.page), table.name, table.page);
    require<DataError>(block.has_value(), words::kNoPlaceForTable, table.page, table.name, table.name, table.name);
    return std::move(*block);
  }
};

/// Whether all runs that the table shows have rows, and its script has printed it.
bool is_run(const PageTable& table, const fs::path& results) {
  if (!table.script.empty()) return fs::exists(printed_by_script(table, results));
  return std::ranges::all_of(table.configs, [&](const std::string& c) { return has_rows(results / stem_of(c)); });
}

int check_pages(const std::vector<PageTable>& tables, Pages& pages, const fs::path& results) {
  std::size_t moved = 0, compared = 0;
  for (const PageTable& table : tables) {
    const std::string block = pages.block(table);
    if (!is_run(table, results) || block.find("\n*Made ") == block.npos) continue;
    ++compared;
    for (const MovedFigure& figure : moved_figures(block, tables_text(table, results))) {
      fmt::print("{}: {}, {}: {} -> {}\n", table.name, figure.row, figure.column, figure.before, figure.now);
      ++moved;
    }
  }
  require<DataError>(compared > 0, words::kNothingToCompare, results.string());
  fmt::print("{} compared; {} moved beyond {} interval.\n", counted(compared, "table"), counted(moved, "figure"),
             moved == 1 ? "its" : "their");
  return moved > 0 ? 1 : 0;
}

/// Writes tables of results into the Markdown pages that hold their blocks. Returns 1 if checked figures moved.
/// @throws ConfigError, DataError with file and line
int pages(const PagesRequest& request) {
  std::vector<PageTable> tables = read_page_tables(request.file);
  if (!request.names.empty()) {
    std::vector<std::string> names;
    for (const PageTable& table : tables) names.push_back(table.name);
    for (const std::string& name : request.names)
      require<ConfigError>(std::ranges::find(names, name) != names.end(), "{}: there is no table '{}'.{}",
                           request.file.string(), name, suggestion(name, names));
    std::erase_if(tables, [&](const PageTable& table) {
      return std::ranges::find(request.names, table.name) == request.names.end();
    });
  }
  Pages pages;
  if (request.list) {
    for (const PageTable& table : tables) {
      const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
      const std::string block = pages.block(table);
      fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", table.name, or_dash(commit_in(block)),
                 shortest(std::round(10 * cpu_minutes_in(block).value_or(table.cpu_minutes)) / 10),
                 table.check ? "check" : "-", or_dash(join(table.configs, " ")), or_dash(join(table.measures, " ")),
                 or_dash(table.script));
    }
    return 0;
  }
  if (request.check) return check_pages(tables, pages, request.results);
  std::set<std::string> changed;
  for (const PageTable& table : tables) {
    std::string block = pages.block(table);
    std::string content;
    if (is_run(table, request.results) && !(table.commands.empty() && table.script.empty())) {
      content = head_text(table) + tables_text(table, request.results) + "\n" +
                made_text(table, request.results, request.commit);
      say("{}: written to {}.\n", table.name, table.page);
    } else if (commit_in(block).empty() && !block.ends_with(kStale) && !block.ends_with(kNotMade)) {
      const bool empty = trim(block).empty();
      content = head_text(table) + block + "\n" + std::string(empty ? kNotMade : kStale);
      say("{}: has no results, {} in {}.\n", table.name, empty ? "left empty" : "marked as stale", table.page);
    } else {
      continue;
    }
    std::string& text = pages.text(table.page);
    text = with_block(text, table.name, with_short_lines(content), table.page);
    changed.insert(table.page);
  }
  for (const std::string& page : changed) write_whole_file(page, pages.text(page));
  return 0;
}

}  // namespace

Command pages_command() { return command<PagesRequest>("pages", options_of, pages); }

}  // namespace alidade::commands
