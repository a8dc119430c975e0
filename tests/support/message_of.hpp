// What a call complains about: message_of<DataError>([] { return read_npy("absent"); }).
// Errors of another kind pass through and fail the test.
// What a message must hold: text_holds.hpp.
#pragma once

#include <string>

namespace alidade::testing {

/// The message of the Error that `call` throws; "(no error)" if it throws none.
template <class Error, class Call>
[[nodiscard]] std::string message_of(Call&& call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

}  // namespace alidade::testing
