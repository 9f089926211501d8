#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "media/cells/sound_writer.h"
#include "media/encode/writer.h"
#include "present/export/frame_sink.h"

namespace glyphreel::present {

/// Writes what a web server needs to play a cast of any length with sound and seeking: the cast in segments
/// of some seconds (NAME-0001.json ...), their index (NAME.json), the sound (NAME.ogg) and a page (NAME.html)
/// with asciinema-player, version 3.17 or later, which defines these files. Thread-safety: one thread at a
/// time.
class CastPage {
 public:
  /// `options`: of the .cast file. Errors: those of AtomicFile::check(); Failed if the sound cannot be
  /// encoded.
  [[nodiscard]] static Result<std::unique_ptr<CastPage>> open(const SinkOptions& options);
  ~CastPage();

  /// Begins a segment at a time in seconds, from which the events can be shown without earlier ones.
  [[nodiscard]] Result<void> begin_segment(double seconds, GridSize grid);
  /// Adds an event of the segment: a line of asciicast version 2.
  void add(std::string_view line);
  [[nodiscard]] Result<void> write_audio(const media::AudioPacket& packet);
  /// Returns when the last segment begins, in seconds.
  [[nodiscard]] double segment_start() const { return starts_.empty() ? 0 : starts_.back(); }
  /// Writes the rest. `theme`: JSON of the colors. The last event is at `end`.
  [[nodiscard]] Result<void> finish(double end, std::string_view theme);

 private:
  explicit CastPage(const SinkOptions& options) : options_(options) {}
  [[nodiscard]] AtomicFile::Options file(std::string_view suffix) const;
  [[nodiscard]] Result<void> write_segment();
  [[nodiscard]] Result<void> write_sound_bytes();
  [[nodiscard]] std::string index(double end, std::string_view theme) const;
  [[nodiscard]] std::string page() const;

  const SinkOptions options_;
  GridSize grid_;
  std::vector<double> starts_;  ///< of the segments, in seconds
  std::string events_;          ///< of the last segment
  std::unique_ptr<media::SoundWriter> sound_;
  std::unique_ptr<AtomicFile> sound_file_;
};

}  // namespace glyphreel::present
