#include "media/ffmpeg/filter_graph.h"

namespace glyphreel::media {

FilterGraph make_filter_graph(const std::string& filters, int threads) {
  FilterGraph made;
  made.graph.reset(checked(avfilter_graph_alloc()));
  made.graph->nb_threads = threads;
  AVFilterInOut* inputs = nullptr;
  AVFilterInOut* outputs = nullptr;
  const int code = avfilter_graph_parse2(made.graph.get(), filters.c_str(), &inputs, &outputs);
  avfilter_inout_free(&inputs);
  avfilter_inout_free(&outputs);
  if (code < 0) return {};
  // Find the source and the sink before avfilter_graph_config(), which may append filters.
  made.source = made.graph->filters[0];
  made.sink = made.graph->filters[made.graph->nb_filters - 1];
  if (avfilter_graph_config(made.graph.get(), nullptr) < 0) return {};
  return made;
}

}  // namespace glyphreel::media
