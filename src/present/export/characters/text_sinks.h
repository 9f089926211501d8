#pragma once

#include <memory>

#include "present/export/frame_sink.h"

namespace glyphreel::present {

/// Opens a sink that writes an .ans file with a SAUCE record: ANSi for one frame, ANSiMation for several. The
/// file has the 16 VGA colors if `options.palette` is Ansi16, and 24-bit colors otherwise. Errors: those of
/// AtomicFile::create(); Usage if code page 437 lacks a character.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_ans_sink(const SinkOptions& options);

/// Opens a sink that writes one frame as XBin. The file contains its glyphs and a palette of 16 colors.
/// Errors: those of AtomicFile::create(); Usage unless cells are 8 pixels wide and at most 32 high.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_xbin_sink(const SinkOptions& options);

/// Opens a sink that writes frames for `cat` in a terminal, in the format of append_ansi(); each frame
/// replaces the previous frame. Errors: those of AtomicFile::create().
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_utf8ans_sink(const SinkOptions& options);

/// Opens a sink that writes an asciicast, with markers at chapters. Errors: those of AtomicFile::create().
/// With `options.writer.separate_payload`, also those of CastPage::open(), and Usage unless
/// `options.cast_version` is 2.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_cast_sink(const SinkOptions& options);

/// Opens a sink that writes an SVG image, or a short animation if there are several frames. Errors: those of
/// AtomicFile::create(). Writing fails with Usage if the animation becomes too long or too large.
[[nodiscard]] Result<std::unique_ptr<FrameSink>> open_svg_sink(const SinkOptions& options);

}  // namespace glyphreel::present
