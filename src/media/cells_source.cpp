#include "media/cells_source.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/interrupt.h"
#include "base/io/log.h"
#include "base/mutex.h"
#include "media/cells/cell_codec.h"
#include "media/cells/cells_file.h"
#include "media/cells/sound_reader.h"
#include "media/ffmpeg/pts_range.h"
#include "media/frame/host_planes.h"
#include "media/frame/pixel_layout.h"
#include "media/input/protocols.h"
#include "media/stream/stream_tags.h"

namespace glyphreel::media {
namespace {

constexpr AVPixelFormat ViewFormat = AV_PIX_FMT_RGBA;

/// Returns the mean color of a cell, 0xFFRRGGBB.
std::uint32_t mean_color(const RecordedCell& cell, int coverage) {
  std::uint32_t color = 0xff000000;
  for (const int shift : {0, 8, 16}) {
    const int foreground = static_cast<int>(cell.foreground >> shift & 0xff);
    const int background = static_cast<int>(cell.background >> shift & 0xff);
    color |= static_cast<std::uint32_t>((foreground * coverage + background * (255 - coverage) + 127) / 255)
             << shift;
  }
  return color;
}

/// The location of a frame in the file.
struct FramePlace {
  std::size_t chunk = 0;  ///< index into frame_chunks(); frame_chunks().size() at the end of the file
  int frame = 0;          ///< index within the chunk
};

class CellsSource final : public Source {
 public:
  CellsSource(const SourceOptions& options, std::unique_ptr<CellsFile> file)
      : options_(options), file_(std::move(file)) {
    if (options_.times != nullptr) options_.times->set_engine(Stage::Decode, "cells");
  }

  [[nodiscard]] Result<void> start();

