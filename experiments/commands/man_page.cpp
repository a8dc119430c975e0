#include "experiments/commands/command.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "experiments/files/embedded_text.hpp"
#include "experiments/files/text_lines.hpp"
#include "problems/core/lists.hpp"
#include "problems/core/text.hpp"

namespace alidade::commands {
namespace {

/// Text that roff takes literally.
std::string roff(std::string_view text) {
  const bool command = text.starts_with('.') || text.starts_with('\'');
  return (command ? "\\&" : "") + replaced(text, {{"\\", "\\e"}, {"-", "\\-"}, {"\n", " "}});
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string option_text(const CommandOption& option) {
  const auto bold = [](const std::string& name) { return "\\fB" + roff(name) + "\\fR"; };
  std::string out = ".TP\n" + join(mapped(option.names(), bold), ", ");
  if (!option.is_flag()) out += " \\fIVALUE\\fR";
  out += "\n" + roff(option.doc);
  if (option.shows_default()) out += " (default " + roff(option.default_text()) + ")";
  if (option.is_several()) out += "; may be repeated";
  return out + "\n";
}

void commands_text(const Command& command, const std::string& path, std::string& out) {
  for (const Command& below : command.commands) {
    const std::string full = path + " " + below.name;
    std::string usage = "\\fB" + roff(full) + "\\fR", arguments, options;
    for (const CommandOption& option : below.options) {
      if (!option.is_argument()) {
        options += option_text(option);
        continue;
      }
      const std::string name = "\\fI" + upper(roff(option.names().front())) + "\\fR";
      arguments += ".TP\n" + name + "\n" + roff(option.doc) + "\n";
      const std::string all = name + (option.is_several() ? "..." : "");
      usage += option.is_required() ? " " + all : " [" + all + "]";
    }
    if (!options.empty()) usage.insert(usage.find("\\fR") + 3, " [\\fIOPTIONS\\fR]");
    if (!below.commands.empty()) usage += " \\fICOMMAND\\fR";
    out += ".SS \"" + roff(full) + "\"\n.PP\n" + usage + "\n.PP\n" + roff(below.doc) + ".\n" + arguments + options;
    commands_text(below, full, out);
  }
}

}  // namespace

std::string man_page(const Command& command, std::string_view version) {
  std::string options, commands;
  for (const CommandOption& option : command.options) options += option_text(option);
  commands_text(command, "alidade", commands);
  return embedded_text(
      "alidade.1",
      {{"%version%", roff(version)}, {"%what%", roff(command.doc)}, {"%options%", options}, {"%commands%", commands}});
}

}  // namespace alidade::commands
