#include "present/export/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

namespace glyphreel::present {
namespace {

constexpr std::chrono::milliseconds TerminalInterval{100};
constexpr std::chrono::milliseconds PlainInterval{5000};

int terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

std::string clock_text(double seconds) {
  const auto whole = static_cast<long long>(std::max(0.0, std::round(seconds)));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string progress_text(const ProgressState& state, double elapsed_seconds, int width) {
  const double fps = elapsed_seconds > 0 ? static_cast<double>(state.frames) / elapsed_seconds : 0;
  const double speed = elapsed_seconds > 0 ? state.media_seconds / elapsed_seconds : 0;
  const std::string rates = fmt::format(" fps {:.1f} {:.2f}x q {}/{} {}/{}", fps, speed, state.decode_queue,
                                        state.decode_capacity, state.encode_queue, state.encode_capacity);
  if (state.total_frames <= 0) return fmt::format("frame {}{}", state.frames, rates);
  const double share =
      std::clamp(static_cast<double>(state.frames) / static_cast<double>(state.total_frames), 0.0, 1.0);
  const double left =
      fps > 0 ? static_cast<double>(std::max<std::int64_t>(0, state.total_frames - state.frames)) / fps : 0;
  const std::string numbers = fmt::format(" {:3.0f} % {}/{}{} ETA {}", share * 100, state.frames,
                                          state.total_frames, rates, clock_text(left));
  const int bar_width = std::clamp(width - static_cast<int>(numbers.size()) - 3, 4, 40);
  const std::string bar(static_cast<std::size_t>(std::lround(share * bar_width)), '#');
  return fmt::format("[{:.<{}}]{}", bar, bar_width, numbers);
}

void ProcessedSpan::add(const Frame& frame) {
  const double pts = frame.pts_seconds();
  if (!start_) start_ = pts;
  end_ = pts + static_cast<double>(frame.duration) * frame.time_base.value();
}

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

bool StatusLine::is_due() const {
  return std::chrono::steady_clock::now() - last_ >= (terminal_ ? TerminalInterval : PlainInterval);
}

void StatusLine::print(std::string text) {
  last_ = std::chrono::steady_clock::now();
  if (!terminal_) {
    std::fprintf(stderr, "%s\n", text.c_str());
    return;
  }
  text.resize(std::min(text.size(), static_cast<std::size_t>(width() - 1)));
  std::fprintf(stderr, "\r%s\x1b[K", text.c_str());
  std::fflush(stderr);
  line_open_ = true;
}

void StatusLine::clear() {
  if (!line_open_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  line_open_ = false;
}

void StatusLine::end() {
  if (line_open_) std::fputc('\n', stderr);
  line_open_ = false;
}

int StatusLine::width() const {
  return terminal_ ? terminal_width() : 80;
}

void ProgressLine::update(const ProgressState& state) {
  if (shown_ && line_.is_due()) print(state);
}

void ProgressLine::finish(const ProgressState& state) {
  if (!shown_) return;
  print(state);
  line_.end();
}

void ProgressLine::print(const ProgressState& state) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  line_.print(progress_text(state, elapsed.count(), line_.width()));
}

}  // namespace glyphreel::present
