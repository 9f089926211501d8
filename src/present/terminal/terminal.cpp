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

#include "base/interrupt.h"
#include "base/io/file_descriptor.h"
#include "present/terminal/character_widths.h"
#include "present/terminal/terminal_encoder.h"
#include "present/terminal/terminal_guard.h"
#include "present/terminal/terminal_line.h"

namespace glyphreel::present {
namespace {

// ECMA-48 and xterm control sequences. 22;2t pushes the title onto a stack, and 23;2t pops it. Mode 1049
// selects the alternate screen, mode 25 shows the cursor, and mode 2004 makes the terminal mark pasted text.
// Mode 1003 reports mouse events, including motion; mode 1006 encodes them with coordinates of any size. CAN
// (0x18) ends a truncated sequence.
constexpr std::string_view SaveTitle = "\x1b[22;2t";
constexpr std::string_view Enter = "\x1b[?1049h\x1b[?2004h\x1b[?25l";
constexpr std::string_view EnableMouse = "\x1b[?1003h\x1b[?1006h";
constexpr std::string_view Leave =
    "\x18\x1b[?2026l\x1b[?1006l\x1b[?1003l\x1b[?2004l\x1b[m\x1b[?25h\x1b[?1049l\x1b[23;2t";
// Like Leave. In addition, ST ends a truncated DCS or APC string, and a command of kitty's graphics protocol
// (a=d) deletes all pictures.
constexpr std::string_view LeavePictures =
    "\x18\x1b\\\x1b_Ga=d,d=A,q=2\x1b\\\x1b[?2026l\x1b[?1006l\x1b[?1003l\x1b[?2004l\x1b[m\x1b[?25h\x1b[?1049l"
    "\x1b[23;2t";
constexpr std::string_view EnterPlain = "\x1b[?25l\x1b[H\x1b[2J";
constexpr std::string_view LeavePlain = "\x18\x1b[m\x1b[H\x1b[2J\x1b[?25h";
constexpr std::string_view StatusQuery = "\x1b[5n";  // the terminal answers CSI 0 n
constexpr double HangUpSeconds = 1;                  // longest wait for SIGHUP after a failed read or write
constexpr double LastAnswerSeconds = 0.5;
constexpr double ProbeSeconds = 1;  // longest wait for a terminal's answers about widths and graphics
/// After this time without a new frame, for example while paused, the cells that the color tolerance has held
/// back are sent.
constexpr double RefreshSeconds = 0.3;
constexpr int LeaveTries = 20;              // each waits for up to 100 ms
constexpr std::size_t BlockingPiece = 256;  // bytes that a ready terminal accepts without blocking

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Error gone(int code) {
  return {ErrorCode::Failed, "The connection to the terminal was lost.", std::strerror(code)};
}

/// Reopens the terminal on standard output, so that O_NONBLOCK applies only to the new descriptor. Setting
/// O_NONBLOCK on the inherited descriptor would also affect the shell.
FileDescriptor reopen_output() {
  constexpr int Flags = O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  int opened = ::open("/proc/self/fd/1", Flags);
  // After su, the terminal belongs to a different user. It can then be opened only as /dev/tty, and only if
  // it is this process's controlling terminal.
  if (opened < 0 && tcgetpgrp(STDOUT_FILENO) >= 0) opened = ::open("/dev/tty", Flags);
  return FileDescriptor(opened);
}

}  // namespace

struct Terminal::State {
  const TerminalCapabilities capabilities = expected_capabilities();
  TerminalEncoder encoder{capabilities};
  TerminalKeys keys;
  TerminalLine line;
  ColorTolerance tolerance;
  FileDescriptor own_output;  ///< non-blocking; if -1, small pieces are written to standard output
  FileDescriptor wake{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  int output = STDOUT_FILENO;
  std::optional<int> input;
  termios before{};
  std::optional<TerminalGuard> guard;
  std::string outgoing;
  std::size_t sent = 0;  ///< number of bytes of `outgoing` that were written
  std::vector<TerminalEvent> events;
  double last_input = 0;
  std::optional<double> refresh_at;  ///< when to refresh the frame on the screen; empty: not needed
  std::vector<int> probed_columns;   ///< the answers to width_probe()
  std::vector<TerminalAnswer> answers;
  std::vector<text::CharacterRange> missing;
  Content content = Content::Cells;
  GridSize size{80, 24};
  Extent pixels;
  bool refused = false;  ///< whether a frame was refused since the last wait_events()
  bool busy = false;     ///< whether a frame was refused since the last show()
  bool woken = false;
  std::optional<int> lost;  ///< errno of the failed read or write; empty while the connection works

  [[nodiscard]] std::string_view leave() const {
    if (!capabilities.private_modes) return LeavePlain;
    return content == Content::Pictures ? LeavePictures : Leave;
  }
  [[nodiscard]] bool uses_queries() const { return capabilities.private_modes && input && line.answers(); }

  [[nodiscard]] termios raw() const {
    termios settings = unbuffered(before);
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    return settings;
  }

  enum class Title { Save, Saved };
  void enter(Title title) {
    guard->arm(before);
    const termios settings = raw();
    if (input) tcsetattr(*input, TCSANOW, &settings);
    outgoing.clear();
    sent = 0;
    line = {};
    if (capabilities.private_modes) {
      if (title == Title::Save) outgoing += SaveTitle;
      outgoing += Enter;
      if (input) outgoing += EnableMouse;
    } else {
      outgoing += EnterPlain;
    }
    if (uses_queries()) send_query();  // measures the round trip: no frame is queued before this query
    encoder.reset(size);
  }

  void send_query() {
    outgoing += StatusQuery;
    line.query_sent(seconds_now());
    TerminalGuard::set_pending_queries(static_cast<int>(line.open_queries()));
  }

  /// Writes as much of `outgoing` as the terminal accepts without blocking.
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
    std::vector<TerminalInput> inputs;
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
    for (TerminalInput& one : inputs) {
      if (std::holds_alternative<TerminalReply>(one)) {
        line.query_answered(seconds_now());
        TerminalGuard::set_pending_queries(static_cast<int>(line.open_queries()));
      } else if (const auto* position = std::get_if<TerminalPosition>(&one)) {
        if (position->row == ProbeRow) probed_columns.push_back(position->column);
      } else if (auto* answer = std::get_if<TerminalAnswer>(&one)) {
        answers.push_back(std::move(*answer));
      } else if (auto* mouse = std::get_if<TerminalMouse>(&one)) {
        events.emplace_back(std::move(*mouse));
      } else if (auto& key = std::get<TerminalKey>(one); key.name == "Ctrl+l") {
        encoder.reset(size);
        events.emplace_back(TerminalExposed{});
      } else {
        events.emplace_back(std::move(key));
      }
    }
  }

