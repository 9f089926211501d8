#pragma once

#include <memory>

#include "present/export/frame_sink.h"

namespace glyphreel::present {

/// Opens a sink that writes one frame as an image file. Errors: those of AtomicFile::create().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_still_sink(const ExportFormat& format,
                                                                 const SinkOptions& options);

/// Opens a sink that writes a GIF (see GifFile), with at most 50 frames per second. Errors: those of
/// AtomicFile::create(); Usage if the width or height exceeds 65535 pixels.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_gif_sink(const SinkOptions& options);

/// Opens a sink that writes uncompressed YUV 4:2:0 frames, with YUV4MPEG2 headers in .y4m files. The frame
/// rate is constant: frames are repeated or dropped where the input's rate varies. Errors: those of
/// AtomicFile::create().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_raw_sink(const ExportFormat& format,
                                                               const SinkOptions& options);

/// Opens a sink that writes an APNG or animated WebP file. Frames contain only the area that changes; times
/// are rounded to milliseconds without accumulating errors. Equal consecutive frames are merged. Errors:
/// those of AtomicFile::create().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_animation_sink(const ExportFormat& format,
                                                                     const SinkOptions& options);

}  // namespace glyphreel::present
