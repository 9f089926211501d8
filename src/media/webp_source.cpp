#include "media/webp_source.h"

#include <algorithm>
#include <atomic>
#include <climits>

#include "media/ffmpeg/pts_range.h"
#include "media/frame/compositing.h"
#include "media/frame/host_planes.h"
#include "media/frame/pixel_layout.h"
#include "media/stream/stream_tags.h"

namespace glyphreel::media {
namespace {

constexpr AVPixelFormat WebpFormat = AV_PIX_FMT_RGBA;
constexpr Rational WebpTimeBase{1, 1000};

VideoFacts webp_facts(const WebpAnimation& animation) {
  VideoFacts facts;
  facts.codec = "webp";
  facts.decoder = "libwebp";
  facts.pixel_format = "rgba";
  facts.size = animation.size();
  facts.time_base = WebpTimeBase;
  facts.frame_count = static_cast<std::int64_t>(animation.pictures().size());
  AVRational rate{0, 1};
  av_reduce(&rate.num, &rate.den, 1000 * facts.frame_count, animation.duration_ms(), INT_MAX);
  facts.frame_rate = to_rational(rate);
  facts.color = color_tags({.format = WebpFormat, .size = animation.size()});
  facts.duration_seconds = static_cast<double>(animation.duration_ms()) / 1000;
  facts.has_exact_duration = true;
  return facts;
}

class WebpSource final : public Source {
 public:
  WebpSource(const SourceOptions& options, std::unique_ptr<Input> input, VideoFacts facts,
             const TimeRange& range)
      : options_(options),
        input_(std::move(input)),
        animation_(*input_->animated_webp()),
        facts_(std::move(facts)),
        range_(range),
        end_(window_between({}, range.end_seconds, 0, WebpTimeBase).end),
        background_(options.background) {
    if (options_.times != nullptr) options_.times->set_engine(Stage::Decode, "libwebp");
    if (range_.start_seconds) next_ = first_from(*range_.start_seconds);
  }

  [[nodiscard]] const VideoFacts& facts() const override { return facts_; }
  [[nodiscard]] const InputFacts& input() const override { return input_->facts(); }
  [[nodiscard]] TimeRange range() const override { return range_; }
  [[nodiscard]] std::shared_ptr<const AudioStream> audio() const override { return nullptr; }
  [[nodiscard]] Result<SourceItem> read() override;
  [[nodiscard]] Result<SourceItem> read_audio() override { return SourceItem(EndOfStream{}); }
  [[nodiscard]] Result<void> seek(double seconds, SeekMode mode, std::uint32_t epoch) override;
  [[nodiscard]] ReadAhead read_ahead() const override;
  [[nodiscard]] const std::vector<SubtitleTrackInfo>& subtitle_tracks() const override { return no_tracks_; }
  [[nodiscard]] Result<std::unique_ptr<SubtitleDecoder>> open_subtitles(
      int /*stream_index*/, const std::string& /*charset*/) const override {
    return bad_input("{} contains no subtitles; add some with --sub-file.", input_->name());
  }
  [[nodiscard]] std::shared_ptr<const SubtitlePacket> try_read_subtitle(int /*stream_index*/) override {
    return nullptr;
  }
  void set_background(std::uint32_t rgb) override { background_.store(rgb, std::memory_order_relaxed); }
  void interrupt() override { input_->interrupt(); }
  [[nodiscard]] std::uint64_t damaged_packets() const override { return damaged_; }

 private:
  [[nodiscard]] const std::uint8_t* decode(std::size_t number);
  [[nodiscard]] Frame make_frame(const WebpAnimation::Picture& picture, const std::uint8_t* rgba) const;
  /// Returns the index of the first picture at or after a time; pictures().size() if there is none.
  [[nodiscard]] std::size_t first_from(double seconds) const;

