#include "present/terminal/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "base/io/file_descriptor.h"
#include "base/interrupt.h"
#include "present/terminal/terminal_line.h"
#include "present/terminal/terminal_guard.h"
#include "present/terminal/terminal_encoder.h"

namespace glyphreel::present {
namespace {

// ECMA-48 and xterm control sequences. 22;2t pushes the title onto a stack and 23;2t pops it; 2004 marks
// pasted text; 1003 and 1006 report the mouse, including motion, with numbers of any size.
constexpr std::string_view SaveTitle = "\x1b[22;2t";
constexpr std::string_view Enter = "\x1b[?1049h\x1b[?2004h\x1b[?25l";
constexpr std::string_view EnterMouse = "\x1b[?1003h\x1b[?1006h";
constexpr std::string_view Leave =
    "\x1b[?2026l\x1b[?1006l\x1b[?1003l\x1b[?2004l\x1b[m\x1b[?25h\x1b[?1049l\x1b[23;2t";
constexpr std::string_view EnterPlain = "\x1b[?25l\x1b[H\x1b[2J";
constexpr std::string_view LeavePlain = "\x1b[m\x1b[H\x1b[2J\x1b[?25h";
constexpr std::string_view Question = "\x1b[5n";  // device status query; the answer is CSI 0 n
constexpr double HangUpSeconds = 0.1;             // between losing the terminal and the signal for it
constexpr double LastAnswerSeconds = 0.5;
constexpr int LeaveTries = 20;              // 100 ms each
constexpr std::size_t BlockingPiece = 256;  // bytes that a terminal accepts at once if it is ready

using Clock = std::chrono::steady_clock;
double seconds_now() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

Error gone(int code) {
  return {ErrorCode::Failed, "The terminal is gone.", std::strerror(code)};
}

/// Reopens the terminal on standard output with its own file flags: O_NONBLOCK on the inherited descriptor
/// would remain set in the shell.
FileDescriptor reopen_output() {
  constexpr int Flags = O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  int opened = ::open("/proc/self/fd/1", Flags);
  // Another user's terminal (su) can only be opened by its generic name, which refers to it if it controls
  // this process.
  if (opened < 0 && tcgetpgrp(STDOUT_FILENO) >= 0) opened = ::open("/dev/tty", Flags);
  return FileDescriptor(opened);
}

}  // namespace

struct Terminal::State {
  State(const Options& wanted, const TerminalCapabilities& able)
      : options(wanted),
        capabilities(able),
        screen(able, wanted.color_tolerance),
        tolerance(wanted.color_tolerance, std::max(wanted.color_tolerance, wanted.most_color_tolerance)) {}

  Options options;
  TerminalCapabilities capabilities;
  TerminalEncoder screen;
  TerminalKeys keys;
  TerminalLine line;
  LineTolerance tolerance;
  FileDescriptor own_output;  ///< non-blocking; -1: standard output is written in small pieces
  FileDescriptor wake{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  int output = STDOUT_FILENO;
  std::optional<int> input;
  termios before{};
  std::optional<TerminalGuard> guard;
  std::string outgoing;
  std::size_t sent = 0;  ///< bytes of `outgoing`
  std::vector<TerminalEvent> events;
  std::vector<TerminalInput> inputs;
  double last_input = 0;
  GridSize size;
  bool refused = false;  ///< a frame was refused since wait_events()
  bool busy = false;     ///< a frame was refused since the last one shown
  bool woken = false;
  std::optional<int> lost;  ///< errno
  std::uint64_t bytes = 0;
  std::uint64_t frames = 0;

  [[nodiscard]] bool asks() const { return capabilities.private_modes && input && line.answers(); }

  [[nodiscard]] termios raw() const {
    termios settings = before;
    settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);  // Ctrl-C and Ctrl-Z remain signals
    settings.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | INLCR | IGNCR | ISTRIP);
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    settings.c_cc[VMIN] = 0;
    settings.c_cc[VTIME] = 0;
    return settings;
  }

  enum class Title { Save, Saved };
  void take(Title title) {
    if (input) {
      const termios now = raw();
      guard->arm(TerminalGuard::Settings{.before = before, .now = now});
      tcsetattr(*input, TCSANOW, &now);
    } else {
      guard->arm(std::nullopt);
    }
    outgoing.clear();
    sent = 0;
    line = {};
    if (capabilities.private_modes) {
      if (title == Title::Save) outgoing += SaveTitle;
      outgoing += Enter;
      if (options.mouse && input) outgoing += EnterMouse;
    } else {
      outgoing += EnterPlain;
    }
    if (asks()) ask();  // while nothing is queued ahead of it
    screen.start_over(size);
  }

  void ask() {
    outgoing += Question;
    line.asked(seconds_now());
    TerminalGuard::set_pending_queries(static_cast<int>(line.open_questions()));
  }

