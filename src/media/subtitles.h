#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "media/subtitle_event.h"

namespace glyphreel::media {

/// What a SubtitleDecoder is made from. Opaque: media/subtitle_stream.h has it.
struct SubtitleStream;

/// One packet of a subtitle stream on its way to its decoder. Opaque, like SubtitleStream.
struct SubtitlePacket;

/// Decodes one subtitle stream: text tracks into lines of spans, bitmap tracks into pictures.
/// Thread-safety: one thread at a time.
class SubtitleDecoder {
 public:
  /// `charset`: of texts that are no valid UTF-8, a name that iconv knows; empty: Windows-1252. Errors:
  /// BadInput where FFmpeg has no decoder for the stream; Usage where there is no such character set.
  [[nodiscard]] static Result<std::unique_ptr<SubtitleDecoder>> open(const SubtitleStream& stream,
                                                                     const std::string& charset);
  virtual ~SubtitleDecoder() = default;

  /// The events that a packet completes, often one, sometimes none. A packet of another epoch than the one
  /// before starts anew. A damaged one gives nothing and is counted.
  [[nodiscard]] virtual std::vector<SubtitleEvent> decode(const SubtitlePacket& packet) = 0;

  [[nodiscard]] virtual std::uint64_t damaged_packets() const = 0;
};

/// Raised by each seek, as Frame::epoch.
[[nodiscard]] std::uint32_t epoch_of(const SubtitlePacket& packet);

/// As it came from the container.
[[nodiscard]] std::size_t bytes_of(const SubtitlePacket& packet);

/// All events of a subtitle file, ordered by their start: SubRip, ASS and SSA, WebVTT, MicroDVD, SAMI and
/// whatever else FFmpeg reads as a file of subtitles; .sup and .idx with bitmaps too. Times are the file's
/// own. `charset` as text_to_utf8() takes it. MicroDVD's frames count at the rate in the file, else 23.976 a
/// second. Errors: BadInput with one sentence (no such file; no subtitles; larger than 256 MiB); Usage for
/// the charset; Interrupted by the user or by should_stop(), which is asked every 50 ms while bytes are
/// awaited.
[[nodiscard]] Result<std::vector<SubtitleEvent>> load_subtitle_file(const std::string& path,
                                                                    const std::string& charset,
                                                                    std::function<bool()> should_stop = {});

}  // namespace glyphreel::media
