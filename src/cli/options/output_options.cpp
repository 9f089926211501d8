#include <array>
#include <string>

#include <fmt/format.h>

#include "base/export_formats.h"
#include "cli/options/option_groups.h"
#include "cli/options/option_setters.h"

namespace glyphreel::cli {
namespace {

std::string endings_with_layouts() {
  std::string text;
  for (const ExportFormat& format : ExportFormats) {
    if (!text.empty()) text += &format == &ExportFormats.back() ? ", or " : ", ";
    text += fmt::format(".{}{}{}", format.ending, format.layout.empty() ? "" : " ", format.layout);
  }
  return text;
}

/// Returns the default encoders in words, such as "libx264, or libvpx-vp9 for .webm".
std::string default_encoders() {
  std::string text;
  for (const ExportFormat& format : ExportFormats) {
    const std::string_view encoder = format.container.video_encoder;
    if (text.find(encoder) != std::string::npos) continue;
    text += text.empty() ? encoder : fmt::format(", or {} for .{}", encoder, format.ending);
  }
  return text;
}

// Texts that the table below refers to.
const std::string OutputAccepts = fmt::format("a file name that ends in {}, or -", export_endings());
const std::string OutputHelp = fmt::format(
    "File to write, or - for standard output; its extension selects the format: {}. A number such as %05d in "
    "the name of a picture or text gives each frame a file",
    endings_with_layouts());
const std::string FormatAccepts = fmt::format("one of {}", export_names());
const std::string CodecHelp =
    fmt::format("FFmpeg video encoder, or a codec such as h264 or av1; by default {}", default_encoders());

const auto RecordingOptions = std::to_array<OptionSpec>({
    {.verbs = Record,
     .name = "output",
     .alias = 'o',
     .metavar = "FILE",
     .accepts = OutputAccepts,
     .help = OutputHelp,
     .apply = set_text<&Settings::output>},
    {.verbs = Record,
     .name = "format",
     .metavar = "NAME",
     .accepts = FormatAccepts,
     .help =
         "Format of the output if its extension does not say it: an extension without the dot, such as mkv",
     .apply = set_format},
    flag<&Settings::transparent>(Record, "transparent",
                                 "Leave out the background color in formats with transparency"),
    {.verbs = Record,
     .name = "cast-version",
     .metavar = "2|3",
     .accepts = "2 or 3",
     .help = "Version of asciicast files (.cast); only newer players know 3",
     .apply = parsed<&Settings::cast_version, parse_integer, 2, 3>},
    flag<&Settings::svg_outlines>(Record, "svg-outlines",
                                  "Draw the characters of .svg files as shapes, which need no font"),
    {.verbs = Play | Record,
     .name = "codec",
     .metavar = "NAME",
     .accepts = "the name of an FFmpeg encoder or of a codec, such as libx264 or h264",
     .help = CodecHelp,
     .apply = set_text<&Settings::codec>},
    {.verbs = Play | Record,
     .name = "pix-fmt",
     .metavar = "NAME",
     .accepts = "FFmpeg's name of a pixel format, such as yuv420p or yuv444p",
     .help = "Pixel format of the video, if the encoder supports it; by default yuv420p, which every player "
             "shows but which halves the resolution of colors, or RGB for lossless encoders; yuv444p keeps "
             "colored text sharp",
     .apply = set_text<&Settings::pixel_format>},
    {.verbs = Play | Record,
     .name = "crf",
     .metavar = "N",
     .accepts = "a number from 0 (best) to 63",
     .help = "Constant quality, 0 (best) to 63; the scale depends on the encoder",
     .apply = parsed<&Settings::crf, parse_integer, 0, 63>},
    {.verbs = Play | Record,
     .name = "bitrate",
     .metavar = "RATE",
     .accepts = "bits per second from 1k to 1000M, such as 800k or 2.5M",
     .help = "Video bits per second, such as 800k or 2.5M, instead of constant quality",
     .apply = parsed<&Settings::bits_per_second, parse_bitrate>},
    flag<&Settings::embed>(Record, "embed",
                           "With .html, write a page and a .cells file beside it, which the page streams"),
    {.verbs = Record,
     .name = "fps",
     .metavar = "N",
     .accepts = "frames per second from 0.01 to 1000, such as 10, 29.97 or 30000/1001",
     .help = "Frames per second of the recording: frames are left out or repeated; by default those of the "
             "input",
     .apply = parsed<&Settings::frame_rate, parse_frame_rate>},
    {.verbs = Play | Record,
     .name = "preset",
     .metavar = "NAME",
     .accepts = "a preset of the encoder, such as fast",
     .help = "Speed of the encoder, such as slow or veryfast for libx264, or 0 to 13 for libsvtav1; slower "
             "ones make smaller files",
     .apply = set_text<&Settings::preset>},
    flag<&Settings::overwrite>(
        Record, "force", "Replace an existing output and the NAME.part.EXT of an unfinished recording", 'y'),
});

constexpr auto ComparingOptions = std::to_array<OptionSpec>({
    {.verbs = Compare | Bench,
     .name = "report",
     .metavar = "DIR",
     .accepts = "a directory name",
     .help = "Write a page to this directory: of compare, pictures side by side, their differences, and "
             "timings; of bench, plots of all figures",
     .apply = set_text<&Settings::report_directory>},
    flag<&Settings::matrix>(Bench, "matrix",
                            "Measure every combination of sizes, grids, modes, colors and renderers, which "
                            "takes minutes; options such as --mode keep one value"),
    {.verbs = Bench,
     .name = "repetitions",
     .metavar = "N",
     .accepts = "a number from 1 to 1000",
     .help = "How often each measurement is repeated; by default 9, with --matrix 3, with --against 15",
     .apply = parsed<&Settings::repetitions, parse_integer, 1, 1000>},
    {.verbs = Bench,
     .name = "against",
     .metavar = "FILE.json|PROGRAM",
     .accepts = "a result of 'glyphreel bench --json', or a glyphreel program",
     .help = "Compare with an earlier run or another build, which is run in turns with this one; exit status "
             "1 if this build is slower",
     .apply = set_text<&Settings::against>},
    flag<&Settings::peers>(
        Bench, "peers",
        "Measure other programs on the same input and grid instead: chafa, mpv, timg and a "
        "loop with OpenCV, as far as they are installed"),
});

constexpr auto OtherOptions = std::to_array<OptionSpec>({
    flag<&Settings::json>(Compare | Bench | Info, "json",
                          "Print the result as one JSON object instead of a table"),
    flag<&Settings::recent>(Info, "recent",
                            "List the files that were played with --save-position, the last one first"),
    {.verbs = Rendering,
     .name = "stats",
     .metavar = "FILE.json",
     .accepts = "a file name",
     .help = "Write statistics to this file as JSON: frame counts, settings and the time of each stage",
     .apply = set_text<&Settings::stats_file>},
    {.verbs = Play,
     .name = "input-ipc-server",
     .metavar = "FILE",
     .accepts = "the path of a Unix socket",
     .help = "Let programs control the player by this Unix socket, with mpv's JSON protocol",
     .apply = set_text<&Settings::ipc_socket>},
    flag<&Settings::verbosity, log::Verbosity::Quiet>(All, "quiet", "Print only errors", 'q'),
    flag<&Settings::verbosity, log::Verbosity::Verbose>(All, "verbose",
                                                        "Print what each component decides, and why", 'v'),
    {.verbs = All,
     .name = "log-file",
     .metavar = "FILE",
     .accepts = "a file name",
     .help = "Also write the messages to this file",
     .apply = set_text<&Settings::log_file>},
    {.verbs = All,
     .name = "config",
     .metavar = "FILE",
     .accepts = "a file name",
     .help = "Read options from this file instead of ~/.config/glyphreel/config.toml",
     .apply = set_text<&Settings::config_file>},
    {.verbs = All,
     .name = "profile",
     .metavar = "NAME[,NAME...]",
     .accepts = "the name of a profile, a table in config.toml",
     .help = "Use the options of this profile, a table in config.toml",
     .apply = set_text<&Settings::profile>},
    flag<&Settings::ignores_config>(All, "no-config", "Ignore config.toml and input.conf"),
    {.verbs = All, .name = "version", .help = "Print the version and exit"},
    {.verbs = All, .name = "help", .alias = 'h', .help = "Print this text and exit"},
});

const std::array<OptionGroup, 3> OutputGroups{{{"Recording", RecordingOptions},
                                               {"Comparing and measuring", ComparingOptions},
                                               {"Other", OtherOptions}}};

}  // namespace

std::span<const OptionGroup> output_options() {
  return OutputGroups;
}

}  // namespace glyphreel::cli
