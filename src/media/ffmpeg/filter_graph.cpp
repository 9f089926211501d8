#include "media/ffmpeg/filter_graph.h"

#include "base/io/log.h"
#include "base/io/runtime_library.h"

extern "C" {
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavfilter/version.h>
}

namespace glyphreel::media {
namespace {

/// The functions of libavfilter that this file calls.
struct Library {
  decltype(&::avfilter_get_by_name) get_by_name = nullptr;
  decltype(&::avfilter_graph_alloc) graph_alloc = nullptr;
  decltype(&::avfilter_graph_parse2) graph_parse = nullptr;
  decltype(&::avfilter_graph_config) graph_config = nullptr;
  decltype(&::avfilter_graph_free) graph_free = nullptr;
  decltype(&::avfilter_inout_free) inout_free = nullptr;
  decltype(&::av_buffersrc_add_frame_flags) add_frame = nullptr;
  decltype(&::av_buffersink_get_frame) get_frame = nullptr;
  decltype(&::av_buffersink_get_time_base) get_time_base = nullptr;

  /// Loads the library. Returns false if it is missing or lacks a function.
  [[nodiscard]] bool load() {
    const RuntimeLibrary library(fmt::format("libavfilter.so.{}", LIBAVFILTER_VERSION_MAJOR).c_str());
    return library.find(get_by_name, "avfilter_get_by_name") &&
           library.find(graph_alloc, "avfilter_graph_alloc") &&
           library.find(graph_parse, "avfilter_graph_parse2") &&
           library.find(graph_config, "avfilter_graph_config") &&
           library.find(graph_free, "avfilter_graph_free") &&
           library.find(inout_free, "avfilter_inout_free") &&
           library.find(add_frame, "av_buffersrc_add_frame_flags") &&
           library.find(get_frame, "av_buffersink_get_frame") &&
           library.find(get_time_base, "av_buffersink_get_time_base");
  }
};

/// Returns the loaded library; null if it is not installed.
const Library* library() {
  static const Library* const loaded = []() -> const Library* {
    static Library functions;
    if (functions.load()) return &functions;
    log::warn(
        "FFmpeg's library libavfilter {} is missing; install it for deinterlacing and for sound at speeds "
        "other than 1.",
        LIBAVFILTER_VERSION_MAJOR);
    return nullptr;
  }();
  return loaded;
}

}  // namespace

FilterGraph FilterGraph::make(const std::string& filters, int threads) {
  const Library* const av = library();
  if (av == nullptr) return {};
  FilterGraph made;
  made.graph_.reset(checked(av->graph_alloc()));
  AVFilterGraph* const graph = made.graph_.get();
  graph->nb_threads = threads;
  AVFilterInOut* inputs = nullptr;
  AVFilterInOut* outputs = nullptr;
  const int code = av->graph_parse(graph, filters.c_str(), &inputs, &outputs);
  av->inout_free(&inputs);
  av->inout_free(&outputs);
  if (code < 0) return {};
  // Find the source and the sink before graph_config(), which may append filters.
  made.source_ = graph->filters[0];
  made.sink_ = graph->filters[graph->nb_filters - 1];
  if (av->graph_config(graph, nullptr) < 0) return {};
  return made;
}

bool FilterGraph::has_filter(const char* name) {
  return library() != nullptr && library()->get_by_name(name) != nullptr;
}

bool FilterGraph::put(AVFrame* frame) {
  return library()->add_frame(source_, frame, AV_BUFFERSRC_FLAG_KEEP_REF) >= 0;
}

bool FilterGraph::get(AVFrame* frame) {
  return library()->get_frame(sink_, frame) >= 0;
}

AVRational FilterGraph::time_base() const {
  return library()->get_time_base(sink_);
}

void FilterGraph::Free::operator()(AVFilterGraph* graph) const {
  library()->graph_free(&graph);
}

}  // namespace glyphreel::media
