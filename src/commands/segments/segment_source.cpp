#include "commands/segments/segment_source.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "base/interrupt.h"

namespace glyphreel::commands {
namespace {

// To find where a segment starts, reading begins this many seconds before the planned border. If the scene at
// the border began even earlier, reading begins again with a lead LeadGrowth times as long.
constexpr double FirstLead = 0.5;
constexpr double LeadGrowth = 4;

class ScannedSource final : public SegmentSource {
 public:
  ScannedSource(std::unique_ptr<media::Source> source, std::unique_ptr<ResetFinder> finder,
                const SegmentBounds& bounds)
      : source_(std::move(source)), finder_(std::move(finder)), bounds_(bounds) {}

  [[nodiscard]] Result<void> find_start();

  [[nodiscard]] const std::optional<media::SegmentStart>& start() const override { return start_; }
  [[nodiscard]] const media::VideoFacts& facts() const override { return source_->facts(); }
  [[nodiscard]] const media::InputFacts& input() const override { return source_->input(); }
  [[nodiscard]] media::TimeRange range() const override { return source_->range(); }
  [[nodiscard]] std::shared_ptr<const media::AudioStream> audio() const override { return nullptr; }
  [[nodiscard]] Result<media::SourceItem> read() override;
  [[nodiscard]] Result<media::SourceItem> read_audio() override {
    return media::SourceItem(media::EndOfStream{});
  }
  [[nodiscard]] Result<void> seek(double, media::SeekMode, std::uint32_t) override {
    return Error{ErrorCode::Failed, "Seeking is not possible while a segment is recorded."};
  }
  [[nodiscard]] media::ReadAhead read_ahead() const override { return source_->read_ahead(); }
  [[nodiscard]] const std::vector<media::SubtitleTrackInfo>& subtitle_tracks() const override {
    return source_->subtitle_tracks();
  }
  [[nodiscard]] Result<std::unique_ptr<media::SubtitleDecoder>> open_subtitles(
      int stream_index, const std::string& charset) const override {
    return source_->open_subtitles(stream_index, charset);
  }
  [[nodiscard]] std::shared_ptr<const media::SubtitlePacket> try_read_subtitle(int stream_index) override {
    return source_->try_read_subtitle(stream_index);
  }
  void set_background(std::uint32_t rgb) override { source_->set_background(rgb); }
  void interrupt() override { source_->interrupt(); }
  [[nodiscard]] std::uint64_t damaged_packets() const override { return source_->damaged_packets(); }
  [[nodiscard]] media::HwDecodeStatus hardware_use() const override { return source_->hardware_use(); }

 private:
  /// Where a scan for the border ended.
  struct Scan {
    bool found = false;  ///< false: the input ended before the border
    /// Whether mapping from `render_from` on gives the border the same cells as a recording without segments.
    bool is_exact = false;
    std::int64_t render_from = 0;
    std::int64_t before = 0;  ///< pts of the frame before the border
    Frame border;
  };
  [[nodiscard]] double seconds_of(std::int64_t pts) const {
    return static_cast<double>(pts - facts().start_pts) * facts().time_base.value();
  }
  [[nodiscard]] double recording_start() const { return source_->range().start_seconds.value_or(0); }
  [[nodiscard]] Result<std::optional<Frame>> next_frame();
  [[nodiscard]] Result<Scan> scan(double from_seconds);
  [[nodiscard]] Result<void> use(Scan scan);
  [[nodiscard]] Result<bool> is_end(const Frame& frame);

