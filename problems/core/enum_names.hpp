// Names of the values of an enumeration, as users write them: an array in the order of the values.
// From it come the value of a name, the message on a wrong one, and what help and completion offer.
// enum_named<Aggregate>(kAggregateNames, "mean", "aggregate") is Aggregate::mean.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "problems/core/error.hpp"
#include "problems/core/text.hpp"

namespace alidade {

/// `what`: "aggregate", in the message. @throws ConfigError with the nearest name
template <class E, std::size_t N>
E enum_named(const std::array<std::string_view, N>& names, std::string_view name, std::string_view what) {
  const auto position = std::ranges::find(names, name);
  if (position != names.end()) return static_cast<E>(position - names.begin());
  const std::vector<std::string> all(names.begin(), names.end());
  throw ConfigError(fmt::format("There is no {} '{}'.{}", what, name, suggestion(name, all)));
}

}  // namespace alidade
