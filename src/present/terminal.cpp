#include "present/terminal.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "mapping/palette.h"

namespace glyphreel::present {
namespace {

// ECMA-48 and xterm control sequences; 22;2t and 23;2t keep the title on a stack and bring it back.
constexpr const char* EnterFullScreen = "\x1b[22;2t\x1b[?1049h\x1b[?25l\x1b[2J";
constexpr const char* LeaveFullScreen = "\x1b[0m\x1b[?25h\x1b[?1049l\x1b[23;2t";

/// Splits what a terminal sent into keys.
std::vector<std::string> keys_of(const std::string& bytes) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\x1b' && i + 2 < bytes.size() && bytes[i + 1] == '[') {
      static constexpr std::pair<char, const char*> Arrows[] = {
          {'A', "UP"}, {'B', "DOWN"}, {'C', "RIGHT"}, {'D', "LEFT"}};
      for (const auto& [letter, name] : Arrows) {
        if (bytes[i + 2] == letter) keys.emplace_back(name);
      }
      i += 2;
    } else if (bytes[i] == '\x1b') {
      keys.emplace_back("ESC");
    } else if (bytes[i] == ' ') {
      keys.emplace_back("SPACE");
    } else {
      keys.emplace_back(1, bytes[i]);
    }
  }
  return keys;
}

}  // namespace

struct Terminal::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (wake >= 0) close(wake);
  }
  termios saved{};
  bool has_keys = false;
  int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
};

TerminalColors::TerminalColors(Palette palette) : palette_(palette) {
  if (palette == Palette::None) return;
  const std::vector<std::uint32_t> colors =
      palette == Palette::Ansi16 ? mapping::ansi16_palette() : mapping::ansi256_palette();
  // Of equal colours the last one counts: the first 16 are those that users change.
  for (std::size_t i = 0; i < colors.size(); ++i) numbers_[colors[i]] = static_cast<int>(i);
}

void TerminalColors::append(std::string& text, Target target, std::uint32_t color) const {
  const auto out = std::back_inserter(text);
  const bool ink = target == Target::Ink;
  const auto number = numbers_.find(color & 0xFFFFFF);
  if (number == numbers_.end()) {
    fmt::format_to(out, "\x1b[{};2;{};{};{}m", ink ? 38 : 48, (color >> 16) & 255, (color >> 8) & 255, color & 255);
  } else if (palette_ == Palette::Ansi256) {
    fmt::format_to(out, "\x1b[{};5;{}m", ink ? 38 : 48, number->second);
  } else if (number->second < 8) {
    fmt::format_to(out, "\x1b[{}m", (ink ? 30 : 40) + number->second);
  } else {
    fmt::format_to(out, "\x1b[{}m", (ink ? 90 : 100) + number->second - 8);
  }
}

std::string terminal_frame(const render::RenderedFrame& frame, const text::GlyphSet& glyphs,
                           const TerminalColors& colors) {
  const render::Characters characters(glyphs, frame.overlay_glyphs.get());
  std::string text = "\x1b[H";
  std::uint32_t foreground = 0;
  std::uint32_t background = 0;
  for (int row = 0; row < frame.grid.rows; ++row) {
    if (row > 0) text += "\r\n";
    for (int column = 0; column < frame.grid.columns; ++column) {
      const render::Cell& cell = frame.cells[static_cast<std::size_t>(row) * frame.grid.columns + column];
      // The left half's character has moved the cursor over this one.
      if (characters.columns(cell.glyph) == text::GlyphColumns::WideRight) continue;
      if (cell.background != background) {
        colors.append(text, TerminalColors::Target::Paper, background = cell.background);
      }
      // A blank shows no ink, so its colour need not be sent.
      if (!characters.is_blank(cell.glyph) && cell.foreground != foreground) {
        colors.append(text, TerminalColors::Target::Ink, foreground = cell.foreground);
      }
      text += characters.utf8(cell.glyph);
    }
  }
  text += "\x1b[0m";
  return text;
}

std::string terminal_title(std::string_view title) {
  std::string text = "\x1b]2;";
  for (std::size_t i = 0; i < title.size(); ++i) {
    const auto byte = static_cast<unsigned char>(title[i]);
    // U+0080 to U+009F, C2 80 to C2 9F in UTF-8, are control characters too.
    const bool c1 = byte == 0xC2 && i + 1 < title.size() && (static_cast<unsigned char>(title[i + 1]) & 0xE0) == 0x80;
    if (c1) ++i;
    text += byte < ' ' || byte == 0x7F || c1 ? '?' : title[i];
  }
  return text + '\a';
}

Result<std::unique_ptr<Terminal>> Terminal::open() {
  if (isatty(STDOUT_FILENO) == 0) return Error{ErrorCode::NoDevice, "Standard output is no terminal.", {}};
  auto state = std::make_unique<State>();
  if (tcgetattr(STDIN_FILENO, &state->saved) == 0) {
    state->has_keys = true;
    termios raw = state->saved;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // ctrl-C still interrupts
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  std::unique_ptr<Terminal> terminal(new Terminal(std::move(state)));
  TRY(terminal->write(EnterFullScreen));
  return terminal;
}

Terminal::Terminal(std::unique_ptr<State> state) : state_(std::move(state)) {}

Terminal::~Terminal() {
  const Result<void> ignored = write(LeaveFullScreen);
  if (state_->has_keys) tcsetattr(STDIN_FILENO, TCSANOW, &state_->saved);
}

GridSize Terminal::size() const {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    return {size.ws_col, size.ws_row};
  }
  return {80, 24};
}

std::vector<std::string> Terminal::wait_keys(double timeout_seconds) {
  pollfd sources[2] = {{.fd = state_->wake, .events = POLLIN, .revents = 0},
                       {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0}};
  const int timeout_ms = static_cast<int>(timeout_seconds * 1000 + 0.5);
  if (poll(sources, state_->has_keys ? 2 : 1, timeout_ms) <= 0) return {};
  if ((sources[0].revents & POLLIN) != 0) {
    eventfd_t ignored = 0;
    eventfd_read(state_->wake, &ignored);
  }
  if ((sources[1].revents & POLLIN) == 0) return {};
  char bytes[64];
  const ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
  return count > 0 ? keys_of(std::string(bytes, static_cast<std::size_t>(count))) : std::vector<std::string>{};
}

void Terminal::wake() { eventfd_write(state_->wake, 1); }

void Terminal::clear() { const Result<void> ignored = write("\x1b[0m\x1b[2J"); }

Result<void> Terminal::write(const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data() + done, bytes.size() - done);
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
      poll(&output, 1, 1000);
    } else if (errno != EINTR) {
      return Error{ErrorCode::Failed, "The terminal cannot be written to.", std::strerror(errno)};
    }
  }
  return {};
}

}  // namespace glyphreel::present
