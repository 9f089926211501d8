#include "base/io/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/interrupt.h"
#include "base/io/file_descriptor.h"

namespace glyphreel {
namespace {

constexpr int PollInterval = 50;  // ms between checks of the interrupt flag
constexpr std::size_t ChunkBytes = 64 * 1024;

}  // namespace

Result<std::string> read_file(const std::string& path, const ReadFileOptions& options) {
  const auto problem = [&](FileProblem kind, int error_number) {
    return Error{options.code, options.explain(kind), error_number == 0 ? "" : std::strerror(error_number)};
  };
  // Without O_NONBLOCK, opening a FIFO would wait for a writer, and an interrupt could not end the wait.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.number() < 0) {
    const int number = errno;
    return problem(number == ENOENT || number == ENOTDIR ? FileProblem::Missing : FileProblem::Unreadable,
                   number);
  }
  struct stat status {};
  if (::fstat(file.number(), &status) == 0 && S_ISDIR(status.st_mode))
    return problem(FileProblem::Directory, EISDIR);

  std::string bytes;
  while (!interrupted() && !(options.should_stop && options.should_stop())) {
    pollfd ready{file.number(), POLLIN, 0};
    // Poll first: reading from a FIFO that has no writer yet would return 0, as at the end of a file.
    if (::poll(&ready, 1, PollInterval) <= 0) continue;
    const std::size_t size = bytes.size();
    bytes.resize(std::min(size + ChunkBytes, options.max_bytes + 1));
    const ssize_t count = ::read(file.number(), bytes.data() + size, bytes.size() - size);
    const int number = errno;
    bytes.resize(size + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) return bytes;
    if (bytes.size() > options.max_bytes) return problem(FileProblem::TooLarge, 0);
    if (count > 0 || number == EINTR) continue;
    if (number != EAGAIN) return problem(FileProblem::Unreadable, number);
    ::poll(nullptr, 0, PollInterval);  // wait: poll() reported data, but read() found none
  }
  return Error{ErrorCode::Interrupted, fmt::format("Reading {} was interrupted.", path)};
}

}  // namespace glyphreel
