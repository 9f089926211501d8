#include "present/export/characters/cast_page.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "present/export/characters/cast_encoder.h"
#include "present/export/html_page.h"

namespace glyphreel::present {
namespace {

constexpr std::string_view Template =
#include "present/export/cast_html.inc"
    ;

std::string segment_suffix(std::size_t number) {
  return fmt::format("-{:04}.json", number);
}

std::string file_name(const AtomicFile::Options& file) {
  return std::filesystem::path(file.path).filename().string();
}

}  // namespace

CastPage::~CastPage() = default;

Result<std::unique_ptr<CastPage>> CastPage::open(const SinkOptions& options) {
  std::unique_ptr<CastPage> page(new CastPage(options));
  for (const std::string_view suffix : {".html", ".json", "-0001.json"})
    TRY(AtomicFile::check(page->file(suffix)));
  const media::WriterOptions& writer = options.writer;
  if (writer.audio != nullptr) {
    AtomicFile::Options sound = page->file(".ogg");
    sound.temporary = AtomicFile::Temporary::Part;
    TRY_ASSIGN(page->sound_file_, AtomicFile::create(std::move(sound)));
    const double origin = static_cast<double>(writer.first_pts) * writer.time_base.value();
    TRY_ASSIGN(page->sound_, media::open_ogg_opus(*writer.audio, origin));
  }
  return page;
}

/// Returns the options of a file with the cast's name, but with `suffix` instead of the extension.
AtomicFile::Options CastPage::file(std::string_view suffix) const {
  AtomicFile::Options file = options_.writer.file(AtomicFile::Temporary::Hidden);
  file.path = std::filesystem::path(file.path).replace_extension().string() + std::string(suffix);
  return file;
}

Result<void> CastPage::begin_segment(double seconds, GridSize grid) {
  TRY(write_segment());
  grid_ = grid;
  starts_.push_back(starts_.empty() ? 0 : seconds);
  return {};
}

void CastPage::add(std::string_view line) {
  if (!events_.empty()) events_ += ",\n";
  events_ += line.substr(0, line.find_last_not_of('\n') + 1);
}

Result<void> CastPage::write_segment() {
  if (events_.empty()) return {};
  return write_file(
      file(segment_suffix(starts_.size())),
      fmt::format("{{\"snapshot\":{{\"cols\":{},\"rows\":{},\"init\":\"\\u001b[?25l\"}},\"events\":[\n"
                  "{}\n]}}\n",
                  grid_.columns, grid_.rows, std::exchange(events_, {})));
}

Result<void> CastPage::write_audio(const media::AudioPacket& packet) {
  if (sound_ == nullptr) return {};
  TRY(sound_->write(packet));
  return write_sound_bytes();
}

Result<void> CastPage::write_sound_bytes() {
  if (const std::error_code failure = sound_file_->write(sound_->take_bytes()))
    return unwritable(file(".ogg").path, failure);
  return {};
}

std::string CastPage::index(double end, std::string_view theme) const {
  std::string segments, markers;
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    segments += fmt::format("{}{{\"start\":{:.6f},\"url\":\"{}\"}}", i == 0 ? "" : ",\n", starts_[i],
                            url_of_name(file_name(file(segment_suffix(i + 1)))));
  }
  for (const SinkOptions::Chapter& chapter : options_.chapters) {
    if (chapter.seconds <= end)
      markers += fmt::format("{}[{:.6f},{}]", markers.empty() ? "" : ",", chapter.seconds,
                             json_string(chapter.title));
  }
  return fmt::format(
      "{{\"version\":1,\"duration\":{:.6f},\"term\":{{\"cols\":{},\"rows\":{},\"theme\":{}}},\n"
      "\"markers\":[{}],\n\"segments\":[\n{}\n]}}\n",
      end, grid_.columns, grid_.rows, theme, markers, segments);
}

std::string CastPage::page() const {
  const std::string sound =
      sound_ == nullptr ? "" : fmt::format(", audioUrl: '{}'", url_of_name(file_name(file(".ogg"))));
  const std::string title = std::filesystem::path(options_.writer.path).stem().string();
  const std::string cast = file_name(options_.writer.file());
  return fill_template(Template, {{{"@title@", html_text(options_.title.empty() ? title : options_.title)},
                                   {"@cast@", url_of_name(cast)},
                                   {"@name@", html_text(cast)},
                                   {"@index@", url_of_name(file_name(file(".json")))},
                                   {"@sound@", sound}}});
}

Result<void> CastPage::finish(double end, std::string_view theme) {
  TRY(write_segment());
  if (sound_ != nullptr) {
    TRY(sound_->finish());
    TRY(write_sound_bytes());
    TRY(sound_file_->commit());
  }
  TRY(write_file(file(".json"), index(end, theme)));
  return write_file(file(".html"), page());
}

}  // namespace glyphreel::present
