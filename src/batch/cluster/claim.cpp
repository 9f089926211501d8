#include "batch/cluster/claim.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdint>

#include "media/input/content_hash.h"

namespace glyphreel::batch {
namespace {

/// Returns the offset of the byte that is locked to claim a unit. A byte beyond the end of the file can be
/// locked too.
std::int64_t position_of(const std::string& unit) {
  constexpr std::size_t Digits = 15;  // hexadecimal digits: 60 bits, so the offset is positive
  return std::stoll(media::content_hash_of(unit).substr(0, Digits), nullptr, 16);
}

}  // namespace

std::optional<Claim> Claim::acquire(const std::string& path, const std::string& unit) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = position_of(unit);
  lock.l_len = 1;
  // This lock belongs to the open file description, not to the process, so it also excludes other threads.
  const bool is_locked = !file.is_open() || ::fcntl(file.number(), F_OFD_SETLK, &lock) == 0;
  if (!is_locked && (errno == EAGAIN || errno == EACCES)) return std::nullopt;
  return Claim(std::move(file));
}

}  // namespace glyphreel::batch
