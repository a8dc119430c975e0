// A refusal of a text: one line that begins with the place and says certain things.
// check_refused<DataError>([&] { return parse("a,b\n"); }, "t.csv:1", {"Name a column"});
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/message_of.hpp"

namespace alidade::testing {

template <class Error, class Call>
void check_refused(Call&& call, std::string_view begin, const std::vector<std::string>& parts) {
  const std::string message = message_of<Error>(call);
  CAPTURE(message);
  CHECK(message.starts_with(begin));
  CHECK(message.find('\n') == std::string::npos);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(message.find(part) != std::string::npos);
  }
}

}  // namespace alidade::testing
