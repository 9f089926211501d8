#pragma once

#include <unistd.h>

#include <utility>

namespace glyphreel {

/// Owns a file descriptor, which the destructor closes. The number -1 means that there is none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~FileDescriptor() { close(); }

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(number_, -1); }
  void reset(int number) {
    if (number_ >= 0) ::close(number_);
    number_ = number;
  }
  void close() { reset(-1); }

 private:
  int number_ = -1;
};

}  // namespace glyphreel
