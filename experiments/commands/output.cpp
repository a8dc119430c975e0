#include <unistd.h>
#include <sentences/commands.hpp>

#include "experiments/commands/commands.hpp"
#include "experiments/config/config_file.hpp"
#include "experiments/files/gzip_file.hpp"
#include "experiments/files/terminal_text.hpp"
#include "experiments/files/text_encoding.hpp"
#include "problems/core/printable.hpp"
#include "problems/evidence/observations.hpp"
#include "problems/programs/sdpa_file.hpp"

namespace alidade::commands {

Observations answers_alone(std::string_view command, const std::function<Observations()>& read) {
  try {
    return read();
  } catch (const DataError& error) {
    const bool other = std::string_view(error.what()).find("alidade embed --") != std::string_view::npos;
    if (!other) throw;
    throw DataError(fmt::format(words::kAnswersAlone, error.what(), command));
  }
}

std::string note_lines(std::span<const std::string> notes) {
  std::string out;
  for (const std::string& note : notes) out += "Note: " + printable(note) + "\n";
  return out;
}

void say_notes(std::span<const std::string> notes) { write_to_stderr(note_lines(notes)); }

void print_first(std::span<const std::string> lines, std::size_t most, std::string_view more, std::string_view indent) {
  const std::size_t shown = std::min(lines.size(), most);
  for (const std::string& line : lines.first(shown)) fmt::print("{}{}\n", indent, line);
  if (shown < lines.size()) fmt::print("{}\n", fmt::format(fmt::runtime(more), lines.size() - shown));
}

void list_lines(std::span<const std::string> lines, bool all) {
  constexpr std::size_t kListed = 20;
  print_first(lines, all ? lines.size() : kListed, "... and {} more; --all lists them");
}

bool prints_on_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

void print_document(const std::string& markdown, bool as_text) {
  fmt::print("{}", as_text ? terminal_text(markdown, terminal_style(STDOUT_FILENO)) : markdown);
}

ValueTable named_options(const Words& options, std::string_view example) {
  ValueTable out;
  for (const std::string& option : options) {
    const auto equals = option.find('=');
    require<ConfigError>(equals != option.npos && equals > 0, words::kNoNameAndValue, option, example);
    const std::string name(trim(std::string_view(option).substr(0, equals)));
    require<ConfigError>(out.find(name) == nullptr, "--option {} is given twice. Leave one out.", name);
    out.set(name, value_from_text(std::string_view(option).substr(equals + 1)));
  }
  return out;
}

std::optional<double> seconds_given(const std::optional<std::string>& text) {
  return text ? std::optional(seconds_of(value_from_text(*text))) : std::nullopt;
}

std::optional<std::uint64_t> bytes_given(const std::optional<std::string>& text) {
  return text ? std::optional(bytes_of(value_from_text(*text))) : std::nullopt;
}

std::string text_of_file(const fs::path& file) { return without_mark(read_text(file), file.string()); }

SemidefiniteProgram read_program(const fs::path& file) { return parse_sdpa(text_of_file(file), file.string()); }

std::string program_shape(const SemidefiniteProgram& program) {
  Index blocks = 0, largest = 0, numbers = 0;
  for (const SemidefiniteBlock& block : program.blocks) {
    if (block.diagonal) {
      numbers += block.size;
    } else {
      ++blocks;
      largest = std::max(largest, block.size);
    }
  }
  return fmt::format(words::kProgramShape, program.constraints.size(), blocks, largest, largest, numbers);
}

}  // namespace alidade::commands
