#include "media/still/image_sequence.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <vector>

#include "base/natural_order.h"
#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {
namespace {

namespace fs = std::filesystem;

/// Adds "./" to a name without a folder, so that FFmpeg does not interpret a part of the name as a protocol.
std::string with_folder(const std::string& path) {
  return path.find('/') == std::string::npos ? "./" + path : path;
}

/// Returns the number in `name` between `before` and `after`.
std::optional<int> number_in(std::string_view name, std::string_view before, std::string_view after) {
  if (name.size() <= before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after))
    return {};
  name.remove_prefix(before.size());
  name.remove_suffix(after.size());
  int number = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (problem != std::errc() || end != name.data() + name.size() || number < 0) return {};
  return number;
}

std::optional<int> first_number(const std::string& pattern, const NumberField& place) {
  const fs::path path(pattern);
  const std::string name = path.filename().string();
  const std::size_t shift = pattern.size() - name.size();
  // Like FFmpeg's image2 demuxer, this function does not support a number in a folder's name.
  if (place.at < shift) return {};
  const std::string_view before = std::string_view(name).substr(0, place.at - shift);
  const std::string_view after = std::string_view(name).substr(place.at - shift + place.length);
  std::optional<int> first;
  std::error_code problem;
  for (fs::directory_iterator entry(path.parent_path(), problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string candidate = entry->path().filename().string();
    const auto number = number_in(candidate, before, after);
    if (!number || (first && *first <= *number)) continue;
    const std::size_t digits = candidate.size() - before.size() - after.size();
    if (digits ==
        std::max<std::size_t>(std::to_string(*number).size(), static_cast<std::size_t>(place.digits)))
      first = number;
  }
  return first;
}

/// Returns a numbered sequence if the files are numbered without leading zeros and without gaps; otherwise
/// empty.
std::optional<ImageSequence> as_numbered(const std::vector<std::string>& paths) {
  const std::string& first = paths.front();
  const std::string& last = paths.back();
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t at = 0;
  while (at < std::min(first.size(), last.size()) && first[at] == last[at]) ++at;
  while (at > 0 && is_digit(first[at - 1])) --at;
  std::size_t end = at;
  while (end < first.size() && is_digit(first[end])) ++end;
  if (end == at || first.find('%') != std::string::npos) return {};
  const std::string before = first.substr(0, at);
  const std::string after = first.substr(end);
  const auto start = number_in(first, before, after);
  if (!start) return {};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (paths[i] != fmt::format("{}{}{}", before, static_cast<std::size_t>(*start) + i, after)) return {};
  }
  return ImageSequence{before + "%d" + after, *start};
}

std::vector<std::string> matches(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (::glob(pattern.c_str(), GLOB_BRACE | GLOB_NOMAGIC, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return paths;
}

}  // namespace

std::optional<NumberField> find_number_field(std::string_view name) {
  std::optional<NumberField> place;
  for (std::size_t at = name.find('%'); at != std::string_view::npos; at = name.find('%', at + 1)) {
    std::size_t end = at + 1;
    int digits = 0;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9' && end - at < 4)
      digits = digits * 10 + (name[end++] - '0');
    if (end >= name.size() || name[end] != 'd') continue;
    if (place) return {};
    place = NumberField{at, end + 1 - at, digits};
  }
  return place;
}

Result<ImageSequence> find_image_sequence(const std::string& given) {
  const std::string pattern = with_folder(given);
  const Error nothing = bad_input("No image file matches {}; check the pattern.", given);
  if (const auto place = find_number_field(pattern)) {
    const auto first = first_number(pattern, *place);
    if (!first) return nothing;
    return ImageSequence{pattern, first};
  }
  std::vector<std::string> paths = matches(pattern);
  if (paths.empty()) return nothing;
  std::vector<std::string> natural = paths;
  std::sort(natural.begin(), natural.end(), natural_less);
  if (natural != paths) {
    if (const auto numbered = as_numbered(natural)) return *numbered;
  }
  return ImageSequence{pattern, {}};
}

}  // namespace glyphreel::media
