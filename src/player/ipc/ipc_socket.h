#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>

#include "base/io/file_descriptor.h"
#include "base/result.h"

namespace glyphreel::player {

/// A Unix socket that only programs of the same user can connect to. The destructor removes the socket file.
class IpcSocket {
 public:
  /// Creates the socket file. Replaces a socket file on which no program listens anymore. Errors: Usage if
  /// another program listens on the socket, if the file is not a socket, or if the path is too long; Failed
  /// if the socket cannot be created for another reason.
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
  dev_t device_ = 0;  ///< device_ and inode_ identify the socket file; 0: no file
  ino_t inode_ = 0;
};

}  // namespace glyphreel::player
