#include "media/input/copied_content.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace glyphreel::media {
namespace {

// Metadata that applies only to the input file: its encoder, creation time, mp4 brands and handlers, and the
// statistics that mkvmerge writes about each track's packets.
constexpr std::array NotCopied = {"encoder",         "major_brand", "minor_version", "compatible_brands",
                                  "creation_time",   "BPS",         "DURATION",      "NUMBER_OF_FRAMES",
                                  "NUMBER_OF_BYTES", "vendor_id",   "handler_name"};

bool is_copied(std::string_view key) {
  return !key.starts_with("_STATISTICS") && std::ranges::none_of(NotCopied, [&](std::string_view name) {
    return key == name || (key.starts_with(name) && key[name.size()] == '-');  // for example, BPS-eng
  });
}

}  // namespace

DictionaryPtr copy_metadata(const AVDictionary* metadata) {
  AVDictionary* copy = nullptr;
  const AVDictionaryEntry* entry = nullptr;
  while ((entry = av_dict_get(metadata, "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
    if (is_copied(entry->key)) av_dict_set(&copy, entry->key, entry->value, 0);
  }
  return DictionaryPtr(copy);
}

std::vector<CopiedContent::Chapter> chapters_between(const AVFormatContext& format, double from, double to) {
  std::vector<CopiedContent::Chapter> chapters;
  for (unsigned i = 0; i < format.nb_chapters; ++i) {
    const AVChapter& chapter = *format.chapters[i];
    const double start = std::max(from, static_cast<double>(chapter.start) * av_q2d(chapter.time_base));
    const double end = std::min(to, static_cast<double>(chapter.end) * av_q2d(chapter.time_base));
    if (start < end) chapters.push_back({start, end, copy_metadata(chapter.metadata)});
  }
  return chapters;
}

}  // namespace glyphreel::media
