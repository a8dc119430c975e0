#include "experiments/commands/named_options.hpp"

#include "experiments/config/config_file.hpp"
#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade::commands {

ValueTable named_options(const std::vector<std::string>& options, std::string_view example) {
  ValueTable out;
  for (const std::string& option : options) {
    const auto equals = option.find('=');
    require<ConfigError>(equals != option.npos && equals > 0,
                         "--option '{}' is not NAME=VALUE. Write, for example, {}.", option, example);
    const std::string name(trim(std::string_view(option).substr(0, equals)));
    require<ConfigError>(out.find(name) == nullptr, "--option {} is given twice. Leave one out.", name);
    out.set(name, value_from_text(std::string_view(option).substr(equals + 1)));
  }
  return out;
}

}  // namespace alidade::commands
