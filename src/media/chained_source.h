#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "media/source.h"

namespace glyphreel::media {

/// Opens the next input of a chain; returns null after the last input. Soon after a request to stop, returns
/// an error.
using OpenNextSource = std::function<Result<std::unique_ptr<Source>>(std::stop_token stop)>;

/// Creates a Source that reads several inputs in sequence as one. Times start at 0 and continue from input to
/// input, and each input has a new epoch. If `first` has audio, the chain's audio is PCM, which a Writer must
/// encode; inputs without audio are silent. Otherwise the chain has no audio. facts() are those of `first`,
/// except for the times. The chain cannot seek.
[[nodiscard]] Result<std::unique_ptr<Source>> make_chained_source(std::unique_ptr<Source> first,
                                                                  OpenNextSource open_next);

}  // namespace glyphreel::media