  /// Writes what the line accepts now.
  void flush() {
    while (!lost && sent < outgoing.size()) {
      std::size_t piece = outgoing.size() - sent;
      if (own_output.number() < 0) {
        pollfd ready{.fd = output, .events = POLLOUT, .revents = 0};
        if (poll(&ready, 1, 0) <= 0 || (ready.revents & POLLOUT) == 0) return;
        piece = std::min(piece, BlockingPiece);
      }
      const ssize_t count = ::write(output, outgoing.data() + sent, piece);
      if (count > 0) {
        sent += static_cast<std::size_t>(count);
        bytes += static_cast<std::uint64_t>(count);
      } else if (errno == EAGAIN) {
        return;
      } else if (errno != EINTR) {
        lost = errno;
      }
    }
    outgoing.clear();
    sent = 0;
  }

  void read_input() {
    if (!input || lost) return;
    for (;;) {
      pollfd source{.fd = *input, .events = POLLIN, .revents = 0};
      if (poll(&source, 1, 0) <= 0) break;
      char buffer[512];
      const ssize_t count = (source.revents & POLLIN) != 0 ? read(*input, buffer, sizeof buffer) : 0;
      if (count > 0) {
        keys.feed(std::string_view(buffer, static_cast<std::size_t>(count)), inputs);
        last_input = seconds_now();
        continue;
      }
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) break;
      if (count < 0 || (source.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) lost = count < 0 ? errno : EIO;
      break;
    }
    if (keys.pending() && seconds_now() - last_input >= keys.timeout_seconds()) keys.time_out(inputs);
    for (TerminalInput& one : std::exchange(inputs, {})) {
      if (const auto* reply = std::get_if<TerminalReply>(&one)) {
        if (!reply->text.ends_with('n')) continue;
        line.answered(seconds_now());
        TerminalGuard::set_pending_queries(static_cast<int>(line.open_questions()));
      } else if (auto* mouse = std::get_if<TerminalMouse>(&one)) {
        events.emplace_back(std::move(*mouse));
      } else if (auto& key = std::get<TerminalKey>(one); key.name == "Ctrl+l") {
        screen.start_over(size);
        events.emplace_back(TerminalExposed{});
      } else {
        events.emplace_back(std::move(key));
      }
    }
  }

  void follow_size() {
    winsize now{};
    if (ioctl(output, TIOCGWINSZ, &now) != 0 || now.ws_col == 0 || now.ws_row == 0) return;
    if (const GridSize found = usable_size(now.ws_col, now.ws_row); found != size) {
      size = found;
      screen.start_over(size);
      events.emplace_back(TerminalResized{size});
    }
  }

  void handle_signals() {
    const bool stop = TerminalGuard::stop_asked();
    if (stop) {
      give_back();
      TerminalGuard::stop();
      if (input) tcgetattr(*input, &before);  // the user may have changed the settings meanwhile
    }
    if (TerminalGuard::continued() || stop) {
      take(stop ? Title::Save : Title::Saved);
      events.emplace_back(TerminalResumed{});
    }
  }

  void collect() {
    handle_signals();
    follow_size();
    read_input();
    flush();
  }

  /// Waits for input, the line, or a wake, for at most `seconds`.
  void wait(double seconds) {
    const bool writing = sent < outgoing.size();
    pollfd sources[3] = {{.fd = wake.number(), .events = POLLIN, .revents = 0},
                         {.fd = input.value_or(-1), .events = POLLIN, .revents = 0},
                         {.fd = writing ? output : -1, .events = POLLOUT, .revents = 0}};
    timespec time{};
    time.tv_sec = static_cast<time_t>(seconds);
    time.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
    if (ppoll(sources, 3, &time, nullptr) <= 0) return;
    if ((sources[0].revents & POLLIN) != 0) {
      eventfd_t ignored = 0;
      eventfd_read(wake.number(), &ignored);
      woken = true;
    }
  }

  [[nodiscard]] bool is_clear() {
    return sent >= outgoing.size() && (!asks() || line.is_clear(seconds_now()));
  }

  /// Restores the terminal. First reads the outstanding answers to queries, which would otherwise be typed
  /// into the shell; then reads nothing more, since the user may type.
  void give_back() {
    const double until = seconds_now() + LastAnswerSeconds;
    while (asks() && line.open_questions() > 0 && !lost && seconds_now() < until) {
      wait(std::max(0.0, until - seconds_now()));
      read_input();
      flush();
    }
    std::string last(sent < outgoing.size() ? "\x18" : "");
    last += capabilities.private_modes ? Leave : LeavePlain;
    outgoing = std::move(last);
    sent = 0;
    for (int i = 0; i < LeaveTries && sent < outgoing.size() && !lost; ++i) {
      flush();
      pollfd ready{.fd = output, .events = POLLOUT, .revents = 0};
      if (sent < outgoing.size()) poll(&ready, 1, 100);
    }
    if (input) {
      if (asks() && line.open_questions() > 0) tcflush(*input, TCIFLUSH);
      tcsetattr(*input, TCSANOW, &before);
    }
    guard->disarm();
  }
};

