#include "commands/bench/frame_feed.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace glyphreel::commands {

std::unique_ptr<FrameFeed> FrameFeed::replaying(std::vector<Frame> frames, std::int64_t count,
                                                const media::VideoFacts& facts) {
  CHECK(!frames.empty(), "no frames to replay");
  return std::unique_ptr<FrameFeed>(new FrameFeed(std::move(frames), count, facts));
}

Result<std::unique_ptr<FrameFeed>> FrameFeed::primed(std::unique_ptr<media::Source> input) {
  TRY_ASSIGN(std::vector<Frame> frames, read_frames(*input, 1));
  std::unique_ptr<FrameFeed> feed(new FrameFeed(std::move(frames), 1, input->facts()));
  feed->input_facts_ = input->input();
  feed->input_ = std::move(input);
  return feed;
}

Result<media::SourceItem> FrameFeed::read() {
  if (next_ == count_) return input_ ? input_->read() : media::SourceItem{media::EndOfStream{}};
  const auto size = static_cast<std::int64_t>(frames_.size());
  Frame frame = frames_[static_cast<std::size_t>(next_ % size)];
  const std::int64_t step = std::max<std::int64_t>(1, frame.duration);
  frame.pts += next_ / size * (frames_.back().pts - frames_.front().pts + step);
  frame.bytes_copied = 0;
  ++next_;
  return media::SourceItem{std::move(frame)};
}

Result<void> FrameFeed::seek(double /*seconds*/, media::SeekMode /*mode*/, std::uint32_t /*epoch*/) {
  return Error{ErrorCode::Failed, "Replayed frames cannot seek.", {}};
}

Result<std::unique_ptr<media::SubtitleDecoder>> FrameFeed::open_subtitles(
    int /*stream_index*/, const std::string& /*charset*/) const {
  return Error{ErrorCode::Failed, "Replayed frames have no subtitles.", {}};
}

Result<std::vector<Frame>> read_frames(media::Source& input, std::size_t count) {
  std::vector<Frame> frames;
  while (frames.size() < count) {
    TRY_ASSIGN(media::SourceItem item, input.read());
    if (std::holds_alternative<media::EndOfStream>(item)) break;
    if (auto* frame = std::get_if<Frame>(&item)) frames.push_back(std::move(*frame));
  }
  if (frames.empty()) {
    return Error{ErrorCode::BadInput,
                 "The input contains no frame to measure; check --start, --end and --length.",
                 {}};
  }
  return frames;
}

}  // namespace glyphreel::commands
