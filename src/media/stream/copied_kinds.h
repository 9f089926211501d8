#pragma once

namespace glyphreel::media {

/// What Source::copied() contains.
struct CopiedKinds {
  bool is_enabled = false;  ///< true: chapters, metadata, attachments and the tracks below; false: nothing
  bool audio = false;       ///< the audio tracks other than Source::audio()
  bool subtitles = false;   ///< the subtitle tracks
  int subtitle_track = 0;   ///< the only subtitle track to copy, counted from 1; 0: all
};

}  // namespace glyphreel::media
