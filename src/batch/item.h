#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/threads/stage_times.h"

namespace glyphreel::batch {

/// The state of an item or a segment, also in the job database.
enum class State { Waiting, Running, Done, Failed };
inline constexpr std::array<std::string_view, 4> StateNames{"waiting", "running", "done", "failed"};
[[nodiscard]] constexpr std::string_view state_name(State state) {
  return StateNames[static_cast<std::size_t>(state)];
}

/// What identifies a file's content without reading it.
struct FileStamp {
  std::int64_t device = 0;
  std::int64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t mtime_ns = 0;
  bool operator==(const FileStamp&) const = default;
};
/// Returns the stamp of a regular file; empty for anything else.
[[nodiscard]] std::optional<FileStamp> stamp_of(const std::string& path);

/// What was measured while an item or a segment was converted.
struct Figures {
  std::int64_t frames = 0;
  std::int64_t bytes = 0;    ///< of the output
  std::int64_t damaged = 0;  ///< packets of the input that were skipped
  double wall_s = 0;
  std::array<double, StageCount> stage_ms{};  ///< summed over the frames, one for each Stage
  double luma = 0;                            ///< mean light of the cells, 0 to 1
  double edges = 0;                           ///< share of neighboring cells whose light differs strongly
  double flicker = 0;  ///< share of cells that show another glyph than in the frame before
  bool operator==(const Figures&) const = default;
};

/// A part of an item that is converted on its own: all of it, or a segment of a long video.
struct Segment {
  int number = 0;  ///< from 0
  State state = State::Waiting;
  int attempts = 0;
  std::string output;  ///< its own file; empty: the item's
  Figures figures;
  bool operator==(const Segment&) const = default;
};

/// Returns the figures of all segments together; mean figures are weighted by frames.
[[nodiscard]] Figures sum_of(const std::vector<Segment>& segments);

/// One input that becomes one output.
struct Item {
  std::int64_t id = 0;  ///< in the job database; 0: not there yet
  std::string input;
  std::string output;              ///< path below the output directory
  std::optional<FileStamp> stamp;  ///< of the input; empty if it is no regular file
  std::string content;             ///< checksum of the input; empty: not computed
  std::int64_t settings = 0;       ///< id of its settings in the job database
  State state = State::Waiting;
  int attempts = 0;
  ErrorCode code{};      ///< of the last attempt; 0: none
  std::string error;     ///< one sentence; empty: none
  std::string host;      ///< where the last attempt ran
  double started_s = 0;  ///< when the last attempt began, in seconds since 1970
  Figures figures;       ///< of the last attempt that finished
  std::vector<Segment> segments{Segment{}};
  bool operator==(const Item&) const = default;
};

}  // namespace glyphreel::batch
