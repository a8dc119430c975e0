#include "experiments/external/command_call.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "experiments/files/durable_file.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/program_path.hpp"
#include "experiments/files/sha256.hpp"
#include "problems/core/error.hpp"
#include "problems/core/printable.hpp"
#include "problems/core/text.hpp"

namespace alidade {
namespace {

namespace fs = std::filesystem;

/// What the command printed, for the run's log.
void keep_log(const TaskFolder& folder, Log& log) {
  constexpr std::size_t kMostBytes = 1 << 16;
  if (folder.stays()) log.info("The command ran in {}, which stays.", folder.path().string());
  for (const char* file : {"stdout.txt", "stderr.txt"}) {
    std::istringstream lines(file_content(folder.path() / file, kMostBytes).value_or(""));
    for (std::string line; std::getline(lines, line);) log.info("{}", line);
  }
}

/// The end of a file.
std::string tail_of(const fs::path& file) {
  constexpr std::streamoff kBytes = 4096;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  in.seekg(std::max<std::streamoff>(0, in.tellg() - kBytes));
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The last lines of a text that are not empty, on one line.
std::string last_lines(std::string_view text) {
  constexpr std::size_t kLines = 3, kLongest = 200;
  std::vector<std::string> lines;
  for (text = trim(text); !text.empty() && lines.size() < kLines;) {
    const auto begin = text.rfind('\n');
    const std::string_view line = trim(text.substr(begin == text.npos ? 0 : begin + 1));
    if (!line.empty()) lines.push_back(printable(line.size() <= kLongest ? line : line.substr(line.size() - kLongest)));
    text = text.substr(0, begin == text.npos ? 0 : begin);
  }
  std::ranges::reverse(lines);
  return join(lines, " | ");
}

}  // namespace

bool names_file(const std::vector<std::string>& command, std::size_t k) {
  std::error_code ignored;
  return (k > 0 || command[k].find('/') != std::string::npos) && fs::is_regular_file(command[k], ignored);
}

void require_program(const std::string& name) {
  require<DataError>(program_path(name).has_value(),
                     "There is no program '{}'. Install it, or name another one in `command`.", name);
}

ProgramEnd call_command(const std::vector<std::string>& command, const std::vector<std::string>& arguments,
                        const TaskFolder& folder, SolveContext& context) {
  require_program(command.front());
  ChildProgram child;
  child.program = *program_path(command.front());
  child.folder = folder.path();
  child.words = command;
  for (std::size_t k = 0; k < command.size(); ++k)
    if (names_file(command, k)) child.words[k] = fs::absolute(command[k]).string();
  child.words.insert(child.words.end(), arguments.begin(), arguments.end());
  const std::string threads = std::to_string(context.executor.threads());
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"})
    child.environment.emplace_back(name, threads);
  child.environment.emplace_back("PYTHONHASHSEED", "0");
  const char* const path = std::getenv("PYTHONPATH");  // alidade_task.py is in the folder
  child.environment.emplace_back("PYTHONPATH", folder.path().string() + (path ? fmt::format(":{}", path) : ""));
  child.deadline = context.deadline;
  child.stop = context.stop;
  const ProgramEnd out = run_program(child);
  keep_log(folder, context.log);
  return out;
}

std::string failure_of(const ProgramEnd& end, const fs::path& result) {
  std::error_code ignored;
  if (end.asked != ProgramEnd::Asked::no) {
    if (fs::exists(result, ignored)) return "";
    return end.asked == ProgramEnd::Asked::late
               ? fmt::format("the time limit came after {:.1f} s, before it wrote one. Raise `timeout`",
                             end.wall_seconds)
               : "it was interrupted before it wrote one";
  }
  if (end.signal == SIGKILL)
    return "it was killed (signal 9); the system does this when memory runs out. Give fewer --jobs, or free memory";
  if (end.signal != 0) return fmt::format("signal {} ({})", end.signal, ::strsignal(end.signal));
  return end.exit_status == 0 ? "" : fmt::format("exit status {}", end.exit_status);
}

std::string failure_text(std::string_view result, std::string_view why, const TaskFolder& folder) {
  const std::string last = last_lines(tail_of(folder.path() / "stderr.txt"));
  if (why.ends_with('.')) why.remove_suffix(1);
  return fmt::format("The command gave no {}: {}.{}", result, why, last.empty() ? "" : " Its last words: " + last);
}

std::vector<std::string> words_of_command(const ValueTable& options) {
  std::vector<std::string> out;
  const Value* words = options.find("command");
  if (const auto* list = words ? words->get_if<ValueArray>() : nullptr)
    for (const Value& word : *list)
      if (const auto* text = word.get_if<std::string>()) out.push_back(*text);
  return out;
}

std::string checksum_of_command(const ValueTable& options) {
  const std::vector<std::string> words = words_of_command(options);
  std::string sums;
  for (std::size_t k = 0; k < words.size(); ++k)
    if (names_file(words, k)) sums += sha256(read_bytes(words[k]));
  return sums.empty() ? "" : sha256(sums);
}

}  // namespace alidade
