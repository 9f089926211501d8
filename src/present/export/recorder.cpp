#include "present/export/recorder.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "base/interrupt.h"
#include "base/threads/queue.h"
#include "base/threads/thread.h"
#include "media/ffmpeg/picture_limits.h"

namespace glyphreel::present {
namespace {

constexpr std::size_t DecodeQueueCapacity = 16;
// Maximum number of hardware frames in the decode queue. This number plus the number of hardware frames that
// the renderer reads at the same time stays below media::MaxHeldSurfaces.
constexpr std::size_t SurfacesInQueue = 4;
constexpr std::size_t EncodeQueueCapacity = 8;

std::size_t most_in_queue(const Frame& frame) {
  return media::max_queued(media::bytes_of(frame.view),
                           frame.surface ? SurfacesInQueue : DecodeQueueCapacity);
}

using EncodeItem = std::variant<render::RenderedFrame, std::shared_ptr<const media::AudioPacket>>;

class Recording {
 public:
  explicit Recording(const RecordOptions& options) : options_(options), progress_(options.progress) {}

  Result<RecordOutcome> run() {
    const auto start = std::chrono::steady_clock::now();
    if (Result<void> run = run_threads(); !run) return abandoned(*options_.sink, std::move(run.error()));
    outcome_.encoded = encoded_.load();
    if (interrupted() && options_.on_interrupt == RecordOptions::OnInterrupt::Abandon)
      return abandoned(*options_.sink, {ErrorCode::Interrupted, "Interrupted.", {}});
    if (outcome_.encoded > 0 || options_.is_segment) {
      Result<void> finished = catching([this] { return options_.sink->finish(); });
      if (!finished) return abandoned(*options_.sink, std::move(finished.error()));
    }
    outcome_.interrupted = interrupted();
    outcome_.host_bytes_copied += options_.renderer->bytes_copied() + options_.sink->bytes_copied();
    const auto end = std::chrono::steady_clock::now();
    outcome_.wall_seconds = std::chrono::duration<double>(end - start).count();
    outcome_.work_seconds = std::chrono::duration<double>(end - work_start_.value_or(end)).count();
    progress_.finish(state());
    return outcome_;
  }

 private:
  /// Decodes, renders and encodes until the end of the input, an interrupt or the first failure. When this
  /// function returns, the decode and encode threads have ended; all collected frames are encoded unless
  /// encoding failed.
  Result<void> run_threads() {
    std::jthread decoder;
    std::jthread encoder;
    const Result<void> rendered = catching([&]() -> Result<void> {
      TRY_ASSIGN(decoder, start_thread("decode", [this](const std::stop_token&) {
                   decoded_result_ = catching([this] { return decode(); });
                   decoded_.close();
                 }));
      TRY_ASSIGN(encoder, start_thread("encode", [this](const std::stop_token&) {
                   encoded_result_ = catching([this] { return encode(); });
                   to_encode_.abort();
                 }));
      return render();
    });
    options_.source->interrupt();
    decoded_.abort();
    if (decoder.joinable()) decoder.join();
    to_encode_.close();
    if (encoder.joinable()) encoder.join();
    TRY(encoded_result_);
    TRY(rendered);
    return decoded_result_;
  }

  Result<void> decode() {
    while (true) {
      TRY_ASSIGN(media::SourceItem item, options_.source->read());
      if (std::holds_alternative<media::EndOfStream>(item)) return {};
      const auto* frame = std::get_if<Frame>(&item);
      const std::size_t most = frame != nullptr ? most_in_queue(*frame) : DecodeQueueCapacity;
      if (!decoded_.push(std::move(item), most)) return {};
    }
  }

  Result<void> encode() {
    while (std::optional<EncodeItem> item = to_encode_.pop()) {
      if (const auto* frame = std::get_if<render::RenderedFrame>(&*item)) {
        const ScopedStage stage(*options_.times, Stage::Encode);
        TRY(options_.sink->write(*frame));
        ++encoded_;
      } else {
        const ScopedStage stage(*options_.times, Stage::Audio);
        TRY(options_.sink->write_audio(*std::get<std::shared_ptr<const media::AudioPacket>>(*item)));
      }
    }
    return {};
  }

