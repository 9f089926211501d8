#include "media/segment/assembler.h"

#include <fmt/format.h>

#include <unistd.h>

#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "base/interrupt.h"
#include "media/encode/encoders.h"
#include "media/encode/video_encoder.h"
#include "media/segment/segment_file.h"
#include "media/stream/audio_stream.h"

namespace glyphreel::media {
namespace {

constexpr double Never = std::numeric_limits<double>::infinity();

/// Reads the encoded pictures of all segments in order. Only one segment file is open at a time.
class SegmentSequence {
 public:
  explicit SegmentSequence(const std::vector<std::string>& paths) : paths_(paths) {}

  /// Returns the next picture. At the end, its packet is null.
  [[nodiscard]] Result<EncodedPicture> next() {
    while (true) {
      if (file_ == nullptr) {
        if (position_ == paths_.size()) return EncodedPicture{};
        TRY_ASSIGN(file_, SegmentFile::open(paths_[position_++]));
        if (encoder_.empty()) encoder_ = file_->encoder();
        if (file_->encoder() != encoder_) {
          return Error{
              ErrorCode::Failed,
              fmt::format(
                  "{0} was encoded by a different encoder or encoder version than the first segment; delete "
                  "{0}, so that it is recorded again.",
                  paths_[position_ - 1])};
        }
      }
      TRY_ASSIGN(EncodedPicture picture, file_->next());
      if (picture.packet != nullptr) return picture;
      file_.reset();
    }
  }

 private:
  const std::vector<std::string>& paths_;
  std::size_t position_ = 0;
  std::unique_ptr<SegmentFile> file_;
  std::string encoder_;
};

/// Writes the pictures and the sound to one file, in order of decoding time.
class Assembly {
 public:
  explicit Assembly(const AssemblyOptions& options) : options_(options), pictures_(options.segments) {}

  [[nodiscard]] Result<std::int64_t> run() {
    TRY_ASSIGN(writer_, Writer::open(options_.writer));
    if (const Result<void> joined = join(); !joined) {
      discard();
      return joined.error();
    }
    TRY(writer_->finish());
    return frames_;
  }

 private:
  [[nodiscard]] Result<void> join() {
    TRY(read_picture());
    TRY(read_sound());
    while (picture_.packet != nullptr || sound_ != nullptr) {
      if (interrupted()) return Error{ErrorCode::Interrupted, "Interrupted while joining the segments."};
      if (picture_seconds() <= sound_seconds()) {
        TRY(writer_->write_packet(std::move(picture_)));
        ++frames_;
        if (options_.on_progress) options_.on_progress(frames_);
        TRY(read_picture());
      } else {
        TRY(writer_->write_audio(*sound_));
        TRY(read_sound());
      }
    }
    return {};
  }

  [[nodiscard]] Result<void> read_picture() {
    TRY_ASSIGN(picture_, pictures_.next());
    return {};
  }

  [[nodiscard]] Result<void> read_sound() {
    sound_.reset();
    if (options_.sound == nullptr) return {};
    TRY_ASSIGN(SourceItem item, options_.sound->read());
    if (auto* packet = std::get_if<std::shared_ptr<const AudioPacket>>(&item)) sound_ = std::move(*packet);
    return {};
  }

  [[nodiscard]] double picture_seconds() const {
    return picture_.packet == nullptr
               ? Never
               : static_cast<double>(picture_.packet->dts) * options_.writer.time_base.value();
  }

  [[nodiscard]] double sound_seconds() const {
    if (sound_ == nullptr) return Never;
    const AVPacket& packet = *sound_->packet;
    const std::int64_t time = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
    if (time == AV_NOPTS_VALUE) return 0;
    const double origin = static_cast<double>(options_.writer.first_pts) * options_.writer.time_base.value();
    return static_cast<double>(time) * av_q2d(sound_->time_base) - origin;
  }

  /// Removes the incomplete output file. No video is lost, because the segments remain.
  void discard() {
    const std::string kept = writer_->abandon();
    writer_.reset();
    if (!kept.empty()) ::unlink(kept.c_str());
  }

  const AssemblyOptions& options_;
  SegmentSequence pictures_;
  std::unique_ptr<Writer> writer_;
  EncodedPicture picture_;                    ///< the next picture; its packet is null at the end
  std::shared_ptr<const AudioPacket> sound_;  ///< the next audio packet; null at the end
  std::int64_t frames_ = 0;
};

}  // namespace

Result<SegmentFacts> read_segment_facts(const std::string& path) {
  TRY_ASSIGN(const std::unique_ptr<SegmentFile> segment, SegmentFile::open(path));
  return segment->facts();
}

std::size_t first_discontinuity(const std::vector<SegmentFacts>& segments) {
  std::optional<std::int64_t> before;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].frames == 0) continue;
    if (segments[i].start.pts_before != before) return i;
    before = segments[i].last_pts;
  }
  return segments.size();
}

Result<std::int64_t> assemble(const AssemblyOptions& options) {
  std::vector<SegmentFacts> facts;
  for (const std::string& path : options.segments) {
    TRY_ASSIGN(facts.emplace_back(), read_segment_facts(path));
  }
  if (const std::size_t wrong = first_discontinuity(facts); wrong < facts.size()) {
    return Error{
        ErrorCode::Failed,
        fmt::format("The segment {} does not begin where the previous one ends; delete the folder of the "
                    "segments so that they are recorded again.",
                    options.segments[wrong])};
  }
  return Assembly(options).run();
}

}  // namespace glyphreel::media
