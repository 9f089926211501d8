#include "session/input_palette.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/threads/thread_pool.h"
#include "mapping/cell_mapper.h"
#include "mapping/color/palette_fit.h"
#include "mapping/lattice_sampler.h"
#include "mapping/tables/palette.h"
#include "session/setup.h"

namespace glyphreel::session {
namespace {

constexpr std::string_view Prefix = "auto:";
constexpr GridSize Pixels{80, 45};  ///< the size to which frames are scaled

/// Reads frames and scales them to Pixels.
class PixelReader {
 public:
  explicit PixelReader(media::Source& source) : source_(source) {}

  /// Appends the pixels of the next frame. Returns whether there was one.
  Result<bool> read() {
    for (;;) {
      TRY_ASSIGN(media::SourceItem item, source_.read());
      if (std::holds_alternative<media::EndOfStream>(item)) return false;
      const Frame* const frame = std::get_if<Frame>(&item);
      if (frame == nullptr) continue;
      TRY_ASSIGN(const Frame host, on_host(*frame, nullptr));
      constexpr CellSize Cell{1, 1};
      const mapping::SampleKey key =
          mapping::pixel_key(mapping::sample_key(host.view, Pixels, Cell, Fit::Stretch, {}), Cell);
      const std::size_t before = pixels_.size();
      pixels_.resize(before + static_cast<std::size_t>(Pixels.columns) * Pixels.rows);
      scaler_.scale(host.view, key, pool_, pixels_.data() + before);
      return true;
    }
  }

  [[nodiscard]] const std::vector<std::uint32_t>& pixels() const { return pixels_; }

 private:
  media::Source& source_;
  ThreadPool pool_{1};
  mapping::SourceScaler scaler_;
  std::vector<std::uint32_t> pixels_;  ///< 0xLLRRGGBB (L: luma)
};

/// Returns how to seek to the frames. In short inputs, seeks are exact, because these inputs have few
/// keyframes. In long inputs, seeks go to keyframes, because decoding up to the exact time would take too
/// long.
media::SeekMode seek_mode(const media::VideoFacts& facts, double duration) {
  constexpr double MaxPixels = 2e9;  // decoding this many pixels takes about two seconds on two cores
  const double pixels = 1.0 * facts.size.width * facts.size.height * facts.frame_rate.value() * duration;
  return pixels <= MaxPixels ? media::SeekMode::Exact : media::SeekMode::KeyframeBefore;
}

/// Returns the pixels of up to PaletteFrames frames. If the input can seek, the frames are spread over the
/// input; otherwise, they are its first frames.
Result<std::vector<std::uint32_t>> sample_pixels(media::Source& source) {
  PixelReader reader(source);
  const double duration = source.facts().duration_seconds.value_or(0);
  const media::SeekMode mode = seek_mode(source.facts(), duration);
  for (int i = 0; i < PaletteFrames; ++i) {
    if (i > 0 && source.input().is_seekable && duration > 0)
      (void)source.seek(duration * i / PaletteFrames, mode);
    TRY_ASSIGN(const bool found, reader.read());
    if (!found) break;
  }
  return reader.pixels();
}

}  // namespace

bool has_input_palette(const cli::Settings& settings) {
  return settings.picture.palette_file.starts_with(Prefix);
}

Result<std::size_t> input_palette_size(const cli::Settings& settings) {
  const std::string_view number = std::string_view(settings.picture.palette_file).substr(Prefix.size());
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
  if (error != std::errc{} || end != number.data() + number.size() || count < 2 ||
      count > mapping::MaxPaletteColors) {
    return Error{ErrorCode::Usage,
                 fmt::format("--palette auto:N takes a number of colors from 2 to {}, such as auto:16.",
                             mapping::MaxPaletteColors),
                 {}};
  }
  return count;
}

Result<cli::Settings> with_input_palette(cli::Settings settings) {
  if (!has_input_palette(settings)) return settings;
  TRY_ASSIGN(const std::size_t count, input_palette_size(settings));
  cli::Settings opening = settings;
  opening.engine.hwdec = HwDecodeChoice::No;
  opening.playback.start.reset();
  opening.playback.end.reset();
  opening.playback.length_seconds.reset();
  const std::string url = settings.inputs.empty() ? "demo:" : settings.inputs.front();
  const Error stream{
      ErrorCode::Usage,
      fmt::format("--palette auto:N reads the input twice, but {} is a stream; choose a palette by name.",
                  url == "-" ? "standard input" : url),
      {}};
  if (url == "-") return stream;
  TRY_ASSIGN(const std::unique_ptr<media::Source> source,
             open_input(opening, {.url = url, .ends_on_interrupt = true}));
  if (source->input().is_live || source->input().kind == media::InputKind::StandardInput) return stream;
  TRY_ASSIGN(const std::vector<std::uint32_t> pixels, sample_pixels(*source));
  if (pixels.empty())
    return Error{ErrorCode::BadInput,
                 fmt::format("{} has no frames for --palette auto:N; choose a palette by name.", url),
                 {}};
  settings.picture.palette = mapping::fit_palette(pixels, count);
  return settings;
}

}  // namespace glyphreel::session
