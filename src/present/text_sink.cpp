#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "present/frame_sink.h"

namespace glyphreel::present {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

class TextSink final : public FrameSink {
 public:
  TextSink(File file, TextSinkOptions options, std::string part)
      : file_(std::move(file)), options_(std::move(options)), part_(std::move(part)) {}

  PictureFormat picture_format() const override { return PictureFormat::None; }

  Result<void> write(const render::RenderedFrame& frame) override {
    text_.clear();
    const render::Characters characters(*options_.glyphs, frame.overlay_glyphs.get());
    for (int row = 0; row < frame.grid.rows; ++row) {
      for (int column = 0; column < frame.grid.columns; ++column) {
        const render::Cell& cell = frame.cells[static_cast<std::size_t>(row) * frame.grid.columns + column];
        text_ += characters.utf8(cell.glyph);
      }
      text_ += '\n';
    }
    text_ += '\f';
    if (std::fwrite(text_.data(), 1, text_.size(), file_.get()) != text_.size()) return write_error();
    return {};
  }

  Result<void> write_audio(const media::AudioPacket&) override { return {}; }

  Result<void> finish() override {
    std::FILE* file = file_.release();
    if (std::fclose(file) != 0) return write_error();
    std::error_code problem;
    std::filesystem::rename(part_, options_.path, problem);
    if (problem) {
      return Error{ErrorCode::Failed, fmt::format("{} cannot be renamed to {}.", part_, options_.path),
                   problem.message()};
    }
    return {};
  }

  std::string description() const override { return "text"; }

 private:
  Error write_error() const {
    return {ErrorCode::Failed, fmt::format("Writing {} failed; it holds what was written before.", part_),
            std::strerror(errno)};
  }

  File file_;
  TextSinkOptions options_;
  std::string part_;
  std::string text_;
};

}  // namespace

Result<std::unique_ptr<FrameSink>> make_text_sink(const TextSinkOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(options.path, ignored)) {
    return Error{ErrorCode::Usage, fmt::format("The output {} is a directory: name a file.", options.path), {}};
  }
  if (!options.overwrite && std::filesystem::exists(options.path, ignored)) {
    return Error{ErrorCode::Usage, fmt::format("{} exists; use --force to overwrite it.", options.path), {}};
  }
  std::string part = media::part_path(options.path);
  File file(std::fopen(part.c_str(), "wb"));
  if (!file) {
    return Error{ErrorCode::Failed, fmt::format("{} cannot be written.", options.path), std::strerror(errno)};
  }
  return std::unique_ptr<FrameSink>(std::make_unique<TextSink>(std::move(file), options, std::move(part)));
}

}  // namespace glyphreel::present
