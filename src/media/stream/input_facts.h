#pragma once

#include <optional>
#include <string>

namespace glyphreel::media {

/// Where an input comes from.
enum class InputKind { File, StandardInput, Network, Camera, Screen, Procedural, ImageSequence };

/// What is known about an opened input: for the display, and to decide what to do at its end.
struct InputFacts {
  InputKind kind = InputKind::File;
  std::string title;                       ///< from the input or its web page; may be empty
  bool is_live = false;                    ///< real-time: it has no known end and cannot be read ahead
  bool is_seekable = false;                ///< seeking can work
  bool is_still_image = false;             ///< one picture; the player chooses how long to show it
  int play_count = 1;                      ///< how often an animation asks to be played; 0: forever
  std::optional<double> duration_seconds;  ///< empty: unknown or endless

  [[nodiscard]] bool is_network() const { return kind == InputKind::Network; }
  /// True if the input is reopened after its connection broke. FFmpeg itself reconnects where it can seek.
  [[nodiscard]] bool may_come_back() const { return is_network() && (is_live || !is_seekable); }
  bool operator==(const InputFacts&) const = default;
};

}  // namespace glyphreel::media
