#pragma once

#include <stdlib.h>

#include <optional>
#include <string>

namespace glyphreel::test {

/// Sets an environment variable, and restores its previous value on destruction. No other thread may call
/// getenv(3) during construction or destruction.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace glyphreel::test
