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

/// The state of an item or a segment. The job database stores a state as its name in StateNames.
enum class State { Waiting, Running, Done, Failed };
inline constexpr std::array<std::string_view, 4> StateNames{"waiting", "running", "done", "failed"};
[[nodiscard]] constexpr std::string_view state_name(State state) {
  return StateNames[static_cast<std::size_t>(state)];
}

/// Identifies a version of a file without reading its content.
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
  std::int64_t bytes = 0;                     ///< size of the output
  std::int64_t damaged = 0;                   ///< damaged packets of the input, which were skipped
  double wall_s = 0;                          ///< duration of the conversion in seconds
  std::array<double, StageCount> stage_ms{};  ///< time spent in each Stage, summed over the frames
  double luma = 0;                            ///< mean luma of the cells, 0 to 1
  double edges = 0;                           ///< fraction of adjacent cell pairs with very different lumas
  double flicker = 0;          ///< fraction of cells whose glyph differs from the one in the previous frame
  std::optional<double> ssim;  ///< mean similarity of the pictures to the source, at most 1; see --ssim
  bool operator==(const Figures&) const = default;
};

/// A part of an item. Each segment is converted separately. Most items have one segment; a long video may
/// have several.
struct Segment {
  int number = 0;  ///< from 0
  State state = State::Waiting;
  int attempts = 0;
  std::string output;  ///< file of the segment; empty: the item's output
  Figures figures;
  bool operator==(const Segment&) const = default;
};

/// Adds up the segments' figures. Luma, edges, flicker and ssim become means, weighted by the segments'
/// numbers of frames. Segments without an ssim do not count for its mean.
[[nodiscard]] Figures sum_of(const std::vector<Segment>& segments);

/// One input that becomes one output.
struct Item {
  std::int64_t id = 0;  ///< key in the job database; 0: not stored yet
  std::string input;
  std::string output;              ///< path below the output directory
  std::optional<FileStamp> stamp;  ///< of the input; empty: not a regular file
  std::string content;             ///< checksum of the input; empty: not computed
  std::int64_t settings = 0;       ///< SettingsRecord::id
  State state = State::Waiting;
  int attempts = 0;
  ErrorCode code{};      ///< error of the last attempt; 0: none
  std::string error;     ///< message of that error; empty: none
  std::string host;      ///< machine of the last attempt
  double started_s = 0;  ///< when the last attempt began, in seconds since 1970
  Figures figures;       ///< measured in the last attempt that finished
  std::vector<Segment> segments{Segment{}};
  bool operator==(const Item&) const = default;
};

}  // namespace glyphreel::batch
