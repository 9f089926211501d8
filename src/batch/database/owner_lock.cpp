#include "batch/database/owner_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/io/atomic_file.h"
#include "base/io/printable.h"
#include "batch/host.h"

namespace glyphreel::batch {
namespace {

enum class Attempt { Locked, Held, Unsupported, Failed };

Attempt try_flock(int file) {
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return Attempt::Locked;
  if (errno == EWOULDBLOCK) return Attempt::Held;
  return errno == EOPNOTSUPP || errno == ENOLCK || errno == ENOSYS || errno == EINVAL ? Attempt::Unsupported
                                                                                      : Attempt::Failed;
}

/// Locks the file with fcntl(), for file systems that do not support flock(), such as some network file
/// systems.
Attempt try_record_lock(int file) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(file, F_SETLK, &lock) == 0) return Attempt::Locked;
  return errno == EACCES || errno == EAGAIN ? Attempt::Held : Attempt::Failed;
}

/// Returns the lock file's description of the process that holds the lock.
std::string holder(int file) {
  std::array<char, 256> text{};
  const ssize_t count = ::pread(file, text.data(), text.size(), 0);
  const std::string_view line(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  return line.empty() ? "another run" : printable(line.substr(0, line.find('\n')));
}

}  // namespace

Result<OwnerLock> OwnerLock::acquire(const std::string& path, const std::string& what) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open()) return unwritable(path, {errno, std::generic_category()});
  Attempt attempt = try_flock(file.number());
  if (attempt == Attempt::Unsupported) attempt = try_record_lock(file.number());
  if (attempt == Attempt::Held) {
    return Error{ErrorCode::Usage,
                 fmt::format("{} is in use by {}; wait for it to end, or choose a different output with -o.",
                             what, holder(file.number())),
                 {}};
  }
  if (attempt != Attempt::Locked) return unwritable(path, {errno, std::generic_category()});
  const std::string line = fmt::format("process {} on {} since {:%Y-%m-%d %H:%M:%S}\n", ::getpid(),
                                       host_name(), fmt::localtime(std::time(nullptr)));
  // A run that cannot get the lock shows this line in its message.
  if (::ftruncate(file.number(), 0) != 0 || ::pwrite(file.number(), line.data(), line.size(), 0) < 0)
    return unwritable(path, {errno, std::generic_category()});
  return OwnerLock(std::move(file));
}

}  // namespace glyphreel::batch
