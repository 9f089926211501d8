#include "media/source.h"

#include <atomic>

#include "base/io/log.h"
#include "media/cells_source.h"
#include "media/input/input.h"
#include "media/reading/source_seeker.h"
#include "media/stream/stream_tags.h"
#include "media/webp_source.h"

namespace glyphreel::media {
namespace {

/// Reads an input with FFmpeg. read() calls the SourceSeeker, which calls the StreamReader, which sends
/// packets from the Demuxer to the VideoPipeline. read() drops the frames that the ReadWindow excludes.
class FfmpegSource final : public Source {
 public:
  FfmpegSource(const SourceOptions& options, std::unique_ptr<Input> input)
      : options_(options), input_(std::move(input)), background_(options.background) {}

  [[nodiscard]] Result<void> start(AVStream& video);

  [[nodiscard]] const VideoFacts& facts() const override { return facts_; }
  [[nodiscard]] const InputFacts& input() const override { return input_facts_; }
  [[nodiscard]] TimeRange range() const override { return range_; }
  [[nodiscard]] std::shared_ptr<const AudioStream> audio() const override { return streams_.audio_stream; }
  [[nodiscard]] std::shared_ptr<const CopiedContent> copied() const override { return streams_.copied; }
  [[nodiscard]] Result<SourceItem> read() override;
  [[nodiscard]] Result<SourceItem> read_audio() override;
  [[nodiscard]] Result<void> seek(double seconds, SeekMode mode, std::uint32_t epoch) override;
  [[nodiscard]] ReadAhead read_ahead() const override;
  [[nodiscard]] const std::vector<SubtitleTrackInfo>& subtitle_tracks() const override {
    return streams_.subtitle_tracks;
  }
  [[nodiscard]] Result<std::unique_ptr<SubtitleDecoder>> open_subtitles(
      int stream_index, const std::string& charset) const override;
  [[nodiscard]] std::shared_ptr<const SubtitlePacket> try_read_subtitle(int stream_index) override;
  void set_background(std::uint32_t rgb) override { background_.store(rgb, std::memory_order_relaxed); }
  void interrupt() override { input_->interrupt(); }
  [[nodiscard]] std::uint64_t damaged_packets() const override {
    return reader_->demuxer().damaged_reads() + pipeline_.decoder().damaged_packets();
  }
  [[nodiscard]] HwDecodeStatus hardware_use() const override { return pipeline_.hardware_use(); }

 private:
  [[nodiscard]] Result<SourceItem> deliver(FramePtr frame);

