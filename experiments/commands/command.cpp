#include "experiments/commands/command.hpp"

#include <fmt/core.h>
#include <sentences/commands.hpp>

#include <algorithm>
#include <span>
#include <sstream>

#include "experiments/config/config_keys.hpp"
#include "experiments/datasets/sets/catalog.hpp"
#include "experiments/files/embedded_text.hpp"
#include "problems/catalog.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"
#include "solvers/catalog.hpp"

namespace alidade::commands {
namespace {

template <class T>
T* target_of(const CommandOption& option) {
  const auto* target = std::get_if<T*>(&option.target);
  return target ? *target : nullptr;
}

/// "mean, median or sd"
std::string either(const Words& words) {
  return join(std::span(words).first(words.size() - 1), ", ") + " or " + words.back();
}

/// "in [0, 1]", "at least 2" or "above 0 and below 1"
std::string range_text(const Bounds& bounds) {
  if (bounds.lower_open && bounds.upper_open)
    return fmt::format("above {} and below {}", shortest(bounds.lower), shortest(bounds.upper));
  return bounds.upper > 1e300 ? "at least " + shortest(bounds.lower) : bounds.to_text();
}

std::optional<double> number_of(const CommandOption& option) {
  if (const auto* number = target_of<int>(option)) return *number;
  if (const auto* number = target_of<std::int64_t>(option)) return static_cast<double>(*number);
  if (const auto* number = target_of<double>(option)) return *number;
  if (const auto* number = target_of<std::optional<double>>(option)) return *number;
  return std::nullopt;
}

std::optional<std::string> text_of_option(const CommandOption& option) {
  if (const auto* text = target_of<std::string>(option); text && !text->empty()) return *text;
  if (const auto* text = target_of<std::optional<std::string>>(option)) return *text;
  return std::nullopt;
}

}  // namespace

const std::string* given(const Settings& settings, std::string_view key) {
  const auto setting = std::ranges::find(settings, key, &Setting::key);
  return setting == settings.end() ? nullptr : &setting->text;
}

Words with_settings(Words overrides, const Settings& settings) {
  for (const Setting& setting : settings) overrides.push_back(setting.key + "=" + setting.text);
  return overrides;
}

Choices one_of(Words words) {
  return {[words = std::move(words)] { return words; }, true};
}
Choices names_in(Words (*words)()) { return {words}; }

bool CommandOption::is_flag() const {
  if (const auto* setting = std::get_if<SettingTarget>(&target)) return takes.empty() || !setting->flag.empty();
  return std::holds_alternative<bool*>(target) || (std::holds_alternative<std::string*>(target) && takes.empty());
}

bool CommandOption::is_several() const {
  return several == Several::again || std::holds_alternative<Words*>(target) ||
         std::holds_alternative<std::vector<fs::path>*>(target);
}

Words CommandOption::names() const {
  if (name.front() == '[') return {name.substr(1, name.size() - 2)};
  const auto comma = name.find(',');
  return comma == name.npos ? Words{name} : Words{name.substr(0, comma), name.substr(comma + 1)};
}

Words CommandOption::values() const {
  if (choices.words) return choices.words();
  const auto* setting = std::get_if<SettingTarget>(&target);
  if (!setting) return {};
  const auto dot = setting->key.rfind('.');
  const std::string last = dot == setting->key.npos ? "" : setting->key.substr(dot + 1);
  Words out;
  const auto add = [&](std::span<const OptionInfo> options) {
    if (const OptionInfo* info = find_option(options, last))
      for (const std::string& choice : info->choices)
        if (std::ranges::find(out, choice) == out.end()) out.push_back(choice);
  };
  if (setting->key.starts_with("uncertainty.")) add(config_keys::uncertainty().infos());
  if (setting->key.starts_with("dataset."))
    for (const char* own : {"triplets", "features", "dissimilarities"})
      add(datasets::dataset_catalog().at(own).options);
  return out;
}

bool CommandOption::shows_default() const {
  if (const auto* text = target_of<std::string>(*this)) return !text->empty();
  if (const auto* path = target_of<fs::path>(*this)) return !path->empty();
  return number_of(*this) && !std::holds_alternative<std::optional<double>*>(target);
}

std::string CommandOption::default_text() const {
  if (const auto* text = target_of<std::string>(*this)) return *text;
  if (const auto* path = target_of<fs::path>(*this)) return path->string();
  return fmt::format("{}", number_of(*this).value_or(0));
}

namespace {

bool differ(const CommandOption& one, const CommandOption& other) {
  return std::visit(
      [&]<class T>(const T& target) {
        if constexpr (std::is_pointer_v<T>) return !(*target == *std::get<T>(other.target));
        return false;
      },
      one.target);
}

}  // namespace

void check(const std::vector<OptionRule>& rules, const CommandOptions& options, const CommandOptions& defaults) {
  Words given;
  for (std::size_t i = 0; i < options.size(); ++i)
    if (!options[i].name.empty() && differ(options[i], defaults[i])) given.push_back(options[i].names().back());
  const auto is_given = [&](const std::string& name) { return std::ranges::find(given, name) != given.end(); };
  for (const auto& [option, others, needs_one, sentence] : rules) {
    if (!is_given(option) || std::ranges::any_of(others, is_given) == needs_one) continue;
    if (!sentence.empty()) throw ConfigError(sentence);
    if (others.size() == 1) throw ConfigError(fmt::format(words::kDifferentTables, option, others[0]));
    throw ConfigError(fmt::format("{} makes a table of its own. Leave out {} and {}.", option,
                                  join(std::span(others).first(others.size() - 1), ", "), others.back()));
  }
}

void check(const CommandOptions& options) {
  for (const CommandOption& option : options) {
    if (option.name.empty()) continue;
    const std::string name =
        option.is_argument() ? fmt::format("The argument '{}'", option.names().back()) : option.names().back();
    const auto text = text_of_option(option);
    if (text && option.choices.checked) {
      const Words words = option.choices.words();
      if (std::ranges::find(words, *text) == words.end())
        throw ConfigError(fmt::format("{} is {}, not '{}'.", name, either(words), *text));
    }
    if (const auto number = number_of(option);
        number && !option.bounds.to_text().empty() && !option.bounds.contain(*number))
      throw ConfigError(fmt::format("{} must be {}, not {:g}.", name, range_text(option.bounds), *number));
  }
}

void set_values(const CommandOptions& options, const ValueTable& values, std::string_view owner) {
  for (const auto& [key, value] : values) {
    std::string name = key;
    std::ranges::replace(name, '_', '-');
    const auto option = std::ranges::find_if(options, [&](const CommandOption& o) {
      return !o.name.empty() && (o.names().back() == "--" + name || o.names().back() == key);
    });
    require<ConfigError>(option != options.end(), "{} has no option '{}'.", owner, key);
    const auto texts = [&](auto& out) {
      for (const Value& text : *value.get_if<ValueArray>()) out.emplace_back(*text.get_if<std::string>());
    };
    const bool set = std::visit(
        [&](auto target) {
          using T = std::remove_pointer_t<decltype(target)>;
          if constexpr (std::is_same_v<T, SettingTarget>) {
            return false;
          } else if constexpr (std::is_same_v<T, Words> || std::is_same_v<T, std::vector<fs::path>>) {
            const auto* list = value.get_if<ValueArray>();
            if (!list || !std::ranges::all_of(*list, [](const Value& v) { return v.get_if<std::string>(); }))
              return false;
            return texts(*target), true;
          } else if constexpr (std::is_constructible_v<T, std::string>) {
            const auto* text = value.get_if<std::string>();
            return text && (*target = *text, true);
          } else if constexpr (std::is_same_v<T, bool>) {
            const auto* flag = value.get_if<bool>();
            return flag && (*target = *flag, true);
          } else {
            const auto number = std::is_integral_v<T> && !value.get_if<std::int64_t>() ? std::nullopt : value.number();
            return number &&
                   (*target = static_cast<std::conditional_t<std::is_integral_v<T>, T, double>>(*number), true);
          }
        },
        option->target);
    require<ConfigError>(set, "{} must not be {}.", key, value.to_text());
  }
  check(options);
}

Command command_texts(std::string_view path) {
  Command out{std::string(path.substr(path.rfind(' ') + 1))};
  std::istringstream lines{std::string(embedded_text("commands.txt"))};
  bool here = false;
  for (std::string line; std::getline(lines, line);) {
    const std::string text = line.substr(std::min<std::size_t>(line.size(), 4));
    if (!line.starts_with(' ')) {
      here = line.substr(0, line.find(':')) == path;
      if (here) out.heading = trim(line.substr(path.size() + 1));
    } else if (here && line[2] == '$') {
      out.examples.push_back(text);
    } else if (here && line[2] == '>') {
      out.next = text;
    } else if (here) {
      out.doc += (out.doc.empty() ? "" : " ") + line.substr(2);
    }
  }
  return out;
}

CommandOption under(std::string heading) {
  CommandOption out("", "", static_cast<bool*>(nullptr), "");
  out.heading = std::move(heading);
  return out;
}

CommandOptions finished(CommandOptions options) {
  std::string heading;
  for (CommandOption& option : options) {
    (option.name.empty() ? heading : option.heading) = option.name.empty() ? option.heading : heading;
    if (const auto place = option.doc.find("{}"); place != option.doc.npos)
      option.doc.replace(place, 2, either(option.choices.words()));
  }
  std::erase_if(options, [](const CommandOption& option) { return option.name.empty(); });
  return options;
}

void append(CommandOptions& out, const CommandOptions& more) { out.insert(out.end(), more.begin(), more.end()); }

CommandOptions answer_options(Settings& settings) {
  const auto dataset = [&](std::string option, std::string flag = "") {
    return SettingTarget{&settings, "dataset." + std::move(option), std::move(flag)};
  };
  return {under(kData),
          {"--order", "COLUMNS", dataset("order"), "the columns of a file without a header, such as anchor,near,far"},
          {"--columns", "COLUMNS", dataset("columns"),
           "which columns to read of a file whose header has other names: stim1,stim2,stim3 for anchor, near and far, "
           "stim1,stim2,stim3,response for two_choice, or the two things of a pair and its number, sign or answer; "
           "annotator=participant names a further one, and response_time=rt too"},
          answers_where_option(dataset("where")),
          {"--answers", "NAME", dataset("answers"),
           "the kind of answer in each row: triplets (default), two_choice (reference, left, right, response), "
           "odd_one_out, most_central, pick, ranked or quadruplets"},
          {"--weight-by-answer", "", dataset("weight_by_answer", "true"),
           "give every answer the same total weight, however many triplets it implies"},
          {"--drop-degenerate", "", dataset("degenerate", "drop"), "drop rows that name one object twice"},
          {"--merge-names", "", dataset("merge_names"),
           "read names (or labels) that differ only in number format (3, 3.0), case, spaces, quotes or Unicode form as "
           "one; without it only if all are numbers, and a note names the others. --merge-names=no: never, "
           "but an accent that Unicode writes in two ways is one"},
          max_size_option(SettingTarget{&settings, "max_size"})};
}

CommandOption answers_where_option(Target target) {
  return {"--where", "COLUMN=VALUE", std::move(target),
          "which rows of answers, ratings, pairs or clusterings to read: phase=test, status!=bad; may be repeated. "
          "Default: all but practice, if a column marks them",
          Several::again};
}

Words problem_names() {
  Words out = problem_catalog().names();
  out.emplace_back("auto");
  return out;
}
Words solver_names() {
  Words out = solver_catalog().names();
  out.emplace_back("auto");
  return out;
}

CommandOption max_size_option(Target target) {
  return {
      "--max-size", "SIZE", target,
      "how large a data file may be, unpacked, such as 8GB; default 4GB, or half of the machine's memory where that "
      "is less, and of a packed file 100 times its size, but at least 256MB"};
}

CommandOption runs_option(Words& where) {
  return {"--where", "FIELD=VALUE", &where,
          "use only the runs that match: dataset=europe, method!=NAME, status!=failed; may be repeated"};
}

}  // namespace alidade::commands
