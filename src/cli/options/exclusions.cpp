#include "cli/options/exclusions.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace glyphreel::cli {
namespace {

using std::string_view;

struct Exclusion {
  string_view upper;  ///< an option that overrides `lower` if it is in a higher layer than `lower`
  string_view lower;
  string_view compatible = {};  ///< the values of `upper` that do not override `lower`, separated by spaces
  /// The error if one layer has both options; {} is replaced by the value of `upper`. Empty: no error.
  string_view message = {};
};

constexpr auto Exclusions = std::to_array<Exclusion>({
    {"quiet", "verbose", "", "--quiet and --verbose cannot be combined; give one of them."},
    {"verbose", "quiet"},
    {"crf", "bitrate", "", "--crf and --bitrate cannot be combined; give a constant quality or a bit rate."},
    {"bitrate", "crf"},
    {"end", "length", "", "--end and --length cannot be combined; give one of them."},
    {"length", "end"},
    {"window", "terminal", "", "--window and --terminal cannot be combined; give one of them."},
    {"terminal", "window"},
    {"terminal", "renderer"},
    {"renderer", "terminal", "auto cpu",
     "--terminal and --renderer gpu cannot be combined, because only the CPU renders in a terminal; leave "
     "one of them out."},
    {"peers", "against", "", "--peers and --against cannot be combined; give one of them."},
    {"peers", "matrix", "", "--peers and --matrix cannot be combined; give one of them."},
    {"peers", "report", "", "--peers writes no report; leave out --report."},
    {"status", "cancel", "", "--status and --cancel cannot be combined; give one of them."},
    {"status", "cluster", "", "--status reports on an earlier run; leave out --cluster."},
    {"cancel", "cluster", "", "--cancel stops an earlier run; leave out --cluster."},
    {"cluster", "batch", "",
     "--batch is for this machine, and --cluster converts on others; leave one of them out."},
    {"config", "no-config", "", "--config and --no-config cannot be combined; give one of them."},
    {"mode", "ramp", "ramp", "--ramp works only with --mode ramp; leave out --ramp or --mode {}."},
    {"mode", "thresholds", "ramp"},
    {"ramp", "mode"},
    {"ramp", "thresholds"},  // --thresholds of a lower layer were meant for another ramp
    {"color", "reverse", "mono"},
    {"color", "palette", "fg full ansi16 ansi256",
     "--palette cannot be combined with --color mono, which uses the colors of --fg and --bg; use --color fg "
     "or full."},
    {"color", "palette", "fg full mono",
     "--palette cannot be combined with --color {}, which has its own palette; use --color fg or full."},
    {"palette", "color"},
});

/// An option that applies only to some formats.
struct FormatOption {
  std::string_view name;
  bool (*works)(const ExportFormat& format);
  std::string_view files;  ///< the files that the option works with, for the message
};

constexpr bool is_video(const ExportFormat& format) {
  return format.writer == ExportWriter::Video;
}
constexpr string_view FilesWithAlpha = ".gif, .apng, .webp, .png and .svg";
static_assert(std::ranges::all_of(ExportFormats,
                                  [](const ExportFormat& format) {
                                    return !format.has_alpha ||
                                           FilesWithAlpha.find(format.ending) != string_view::npos;
                                  }),
              "name every format with transparency");
constexpr auto FormatOptions = std::to_array<FormatOption>({
    {"codec", is_video, "video files"},
    {"pix-fmt", is_video, "video files"},
    {"crf", is_video, "video files"},
    {"bitrate", is_video, "video files"},
    {"preset", is_video, "video files"},
    {"transparent", [](const ExportFormat& format) { return format.has_alpha; }, FilesWithAlpha},
    {"cast-version", [](const ExportFormat& format) { return format.writer == ExportWriter::Cast; }, ".cast"},
    {"svg-outlines", [](const ExportFormat& format) { return format.writer == ExportWriter::Svg; }, ".svg"},
    {"embed",
     [](const ExportFormat& format) {
       return format.writer == ExportWriter::Html || format.writer == ExportWriter::Cast;
     },
     ".html and .cast"},
});

bool has_word(string_view words, string_view word) {
  while (!words.empty()) {
    const string_view first = words.substr(0, words.find(' '));
    if (first == word) return true;
    words.remove_prefix(std::min(words.size(), first.size() + 1));
  }
  return false;
}

bool applies(const Exclusion& exclusion, const OptionValue& upper, const OptionValue& lower) {
  return exclusion.upper == upper.option->name && exclusion.lower == lower.option->name &&
         !has_word(exclusion.compatible, upper.value);
}

}  // namespace

bool excludes(const OptionValue& upper, const OptionValue& lower) {
  return std::ranges::any_of(Exclusions,
                             [&](const Exclusion& exclusion) { return applies(exclusion, upper, lower); });
}

Result<void> check_exclusions(std::span<const OptionValue> given) {
  for (const Exclusion& exclusion : Exclusions) {
    if (exclusion.message.empty()) continue;
    for (const OptionValue& upper : given) {
      if (std::ranges::any_of(given,
                              [&](const OptionValue& lower) { return applies(exclusion, upper, lower); }))
        return Error{ErrorCode::Usage, fmt::format(fmt::runtime(exclusion.message), upper.value)};
    }
  }
  return {};
}

Result<void> check_format_options(std::span<const GivenOption> given, const ExportFormat& format) {
  for (const GivenOption& each : given) {
    const auto* const option = std::ranges::find(FormatOptions, each.name, &FormatOption::name);
    if (option == FormatOptions.end() || !each.on || option->works(format)) continue;
    const bool is_device = format.writer == ExportWriter::VideoDevice;
    const std::string output = is_device ? "a video device" : fmt::format(".{}", format.ending);
    return Error{ErrorCode::Usage, fmt::format("--{} works only with {}, not with {}; leave it out.",
                                               option->name, option->files, output)};
  }
  return {};
}

}  // namespace glyphreel::cli