  const SourceOptions options_;
  const std::unique_ptr<Input> input_;
  std::atomic<std::uint32_t> background_;
  VideoFacts facts_;
  InputFacts input_facts_;
  TimeRange range_;
  SelectedStreams streams_;
  VideoPipeline pipeline_{options_};
  ReadWindow window_{range_, facts_, streams_};
  std::unique_ptr<StreamReader> reader_;
  std::unique_ptr<SourceSeeker> seeker_;
};

Result<void> FfmpegSource::start(AVStream& video) {
  TRY(pipeline_.open(input_->format(), video));
  if (const std::string warning = color_warning(video); !warning.empty()) log::warn("{}", warning);
  facts_ = facts_of(input_->format(), video, pipeline_.decoder().codec());
  if (options_.aspect)
    facts_.sample_aspect_ratio = sample_aspect_for(*options_.aspect, facts_.size, facts_.rotation);
  input_facts_ = input_->facts();
  TRY_ASSIGN(range_, time_range(options_.range, facts_));
  TRY_ASSIGN(streams_, select_streams(options_, range_, *input_, video, facts_));
  window_.begin({}, SeekMode::Exact);
  reader_ = std::make_unique<StreamReader>(options_, *input_, streams_, facts_, window_, pipeline_);
  if (reader_->demuxer().has_failed()) return reader_->demuxer().take_error().value_or(Error{});
  seeker_ = std::make_unique<SourceSeeker>(*reader_, *input_, streams_, facts_);
  if (range_.start_seconds.value_or(0) > 0) {
    TRY(seek(*range_.start_seconds, SeekMode::Exact, 0));
    reader_->set_epoch(0);
  }
  return {};
}

Result<SourceItem> FfmpegSource::read() {
  while (!reader_->has_ended() && !input_->interrupted()) {
    TRY_ASSIGN(DecodedItem item, seeker_->next());
    if (std::holds_alternative<EndOfStream>(item)) {
      TRY_ASSIGN(const bool retries, seeker_->retry_earlier_keyframe());
      if (retries) continue;
      // The input ended before the target. If the seek requested the frame before the target, deliver the
      // input's last frame.
      if (FramePtr last = window_.take_frame_before()) return deliver(std::move(last));
      break;
    }
    if (auto* audio = std::get_if<AudioPacketPtr>(&item)) {
      if (window_.wants(**audio)) return SourceItem(std::move(*audio));
      continue;
    }
    FramePtr frame = std::get<FramePtr>(std::move(item));
    if (reader_->has_ended_video() || window_.is_before(*frame)) {
      if (options_.reports_skipped) return SourceItem(Skipped{});
      continue;
    }
    if (FramePtr before = window_.take_frame_before()) {
      seeker_->put_back(std::move(frame));
      return deliver(std::move(before));
    }
    if (!window_.is_after(*frame)) return deliver(std::move(frame));
    reader_->end_video();
  }
  reader_->end();
  return SourceItem(EndOfStream{});
}

Result<SourceItem> FfmpegSource::deliver(FramePtr frame) {
  seeker_->confirm();
  const std::uint32_t background = background_.load(std::memory_order_relaxed);
  TRY_ASSIGN(Frame made, pipeline_.convert(std::move(frame), reader_->epoch(), background));
  return SourceItem(std::move(made));
}

Result<SourceItem> FfmpegSource::read_audio() {
  AudioPacketPtr audio = reader_->next_audio();
  return audio != nullptr ? SourceItem(std::move(audio)) : SourceItem(EndOfStream{});
}

Result<void> FfmpegSource::seek(double seconds, SeekMode mode, std::uint32_t epoch) {
  const PtsRange window_before = window_.video();
  reader_->begin_seek(epoch);
  window_.begin(seconds, mode);
  Result<void> found = seeker_->seek(tick_at_or_after(seconds, facts_.start_pts, facts_.time_base), mode);
  if (!found) window_.set_video(window_before);
  reader_->end_seek();
  return found;
}

Result<std::unique_ptr<SubtitleDecoder>> FfmpegSource::open_subtitles(int stream_index,
                                                                      const std::string& charset) const {
  if (const SubtitleStream* stream = streams_.subtitles(stream_index))
    return SubtitleDecoder::open(*stream, charset);
  return bad_input("{} has no subtitles in stream {}; choose a different track.", input_->name(),
                   stream_index);
}

std::shared_ptr<const SubtitlePacket> FfmpegSource::try_read_subtitle(int stream_index) {
  std::optional<Demuxer::Packet> read = reader_->demuxer().try_next({stream_index});
  if (!read) return nullptr;
  const SubtitleStream* stream = streams_.subtitles(stream_index);
  return std::make_shared<const SubtitlePacket>(
      SubtitlePacket{.packet = std::move(read->packet),
                     .time_base = stream != nullptr ? stream->time_base : AVRational{0, 1},
                     .epoch = read->epoch});
}

ReadAhead FfmpegSource::read_ahead() const {
  ReadAhead ahead = reader_->demuxer().read_ahead(streams_.video);
  ahead.is_reconnecting = reader_->is_reconnecting();
  return ahead;
}

}  // namespace

Result<std::unique_ptr<Source>> Source::open(const SourceOptions& options) {
  if (is_cells_source(options.url)) return make_cells_source(options);
  TRY_ASSIGN(auto input, Input::open(options.url, options.stop));
  if (options.ends_on_interrupt) input->end_on_interrupt();
  if (input->animated_webp() != nullptr) return make_webp_source(options, std::move(input));
  TRY_ASSIGN(AVStream * video, input->best_video());
  auto source = std::make_unique<FfmpegSource>(options, std::move(input));
  {
    const std::stop_callback interrupt(options.stop, [&source] { source->interrupt(); });
    TRY(source->start(*video));
  }
  return std::unique_ptr<Source>(std::move(source));
}

}  // namespace glyphreel::media
