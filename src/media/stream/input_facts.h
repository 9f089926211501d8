#pragma once

#include <optional>
#include <string>

namespace glyphreel::media {

/// Where an input comes from.
enum class InputKind { File, StandardInput, Network, Camera, Screen, Procedural, ImageSequence };

/// Facts about an opened input, for display and for deciding what to do when the input ends.
struct InputFacts {
  InputKind kind = InputKind::File;
  std::string title;            ///< from the input or its web page; may be empty
  bool is_live = false;         ///< a real-time input without a known end
  bool is_seekable = false;     ///< whether the input may be able to seek
  bool is_still_image = false;  ///< one picture; the player chooses how long to show it
  int play_count = 1;           ///< declared number of times that an animation is played; 0: forever
  std::optional<double> duration_seconds;  ///< empty: unknown or endless

  [[nodiscard]] bool is_network() const { return kind == InputKind::Network; }
  /// Whether this program reopens the input if its connection is lost. False for a finite network input that
  /// can seek, because FFmpeg itself reconnects it.
  [[nodiscard]] bool may_come_back() const { return is_network() && (is_live || !is_seekable); }
  bool operator==(const InputFacts&) const = default;
};

}  // namespace glyphreel::media
