#include "cli/options.h"

#include <algorithm>
#include <array>

#include "base/result.h"
#include "cli/option_setters.h"

namespace glyphreel::cli {
namespace {

using std::string_view;

constexpr VerbSet Play = verb_bit(Verb::Play);
constexpr VerbSet Record = verb_bit(Verb::Record);
constexpr VerbSet Compare = verb_bit(Verb::Compare);
constexpr VerbSet Info = verb_bit(Verb::Info);
constexpr VerbSet Rendering = Play | Record | Compare;
constexpr VerbSet All = Rendering | Info;

constexpr string_view TimeAccepts = "seconds or [HH:]MM:SS.mmm";
constexpr string_view AdjustmentAccepts = "a whole number from -100 to 100";
constexpr string_view ShareAccepts = "a number from 0 to 1, such as 0.5";
constexpr string_view ColorAccepts =
    "RRGGBB or #RRGGBB in hexadecimal, or a basic CSS colour name such as lime";

// One entry an option; the contract behind it is the manual page that is made from it.
constexpr auto Options = std::to_array<OptionSpec>({
    {.verbs = Play | Record,
     .group = Group::Engine,
     .name = "renderer",
     .choices = Renderers,
     .default_text = "auto",
     .help = "What turns frames into text: a Vulkan device or the processor, both with the same result; "
             "auto takes a GPU where there is one, and the processor where Vulkan runs in software or not "
             "at all",
     .apply = choose<&Settings::renderer, Renderers>},
    {.verbs = Rendering,
     .group = Group::Engine,
     .name = "device",
     .metavar = "N|NAME",
     .accepts = "a Vulkan device's number or a part of its name, as 'glyphreel info' lists them",
     .help = "Vulkan device, by its number or a part of its name; absent: the fastest one",
     .apply = set_text<&Settings::device>},
    {.verbs = Rendering,
     .group = Group::Engine,
     .name = "threads",
     .metavar = "N",
     .accepts = "a number of threads from 0 to 1024",
     .default_text = "0",
     .help = "Processor threads for decoding, the CPU renderer and encoding; 0 means one per processor",
     .apply = set_integer<&Settings::threads, 0, 1024>},

    {.verbs = Rendering,
     .group = Group::Grid,
     .name = "grid",
     .metavar = "COLSxROWS|auto",
     .accepts = "COLSxROWS, each from 1 to 4096, or auto",
     .default_text = "auto",
     .help = "Cells across and down; auto takes what fits the picture or the window",
     .apply = set_grid},
    {.verbs = All,
     .group = Group::Grid,
     .name = "cell",
     .metavar = "WxH",
     .accepts = "WxH in pixels, each from 1 to 255",
     .default_text = "8x16",
     .help = "Size of a cell in pixels; the font is drawn as large as fits it",
     .apply = set_cell},
    {.verbs = All,
     .group = Group::Grid,
     .name = "font",
     .metavar = "FILE|NAME",
     .accepts = "a font file or the name of an installed font",
     .default_text = "DejaVu Sans Mono",
     .help =
         "Font of the glyphs: a file, or a name that fontconfig finds; characters that it lacks are taken "
         "from other installed fonts",
     .completion = Completion::Files,
     .apply = set_text<&Settings::font>},
    {.verbs = Record | Compare,
     .group = Group::Grid,
     .name = "size",
     .metavar = "WxH",
     .accepts = "WxH in pixels, each from 1 to 16384",
     .help = "Size of the output picture in pixels; absent: the picture's own, in whole cells",
     .apply = set_size},
    {.verbs = Rendering,
     .group = Group::Grid,
     .name = "fit",
     .choices = Fits,
     .default_text = "contain",
     .help = "How a picture of another aspect is laid into the grid: all of it with borders, cropped, "
             "or stretched",
     .apply = choose<&Settings::fit, Fits>},

    {.verbs = All,
     .group = Group::Glyphs,
     .name = "charset",
     .metavar = "NAME|STRING|@FILE",
     .accepts = "a character set's name, the characters themselves in UTF-8, or @FILE with a file of them",
     .default_text = "ascii",
     .help =
         "Characters to draw with: a set that 'glyphreel info' lists, several joined by + (ascii+braille), "
         "the characters themselves, or a file of them; lower-case letters and hyphens alone are a name, and "
         "@@ stands for a first @",
     .apply = set_charset},
    {.verbs = Rendering,
     .group = Group::Glyphs,
     .name = "mode",
     .choices = Modes,
     .default_text = "shape",
     .help = "How a cell's glyph is found: ramp by brightness alone, shape by the glyph that looks most "
             "like the picture there, edge by strokes along the picture's edges over shape",
     .apply = choose<&Settings::mode, Modes>},
    {.verbs = Rendering,
     .group = Group::Glyphs,
     .name = "ramp",
     .metavar = "STRING",
     .accepts = "2 to 256 characters in UTF-8, from dark to bright",
     .help = "Characters from dark to bright, for --mode ramp, which it implies; absent: --charset in "
             "the order of the glyphs' measured ink",
     .apply = set_ramp},
    {.verbs = Rendering,
     .group = Group::Glyphs,
     .name = "thresholds",
     .metavar = "LIST",
     .accepts = "rising brightness values from 1 to 255 with commas between them, such as 52,103,154,215",
     .help = "Brightness at which each next character of --ramp begins, one value less than it has "
             "characters; absent: by the glyphs' measured ink",
     .apply = set_thresholds},
    {.verbs = Rendering,
     .group = Group::Glyphs,
     .name = "sample",
     .choices = Samples,
     .default_text = "area",
     .help = "What of the picture counts for a cell in --mode ramp: the mean of its area, or the pixel "
             "at its upper left corner",
     .apply = choose<&Settings::sample, Samples>},
    {.verbs = Rendering,
     .group = Group::Glyphs,
     .name = "luma",
     .choices = Lumas,
     .default_text = "auto",
     .help = "Weights of red, green and blue in brightness: BT.601 or BT.709; auto follows the input",
     .apply = choose<&Settings::luma, Lumas>},

    {.verbs = Rendering,
     .group = Group::Color,
     .name = "color",
     .choices = Colors,
     .default_text = "full",
     .help = "Colours of a cell: mono uses --fg and --bg, fg a glyph colour of its own over --bg, full "
             "both colours from the picture, ansi16 and ansi256 both from a terminal's 16 or 256",
     .apply = choose<&Settings::color, Colors>},
    {.verbs = Rendering,
     .group = Group::Color,
     .name = "fg",
     .metavar = "COLOR",
     .accepts = ColorAccepts,
     .default_text = "#FFFFFF",
     .help = "Glyph colour with --color mono: #RRGGBB or one of CSS's 16 basic names",
     .apply = set_color<&Settings::foreground>},
    {.verbs = Rendering,
     .group = Group::Color,
     .name = "bg",
     .metavar = "COLOR",
     .accepts = ColorAccepts,
     .default_text = "#000000",
     .help = "Background colour with --color mono and fg: #RRGGBB or one of CSS's 16 basic names",
     .apply = set_color<&Settings::background>},
    {.verbs = Rendering,
     .group = Group::Color,
     .name = "palette",
     .metavar = "FILE",
     .accepts = "a palette file: GIMP's .gpl, or lines of #RRGGBB, 256 colours at most",
     .help = "Take the colours of --color fg and full from this file: GIMP's .gpl, or lines of #RRGGBB, 256 "
             "colours at most",
     .completion = Completion::Files,
     .apply = set_text<&Settings::palette_file>},
    {.verbs = Rendering,
     .group = Group::Color,
     .name = "reverse",
     .choices = Reverses,
     .default_text = "no",
     .help = "Whether a cell of --color mono may swap its two colours where that looks more like the picture",
     .apply = choose<&Settings::reverse, Reverses>},
    {.verbs = Rendering,
     .group = Group::Color,
     .name = "invert",
     .help = "Show the picture's negative",
     .apply = set_flag<&Settings::inverted>},
    {.verbs = Rendering,
     .group = Group::Color,
     .name = "brightness",
     .metavar = "N",
     .accepts = AdjustmentAccepts,
     .default_text = "0",
     .help = "Make the picture brighter or darker, -100 to 100",
     .apply = set_adjustment<&Settings::brightness>},
    {.verbs = Rendering,
     .group = Group::Color,
     .name = "contrast",
     .metavar = "N",
     .accepts = AdjustmentAccepts,
     .default_text = "0",
     .help = "Give the picture more or less contrast, -100 to 100",
     .apply = set_adjustment<&Settings::contrast>},
    {.verbs = Rendering,
     .group = Group::Color,
     .name = "gamma",
     .metavar = "N",
     .accepts = AdjustmentAccepts,
     .default_text = "0",
     .help = "Make the picture's middle tones brighter or darker, -100 to 100",
     .apply = set_adjustment<&Settings::gamma>},
    {.verbs = Rendering,
     .group = Group::Color,
     .name = "saturation",
     .metavar = "N",
     .accepts = AdjustmentAccepts,
     .default_text = "0",
     .help = "Make the picture's colours stronger or weaker, -100 (grey) to 100",
     .apply = set_adjustment<&Settings::saturation>},
    {.verbs = Rendering,
     .group = Group::Color,
     .name = "auto-levels",
     .choices = YesNo,
     .bare_value = "yes",
     .default_text = "yes",
     .help = "Bring the bright end of the picture to the brightest glyph, with --color mono and fg",
     .apply = set_yes_no<&Settings::auto_levels>},
    {.verbs = Rendering,
     .group = Group::Color,
     .name = "dither",
     .choices = Dithers,
     .default_text = "none",
     .help =
         "Hide the steps of --mode ramp and of palettes in a pattern: a regular one (bayer) or fine noise "
         "(blue)",
     .apply = choose<&Settings::dither, Dithers>},
    {.verbs = Rendering,
     .group = Group::Color,
     .name = "legibility",
     .metavar = "0..1",
     .accepts = ShareAccepts,
     .default_text = "0",
     .help =
         "Contrast that the glyphs keep against their background, so that they can be read: 0 none, 1 much",
     .apply = set_share<&Settings::legibility>},

    {.verbs = Rendering,
     .group = Group::Time,
     .name = "start",
     .metavar = "TIME",
     .accepts = TimeAccepts,
     .help = "Begin at this time of the input: seconds or [HH:]MM:SS.mmm",
     .apply = set_time<&Settings::start_seconds>},
    {.verbs = Rendering,
     .group = Group::Time,
     .name = "end",
     .metavar = "TIME",
     .accepts = TimeAccepts,
     .help = "Stop at this time of the input",
     .apply = set_time<&Settings::end_seconds>},
    {.verbs = Rendering,
     .group = Group::Time,
     .name = "length",
     .metavar = "TIME",
     .accepts = TimeAccepts,
     .help = "Stop after this much of the input",
     .apply = set_time<&Settings::length_seconds>},
    {.verbs = Rendering,
     .group = Group::Time,
     .name = "frames",
     .metavar = "N",
     .accepts = "a number of frames from 1 to 2147483647",
     .help = "Stop after this many frames",
     .apply = set_integer<&Settings::frames, 1, 2147483647>},
    {.verbs = Rendering,
     .group = Group::Time,
     .name = "stability",
     .metavar = "0..1",
     .accepts = ShareAccepts,
     .default_text = "0.5",
     .help =
         "How much better another glyph must be to take a cell's place in the next frame, against flicker; "
         "with 0 every frame stands alone",
     .apply = set_share<&Settings::stability>},
    {.verbs = Play,
     .group = Group::Time,
     .name = "loop-file",
     .help = "Play each input again and again",
     .apply = set_flag<&Settings::loop_file>},
    {.verbs = Play,
     .group = Group::Time,
     .name = "speed",
     .metavar = "0.25..4",
     .accepts = "a number from 0.25 to 4",
     .default_text = "1",
     .help = "Play faster or slower, the sound at the same pitch",
     .apply = set_number<&Settings::speed, Speeds>},
    {.verbs = Play,
     .group = Group::Time,
     .name = "untimed",
     .help = "Show every frame as soon as it is decoded, for measuring",
     .apply = set_flag<&Settings::untimed>},

    {.verbs = Play | Record,
     .group = Group::Sound,
     .name = "audio",
     .choices = Audios,
     .default_text = "auto",
     .help = "Play the input's sound, or carry it into the recording; auto: where it has any",
     .apply = set_audio},
    {.verbs = Play | Record,
     .group = Group::Sound,
     .name = "aid",
     .metavar = "N",
     .accepts = "a track's number from 0 to 999",
     .default_text = "0",
     .help = "Sound track to take, counted from 1; 0 takes the best one",
     .apply = set_integer<&Settings::audio_track, 0, 999>},
    {.verbs = Play,
     .group = Group::Sound,
     .name = "volume",
     .metavar = "0..130",
     .accepts = "a number of percent from 0 to 130",
     .default_text = "100",
     .help = "Loudness as people hear it, in percent; over 100 louder than the input",
     .apply = set_number<&Settings::volume, Volumes>},
    {.verbs = Play,
     .group = Group::Sound,
     .name = "mute",
     .help = "Start without sound, but for the m key",
     .apply = set_flag<&Settings::muted>},
    {.verbs = Play,
     .group = Group::Sound,
     .name = "audio-delay",
     .metavar = "SECONDS",
     .accepts = "a number of seconds from -100 to 100",
     .default_text = "0",
     .help = "Sound so much later than the picture; below 0: earlier",
     .apply = set_number<&Settings::audio_delay, Delays>},

    {.verbs = Play,
     .group = Group::Sound,
     .name = "sid",
     .metavar = "N|no",
     .accepts = "a track's number from 1 to 999, or no",
     .help = "Subtitle track to show, counted from 1, the files beside the input after its own; no shows none; absent: "
             "what the input suggests",
     .apply = set_subtitle_track},
    {.verbs = Play,
     .group = Group::Sound,
     .name = "sub-file",
     .metavar = "FILE",
     .accepts = "the name of a subtitle file",
     .help = "Show these subtitles: SubRip, ASS, WebVTT and others that FFmpeg reads",
     .completion = Completion::Files,
     .apply = set_text<&Settings::subtitle_file>},
    {.verbs = Play,
     .group = Group::Sound,
     .name = "sub-delay",
     .metavar = "SECONDS",
     .accepts = "a number of seconds from -100 to 100",
     .default_text = "0",
     .help = "Subtitles so much later; below 0: earlier",
     .apply = set_number<&Settings::subtitle_delay, Delays>},

    {.verbs = Play,
     .group = Group::Window,
     .name = "fs",
     .help = "Start in fullscreen",
     .apply = set_flag<&Settings::fullscreen>},
    {.verbs = Play,
     .group = Group::Window,
     .name = "geometry",
     .metavar = "WxH[+X+Y]",
     .accepts = "WxH or WxH+X+Y in pixels, such as 1280x720+40+40",
     .help = "Size and place of the window in pixels; absent: as large as the picture, where the screen "
             "has room",
     .apply = set_geometry},
    {.verbs = Play,
     .group = Group::Window,
     .name = "osd-level",
     .metavar = "0..3",
     .accepts = "a level from 0 to 3",
     .default_text = "1",
     .help = "Text over the picture: 0 only what is asked for, 1 messages and progress, 2 the time too, 3 time and "
             "duration always",
     .apply = set_integer<&Settings::osd_level, 0, 3>},
    {.verbs = Play,
     .group = Group::Window,
     .name = "vsync",
     .choices = Vsyncs,
     .default_text = "fifo",
     .help = "Vulkan's present mode: fifo waits for the screen, mailbox shows the newest picture, "
             "immediate may tear",
     .apply = choose<&Settings::vsync, Vsyncs>},

    {.verbs = Record | Info,
     .group = Group::Recording,
     .name = "output",
     .alias = 'o',
     .metavar = "FILE",
     .accepts = "a file name that ends in .mp4, .mkv, .mov, .webm or .txt",
     .help = "File to write (info: a PNG picture of --charset); its ending picks the form: .mp4, .mkv, .mov, "
             ".webm, or .txt: a line a row, a form feed "
             "after each frame",
     .completion = Completion::Files,
     .apply = set_text<&Settings::output>},
    {.verbs = Play | Record,
     .group = Group::Recording,
     .name = "codec",
     .metavar = "NAME",
     .accepts = "the name of an FFmpeg encoder, such as libx264",
     .help = "FFmpeg's video encoder; absent: libx264, and libvpx-vp9 for .webm",
     .apply = set_text<&Settings::codec>},
    {.verbs = Play | Record,
     .group = Group::Recording,
     .name = "crf",
     .metavar = "N",
     .accepts = "a number from 0 (best) to 63",
     .help = "Constant quality, 0 (best) to 63; what a number means is the encoder's own",
     .apply = set_integer<&Settings::crf, 0, 63>},
    {.verbs = Play | Record,
     .group = Group::Recording,
     .name = "bitrate",
     .metavar = "RATE",
     .accepts = "bits per second from 1k to 1000M, such as 800k or 2.5M",
     .help = "Video bits per second instead of constant quality, such as 800k or 2.5M",
     .apply = set_bitrate},
    {.verbs = Record | Info,
     .group = Group::Recording,
     .name = "force",
     .help = "Overwrite the output if it exists",
     .apply = set_flag<&Settings::overwrite>},

    {.verbs = Compare,
     .group = Group::Comparing,
     .name = "report",
     .metavar = "DIR",
     .accepts = "a directory's name",
     .help = "Write a report into this directory: pictures side by side, their differences, and times",
     .completion = Completion::Directories,
     .apply = set_text<&Settings::report_directory>},

    {.verbs = Compare | Info,
     .group = Group::Other,
     .name = "json",
     .help = "Print the result as one JSON object instead of a table",
     .apply = set_flag<&Settings::json>},
    {.verbs = Rendering,
     .group = Group::Other,
     .name = "stats",
     .metavar = "FILE.json",
     .accepts = "a file name",
     .help = "Write what was done, and how long each stage took, into this file as JSON",
     .completion = Completion::Files,
     .apply = set_text<&Settings::stats_file>},
    {.verbs = All,
     .group = Group::Other,
     .name = "quiet",
     .help = "Say nothing but errors",
     .apply = set_verbosity<log::Verbosity::Quiet>},
    {.verbs = All,
     .group = Group::Other,
     .name = "verbose",
     .help = "Say what each part decides, and why",
     .apply = set_verbosity<log::Verbosity::Verbose>},
    {.verbs = All,
     .group = Group::Other,
     .name = "log-file",
     .metavar = "FILE",
     .accepts = "a file name",
     .help = "Write the messages into this file as well",
     .completion = Completion::Files,
     .apply = set_text<&Settings::log_file>},
    {.verbs = All,
     .group = Group::Other,
     .name = "config",
     .metavar = "FILE",
     .accepts = "a file name",
     .help = "Read options from this file instead of ~/.config/glyphreel/config.toml",
     .completion = Completion::Files,
     .apply = set_text<&Settings::config_file>},
    {.verbs = All,
     .group = Group::Other,
     .name = "profile",
     .metavar = "NAME[,NAME...]",
     .accepts = "the name of a profile, a table of config.toml",
     .help = "Take the options of this profile, a table of config.toml",
     .apply = set_text<&Settings::profile>},
    {.verbs = All,
     .group = Group::Other,
     .name = "no-config",
     .help = "Read neither config.toml nor input.conf",
     .apply = set_flag<&Settings::ignores_config>},
    {.verbs = All, .group = Group::Other, .name = "version", .help = "Print the version and leave"},
    {.verbs = All, .group = Group::Other, .name = "help", .alias = 'h', .help = "Print this text and leave"},
});

constexpr auto Verbs = std::to_array<VerbSpec>({
    {.verb = Verb::Play,
     .name = "play",
     .usage = "[play] [OPTION...] [INPUT...]",
     .summary = "play inputs one after the other; with none, the demo clip",
     .min_inputs = 0,
     .max_inputs = -1},
    {.verb = Verb::Record,
     .name = "record",
     .usage = "record [OPTION...] INPUT -o FILE",
     .summary = "write the text picture, with the input's sound, into a video file",
     .min_inputs = 1,
     .max_inputs = 1},
    {.verb = Verb::Compare,
     .name = "compare",
     .usage = "compare [OPTION...] INPUT",
     .summary = "render with the GPU and with the CPU and tell whether and how they differ",
     .min_inputs = 1,
     .max_inputs = 1},
    {.verb = Verb::Info,
     .name = "info",
     .usage = "info [OPTION...] [INPUT]",
     .summary = "list devices, codecs and charsets, an input's streams, or --charset's glyphs",
     .min_inputs = 0,
     .max_inputs = 1},
});

constexpr std::array<string_view, GroupCount> GroupTitles{
    "Engine", "Grid", "Glyphs", "Colour", "Time", "Sound and subtitles", "Window", "Recording", "Comparing", "Other"};

}  // namespace

string_view group_title(Group group) {
  return GroupTitles[static_cast<std::size_t>(group)];
}

std::span<const OptionSpec> option_table() {
  return Options;
}

const OptionSpec* find_option(string_view name) {
  const auto found = std::find_if(Options.begin(), Options.end(),
                                  [&](const OptionSpec& option) { return option.name == name; });
  return found == Options.end() ? nullptr : &*found;
}

std::string value_placeholder(const OptionSpec& option) {
  if (option.choices.empty()) return std::string(option.metavar);
  std::string text;
  for (const string_view choice : option.choices) {
    if (!text.empty()) text += '|';
    text += choice;
  }
  return text;
}

std::string accepted_values(const OptionSpec& option) {
  if (option.choices.empty()) return std::string(option.accepts);
  std::string text;
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    if (i > 0) text += i + 1 == option.choices.size() ? " or " : ", ";
    text += option.choices[i];
  }
  return text;
}

string_view mode_name(Mode mode) {
  return Modes[static_cast<std::size_t>(mode)];
}

string_view color_name(ColorChoice color) {
  return Colors[static_cast<std::size_t>(color)];
}

std::span<const VerbSpec> verb_table() {
  return Verbs;
}

const VerbSpec& verb_spec(Verb verb) {
  const auto found =
      std::find_if(Verbs.begin(), Verbs.end(), [&](const VerbSpec& spec) { return spec.verb == verb; });
  CHECK(found != Verbs.end(), "a verb has no entry in the table");
  return *found;
}

const VerbSpec* find_verb(string_view name) {
  const auto found =
      std::find_if(Verbs.begin(), Verbs.end(), [&](const VerbSpec& spec) { return spec.name == name; });
  return found == Verbs.end() ? nullptr : &*found;
}

}  // namespace glyphreel::cli
