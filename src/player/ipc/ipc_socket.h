#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>

#include "base/io/file_descriptor.h"
#include "base/result.h"

namespace glyphreel::player {

/// A Unix socket that accepts connections of the same user. Its file exists as long as this object.
class IpcSocket {
 public:
  /// Creates the socket file. Replaces the file of a program that has ended without removing it. Errors:
  /// Usage if another program listens on the socket, if the file is not a socket, or if the path is too long;
  /// otherwise Failed.
  [[nodiscard]] static Result<std::unique_ptr<IpcSocket>> listen(const std::string& path);
  /// Removes the file, unless another program has replaced it.
  ~IpcSocket();
  IpcSocket(const IpcSocket&) = delete;
  IpcSocket& operator=(const IpcSocket&) = delete;

  /// Returns the non-blocking descriptor to accept connections from.
  [[nodiscard]] int descriptor() const { return socket_.number(); }

 private:
  explicit IpcSocket(std::string path) : path_(std::move(path)) {}

  std::string path_;
  FileDescriptor socket_;
  dev_t device_ = 0;  ///< identify the file; 0: there is none
  ino_t inode_ = 0;
};

}  // namespace glyphreel::player
