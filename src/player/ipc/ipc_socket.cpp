#include "player/ipc/ipc_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace glyphreel::player {
namespace {

constexpr int Backlog = 16;

FileDescriptor new_socket() {
  return FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

Error usage(std::string message) {
  return {ErrorCode::Usage, std::move(message), {}};
}

Error failed(const std::string& path) {
  return {ErrorCode::Failed,
          fmt::format("The socket {} cannot be created; check its folder and permissions.", path),
          std::strerror(errno)};
}

/// Removes the socket file at `path` if no program listens on it. Errors: Usage if the path is in use.
Result<void> remove_stale(const std::string& path, const sockaddr_un& address) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return {};
  if (!S_ISSOCK(found.st_mode))
    return usage(fmt::format("{} is not a socket; choose a different path for --input-ipc-server.", path));
  const FileDescriptor probe = new_socket();
  const auto* const target = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(probe.number(), target, sizeof address) == 0 || errno != ECONNREFUSED) {
    return usage(fmt::format(
        "Another program is listening on the socket {}; choose a different --input-ipc-server path.", path));
  }
  return ::unlink(path.c_str()) == 0 ? Result<void>() : failed(path);
}

}  // namespace

Result<std::unique_ptr<IpcSocket>> IpcSocket::listen(const std::string& path) {
  std::unique_ptr<IpcSocket> self(new IpcSocket(path));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return usage(fmt::format("The socket path {} is longer than {} bytes; choose a shorter path.", path,
                             sizeof address.sun_path - 1));
  }
  path.copy(address.sun_path, path.size());
  TRY(remove_stale(path, address));
  self->socket_ = new_socket();
  const int descriptor = self->descriptor();
  // bind() creates the file with the mode of the descriptor, so that only this user can connect.
  const bool is_bound = self->socket_.is_open() && ::fchmod(descriptor, S_IRUSR | S_IWUSR) == 0 &&
                        ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (!is_bound) return failed(path);
  struct stat created = {};
  if (::stat(path.c_str(), &created) == 0) {
    self->device_ = created.st_dev;
    self->inode_ = created.st_ino;
  }
  if (::listen(descriptor, Backlog) != 0) return failed(path);
  return self;
}

IpcSocket::~IpcSocket() {
  struct stat found = {};
  if (inode_ != 0 && ::stat(path_.c_str(), &found) == 0 && found.st_dev == device_ &&
      found.st_ino == inode_) {
    ::unlink(path_.c_str());
  }
}

}  // namespace glyphreel::player
