#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "media/cells/sound_writer.h"
#include "media/encode/writer.h"
#include "present/export/frame_sink.h"

namespace glyphreel::present {

/// Writes the files for a web page that plays a cast of any length with sound and seeking: segments of a few
/// seconds (NAME-0001.json ...), an index of the segments (NAME.json), the sound (NAME.ogg) and the page
/// (NAME.html). The page uses asciinema-player, version 3.17 or later, which defines the file formats.
/// Thread-safety: one thread at a time.
class CastPage {
 public:
  /// `options`: the options of the .cast file. Errors: those of AtomicFile::check(); Failed if the sound
  /// cannot be encoded.
  [[nodiscard]] static Result<std::unique_ptr<CastPage>> open(const SinkOptions& options);
  ~CastPage();

  /// Begins a segment at time `seconds`. Its events must not depend on earlier events.
  [[nodiscard]] Result<void> begin_segment(double seconds, GridSize grid);
  /// Adds an event to the segment: a line of asciicast version 2.
  void add(std::string_view line);
  [[nodiscard]] Result<void> write_audio(const media::AudioPacket& packet);
  /// Returns when the last segment begins, in seconds.
  [[nodiscard]] double segment_start() const { return starts_.empty() ? 0 : starts_.back(); }
  /// Writes the last segment, the end of the sound, the index and the page. `end`: time of the last event in
  /// seconds. `theme`: the result of cast_theme().
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
  std::vector<double> starts_;  ///< start times of the segments, in seconds
  std::string events_;          ///< events of the last segment
  std::unique_ptr<media::SoundWriter> sound_;
  std::unique_ptr<AtomicFile> sound_file_;
};

}  // namespace glyphreel::present
