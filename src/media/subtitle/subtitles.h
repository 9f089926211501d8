#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/subtitle/subtitle_event.h"

namespace glyphreel::media {

/// What a SubtitleDecoder is created from. Opaque: defined in media/subtitle/subtitle_stream.h.
struct SubtitleStream;

/// One packet of a subtitle stream, to be decoded. Opaque, like SubtitleStream.
struct SubtitlePacket;

/// Decodes one subtitle stream: text tracks into lines of spans, bitmap tracks into pictures.
/// Thread-safety: one thread at a time.
class SubtitleDecoder {
 public:
  /// `charset` is the encoding of text that is not valid UTF-8, a name that iconv knows; empty: as
  /// text_to_utf8() decides. Errors: BadInput if FFmpeg has no decoder for the stream; Usage if there is no
  /// such character set.
  [[nodiscard]] static Result<std::unique_ptr<SubtitleDecoder>> open(const SubtitleStream& stream,
                                                                     const std::string& charset);
  virtual ~SubtitleDecoder() = default;

  /// Returns the events that a packet completes, often one, sometimes none. A packet whose epoch differs
  /// from the previous one's resets the decoder. A damaged packet yields no events.
  [[nodiscard]] virtual std::vector<SubtitleEvent> decode(const SubtitlePacket& packet) = 0;
};

/// Returns the packet's epoch, which each seek increments, like Frame::epoch.
[[nodiscard]] std::uint32_t epoch_of(const SubtitlePacket& packet);

/// Returns the packet's size as it came from the container.
[[nodiscard]] std::size_t bytes_of(const SubtitlePacket& packet);

/// Loads all events of a subtitle file, ordered by start: SubRip, ASS and SSA, WebVTT, MicroDVD, SAMI and
/// whatever else FFmpeg reads as a subtitle file, including bitmaps in .sup and .idx. Times are the file's
/// own. `charset` is that of text_to_utf8(). MicroDVD counts frames at the rate in the file, else at 23.976
/// fps. Errors: BadInput, with one sentence (no such file; no subtitles; larger than 256 MiB); Usage for
/// the charset; Interrupted by the user or by should_stop(), which is polled every 50 ms while waiting for
/// bytes.
[[nodiscard]] Result<std::vector<SubtitleEvent>> load_subtitle_file(const std::string& path,
                                                                    const std::string& charset,
                                                                    std::function<bool()> should_stop = {});

}  // namespace glyphreel::media
