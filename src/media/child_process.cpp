#include "media/child_process.h"

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
#include <utility>

namespace glyphreel::media {
namespace {

constexpr int PollInterval = 50;  // ms
constexpr std::size_t MaxOutput = 16U << 20U;
constexpr std::size_t MaxErrors = 64U << 10U;
constexpr int SignalExitCode = 128;

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    number_ = std::exchange(other.number_, -1);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

struct Pipe {
  Descriptor reading;
  Descriptor writing;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error{ErrorCode::Failed, "No further file can be opened: close some programs.",
                 std::strerror(errno)};
  }
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

/// 0, or the errno of what could not be started.
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
  // A group of its own: the terminal's Ctrl-C is ours to answer, and its children are killed with it.
  sigset_t signals{};
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int code =
      ::posix_spawnp(&process, words.front().c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return code;
}

/// Reads what is there. False at the end.
bool drain(const Descriptor& pipe, std::string& into, std::size_t limit) {
  std::array<char, 65536> buffer{};
  const ssize_t count = ::read(pipe.number(), buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  into.append(buffer.data(), std::min(static_cast<std::size_t>(count), limit - into.size()));
  return true;
}

}  // namespace

Result<ProcessOutcome> run_process(const std::vector<std::string>& words, std::chrono::milliseconds timeout,
                                   const std::function<bool()>& should_stop) {
  using End = ProcessOutcome::End;
  CHECK(!words.empty(), "a process needs a name");
  TRY_ASSIGN(Pipe output, make_pipe());
  TRY_ASSIGN(Pipe errors, make_pipe());
  ProcessOutcome outcome;
  pid_t process = 0;
  if (const int code = spawn(words, output.writing.number(), errors.writing.number(), process); code != 0) {
    outcome.end = End::NotFound;
    if (code == ENOENT || code == EACCES || code == ENOTDIR) return outcome;
    return Error{ErrorCode::Failed, fmt::format("{} cannot be started.", words.front()), std::strerror(code)};
  }
  output.writing.close();
  errors.writing.close();

  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (output.reading.number() >= 0 || errors.reading.number() >= 0) {
    if (should_stop && should_stop()) outcome.end = End::Stopped;
    if (std::chrono::steady_clock::now() >= deadline) outcome.end = End::TimedOut;
    if (outcome.end != End::Exited) break;
    std::array<pollfd, 2> ready{
        {{output.reading.number(), POLLIN, 0}, {errors.reading.number(), POLLIN, 0}}};  // -1 is passed over
    if (::poll(ready.data(), ready.size(), PollInterval) <= 0) continue;
    if (ready[0].revents != 0 && !drain(output.reading, outcome.output, MaxOutput)) output.reading.close();
    if (ready[1].revents != 0 && !drain(errors.reading, outcome.errors, MaxErrors)) errors.reading.close();
  }
  if (outcome.end != End::Exited) ::kill(-process, SIGKILL);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : SignalExitCode + WTERMSIG(status);
  return outcome;
}

}  // namespace glyphreel::media
