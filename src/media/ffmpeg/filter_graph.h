#pragma once

#include <memory>
#include <string>

#include "media/ffmpeg/ffmpeg.h"

extern "C" {
#include <libavfilter/avfilter.h>
}

namespace glyphreel::media {

struct FilterGraph {
  std::unique_ptr<AVFilterGraph, FreeIndirect<avfilter_graph_free>> graph;  ///< null: none
  AVFilterContext* source = nullptr;
  AVFilterContext* sink = nullptr;
};
/// Builds the graph of a chain of filters, in libavfilter's syntax, that begins with the source and ends with
/// the sink. Returns none if libavfilter refuses.
[[nodiscard]] FilterGraph make_filter_graph(const std::string& filters, int threads);

}  // namespace glyphreel::media
