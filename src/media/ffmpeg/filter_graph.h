#pragma once

#include <memory>
#include <string>

#include "media/ffmpeg/ffmpeg.h"

extern "C" {
#include <libavfilter/avfilter.h>
}

namespace glyphreel::media {

/// A chain of libavfilter filters. libavfilter is loaded when a filter is first used. If it were linked,
/// libavfilter and the libraries that it needs would delay every start of the program by 16 ms, although most
/// videos need no filters.
///
/// Thread-safety: one thread at a time; different graphs may be used on different threads.
class FilterGraph {
 public:
  FilterGraph() = default;  ///< empty
  /// Builds a graph from a chain of filters in libavfilter's syntax. The first filter must be a buffer
  /// source, and the last filter must be a buffer sink. Returns an empty FilterGraph if libavfilter rejects
  /// the chain or is not installed; a missing library is logged once.
  [[nodiscard]] static FilterGraph make(const std::string& filters, int threads);
  /// Whether libavfilter is installed and has the filter.
  [[nodiscard]] static bool has_filter(const char* name);

  explicit operator bool() const { return graph_ != nullptr; }

  /// Puts a reference to `frame` into the graph. Null marks the end of the input. Returns false on failure.
  [[nodiscard]] bool put(AVFrame* frame);
  /// Moves the next output frame to `frame`. Returns false if no frame is ready, or on failure.
  [[nodiscard]] bool get(AVFrame* frame);
  /// Returns the time base of the output's timestamps.
  [[nodiscard]] AVRational time_base() const;

 private:
  struct Free {
    void operator()(AVFilterGraph* graph) const;
  };

  std::unique_ptr<AVFilterGraph, Free> graph_;
  AVFilterContext* source_ = nullptr;
  AVFilterContext* sink_ = nullptr;
};

}  // namespace glyphreel::media
