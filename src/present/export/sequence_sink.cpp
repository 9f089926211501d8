#include "present/export/sequence_sink.h"

#include <utility>

#include <fmt/format.h>

#include "media/still/image_sequence.h"

namespace glyphreel::present {
namespace {

class SequenceSink final : public FrameSink {
 public:
  using Open = std::function<Result<std::unique_ptr<FrameSink>>(const std::string&)>;
  SequenceSink(std::string pattern, Open open) : pattern_(std::move(pattern)), open_(std::move(open)) {}

  /// Opens the sink of the next file.
  Result<void> open_next() {
    TRY_ASSIGN(file_, open_(numbered_name(pattern_, ++number_)));
    return {};
  }

  PictureFormat picture_format() const override { return file_->picture_format(); }
  Result<void> write(const render::RenderedFrame& frame) override {
    if (is_written_) TRY(open_next());
    is_written_ = false;
    TRY(file_->write(frame));
    TRY(file_->finish());
    is_written_ = true;
    return {};
  }
  Result<void> write_audio(const media::AudioPacket&) override { return {}; }
  Result<void> finish() override { return {}; }
  std::string abandon() override {
    return is_written_ || file_ == nullptr ? std::string() : file_->abandon();
  }
  std::string description() const override { return file_->description(); }

 private:
  const std::string pattern_;
  const Open open_;
  int number_ = 0;
  std::unique_ptr<FrameSink> file_;  ///< sink of the last opened file
  bool is_written_ = false;          ///< whether the last opened file is complete
};

}  // namespace

std::string numbered_name(const std::string& name, int number) {
  const std::optional<media::NumberField> field = media::find_number_field(name);
  CHECK(field.has_value(), "the file name has no number field");
  return fmt::format("{}{:0{}}{}", name.substr(0, field->at), number, field->digits,
                     name.substr(field->at + field->length));
}

Result<std::unique_ptr<FrameSink>> open_sequence_sink(
    std::string pattern, std::function<Result<std::unique_ptr<FrameSink>>(const std::string& path)> open) {
  auto sink = std::make_unique<SequenceSink>(std::move(pattern), std::move(open));
  TRY(sink->open_next());
  return std::unique_ptr<FrameSink>(std::move(sink));
}

}  // namespace glyphreel::present
