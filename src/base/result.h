#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace glyphreel {

/// Kind of failure; the value is the process's exit code.
enum class ErrorCode {
  Failed = 1,         ///< failed while running: unwritable output, full disk, a lost device
  Usage = 2,          ///< wrong usage: an unknown option, an output that exists
  NoDevice = 3,       ///< no usable device or display
  BadInput = 4,       ///< the input cannot be opened or contains no video
  Interrupted = 130,  ///< stopped by the user
};

/// A failure: one sentence for the user, and the underlying cause.
struct Error {
  ErrorCode code = ErrorCode::Failed;
  std::string message;  ///< one sentence: what is wrong and what to do; no trailing newline
  std::string cause;    ///< the message of the library or the system (VkResult, AVERROR, errno); may be empty
};

/// Returns the message, followed by the cause in parentheses unless the cause is empty.
[[nodiscard]] std::string full_text(const Error& error);

/// A value or an Error: the part of std::expected that this project needs. GCC 12 lacks std::expected.
/// Normal events (end of stream, queue closed) are values, not errors.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] explicit operator bool() const { return state_.index() == 0; }
  [[nodiscard]] T& operator*() & { return std::get<0>(state_); }
  [[nodiscard]] const T& operator*() const& { return std::get<0>(state_); }
  [[nodiscard]] T&& operator*() && { return std::get<0>(std::move(state_)); }
  [[nodiscard]] T* operator->() { return &std::get<0>(state_); }
  [[nodiscard]] const T* operator->() const { return &std::get<0>(state_); }
  [[nodiscard]] Error& error() { return std::get<1>(state_); }
  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] explicit operator bool() const { return !error_; }
  [[nodiscard]] Error& error() { return *error_; }
  [[nodiscard]] const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

/// Reports a broken invariant, in release builds too: prints `message` with its location and aborts.
[[noreturn]] void check_failed(const char* condition, const char* file, int line, const std::string& message);

}  // namespace glyphreel

#define GLYPHREEL_CONCAT_(a, b) a##b
#define GLYPHREEL_CONCAT(a, b) GLYPHREEL_CONCAT_(a, b)

/// Aborts unless `condition` is true.
#define CHECK(condition, message)                                                           \
  do {                                                                                      \
    if (!(condition)) ::glyphreel::check_failed(#condition, __FILE__, __LINE__, (message)); \
  } while (false)

/// If `expression` (a Result) is an error, returns that error from the enclosing function.
#define TRY(expression)                                                                    \
  do {                                                                                     \
    if (auto try_result = (expression); !try_result) return std::move(try_result.error()); \
  } while (false)

/// Initializes `declaration` with the value of `expression` (a Result). If `expression` is an error, returns
/// that error from the enclosing function.
#define TRY_ASSIGN(declaration, expression) \
  TRY_ASSIGN_IMPL_(GLYPHREEL_CONCAT(try_assign_, __LINE__), declaration, expression)
#define TRY_ASSIGN_IMPL_(name, declaration, expression) \
  auto name = (expression);                             \
  if (!name) return std::move(name.error());            \
  declaration = *std::move(name)
