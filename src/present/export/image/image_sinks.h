#pragma once

#include <memory>

#include "present/export/frame_sink.h"

namespace glyphreel::present {

/// Opens a sink that writes the first frame as a picture. Errors: those of AtomicFile::create(); Usage if the
/// format has no transparency but the options ask for it.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_still_sink(const ExportFormat& format,
                                                                 const SinkOptions& options);

/// Opens a sink that writes a GIF (see GifFile), with at most 50 frames per second. Errors: those of
/// AtomicFile::create().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_gif_sink(const SinkOptions& options);

/// Opens a sink that writes bare YUV 4:2:0 pictures, with the headers of YUV4MPEG2 in .y4m files, at a
/// constant rate: frames are repeated or left out where the input's rate varies. Errors: those of
/// AtomicFile::create().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_raw_sink(const ExportFormat& format,
                                                               const SinkOptions& options);

/// Opens a sink that writes an APNG or animated WebP file. Frames contain only the area that changes; times
/// are rounded to milliseconds without accumulating errors. A frame that equals the one before it extends
/// that one. Errors: those of AtomicFile::create().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_animation_sink(const ExportFormat& format,
                                                                     const SinkOptions& options);

}  // namespace glyphreel::present
