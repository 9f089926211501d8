#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "present/export/frame_sink.h"

namespace glyphreel::present {

/// Base class of sinks that write frames to an AtomicFile. Ignores audio by default.
/// Thread-safety: one thread at a time.
class FileSink : public FrameSink {
 public:
  PictureFormat picture_format() const override { return PictureFormat::None; }
  Result<void> write_audio(const media::AudioPacket&) override { return {}; }
  Result<void> finish() override {
    TRY(end());
    return file_->commit();
  }
  std::string abandon() override {
    static_cast<void>(end());
    const std::string kept = file_->is_kept() ? file_->temporary_path() : std::string();
    file_.reset();
    return kept;
  }
  std::string description() const override { return description_; }

 protected:
  /// Writes buffered data and the end of the file if there was a frame. Called once, before closing the file.
  [[nodiscard]] virtual Result<void> write_end() { return {}; }

  /// `path`: the file's name in messages.
  FileSink(std::unique_ptr<AtomicFile> file, std::string path, std::string description)
      : file_(std::move(file)), path_(std::move(path)), description_(std::move(description)) {}

  /// Appends bytes. After each call, the file must be readable, because it is kept if the recording fails.
  [[nodiscard]] Result<void> append(std::string_view bytes) {
    if (const std::error_code failure = file_->write(bytes)) return unwritable(path_, failure);
    file_->keep();
    return {};
  }
  [[nodiscard]] AtomicFile& file() { return *file_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Result<void> end() { return std::exchange(has_ended_, true) ? Result<void>() : write_end(); }

  std::unique_ptr<AtomicFile> file_;
  std::string path_;
  std::string description_;
  bool has_ended_ = false;  ///< prevents a second write_end() if abandon() follows a failed finish()
};

}  // namespace glyphreel::present
