#include "base/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/interrupt.h"

namespace glyphreel {
namespace {

namespace fs = std::filesystem;

constexpr int PollInterval = 50;  // ms between checks of the interrupt flag
// After an interrupt, write() fails if the reader accepts nothing during this number of polls in a row.
constexpr int PollsAfterInterrupt = 20;
constexpr int MaxLinks = 40;           // symbolic links to follow; the kernel's limit
constexpr int MaxCandidates = 10'000;  // names tried for a temporary file
constexpr int MaxRaces = 100;          // attempts to create a file while other programs create or remove it

std::error_code system_error(int number) {
  return {number, std::generic_category()};
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

/// Returns whether `path` still names the open file.
bool names(const std::string& path, const FileDescriptor& file) {
  struct stat named {};
  struct stat opened {};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(file.number(), &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/// Returns NAME.TAG.EXT for NAME.EXT and number 1, and NAME.TAG-N.EXT for a higher number N.
std::string tagged_path(const std::string& path, std::string_view tag, int number) {
  const fs::path whole(path);
  fs::path tagged = whole.parent_path() / whole.stem();
  tagged += number == 1 ? fmt::format(".{}", tag) : fmt::format(".{}-{}", tag, number);
  tagged += whole.extension();
  return tagged.string();
}

/// Returns the `number`th candidate name for a temporary file, counted from 1.
std::string candidate_path(const std::string& target, AtomicFile::Temporary kind, int number) {
  static std::atomic<unsigned> count = 0;
  if (kind != AtomicFile::Temporary::Hidden)
    return tagged_path(target, kind == AtomicFile::Temporary::Part ? "part" : "finishing", number);
  return (fs::path(target).parent_path() / fmt::format(".glyphreel-{}-{}", ::getpid(), ++count)).string();
}

/// Locks the file against other instances of this program. Returns false if another instance has
/// locked it. Returns true on a file system without locks.
bool lock(const FileDescriptor& file, int operation) {
  while (::flock(file.number(), operation) != 0) {
    if (errno != EINTR) return errno != EWOULDBLOCK;
  }
  return true;
}

Error in_use(const std::string& path) {
  return {ErrorCode::Usage,
          fmt::format(
              "{} is being written by another program: wait for it to finish, or choose a different name.",
              path)};
}

/// Returns whether another instance of this program is writing the regular file `path`.
bool is_locked(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  return file.is_open() && !lock(file, LOCK_SH | LOCK_NB);
}

/// Renames a file without replacing an existing one. Returns 0 or the errno.
int rename_to_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // Some file systems lack RENAME_NOREPLACE. Most of these support hard links, and link() does not replace a
  // file either.
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 ? 0 : errno;
  if (errno == EEXIST) return errno;
  if (exists(to)) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

/// Flushes the folder of `path`, because a new name is on disk only once its folder is flushed. Ignores
/// errors: file systems that cannot flush a folder do not need to.
void flush_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  const FileDescriptor opened(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open()) ::fsync(opened.number());
}

/// Returns the text that follows "PATH cannot be written" in a message: the reason and the remedy. The text
/// is empty if they are unknown.
const char* advice_on(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return ": its folder does not exist; create it";
    case EACCES:
    case EPERM:
    case EROFS:
      return ": check the permissions of its folder";
    case ENOSPC:
    case EDQUOT:
      return ": the disk is full; free some space or choose a folder on a different disk";
    case EFBIG:
      return ": the file reached the maximum size; raise ulimit -f or choose a folder on a different disk";
    case ENAMETOOLONG:
      return ": its name is too long; choose a shorter one";
    case EPIPE:
      return ": the program reading it has exited";
    default:
      return "";
  }
}

}  // namespace

Result<std::unique_ptr<AtomicFile>> AtomicFile::create(Options options) {
  std::unique_ptr<AtomicFile> file(new AtomicFile(std::move(options)));
  TRY_ASSIGN(const Kind kind, file->inspect());
  TRY(kind == Kind::Stream ? file->open_stream() : file->open_temporary());
  return file;
}

Result<void> AtomicFile::check(Options options) {
  AtomicFile file(std::move(options));
  TRY_ASSIGN(const Kind kind, file.inspect());
  if (kind == Kind::Stream) return {};
  const fs::path folder = fs::path(file.target_).parent_path();
  const bool takes_files = ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
  return takes_files ? Result<void>() : unwritable(file.options_.path, system_error(errno));
}

AtomicFile::~AtomicFile() {
  if (!is_kept_ && !temporary_path().empty()) ::unlink(temporary_.c_str());
}

Result<AtomicFile::Kind> AtomicFile::inspect() {
  const std::string& path = options_.path;
  target_ = resolve_links(path);
  struct stat status {};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  if (is_there && S_ISDIR(status.st_mode)) {
    return Error{ErrorCode::Usage, fmt::format("The output {} is a directory: choose a file.", path)};
  }
  if (is_there && S_ISBLK(status.st_mode)) {
    return Error{ErrorCode::Usage, fmt::format("The output {} is a block device: choose a file.", path)};
  }
  if (options_.inputs.contains(path)) {
    return Error{
        ErrorCode::Usage,
        fmt::format("The output {} is an input of the same command: choose a different output.", path)};
  }
  if (is_there && (!S_ISREG(status.st_mode) || target_.starts_with("/proc/"))) return Kind::Stream;
  if (is_there && options_.existing == Existing::Refuse) {
    return Error{ErrorCode::Usage, fmt::format("{} exists: use --force to replace it.", path)};
  }
  if (is_there && is_locked(target_)) return in_use(path);
  return Kind::Regular;
}

/// Opens a device or FIFO. Without O_NONBLOCK, open() would wait until a FIFO has a reader, and an interrupt
/// could not end the wait. O_APPEND is set because another descriptor, such as standard output, may write to
/// the same file.
Result<void> AtomicFile::open_stream() {
  while (true) {
    file_.reset(::open(options_.path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (file_.is_open()) return {};
    const int failure = errno;
    std::error_code ignored;
    const bool waits_for_reader = failure == ENXIO && fs::is_fifo(options_.path, ignored);
    if (!waits_for_reader && failure != EINTR) return unwritable(options_.path, system_error(failure));
    if (interrupted()) {
      return Error{ErrorCode::Interrupted,
                   fmt::format("Interrupted while waiting for a program to read {}.", options_.path)};
    }
    ::poll(nullptr, 0, PollInterval);  // sleep and try again: no event reports a new reader
  }
}

Result<void> AtomicFile::open_temporary() {
  for (int number = 1; number <= MaxCandidates; ++number) {
    const std::string candidate = candidate_path(target_, options_.temporary, number);
    if (options_.inputs.contains(candidate)) continue;
    TRY_ASSIGN(const bool is_open, open_new(candidate));
    if (!is_open) continue;
    if (options_.temporary == Temporary::Part && options_.existing == Existing::Replace) remove_copies();
    return {};
  }
  return unwritable(options_.path, system_error(EEXIST));
}

/// Creates the temporary file. Returns false if the name exists and the next candidate can be tried.
Result<bool> AtomicFile::open_new(const std::string& candidate) {
  for (int race = 0; race < MaxRaces; ++race) {
    file_.reset(::open(candidate.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file_.is_open()) {
      // Wait for the lock: another instance may briefly lock the new file to check whether it is in use, and
      // may then remove it.
      if (options_.temporary == Temporary::Part) lock(file_, LOCK_EX);
      if (!names(candidate, file_)) return in_use(options_.path);
      temporary_ = candidate;
      return true;
    }
    if (errno != EEXIST) return unwritable(options_.path, system_error(errno));
    if (options_.temporary != Temporary::Part) return false;
    TRY(remove_leftover(candidate));
  }
  return in_use(options_.path);
}

/// Removes the temporary file `part` of an unfinished recording. Errors: Usage if the options do not allow
/// replacing it, or if another program is still writing it.
Result<void> AtomicFile::remove_leftover(const std::string& part) const {
  struct stat status {};
  if (::lstat(part.c_str(), &status) != 0) return {};  // already gone
  if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode)) {
    return Error{ErrorCode::Usage, fmt::format("The temporary output {} exists and is not a regular file: "
                                               "move it, or choose a different output name.",
                                               part)};
  }
  FileDescriptor leftover;
  if (S_ISREG(status.st_mode)) {
    leftover.reset(::open(part.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!leftover.is_open()) return errno == ENOENT ? Result<void>() : unwritable(part, system_error(errno));
    if (!lock(leftover, LOCK_EX | LOCK_NB)) return in_use(options_.path);
    if (!names(part, leftover)) return {};
  }
  if (options_.existing == Existing::Refuse) {
    return Error{
        ErrorCode::Usage,
        fmt::format(
            "{} was left by an unfinished recording: rename it to keep it, or use --force to replace it.",
            part)};
  }
  if (::unlink(part.c_str()) != 0 && errno != ENOENT) return unwritable(part, system_error(errno));
  return {};
}

/// Removes the Copy files that a killed program left. No other program can be writing them now, because this
/// program holds the lock on the Part file.
void AtomicFile::remove_copies() const {
  struct stat status {};
  for (int number = 1; number <= MaxCandidates; ++number) {
    const std::string copy = candidate_path(target_, Temporary::Copy, number);
    if (::lstat(copy.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    if (!options_.inputs.contains(copy)) ::unlink(copy.c_str());
  }
}

std::error_code AtomicFile::write(std::string_view bytes) {
  int polls_left = PollsAfterInterrupt;
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.number(), bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
      polls_left = PollsAfterInterrupt;
    } else if (errno == EAGAIN) {
      if (interrupted() && --polls_left < 0) return system_error(ECANCELED);
      pollfd ready{file_.number(), POLLOUT, 0};
      ::poll(&ready, 1, PollInterval);
    } else if (errno != EINTR) {
      return system_error(errno);
    }
  }
  return {};
}

Result<void> AtomicFile::rewrite(std::string_view bytes) {
  AtomicFile copy(options_);
  copy.options_.temporary = Temporary::Copy;
  copy.target_ = target_;
  TRY(copy.open_temporary());
  if (const std::error_code failure = copy.write(bytes)) return unwritable(options_.path, failure);
  if (options_.temporary == Temporary::Part)
    lock(copy.file_, LOCK_EX);  // lock the copy before the rename gives it the name of the Part file
  if (!names(temporary_, file_)) return commit_failure(ENOENT);
  if (::rename(copy.temporary_.c_str(), temporary_.c_str()) != 0) return commit_failure(errno);
  file_ = std::move(copy.file_);
  return {};
}

std::string AtomicFile::temporary_path() const {
  return !temporary_.empty() && names(temporary_, file_) ? temporary_ : std::string();
}

Result<void> AtomicFile::commit() {
  if (!is_regular()) {
    file_.close();
    return {};
  }
  if (::fsync(file_.number()) != 0) return commit_failure(errno);
  if (!names(temporary_, file_)) return commit_failure(ENOENT);
  if (options_.inputs.contains(target_)) return commit_failure(EEXIST);
  int failure = EEXIST;
  if (options_.existing == Existing::Refuse) {
    failure = rename_to_new(temporary_, target_);
  } else if (struct stat status{}; ::lstat(target_.c_str(), &status) != 0 || S_ISREG(status.st_mode)) {
    failure = ::rename(temporary_.c_str(), target_.c_str()) == 0 ? 0 : errno;
  }
  if (failure != 0) return commit_failure(failure);
  file_.close();  // also releases the lock
  flush_folder_of(target_);
  return {};
}

Error AtomicFile::commit_failure(int error_number) const {
  const std::string& path = options_.path;
  if (error_number == EEXIST) {
    return {ErrorCode::Failed,
            fmt::format("{} was created by another program in the meantime; choose a different output name.",
                        path)};
  }
  const char* reason =
      error_number == ENOENT
          ? ": its folder or its temporary file was removed; keep both until the output is complete"
          : "";
  return {ErrorCode::Failed, fmt::format("{} cannot be completed{}.", path, reason),
          system_error(error_number).message()};
}

Result<FileDescriptor> open_log(const std::string& path) {
  // O_NONBLOCK: messages that a FIFO or terminal does not accept at once are dropped instead of blocking.
  FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666));
  if (!file.is_open()) return unwritable(path, system_error(errno));
  struct stat status {};
  if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return file;
  if (!lock(file, LOCK_EX | LOCK_NB)) return in_use(path);
  if (::ftruncate(file.number(), 0) != 0) return unwritable(path, system_error(errno));
  return file;
}

std::string resolve_links(const std::string& path) {
  fs::path target(path);
  for (int i = 0; i < MaxLinks; ++i) {
    std::error_code not_a_link;
    const fs::path link = fs::read_symlink(target, not_a_link);
    if (not_a_link || target.string().starts_with("/proc/")) break;
    target = target.parent_path() / link;  // an absolute `link` replaces the whole path
  }
  return target.string();
}

std::string part_path(const std::string& path) {
  return tagged_path(path, "part", 1);
}

Result<void> write_file(AtomicFile::Options options, std::string_view bytes) {
  const std::string path = options.path;
  options.temporary = AtomicFile::Temporary::Hidden;
  TRY_ASSIGN(const std::unique_ptr<AtomicFile> file, AtomicFile::create(std::move(options)));
  if (const std::error_code failure = file->write(bytes)) return unwritable(path, failure);
  return file->commit();
}

Error unwritable(const std::string& path, std::error_code cause) {
  if (cause.value() == ECANCELED)
    return {ErrorCode::Interrupted, fmt::format("Interrupted while waiting for {} to accept data.", path)};
  return {ErrorCode::Failed, fmt::format("{} cannot be written{}.", path, advice_on(cause.value())),
          cause.message()};
}

}  // namespace glyphreel
