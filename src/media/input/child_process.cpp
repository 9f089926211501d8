#include "media/input/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/io/file_descriptor.h"

namespace glyphreel::media {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds ChildPollInterval{50};
// Maximum time for reading the remaining output of a process that has exited.
constexpr std::chrono::milliseconds DrainTime{200};
constexpr std::size_t MaxOutput = 16U << 20U;
constexpr std::size_t MaxErrors = 64U << 10U;
constexpr int SignalExitCode = 128;

struct Pipe {
  FileDescriptor reading;
  FileDescriptor writing;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error{ErrorCode::Failed,
                 "Too many files are open; close some programs, or raise the limit with \"ulimit -n\".",
                 std::strerror(errno)};
  }
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// Starts a program. Returns 0, or the errno if it could not be started.
int spawn(const std::vector<std::string>& words, int output, int errors, pid_t& process) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  // The new process starts without blocked signals and with the default actions for the four signals below.
  sigset_t signals{};
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  // Put the new process into its own process group. Ctrl-C in the terminal then does not signal that process,
  // and killing the group also kills the children of the new process.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int code =
      ::posix_spawnp(&process, words.front().c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return code;
}

/// Appends the available bytes to `into`, up to `limit` bytes in total. Returns false at the end of the
/// pipe.
bool drain(const FileDescriptor& pipe, std::string& into, std::size_t limit) {
  std::array<char, 65536> buffer{};
  const ssize_t count = ::read(pipe.number(), buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  into.append(buffer.data(), std::min(static_cast<std::size_t>(count), limit - into.size()));
  return true;
}

/// The read ends of a child's standard output and error.
struct OutputPipes {
  FileDescriptor output;
  FileDescriptor errors;

  /// Waits for output, for `timeout_ms` at most, and reads the available bytes. Returns false if neither pipe
  /// had bytes or reached its end in that time.
  bool read_available(ProcessOutcome& outcome, int timeout_ms) {
    std::array<pollfd, 2> ready{{{output.number(), POLLIN, 0}, {errors.number(), POLLIN, 0}}};
    // A closed pipe has the descriptor -1, which poll() ignores.
    if (::poll(ready.data(), ready.size(), timeout_ms) <= 0) return false;
    if (ready[0].revents != 0 && !drain(output, outcome.output, MaxOutput)) output.close();
    if (ready[1].revents != 0 && !drain(errors, outcome.errors, MaxErrors)) errors.close();
    return true;
  }
};

/// A running program and what it has written. The destructor kills the program and its children.
class Child {
 public:
  /// Returns null if the program does not exist or is not executable.
  [[nodiscard]] static Result<std::unique_ptr<Child>> start(const std::vector<std::string>& words);
  ~Child() { kill(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Reads what the program writes, for `time` at most. Returns early if output was available. Returns
  /// whether the program has exited.
  bool read_for(std::chrono::milliseconds time);
  [[nodiscard]] bool has_exited() const { return has_exited_; }
  void pause() { signal(SIGSTOP); }
  void resume() { signal(SIGCONT); }
  /// Kills the program if it still runs. Returns what it has written.
  ProcessOutcome end(ProcessOutcome::End why);

 private:
  Child(pid_t process, FileDescriptor output, FileDescriptor errors)
      : process_(process), pipes_{std::move(output), std::move(errors)} {}
  void signal(int number) {
    if (!has_exited_) ::kill(-process_, number);
  }
  void kill();

  const pid_t process_;
  OutputPipes pipes_;
  int status_ = 0;
  bool has_exited_ = false;
  ProcessOutcome outcome_;
};

Result<std::unique_ptr<Child>> Child::start(const std::vector<std::string>& words) {
  CHECK(!words.empty(), "a process needs the name of a program");
  TRY_ASSIGN(Pipe output, make_pipe());
  TRY_ASSIGN(Pipe errors, make_pipe());
  pid_t process = 0;
  if (const int code = spawn(words, output.writing.number(), errors.writing.number(), process); code != 0) {
    if (code == ENOENT || code == EACCES || code == ENOTDIR) return std::unique_ptr<Child>();
    return Error{ErrorCode::Failed,
                 fmt::format("{} cannot be started; check its permissions.", words.front()),
                 std::strerror(code)};
  }
  return std::unique_ptr<Child>(new Child(process, std::move(output.reading), std::move(errors.reading)));
}

bool Child::read_for(std::chrono::milliseconds time) {
  has_exited_ = has_exited_ || ::waitpid(process_, &status_, WNOHANG) == process_;
  if (!has_exited_) pipes_.read_available(outcome_, static_cast<int>(time.count()));
  return has_exited_;
}

void Child::kill() {
  if (has_exited_) return;
  signal(SIGKILL);
  while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
  }
  has_exited_ = true;
}

ProcessOutcome Child::end(ProcessOutcome::End why) {
  // Child processes of the program may keep the pipes open and even continue to write, so stop reading soon
  // after the program exits.
  const auto last_read = Clock::now() + DrainTime;
  while (has_exited_ && Clock::now() < last_read && pipes_.read_available(outcome_, 0)) {
  }
  kill();
  outcome_.end = why;
  outcome_.exit_code = WIFEXITED(status_) ? WEXITSTATUS(status_) : SignalExitCode + WTERMSIG(status_);
  return std::move(outcome_);
}

}  // namespace

std::string last_error_line(const ProcessOutcome& outcome) {
  std::string_view errors = outcome.errors;
  while (!errors.empty() && (errors.back() == '\n' || errors.back() == '\r')) errors.remove_suffix(1);
  return std::string(errors.substr(errors.rfind('\n') + 1));
}

Result<ProcessOutcome> run_process(const std::vector<std::string>& words, std::chrono::milliseconds timeout,
                                   const std::function<bool()>& should_stop) {
  using End = ProcessOutcome::End;
  TRY_ASSIGN(const std::unique_ptr<Child> child, Child::start(words));
  if (!child) return ProcessOutcome{.end = End::NotFound, .output = {}, .errors = {}};
  const auto deadline = Clock::now() + timeout;
  while (!child->read_for(ChildPollInterval)) {
    if (should_stop && should_stop()) return child->end(End::Stopped);
    if (Clock::now() >= deadline) return child->end(End::TimedOut);
  }
  return child->end(End::Exited);
}

Result<std::array<ProcessOutcome, 2>> run_in_slices(const std::array<std::vector<std::string>, 2>& programs,
                                                    std::chrono::milliseconds slice,
                                                    std::chrono::milliseconds timeout,
                                                    const std::function<bool()>& should_stop) {
  using End = ProcessOutcome::End;
  std::array<std::unique_ptr<Child>, 2> children;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    TRY_ASSIGN(children[i], Child::start(programs[i]));
    if (children[i]) children[i]->pause();
  }
  const auto runs = [&](std::size_t i) { return children[i] && !children[i]->has_exited(); };
  const auto end_both = [&](End why) {
    std::array<ProcessOutcome, 2> outcomes;
    for (std::size_t i = 0; i < children.size(); ++i)
      outcomes[i] = children[i] ? children[i]->end(runs(i) ? why : End::Exited)
                                : ProcessOutcome{.end = End::NotFound, .output = {}, .errors = {}};
    return outcomes;
  };
  const auto deadline = Clock::now() + timeout;
  for (std::size_t turn = 0; runs(0) || runs(1); turn = 1 - turn) {
    if (should_stop && should_stop()) return end_both(End::Stopped);
    if (Clock::now() >= deadline) return end_both(End::TimedOut);
    if (!runs(turn)) continue;
    children[turn]->resume();
    const auto end_of_slice = Clock::now() + slice;
    for (auto now = Clock::now(); now < end_of_slice; now = Clock::now()) {
      if (children[turn]->read_for(std::chrono::ceil<std::chrono::milliseconds>(end_of_slice - now))) break;
    }
    children[turn]->pause();
  }
  return end_both(End::Exited);
}

}  // namespace glyphreel::media
