// The three errors a caller can cause, and the two checks that raise them.
// Every message says what was expected, what came, and what to do. Numerical trouble is a
// Termination (solvers/contract/solver.hpp), never one of these errors.
#pragma once

#include <fmt/core.h>

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace alidade {

/// Base of all errors caused by input. `what()` is one line for the user, whatever names and texts of files stand in it
/// (printable.hpp); `where()` is for developers.
class Error : public std::runtime_error {
 public:
  Error(const std::string& message, std::source_location where);
  [[nodiscard]] const std::source_location& where() const noexcept { return where_; }

 private:
  std::source_location where_;
};

/// An option, name or configuration that cannot be used.
class ConfigError : public Error {
 public:
  explicit ConfigError(const std::string& message, std::source_location where = std::source_location::current())
      : Error(message, where) {}
};

/// Observations, files or arrays that violate their format or cannot be written.
class DataError : public Error {
 public:
  explicit DataError(const std::string& message, std::source_location where = std::source_location::current())
      : Error(message, where) {}
};

/// A solver was given a problem without the capabilities that it needs.
class UnsupportedPair : public Error {
 public:
  explicit UnsupportedPair(const std::string& message, std::source_location where = std::source_location::current())
      : Error(message, where) {}
};

/// A format string with its source location, which `require` reports.
template <class... Args>
struct FormatHere {
  template <class S>
  consteval FormatHere(const S& text, std::source_location at = std::source_location::current())
      : format(text), where(at) {}
  fmt::format_string<Args...> format;
  std::source_location where;
};

/// Throws `E` with the formatted message.
template <class E>
[[noreturn]] void throw_formatted(fmt::string_view text, fmt::format_args args, std::source_location where) {
  throw E(fmt::vformat(text, args), where);
}

/// Throws `E` with the formatted message unless `condition` holds.
template <class E, class... Args>
void require(bool condition, FormatHere<std::type_identity_t<Args>...> text, Args&&... args) {
  if (!condition) throw_formatted<E>(text.format, fmt::make_format_args(args...), text.where);
}

/// A place in a file in the usual form: "triplets.csv:17".
[[nodiscard]] std::string at_line(std::string_view file, std::size_t line);

[[noreturn]] void assertion_failed(const char* text, const char* file, int line);

}  // namespace alidade

#ifdef NDEBUG
#define ALIDADE_ASSERT(condition) static_cast<void>(0)
#else
/// For internal logic only, never for input.
#define ALIDADE_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::alidade::assertion_failed(#condition, __FILE__, __LINE__))
#endif
