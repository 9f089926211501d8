#pragma once

#include <memory>

#include "present/export/frame_sink.h"

namespace glyphreel::present {

/// Opens a sink that writes an .ans file with a SAUCE record: one frame as ANSi, several as ANSiMation. Cells
/// limited to 16 colors are written in the 16 colors of the VGA, others as 24-bit color. Errors: those of
/// AtomicFile::create(); Usage if code page 437 lacks a character.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_ans_sink(const SinkOptions& options);

/// Opens a sink that writes the first frame as XBin, with the glyphs and 16 colors in the file. Errors: those
/// of AtomicFile::create(); Usage unless cells are 8 pixels wide and at most 32 high.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_xbin_sink(const SinkOptions& options);

/// Opens a sink that writes frames for `cat` in a terminal, in the format of append_ansi(); each frame
/// replaces the one before it. Errors: those of AtomicFile::create().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_utf8ans_sink(const SinkOptions& options);

/// Opens a sink that writes an asciicast, with markers at chapters. Errors: those of AtomicFile::create().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_cast_sink(const SinkOptions& options);

/// Opens a sink that writes an SVG picture, or a short animation if there are several frames. Errors: those
/// of AtomicFile::create(). Writing fails with Usage if the animation becomes too large.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_svg_sink(const SinkOptions& options);

}  // namespace glyphreel::present
