#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "media/source.h"

namespace glyphreel::media {

/// Opens the next input of a chain; null at the end. A request to stop makes it return soon, with an error.
using OpenNextSource = std::function<Result<std::unique_ptr<Source>>(std::stop_token stop)>;

/// Creates a Source that reads several inputs one after the other, as one: times start at 0 and continue from
/// input to input, and each input has a new epoch. If `first` has audio, the chain's audio is PCM, which is
/// silent where an input has none, and which a Writer must transcode; otherwise the chain has no audio.
/// facts() are those of `first`, except for the times. The chain cannot seek.
[[nodiscard]] Result<std::unique_ptr<Source>> make_chained_source(std::unique_ptr<Source> first,
                                                                  OpenNextSource open_next);

}  // namespace glyphreel::media
