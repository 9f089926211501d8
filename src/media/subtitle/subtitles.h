#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/subtitle/subtitle_event.h"

namespace glyphreel::media {

/// The parameters with which a SubtitleDecoder is opened. Opaque: defined in
/// media/subtitle/subtitle_stream.h.
struct SubtitleStream;

/// One packet of a subtitle stream, to be decoded. Opaque, as is SubtitleStream.
struct SubtitlePacket;

/// Decodes one subtitle stream: text tracks into lines of spans, bitmap tracks into pictures.
/// Thread-safety: one thread at a time.
class SubtitleDecoder {
 public:
  /// Opens a decoder. `charset` is iconv's name for the encoding of text that is not valid UTF-8; if it is
  /// empty, text_to_utf8() detects the encoding. Errors: BadInput if FFmpeg has no decoder for the stream;
  /// Usage if iconv does not know the character set.
  [[nodiscard]] static Result<std::unique_ptr<SubtitleDecoder>> open(const SubtitleStream& stream,
                                                                     const std::string& charset);
  virtual ~SubtitleDecoder() = default;

  /// Returns the events that a packet completes, often one, sometimes none. If the packet's epoch differs
  /// from that of the previous packet, the decoder is reset first. A damaged packet yields no events.
  [[nodiscard]] virtual std::vector<SubtitleEvent> decode(const SubtitlePacket& packet) = 0;
};

/// Returns the epoch in which the packet was read; see Frame::epoch.
[[nodiscard]] std::uint32_t epoch_of(const SubtitlePacket& packet);

/// Returns the packet's size in bytes, as stored in the container.
[[nodiscard]] std::size_t bytes_of(const SubtitlePacket& packet);

/// Loads all events of a subtitle file, ordered by start: SubRip, ASS and SSA, WebVTT, MicroDVD, SAMI and
/// all other subtitle files that FFmpeg supports, including bitmaps in .sup and .idx. Event times are those
/// in the file. `charset`: see text_to_utf8(). MicroDVD times are frame numbers, converted at the frame rate
/// in the file, else at 23.976 fps. Errors: BadInput, with a one-sentence message, if the file cannot be
/// read, is larger than 256 MiB or contains no subtitles; Usage if iconv does not know `charset`; Interrupted
/// if the user interrupts or if should_stop() returns true. While waiting, polls should_stop() every 50 ms.
[[nodiscard]] Result<std::vector<SubtitleEvent>> load_subtitle_file(const std::string& path,
                                                                    const std::string& charset,
                                                                    std::function<bool()> should_stop = {});

}  // namespace glyphreel::media
