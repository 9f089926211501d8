#pragma once

#include <functional>
#include <memory>
#include <string>

#include "present/export/frame_sink.h"

namespace glyphreel::present {

/// Returns `name` with `number` in place of its number field, such as %05d. The name must have one.
[[nodiscard]] std::string numbered_name(const std::string& name, int number);

/// Makes a sink that writes each frame to a separate file, numbered from 1. Each file is complete as soon as
/// its frame is written, so an interrupted recording leaves only complete files. `open` opens the sink of one
/// file. Errors: those of `open` for the first file.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_sequence_sink(
    std::string pattern, std::function<Result<std::unique_ptr<FrameSink>>(const std::string& path)> open);

}  // namespace glyphreel::present