  const SourceOptions options_;
  const std::unique_ptr<Input> input_;
  WebpAnimation& animation_;
  const VideoFacts facts_;
  const TimeRange range_;
  const std::int64_t end_;  ///< in ms; pictures at or after this time are not returned
  const std::vector<SubtitleTrackInfo> no_tracks_;
  std::atomic<std::uint32_t> background_;
  std::atomic<std::size_t> next_ = 0;  ///< index of the picture that read() tries next
  std::uint32_t epoch_ = 0;
  std::uint64_t decoded_ = 0;
  std::uint64_t damaged_ = 0;
};

Result<SourceItem> WebpSource::read() {
  const auto& pictures = animation_.pictures();
  while (!input_->interrupted() && next_ < pictures.size() && pictures[next_].pts_ms < end_) {
    const std::size_t number = next_++;
    const std::uint8_t* rgba = decode(number);
    if (rgba != nullptr) return SourceItem(make_frame(pictures[number], rgba));
    if (!input_->interrupted()) ++damaged_;
  }
  if (damaged_ > 0 && decoded_ == 0 && next_ == pictures.size() && !input_->interrupted()) {
    return bad_input(
        "No frame of {} could be decoded: the input is damaged or was cut short; use another copy.",
        input_->name());
  }
  return SourceItem(EndOfStream{});
}

const std::uint8_t* WebpSource::decode(std::size_t number) {
  std::optional<ScopedStage> stage;
  if (options_.times != nullptr) stage.emplace(*options_.times, Stage::Decode);
  const std::uint8_t* rgba = animation_.decode(number, [this] { return input_->interrupted(); });
  decoded_ += rgba != nullptr ? 1 : 0;
  return rgba;
}

Frame WebpSource::make_frame(const WebpAnimation::Picture& picture, const std::uint8_t* rgba) const {
  Frame frame;
  frame.pts = picture.pts_ms;
  frame.duration = picture.duration_ms;
  frame.time_base = WebpTimeBase;
  frame.epoch = epoch_;
  FrameView& view = frame.view;
  view.layout = *layout_of(WebpFormat);
  view.color = facts_.color;
  view.size = facts_.size;
  view.sample_aspect_ratio = facts_.sample_aspect_ratio;
  view.planes[0] = reinterpret_cast<const std::byte*>(rgba);
  view.strides[0] = std::ptrdiff_t{4} * view.size.width;
  // `rgba` points into the decoder's memory, which the next picture will overwrite, so copy the pixels.
  const HostPlanes own = acquire_planes(options_.memory, view.layout, view.size);
  const ComponentLayout alpha = *alpha_of(WebpFormat);
  if (is_opaque(view, alpha)) {
    copy_planes(view, own);
  } else {
    composite(view, alpha, background_.load(std::memory_order_relaxed), own.planes);
  }
  attach_planes(own, frame);
  return frame;
}

std::size_t WebpSource::first_from(double seconds) const {
  const auto& pictures = animation_.pictures();
  const auto found = std::ranges::lower_bound(pictures, tick_at_or_after(seconds, 0, WebpTimeBase), {},
                                              &WebpAnimation::Picture::pts_ms);
  return static_cast<std::size_t>(found - pictures.begin());
}

Result<void> WebpSource::seek(double seconds, SeekMode mode, std::uint32_t epoch) {
  epoch_ = epoch != 0 ? epoch : epoch_ + 1;
  const auto& pictures = animation_.pictures();
  std::size_t number = first_from(seconds);
  const bool is_at_target =
      number < pictures.size() && pictures[number].pts_ms == tick_at_or_after(seconds, 0, WebpTimeBase);
  const bool wants_before = (mode == SeekMode::KeyframeBefore && !is_at_target) ||
                            (mode == SeekMode::KeyframeAfter && number == pictures.size()) ||
                            mode == SeekMode::FrameBefore;
  // Step back to the previous picture that can be decoded.
  while (wants_before && number > 0 && decode(--number) == nullptr && !input_->interrupted()) {
  }
  next_ = number;
  return {};
}

ReadAhead WebpSource::read_ahead() const {
  const std::size_t next = next_;
  const auto& pictures = animation_.pictures();
  const std::int64_t from = next < pictures.size() ? pictures[next].pts_ms : animation_.duration_ms();
  return {.seconds = static_cast<double>(animation_.duration_ms() - from) / 1000, .at_end = true};
}

}  // namespace

Result<std::unique_ptr<Source>> make_webp_source(const SourceOptions& options, std::unique_ptr<Input> input) {
  VideoFacts facts = webp_facts(*input->animated_webp());
  if (options.aspect)
    facts.sample_aspect_ratio = sample_aspect_for(*options.aspect, facts.size, Rotation::None);
  TRY_ASSIGN(const TimeRange range, time_range(options.range, facts));
  return std::unique_ptr<Source>(
      std::make_unique<WebpSource>(options, std::move(input), std::move(facts), range));
}

}  // namespace glyphreel::media
