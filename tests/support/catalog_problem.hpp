// A problem of the catalog, by its name and by options as text.
// What a config would make of the same words.
// Example: const Problem problem = made("tsne", data, "{ perplexity = 5 }");
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "problems/catalog.hpp"
#include "problems/core/value.hpp"

namespace alidade::testing {

[[nodiscard]] inline Problem made(std::string_view name, const Observations& data, std::string_view options = "{}") {
  return problem_catalog().at(name).make(data, *value_from_text(options).get_if<ValueTable>());
}

/// By options one by one: made("mvu", data, {{"neighbors", 4}}).
[[nodiscard]] inline Problem made(std::string_view name, const Observations& data,
                                  std::initializer_list<std::pair<const char*, Value>> entries) {
  ValueTable options;
  for (const auto& [key, value] : entries) options.set(key, value);
  return problem_catalog().at(name).make(data, options);
}

}  // namespace alidade::testing
