#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "present/export/frame_sink.h"

namespace glyphreel::present {
namespace {

constexpr int CheckMilliseconds = 50;  // interval between two checks for Ctrl-C

class AnsiSink final : public FrameSink {
 public:
  AnsiSink(AnsiSinkOptions options, std::shared_ptr<const text::GlyphSet> glyphs)
      : options_(std::move(options)), glyphs_(std::move(glyphs)) {}

  PictureFormat picture_format() const override { return PictureFormat::None; }

  Result<void> write(const render::RenderedFrame& frame) override {
    if (options_.is_paced) wait_for(frame.pts);
    text_.clear();
    // On a terminal, each frame replaces the previous frame.
    if (has_frame_) fmt::format_to(std::back_inserter(text_), "\x1b[{}A", frame.grid.rows);
    has_frame_ = true;
    append_ansi(text_, frame, *glyphs_, options_.colors ? &*options_.colors : nullptr);
    return write_text();
  }

  Result<void> write_audio(const media::AudioPacket&) override { return {}; }
  Result<void> finish() override { return {}; }
  std::string abandon() override { return {}; }
  std::string description() const override { return "text"; }

 private:
  using Clock = std::chrono::steady_clock;

  /// Waits until a frame is due, the reader is gone, or Ctrl-C is pressed. The first frame is due at once.
  void wait_for(std::int64_t pts) {
    if (!start_) start_ = {pts, Clock::now()};
    const double seconds = static_cast<double>(pts - start_->first) * options_.time_base.value();
    const auto due =
        start_->second + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    while (!interrupted()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now()).count();
      pollfd reader{options_.descriptor, 0, 0};  // no events: poll() reports only a closed pipe
      if (left <= 0 ||
          ::poll(&reader, 1, static_cast<int>(std::min<std::int64_t>(left, CheckMilliseconds))) > 0)
        return;
    }
  }

  Result<void> write_text() {
    for (std::string_view rest = text_; !rest.empty() && !interrupted();) {
      pollfd ready{options_.descriptor, POLLOUT, 0};
      if (::poll(&ready, 1, CheckMilliseconds) <= 0) continue;
      // A pipe that is ready accepts PIPE_BUF bytes without blocking.
      const ssize_t count =
          ::write(options_.descriptor, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
      if (count >= 0) {
        rest.remove_prefix(static_cast<std::size_t>(count));
      } else if (errno == EPIPE) {
        // The reader, such as `head`, has closed the pipe. End with SIGPIPE, as other command-line tools do.
        std::signal(SIGPIPE, SIG_DFL);
        std::raise(SIGPIPE);
      } else if (errno != EINTR && errno != EAGAIN) {
        return Error{ErrorCode::Failed, "Standard output cannot be written; check where it is redirected.",
                     std::strerror(errno)};
      }
    }
    return {};
  }

  const AnsiSinkOptions options_;
  const std::shared_ptr<const text::GlyphSet> glyphs_;
  std::optional<std::pair<std::int64_t, Clock::time_point>> start_;  ///< pts and time of the first frame
  bool has_frame_ = false;
  std::string text_;
};

}  // namespace

void append_ansi(std::string& text, const render::RenderedFrame& frame, const text::GlyphSet& glyphs,
                 const TerminalColors* colors) {
  const render::Characters characters(glyphs, frame.overlay_glyphs.get());
  for (int row = 0; row < frame.grid.rows; ++row) {
    const auto first = static_cast<std::size_t>(row) * static_cast<std::size_t>(frame.grid.columns);
    std::pair<TerminalColor, TerminalColor> pen;
    for (const render::Cell& cell :
         frame.cells.subspan(first, static_cast<std::size_t>(frame.grid.columns))) {
      // The right half of a wide character has no text, and must not change the colors of the left half.
      const std::string& character = characters.utf8(cell.glyph);
      if (colors != nullptr && !character.empty()) {
        const std::pair wanted(colors->of(cell.foreground), colors->of(cell.background));
        if (wanted != pen) {
          text += "\x1b[";
          append_color(text, ColorTarget::Foreground, wanted.first);
          text += ';';
          append_color(text, ColorTarget::Background, wanted.second);
          text += 'm';
          pen = wanted;
        }
      }
      text += character;
    }
    text += colors != nullptr ? "\x1b[m\n" : "\n";
  }
}

std::unique_ptr<FrameSink> make_ansi_sink(AnsiSinkOptions options,
                                          std::shared_ptr<const text::GlyphSet> glyphs) {
  return std::make_unique<AnsiSink>(std::move(options), std::move(glyphs));
}

}  // namespace glyphreel::present
