#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "player/osd/osd.h"
#include "text/code_points/unicode.h"

namespace glyphreel::player {

/// Returns the characters of a layer as lines, without trailing spaces. Transparent cells are spaces.
inline std::vector<std::string> lines_of(const render::TextLayer& layer) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < layer.cells.size();) {
    std::string line;
    for (int column = 0; column < layer.grid.columns; ++column, ++at) {
      const char32_t c = layer.cells[at].character;
      if (c == render::TextCell::WideRight) continue;
      line += c == 0 ? " " : text::encode_utf8(c);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(line);
  }
  return lines;
}

inline PlaybackFacts sample_playback() {
  PlaybackFacts playback;
  playback.title = "Big Buck Bunny";
  playback.position_seconds = 83.4;
  playback.duration_seconds = 596.5;
  playback.chapters = {{0, "Waking up"}, {60, "The meadow"}, {200, ""}, {410, "Revenge"}};
  return playback;
}

inline std::vector<HelpEntry> sample_help() {
  return {{"space, p", "pause and go on", "Playback"},
          {"← →", "5 seconds back, forward", "Playback"},
          {"↓ ↑", "a minute back, forward", "Playback"},
          {"⇧← ⇧→", "a second back, forward, exactly", "Playback"},
          {", .", "a frame back, forward", "Playback"},
          {"[ ]", "slower, faster", "Playback"},
          {"{ }", "half, twice the speed", "Playback"},
          {"backspace", "normal speed", "Playback"},
          {"l", "set A, set B, end the A-B loop", "Playback"},
          {"L", "repeat the file", "Playback"},
          {"< >", "previous, next in the playlist", "Playback"},
          {"g", "next mode", "Picture"},
          {"c", "next colors", "Picture"},
          {"h", "next charset", "Picture"},
          {"+ -", "larger, smaller cells", "Picture"},
          {"1 2", "contrast", "Picture"},
          {"3 4", "brightness", "Picture"},
          {"5 6", "gamma", "Picture"},
          {"7 8", "saturation", "Picture"},
          {"e", "next effect", "Picture"},
          {"t", "GPU and CPU side by side", "Picture"},
          {"9 0", "volume", "Sound"},
          {"m", "mute", "Sound"},
          {"ctrl+ -", "delay of the sound", "Sound"},
          {"j", "next subtitles", "Subtitles"},
          {"v", "show or hide them", "Subtitles"},
          {"f", "full screen", "Program"},
          {"s", "screenshot, picture and text", "Program"},
          {"r", "start or end a recording", "Program"},
          {"i", "statistics", "Program"},
          {"?", "this help", "Program"},
          {"q", "quit", "Program"}};
}

inline std::vector<float> sample_series(int count, float mean, float spread, float spike) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) {
    const auto x = static_cast<float>(i);
    values.push_back(mean + spread * std::sin(x * 0.37f) * std::cos(x * 0.11f) + (i % 41 == 17 ? spike : 0));
  }
  return values;
}

inline StatisticsFacts sample_statistics() {
  StatisticsFacts facts;
  facts.input = "bbb-480p24.mp4";
  facts.codec = "h264 (High)";
  facts.size = {854, 480};
  facts.input_fps = 24;
  facts.pixel_format = "yuv420p";
  facts.audio = "aac, 48 kHz, stereo";
  facts.grid = {160, 45};
  facts.cell = {8, 16};
  facts.charset = "ascii";
  facts.mode = "shape";
  facts.color_mode = "full";
  facts.font = "DejaVu Sans Mono";
  facts.stages = {{"decode", "libavcodec h264, 2 threads", 1.92, 5.31, sample_series(96, 2, 1, 4)},
                  {"import", "host copy", 0.31, 0.72, sample_series(96, 0.3f, 0.1f, 0.4f)},
                  {"map", "llvmpipe", 6.4, 9.83, sample_series(96, 6, 2, 3)},
                  {"draw", "llvmpipe", 4.05, 6.9, sample_series(96, 4, 1, 2)},
                  {"present", "fifo", 0.52, 1.25, sample_series(96, 0.5f, 0.2f, 0.5f)},
                  {"audio", "PortAudio, PulseAudio", 0.11, 0.4, sample_series(96, 0.1f, 0.05f, 0.2f)}};
  facts.shown_fps = 23.976;
  facts.dropped = 2;
  facts.repeated = 1204;
  facts.late = 1;
  facts.av_offset_ms = -1.4;
  facts.jitter_ms = sample_series(240, 0, 1.2f, 2.5f);
  facts.av_offsets_ms = sample_series(240, -2, 3, 5);
  facts.recording = QueueFacts{3, 16};
  facts.buffered_seconds = 10.25;
  facts.host_bytes_per_frame = 614880;
  facts.memory_bytes = 141'000'000;
  return facts;
}

}  // namespace glyphreel::player