  /// Finds the descriptors to write to and to read from.
  void find_descriptors() {
    own_output = reopen_output();
    if (own_output.number() >= 0) output = own_output.number();
    if (isatty(STDIN_FILENO) != 0)
      input = STDIN_FILENO;
    else if (own_output.number() >= 0)
      input = output;
    if (input && tcgetattr(*input, &before) != 0) input.reset();
  }

  /// Sends queries and waits until `is_answered()`, or for ProbeSeconds.
  template <typename IsAnswered>
  void probe(const std::string& queries, const IsAnswered& is_answered) {
    outgoing += queries;
    flush();
    const double until = seconds_now() + ProbeSeconds;
    while (!lost && !interrupted() && !is_answered() && seconds_now() < until) {
      wait(std::max(0.0, until - seconds_now()));
      read_input();
      flush();
    }
  }

  /// Measures the widths of characters.
  void probe_widths() {
    if (!uses_queries() || !capabilities.block_elements || size.rows < ProbeRow) return;
    probe(width_probe(), [this] { return probed_columns.size() >= width_probe_queries(); });
    missing = misshown_classes(probed_columns);
    encoder.set_missing(missing);
  }

  /// Updates the size. Returns whether it has changed.
  bool update_size() {
    winsize now{};
    if (ioctl(output, TIOCGWINSZ, &now) != 0 || now.ws_col == 0 || now.ws_row == 0) return false;
    const GridSize size_before = std::exchange(size, usable_size(now.ws_col, now.ws_row));
    const Extent pixels_before = std::exchange(
        pixels, Extent{now.ws_xpixel * size.columns / now.ws_col, now.ws_ypixel * size.rows / now.ws_row});
    return size != size_before || (content == Content::Pictures && pixels != pixels_before);
  }

  void handle_signals() {
    const bool stop = TerminalGuard::stop_asked();
    if (stop) {
      restore();
      TerminalGuard::stop();
      if (input) tcgetattr(*input, &before);  // the user may have changed the settings meanwhile
    }
    if (TerminalGuard::continued() || stop) {
      enter(stop ? Title::Save : Title::Saved);
      events.emplace_back(TerminalResumed{});
    }
  }

  /// Refreshes the frame on the screen if that is due, unless the line is busy or a newer frame is waiting.
  void refresh_screen() {
    if (!refresh_at || seconds_now() < *refresh_at || refused || !is_clear()) return;
    refresh_at.reset();
    send(encoder.refresh());
  }

  /// Appends a frame to the output, followed by a query. The answer shows that the frame has arrived.
  void send(const std::string& bytes) {
    if (bytes.empty()) return;
    outgoing += bytes;
    if (uses_queries()) send_query();
  }

  void collect() {
    handle_signals();
    if (update_size()) {
      encoder.reset(size);
      events.emplace_back(TerminalResized{});
    }
    read_input();
    refresh_screen();
    flush();
  }

