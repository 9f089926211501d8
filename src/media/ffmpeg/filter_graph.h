#pragma once

#include <memory>
#include <string>

#include "media/ffmpeg/ffmpeg.h"

extern "C" {
#include <libavfilter/avfilter.h>
}

namespace glyphreel::media {

struct FilterGraph {
  std::unique_ptr<AVFilterGraph, FreeIndirect<avfilter_graph_free>> graph;  ///< null: no graph
  AVFilterContext* source = nullptr;
  AVFilterContext* sink = nullptr;
};
/// Builds the graph of a chain of filters, in libavfilter's syntax. The first filter must be a buffer
/// source, and the last filter must be a buffer sink. Returns a FilterGraph without a graph if libavfilter
/// rejects the chain.
[[nodiscard]] FilterGraph make_filter_graph(const std::string& filters, int threads);

}  // namespace glyphreel::media