GridSize usable_size(int columns, int rows) {
  constexpr GridSize Most{1000, 500};  // a 4K screen with characters of 4 x 4 pixels
  return {std::min(columns, Most.columns), std::min(rows, Most.rows)};
}

TerminalCapabilities Terminal::expected_capabilities() {
  return terminal_capabilities(process_environment, find_terminfo(process_environment("TERM")));
}

Result<std::unique_ptr<Terminal>> Terminal::open(const Options& options) {
  if (isatty(STDOUT_FILENO) == 0) return Error{ErrorCode::NoDevice, "Standard output is not a terminal.", {}};
  auto state = std::make_unique<State>(options, expected_capabilities());
  State& s = *state;
  s.own_output = reopen_output();
  if (s.own_output.number() >= 0) s.output = s.own_output.number();
  if (isatty(STDIN_FILENO) != 0)
    s.input = STDIN_FILENO;
  else if (s.own_output.number() >= 0)
    s.input = s.output;
  if (s.input && tcgetattr(*s.input, &s.before) != 0) s.input.reset();
  winsize size{};
  const bool told = ioctl(s.output, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
  s.size = told ? usable_size(size.ws_col, size.ws_row) : GridSize{80, 24};
  s.guard.emplace(
      TerminalGuard::Options{.output = s.output,
                             .input = s.input,
                             .leave = std::string(s.capabilities.private_modes ? Leave : LeavePlain),
                             .wake = s.wake.number()});
  s.take(State::Title::Save);
  s.flush();
  std::unique_ptr<Terminal> terminal(new Terminal(std::move(state)));
  if (s.lost) return gone(*s.lost);
  return terminal;
}

Terminal::Terminal(std::unique_ptr<State> state) : state_(std::move(state)) {}

Terminal::~Terminal() {
  state_->give_back();
}

const TerminalCapabilities& Terminal::capabilities() const {
  return state_->capabilities;
}

GridSize Terminal::size() const {
  return state_->size;
}

Result<std::vector<TerminalEvent>> Terminal::wait_events(double timeout_seconds) {
  State& s = *state_;
  const double until = seconds_now() + std::max(0.0, timeout_seconds);
  for (;;) {
    s.collect();
    const double left = until - seconds_now();
    if (s.lost || !s.events.empty() || s.woken || interrupted() || left <= 0 || (s.refused && s.is_clear()))
      break;
    const double key_timeout = s.keys.pending() ? s.keys.timeout_seconds() : left;
    s.wait(std::min(left, key_timeout));
  }
  s.refused = false;
  s.woken = false;
  if (s.lost && !interrupted()) {
    // If the terminal hung up, the signal that reports it is on its way.
    s.wait(HangUpSeconds);
    if (!interrupted()) return gone(*s.lost);
  }
  return std::exchange(s.events, {});
}

void Terminal::wake() {
  eventfd_write(state_->wake.number(), 1);
}

bool Terminal::can_take_frame() {
  state_->read_input();
  state_->flush();
  const bool clear = state_->is_clear();
  if (!clear) state_->refused = state_->busy = true;
  return clear;
}

Result<void> Terminal::show(const render::RenderedFrame& frame, const text::GlyphSet& glyphs) {
  State& s = *state_;
  const bool busy = std::exchange(s.busy, false);
  s.screen.set_tolerance(s.tolerance.next(busy ? LineTolerance::Met::Busy : LineTolerance::Met::Clear));
  const std::string bytes = s.screen.encode(frame, glyphs);
  ++s.frames;
  if (!bytes.empty()) {
    s.outgoing += bytes;
    if (s.asks()) s.ask();
  }
  s.flush();
  if (s.lost && !interrupted()) {
    s.wait(HangUpSeconds);
    if (!interrupted()) return gone(*s.lost);
  }
  return {};
}

void Terminal::redraw() {
  state_->screen.start_over(state_->size);
}

void Terminal::use_palette(TerminalColors::Palette palette) {
  state_->screen.use_colors(TerminalColors(palette, state_->capabilities.colors));
}

void Terminal::set_title(std::string_view title) {
  if (!state_->capabilities.private_modes) return;
  state_->outgoing += terminal_title(title);
  state_->flush();
}

Terminal::Traffic Terminal::traffic() const {
  return {.bytes = state_->bytes, .frames = state_->frames, .answers = state_->asks()};
}

}  // namespace glyphreel::present
