#pragma once

#include <optional>
#include <string>

namespace glyphreel::media {

/// Where an input comes from.
enum class InputKind { File, StandardInput, Network, Camera, Screen, Procedural, ImageSequence };

/// What is known of an opened input, for the display and for the decision what to do at its end.
struct InputFacts {
  InputKind kind = InputKind::File;
  std::string title;            ///< what the input or its web page calls itself; may be empty
  std::string picture_codec;    ///< of pictures that FFmpeg gets decoded; empty: the stream's own
  bool is_live = false;         ///< comes as it happens: it has no known end, and cannot be read ahead
  bool is_seekable = false;     ///< seeking can work
  bool is_still_image = false;  ///< one picture, to be held for a time that the player chooses
  int play_count = 1;           ///< how often an animation wants to be played; 0: for ever
  std::optional<double> duration_seconds;  ///< empty: unknown or endless

  [[nodiscard]] bool is_network() const { return kind == InputKind::Network; }
  /// True where the input is opened again after its connection broke. FFmpeg itself reconnects what it can
  /// seek in.
  [[nodiscard]] bool may_come_back() const { return is_network() && (is_live || !is_seekable); }
  bool operator==(const InputFacts&) const = default;
};

}  // namespace glyphreel::media