  const std::unique_ptr<media::Source> source_;
  const std::unique_ptr<ResetFinder> finder_;
  const SegmentBounds bounds_;
  std::optional<media::SegmentStart> start_;
  std::optional<Frame> first_;   ///< found by find_start(), not yet returned
  std::optional<Frame> before_;  ///< the last frame returned; empty once it was given to the finder
  std::int64_t before_pts_ = std::numeric_limits<std::int64_t>::min();
  bool is_finding_end_ = false;  ///< whether the finder gets each frame, to find the segment's end
  bool has_ended_ = false;
};

Result<std::optional<Frame>> ScannedSource::next_frame() {
  while (true) {
    TRY_ASSIGN(media::SourceItem item, source_->read());
    if (interrupted())
      return Error{ErrorCode::Interrupted, "Interrupted while looking for the start of a segment."};
    if (auto* frame = std::get_if<Frame>(&item)) return std::optional(std::move(*frame));
    if (std::holds_alternative<media::EndOfStream>(item)) return std::optional<Frame>();
  }
}

Result<void> ScannedSource::find_start() {
  if (!bounds_.begin) {
    TRY_ASSIGN(first_, next_frame());
    if (first_) start_ = media::SegmentStart{.pts_before = {}, .first_pts = first_->pts};
    return {};
  }
  const double earliest = seconds_of(bounds_.begin->earliest);
  for (double lead = FirstLead;; lead *= LeadGrowth) {
    const double from = std::max(earliest - lead, recording_start());
    TRY_ASSIGN(Scan found, scan(from));
    if (!found.found) return {};
    if (found.is_exact) return use(std::move(found));
  }
}

/// Reads from `from_seconds` to the segment's first border.
Result<ScannedSource::Scan> ScannedSource::scan(double from_seconds) {
  const bool is_from_start = from_seconds <= recording_start();
  TRY(source_->seek(from_seconds, media::SeekMode::Exact, 0));
  Scan scan{.is_exact = is_from_start};
  for (bool is_first = true;; is_first = false) {
    TRY_ASSIGN(std::optional<Frame> frame, next_frame());
    if (!frame) return scan;
    bool resets = false;
    if (is_first) {
      TRY(finder_->begin(*frame));
      scan.render_from = frame->pts;
    } else {
      TRY_ASSIGN(resets, finder_->next_resets(*frame));
    }
    if (resets) {
      scan.is_exact = true;
      scan.render_from = frame->pts;
    }
    if (!is_first && is_border(*bounds_.begin, scan.before, frame->pts, resets)) {
      scan.found = true;
      scan.border = *std::move(frame);
      return scan;
    }
    // If the first frame is already at or after the planned time, the border may be an earlier frame. The
    // caller must then scan again from an earlier time.
    if (is_first && !is_from_start && frame->pts >= bounds_.begin->earliest) {
      scan.found = true;
      scan.is_exact = false;
      return scan;
    }
    scan.before = frame->pts;
  }
}

/// Starts at the border that was found, or at the frames that must be rendered before it.
Result<void> ScannedSource::use(Scan scan) {
  start_ = media::SegmentStart{.pts_before = scan.before, .first_pts = scan.border.pts};
  before_pts_ = scan.before;
  if (scan.render_from == scan.border.pts) {
    first_ = std::move(scan.border);
    return {};
  }
  TRY(source_->seek(seconds_of(scan.render_from), media::SeekMode::Exact, 0));
  before_pts_ = scan.render_from - 1;
  return {};
}

/// Whether the segment ends before this frame.
Result<bool> ScannedSource::is_end(const Frame& frame) {
  if (!bounds_.end || frame.pts < bounds_.end->earliest) return false;
  if (!is_finding_end_ && !before_) return false;
  if (!std::exchange(is_finding_end_, true)) TRY(finder_->begin(*std::exchange(before_, std::nullopt)));
  TRY_ASSIGN(const bool resets, finder_->next_resets(frame));
  return is_border(*bounds_.end, before_pts_, frame.pts, resets);
}

Result<media::SourceItem> ScannedSource::read() {
  if (has_ended_ || !start_) return media::SourceItem(media::EndOfStream{});
  std::optional<Frame> frame = std::exchange(first_, std::nullopt);
  const bool is_first = frame.has_value();
  if (!is_first) {
    TRY_ASSIGN(media::SourceItem item, source_->read());
    if (!std::holds_alternative<Frame>(item)) return item;
    frame = std::get<Frame>(std::move(item));
  }
  if (is_first) {
    // If frames last long, one frame may be at both borders of the segment, which is then empty. A
    // recording's first segment has no first border.
    has_ended_ = bounds_.begin && bounds_.end && is_border(*bounds_.end, before_pts_, frame->pts, true);
  } else {
    TRY_ASSIGN(has_ended_, is_end(*frame));
  }
  if (has_ended_) return media::SourceItem(media::EndOfStream{});
  before_pts_ = frame->pts;
  if (bounds_.end && !is_finding_end_) before_ = *frame;
  return media::SourceItem(*std::move(frame));
}

}  // namespace

Result<std::unique_ptr<SegmentSource>> SegmentSource::open(std::unique_ptr<media::Source> source,
                                                           std::unique_ptr<ResetFinder> finder,
                                                           const SegmentBounds& bounds) {
  auto scanned = std::make_unique<ScannedSource>(std::move(source), std::move(finder), bounds);
  TRY(scanned->find_start());
  return std::unique_ptr<SegmentSource>(std::move(scanned));
}

}  // namespace glyphreel::commands