  /// Renders the decoded frames on the caller's thread, and passes the results and the audio to the encoder.
  /// Keeps as many frames submitted as the renderer allows.
  Result<void> render() {
    while (!interrupted()) {
      std::optional<media::SourceItem> item = decoded_.pop();
      if (!item) break;
      if (auto* packet = std::get_if<std::shared_ptr<const media::AudioPacket>>(&*item)) {
        if (!to_encode_.push(std::move(*packet))) return {};
        continue;
      }
      if (is_complete()) break;
      Frame& frame = std::get<Frame>(*item);
      ++outcome_.decoded;
      outcome_.host_bytes_copied += frame.bytes_copied;
      if (!work_start_) {
        work_start_ = std::chrono::steady_clock::now();
        progress_.begin();
      }
      processed_.add(frame);
      TRY_ASSIGN(const bool is_encoding, options_.frame_rate
                                             ? submit(options_.frame_rate->add(std::move(frame)))
                                             : submit({std::move(frame)}));
      if (!is_encoding) return {};
      progress_.update(state());
    }
    if (options_.frame_rate) TRY(submit(options_.frame_rate->finish()));
    TRY(collect_until(0));
    return {};
  }

  [[nodiscard]] bool is_complete() const { return options_.max_frames && submitted_ >= *options_.max_frames; }

  /// Submits frames to the renderer, as many as the recording still needs. Returns false if the encoder has
  /// stopped.
  Result<bool> submit(const std::vector<Frame>& frames) {
    for (const Frame& frame : frames) {
      if (is_complete()) return true;
      TRY_ASSIGN(const bool is_encoding, collect_until(options_.renderer->depth() - 1));
      if (!is_encoding) return false;
      TRY(options_.renderer->submit(frame, options_.frame_options));
      in_flight_.push_back(options_.on_frame ? frame : Frame{});
      ++submitted_;
    }
    return true;
  }

  /// Collects the oldest frames and queues them for the encoder until at most `most` are in flight. Returns
  /// false if the encoder has stopped.
  Result<bool> collect_until(int most) {
    while (in_flight_.size() > static_cast<std::size_t>(most)) {
      TRY_ASSIGN(render::RenderedFrame frame, options_.renderer->collect());
      const Frame source = std::move(in_flight_.front());
      in_flight_.pop_front();
      ++outcome_.mapped;
      if (!outcome_.first_frame) outcome_.first_frame = std::chrono::steady_clock::now();
      if (frame.picture.format != PictureFormat::None) ++outcome_.drawn;
      if (frame.pts < options_.first_pts.value_or(frame.pts)) continue;
      if (options_.on_frame) TRY(options_.on_frame(frame, source));
      if (!to_encode_.push(std::move(frame))) return false;
    }
    return true;
  }

  ProgressState state() const {
    return {.frames = encoded_.load(),
            .total_frames = options_.expected_frames,
            .media_seconds = processed_.seconds(),
            .decode_queue = decoded_.size(),
            .decode_capacity = decoded_.capacity(),
            .encode_queue = to_encode_.size(),
            .encode_capacity = to_encode_.capacity()};
  }

  RecordOptions options_;
  ProgressLine progress_;
  BoundedQueue<media::SourceItem> decoded_{DecodeQueueCapacity};
  BoundedQueue<EncodeItem> to_encode_{EncodeQueueCapacity};
  RecordOutcome outcome_;
  /// The submitted frames that are not collected yet. They are empty without RecordOptions::on_frame, so that
  /// the decoder can reuse their memory sooner.
  std::deque<Frame> in_flight_;
  std::int64_t submitted_ = 0;
  std::optional<std::chrono::steady_clock::time_point> work_start_;  ///< when the first frame was decoded
  ProcessedSpan processed_;
  std::atomic<std::int64_t> encoded_{0};
  Result<void> decoded_result_;  ///< written by the decoder, read after it is joined
  Result<void> encoded_result_;  ///< written by the encoder, read after it is joined
};

}  // namespace

Error abandoned(FrameSink& sink, Error error) {
  const std::string kept = sink.abandon();
  if (!kept.empty()) error.message += fmt::format(" The recording so far is in {}.", kept);
  return error;
}

Result<RecordOutcome> record(const RecordOptions& options) {
  return Recording(options).run();
}

}  // namespace glyphreel::present