  [[nodiscard]] const VideoFacts& facts() const override { return facts_; }
  [[nodiscard]] const InputFacts& input() const override { return input_; }
  [[nodiscard]] TimeRange range() const override { return range_; }
  [[nodiscard]] std::shared_ptr<const AudioStream> audio() const override {
    return has_sound_ ? audio_stream_ : nullptr;
  }
  [[nodiscard]] Result<SourceItem> read() override;
  [[nodiscard]] Result<SourceItem> read_audio() override;
  [[nodiscard]] Result<void> seek(double seconds, SeekMode mode, std::uint32_t epoch) override;
  [[nodiscard]] ReadAhead read_ahead() const override;
  [[nodiscard]] const std::vector<SubtitleTrackInfo>& subtitle_tracks() const override { return no_tracks_; }
  [[nodiscard]] Result<std::unique_ptr<SubtitleDecoder>> open_subtitles(
      int /*stream_index*/, const std::string& /*charset*/) const override {
    return bad_input("A .cells file contains no subtitles; add some with --sub-file.");
  }
  [[nodiscard]] std::shared_ptr<const SubtitlePacket> try_read_subtitle(int /*stream_index*/) override {
    return nullptr;
  }
  void set_background(std::uint32_t /*rgb*/) override {}
  void interrupt() override { interrupted_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t damaged_packets() const override { return damaged_; }

 private:
  [[nodiscard]] bool interrupted() const {
    return interrupted_.load(std::memory_order_relaxed) ||
           (options_.ends_on_interrupt && glyphreel::interrupted());
  }
  void find_facts();
  [[nodiscard]] double seconds_of(std::int64_t pts) const {
    return static_cast<double>(pts) * facts_.time_base.value();
  }
  /// Opens the chunk of `next_`. If that chunk is damaged or has no frame `next_.frame`, moves `next_` to the
  /// next readable chunk. Returns false at the end of the file.
  [[nodiscard]] bool open_chunk();
  [[nodiscard]] FramePlace locate(std::int64_t target, SeekMode mode);
  [[nodiscard]] std::shared_ptr<const AudioPacket> next_packet_before(double seconds);
  [[nodiscard]] Frame make_frame(const FrameTimes& times) const;
  [[nodiscard]] FrameView make_view(Frame& frame) const;

  const SourceOptions options_;
  const std::unique_ptr<CellsFile> file_;
  VideoFacts facts_;
  InputFacts input_;
  TimeRange range_;
  std::int64_t end_ = 0;  ///< frames at or after this time are not returned
  const std::vector<SubtitleTrackInfo> no_tracks_;
  std::atomic<bool> interrupted_ = false;

  FramePlace next_;  ///< the frame that read() returns next; earlier frames of its chunk are dropped
  std::unique_ptr<CellDecoder> decoder_;  ///< decodes chunk `open_chunk_`; null: no chunk is open
  std::size_t open_chunk_ = 0;
  std::vector<RecordedCell> cells_;
  std::atomic<std::size_t> next_chunk_ = 0;
  std::uint32_t epoch_ = 0;
  std::uint64_t damaged_ = 0;

  bool has_sound_ = false;
  std::shared_ptr<const AudioStream> audio_stream_;
  Mutex sound_mutex_;
  std::unique_ptr<SoundReader> sound_ GUARDED_BY(sound_mutex_);
  std::uint32_t sound_epoch_ GUARDED_BY(sound_mutex_) = 0;
};

Result<void> CellsSource::start() {
  find_facts();
  if (options_.aspect)
    facts_.sample_aspect_ratio = sample_aspect_for(*options_.aspect, facts_.size, Rotation::None);
  TRY_ASSIGN(range_, time_range(options_.range, facts_));
  end_ = window_between({}, range_.end_seconds, facts_.start_pts, facts_.time_base).end;
  cells_.resize(static_cast<std::size_t>(file_->header().grid.cells()));
  if (options_.audio != AudioDelivery::None && !file_->sound_chunks().empty()) {
    TRY_ASSIGN(std::unique_ptr<SoundReader> sound, SoundReader::open(*file_));
    audio_stream_ = sound->stream();
    has_sound_ = true;
    facts_.audio_track = 1;
    const MutexLock lock(sound_mutex_);
    sound_ = std::move(sound);
  }
  if (range_.start_seconds.value_or(0) > 0) {
    TRY(seek(*range_.start_seconds, SeekMode::Exact, 0));
    epoch_ = 0;
    const MutexLock lock(sound_mutex_);
    sound_epoch_ = 0;
  }
  return {};
}

void CellsSource::find_facts() {
  const CellsHeader& header = file_->header();
  facts_.codec = "cells";
  facts_.decoder = "glyphreel";
  facts_.pixel_format = "cells";
  facts_.size = {header.grid.columns, header.grid.rows};
  facts_.sample_aspect_ratio = {header.cell.width, header.cell.height};
  facts_.time_base = header.time_base;
  facts_.frame_rate = header.frame_rate;
  facts_.frame_count = file_->frame_count();
  facts_.color = color_tags({.format = ViewFormat, .size = facts_.size});
  const std::vector<ChunkPlace>& chunks = file_->frame_chunks();
  facts_.start_pts = chunks.front().first_pts;
  std::int64_t end = chunks.back().first_pts;
  next_.chunk = chunks.size() - 1;
  if (open_chunk()) {
    const FrameTimes& last = decoder_->times().back();
    end = last.pts + last.duration;
    if (last.duration == 0 && header.frame_rate.is_positive())
      end += facts_.ticks(1 / header.frame_rate.value());
  }
  next_ = {};
  facts_.duration_seconds = seconds_of(end - facts_.start_pts);
  facts_.has_exact_duration = true;
  if (!file_->sound_chunks().empty()) facts_.audio_tracks = {"opus"};
  input_.duration_seconds = facts_.duration_seconds;
  input_.is_seekable = true;
  input_.is_still_image = facts_.frame_count == 1;
}

bool CellsSource::open_chunk() {
  const std::vector<ChunkPlace>& chunks = file_->frame_chunks();
  for (; next_.chunk < chunks.size(); next_ = {.chunk = next_.chunk + 1, .frame = 0}) {
    next_chunk_ = next_.chunk;
    const bool is_open = decoder_ != nullptr && open_chunk_ == next_.chunk && decoder_->next() <= next_.frame;
    if (!is_open) {
      decoder_.reset();
      Result<std::string> payload = file_->read(chunks[next_.chunk]);
      auto opened = payload ? CellDecoder::open(file_->header().grid, file_->glyphs()->glyphs, *payload)
                            : Result<std::unique_ptr<CellDecoder>>(std::move(payload.error()));
      if (!opened) {
        ++damaged_;
        continue;
      }
      decoder_ = *std::move(opened);
      open_chunk_ = next_.chunk;
    }
    if (next_.frame < static_cast<int>(decoder_->times().size())) return true;
  }
  next_chunk_ = next_.chunk;
  return false;
}

Result<SourceItem> CellsSource::read() {
  while (!interrupted()) {
    bool has_frame = open_chunk();
    const FrameTimes times =
        has_frame ? decoder_->times()[static_cast<std::size_t>(next_.frame)] : FrameTimes{};
    has_frame = has_frame && times.pts < end_;
    if (options_.audio == AudioDelivery::WithFrames) {
      const double until = has_frame ? seconds_of(times.pts) : range_.end_seconds.value_or(1e18);
      if (auto packet = next_packet_before(until)) return SourceItem(std::move(packet));
    }
    if (!has_frame) break;
    const bool is_skipped = decoder_->next() < next_.frame;
    {
      std::optional<ScopedStage> stage;
      if (options_.times != nullptr) stage.emplace(*options_.times, Stage::Decode);
      if (!decoder_->read(cells_)) {
        ++damaged_;
        next_ = {.chunk = next_.chunk + 1, .frame = 0};
        continue;
      }
    }
    if (is_skipped) {
      if (options_.reports_skipped) return SourceItem(Skipped{});
      continue;
    }
    ++next_.frame;
    return SourceItem(make_frame(times));
  }
  return SourceItem(EndOfStream{});
}

/// Returns the next audio packet if it starts before this time; otherwise null.
std::shared_ptr<const AudioPacket> CellsSource::next_packet_before(double seconds) {
  const MutexLock lock(sound_mutex_);
  if (sound_ == nullptr || sound_->next_seconds() >= seconds) return nullptr;
  return sound_->read(sound_epoch_);
}

Result<SourceItem> CellsSource::read_audio() {
  auto packet = interrupted() ? nullptr : next_packet_before(range_.end_seconds.value_or(1e18));
  return packet != nullptr ? SourceItem(std::move(packet)) : SourceItem(EndOfStream{});
}

Frame CellsSource::make_frame(const FrameTimes& times) const {
  Frame frame;
  frame.pts = times.pts;
  frame.duration = times.duration;
  frame.time_base = facts_.time_base;
  frame.epoch = epoch_;
  frame.view = make_view(frame);
  frame.cells = std::make_shared<const CellFrame>(
      CellFrame{.grid = file_->header().grid, .cells = cells_, .glyphs = file_->glyphs()});
  return frame;
}

/// Attaches an image to `frame` and returns a view of it: one pixel per cell, in the cell's mean color.
FrameView CellsSource::make_view(Frame& frame) const {
  frame.view.layout = *layout_of(ViewFormat);
  frame.view.color = facts_.color;
  frame.view.size = facts_.size;
  frame.view.sample_aspect_ratio = facts_.sample_aspect_ratio;
  const HostPlanes planes = acquire_planes(options_.memory, frame.view.layout, facts_.size);
  attach_planes(planes, frame);
  const std::vector<RecordedGlyph>& glyphs = file_->glyphs()->glyphs;
  const RecordedCell* cell = cells_.data();
  for (int row = 0; row < facts_.size.height; ++row) {
    std::uint8_t* pixel = planes.target.bytes + row * frame.view.strides[0];
    for (int column = 0; column < facts_.size.width; ++column, ++cell, pixel += 4) {
      const std::uint32_t color = mean_color(*cell, glyphs[cell->glyph].coverage);
      pixel[0] = static_cast<std::uint8_t>(color >> 16);
      pixel[1] = static_cast<std::uint8_t>(color >> 8);
      pixel[2] = static_cast<std::uint8_t>(color);
      pixel[3] = 255;
    }
  }
  return frame.view;
}

FramePlace CellsSource::locate(std::int64_t target, SeekMode mode) {
  const std::vector<ChunkPlace>& chunks = file_->frame_chunks();
  const auto after = std::ranges::upper_bound(chunks, target, {}, &ChunkPlace::first_pts);
  const auto first_from = std::ranges::lower_bound(chunks, target, {}, &ChunkPlace::first_pts);
  const std::size_t before =
      after == chunks.begin() ? 0 : static_cast<std::size_t>(after - chunks.begin()) - 1;
  if (mode == SeekMode::KeyframeAfter && first_from != chunks.end())
    return {.chunk = static_cast<std::size_t>(first_from - chunks.begin())};
  if (mode == SeekMode::KeyframeBefore || mode == SeekMode::KeyframeAfter) return {.chunk = before};

  // Frames may share a time, so the first frame at the target may be in an earlier chunk than `before`.
  const std::size_t from =
      first_from == chunks.begin() ? 0 : static_cast<std::size_t>(first_from - chunks.begin()) - 1;
  FramePlace found{.chunk = from};
  next_ = found;
  if (!open_chunk() || next_.chunk != from) return found;
  const std::vector<FrameTimes>& times = decoder_->times();
  found.frame =
      static_cast<int>(std::ranges::lower_bound(times, target, {}, &FrameTimes::pts) - times.begin());
  if (mode == SeekMode::FrameBefore) {
    if (found.frame > 0) --found.frame;
  } else if (found.frame == static_cast<int>(times.size())) {
    found = {.chunk = from + 1};
  }
  return found;
}

Result<void> CellsSource::seek(double seconds, SeekMode mode, std::uint32_t epoch) {
  epoch_ = epoch != 0 ? epoch : epoch_ + 1;
  next_ = locate(tick_at_or_after(seconds, facts_.start_pts, facts_.time_base), mode);
  const bool has_frame = open_chunk();
  const std::int64_t pts =
      has_frame ? decoder_->times()[static_cast<std::size_t>(next_.frame)].pts : facts_.start_pts;
  const MutexLock lock(sound_mutex_);
  sound_epoch_ = epoch_;
  if (sound_ != nullptr) sound_->seek(has_frame ? seconds_of(pts) : seconds);
  return {};
}

ReadAhead CellsSource::read_ahead() const {
  const std::vector<ChunkPlace>& chunks = file_->frame_chunks();
  const std::size_t next = next_chunk_;
  const double end = seconds_of(facts_.start_pts) + facts_.duration_seconds.value_or(0);
  const double from = next < chunks.size() ? seconds_of(chunks[next].first_pts) : end;
  return {.seconds = end - from, .at_end = true};
}

}  // namespace

bool is_cells_source(const std::string& url) {
  return read_address(url).kind == InputKind::File && scheme_of(url).empty() && CellsFile::is_cells_file(url);
}

Result<std::unique_ptr<Source>> make_cells_source(const SourceOptions& options) {
  TRY_ASSIGN(std::unique_ptr<CellsFile> file, CellsFile::open(options.url));
  if (!file->is_complete())
    log::warn("{} is damaged or was cut short; only its first {} frames can be read.", options.url,
              file->frame_count());
  auto source = std::make_unique<CellsSource>(options, std::move(file));
  TRY(source->start());
  return std::unique_ptr<Source>(std::move(source));
}

}  // namespace glyphreel::media