  /// Waits for input, for room to write, or for wake(), for at most `seconds`. After the connection is lost,
  /// waits for wake() alone, since poll() then reports the terminal as ready at once.
  void wait(double seconds) {
    const bool reading = input.has_value() && !lost;
    const bool writing = sent < outgoing.size() && !lost;
    pollfd sources[3] = {{.fd = wake.number(), .events = POLLIN, .revents = 0},
                         {.fd = reading ? *input : -1, .events = POLLIN, .revents = 0},
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

  /// Returns an error if the connection to the terminal was lost. Returns no error if a signal has asked the
  /// program to end, as SIGHUP does after a lost connection.
  Result<void> check_connection() {
    if (!lost || interrupted()) return {};
    // SIGHUP may arrive after the error.
    const double until = seconds_now() + HangUpSeconds;
    for (double now = seconds_now(); !interrupted() && now < until; now = seconds_now()) wait(until - now);
    if (interrupted()) return {};
    return gone(*lost);
  }

  [[nodiscard]] bool is_clear() {
    return sent >= outgoing.size() && (!uses_queries() || line.is_clear(seconds_now()));
  }

  /// Restores the terminal. First reads the outstanding answers to queries, since the shell would otherwise
  /// read them as typed input. Leaves all other input for the shell.
  void restore() {
    const double until = seconds_now() + LastAnswerSeconds;
    while (uses_queries() && line.open_queries() > 0 && !lost && seconds_now() < until) {
      wait(std::max(0.0, until - seconds_now()));
      read_input();
      flush();
    }
    outgoing = leave().substr(sent < outgoing.size() ? 0 : 1);
    sent = 0;
    for (int i = 0; i < LeaveTries && sent < outgoing.size() && !lost; ++i) {
      flush();
      pollfd ready{.fd = output, .events = POLLOUT, .revents = 0};
      if (sent < outgoing.size()) poll(&ready, 1, 100);
    }
    if (input) {
      if (uses_queries() && line.open_queries() > 0) tcflush(*input, TCIFLUSH);
      tcsetattr(*input, TCSANOW, &before);
    }
    guard->disarm();
  }
};

GridSize usable_size(int columns, int rows) {
  constexpr GridSize MaxSize{1000, 500};  // about a 4K screen with cells of 4 x 4 pixels
  return {std::min(columns, MaxSize.columns), std::min(rows, MaxSize.rows)};
}

GraphicsSupport Terminal::probe_graphics() {
  if (isatty(STDOUT_FILENO) == 0) return {};
  State s;
  s.find_descriptors();
  if (!s.input) return {};
  const SharedPixel pixel;
  TerminalGuard guard({.output = s.output, .input = s.input, .leave = {}, .wake = s.wake.number()});
  guard.arm(s.before);
  const termios settings = s.raw();
  tcsetattr(*s.input, TCSANOW, &settings);
  s.probe(graphics_probe(pixel.name()), [&s] { return is_probe_answered(s.answers); });
  tcsetattr(*s.input, TCSANOW, &s.before);
  guard.disarm();
  return graphics_of(s.answers);
}

Result<std::unique_ptr<Terminal>> Terminal::open(Content content) {
  if (isatty(STDOUT_FILENO) == 0)
    return Error{
        ErrorCode::NoDevice,
        "Standard output is not a terminal; remove the redirection, or use 'glyphreel record' for a file."};
  auto state = std::make_unique<State>();
  State& s = *state;
  s.content = content;
  s.find_descriptors();
  s.update_size();
  s.guard.emplace(TerminalGuard::Options{
      .output = s.output, .input = s.input, .leave = s.leave(), .wake = s.wake.number()});
  s.enter(State::Title::Save);
  if (content == Content::Cells) s.probe_widths();
  s.flush();
  std::unique_ptr<Terminal> terminal(new Terminal(std::move(state)));
  TRY(s.check_connection());
  return terminal;
}

Terminal::Terminal(std::unique_ptr<State> state) : state_(std::move(state)) {}

Terminal::~Terminal() {
  state_->restore();
}

GridSize Terminal::size() const {
  return state_->size;
}

Extent Terminal::pixels() const {
  return state_->pixels;
}

const std::vector<text::CharacterRange>& Terminal::missing_characters() const {
  return state_->missing;
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
    const double until_refresh = s.refresh_at ? std::max(0.0, *s.refresh_at - seconds_now()) : left;
    s.wait(std::min({left, key_timeout, s.refused || !s.is_clear() ? left : until_refresh}));
  }
  s.refused = false;
  s.woken = false;
  TRY(s.check_connection());
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
  s.encoder.set_tolerance(s.tolerance.next(busy ? ColorTolerance::Line::Busy : ColorTolerance::Line::Clear));
  s.send(s.encoder.encode(frame, glyphs));
  s.refresh_at = seconds_now() + RefreshSeconds;
  s.flush();
  return s.check_connection();
}

Result<void> Terminal::send_picture(const std::string& bytes) {
  State& s = *state_;
  s.busy = false;
  s.send(bytes);
  s.flush();
  return s.check_connection();
}

void Terminal::use_palette(TerminalColors::Palette palette) {
  state_->encoder.use_colors(TerminalColors(palette, state_->capabilities.colors));
  state_->encoder.reset(state_->size);
}

void Terminal::set_title(std::string_view title) {
  if (!state_->capabilities.private_modes) return;
  state_->outgoing += terminal_title(title);
  state_->flush();
}

void Terminal::copy_to_clipboard(std::string_view text) {
  if (!state_->capabilities.private_modes) return;
  state_->outgoing += terminal_clipboard(text);
  state_->flush();
}

}  // namespace glyphreel::present
