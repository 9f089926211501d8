#include <array>
#include <string>

#include <fmt/format.h>

#include "cli/options/option_groups.h"
#include "cli/options/option_setters.h"

namespace glyphreel::cli {
namespace {

using std::string_view;

/// Returns an option whose value is a position in the input.
template <auto Field>
constexpr OptionSpec position_option(string_view name, string_view help) {
  return {.verbs = Rendering,
          .name = name,
          .metavar = "TIME",
          .accepts = "seconds, [HH:]MM:SS.mmm, -TIME before the end, N% of the duration or #CHAPTER",
          .help = help,
          .apply = parsed<Field, parse_position>};
}

/// Returns an option that scales the size of text.
template <auto Field>
constexpr OptionSpec scale_option(string_view name, string_view help) {
  return {.verbs = Play,
          .name = name,
          .metavar = "0..100",
          .accepts = "a number from 0 to 100",
          .default_text = "1",
          .help = help,
          .apply = parsed<Field, parse_number, 0, 100>};
}

constexpr auto TimeOptions = std::to_array<OptionSpec>({
    position_option<&PlaybackSettings::start>(
        "start",
        "Start at this time of the input: seconds or [HH:]MM:SS.mmm; -TIME counts from the end; 50% is "
        "the middle of the input, and #3 the beginning of the third chapter"),
    position_option<&PlaybackSettings::end>("end", "Stop at this time of the input, written as for --start"),
    {.verbs = Rendering,
     .name = "length",
     .metavar = "TIME",
     .accepts = "seconds or [HH:]MM:SS.mmm",
     .help = "Stop after this much time of the input",
     .apply = parsed<&PlaybackSettings::length_seconds, parse_time>},
    {.verbs = Rendering,
     .name = "frames",
     .metavar = "N",
     .accepts = "a number of frames from 1 to 2147483647",
     .help = "Stop after this many frames",
     .apply = parsed<&PlaybackSettings::frames, parse_integer, 1, 2147483647>},
    {.verbs = Rendering,
     .name = "stability",
     .metavar = "0..1",
     .accepts = ShareAccepts,
     .default_text = "0.5",
     .help = "Flicker reduction: how much better a new glyph must match before it replaces the glyph that a "
             "cell had in the previous frame; with 0, every frame is independent",
     .apply = parsed<&PictureSettings::stability, parse_number, 0, 1>},
    {.verbs = Rendering,
     .name = "deinterlace",
     .choices = AutoNo,
     .default_text = "auto",
     .help = "'auto' applies FFmpeg's bwdif filter to frames that are flagged as interlaced, and decodes "
             "interlaced videos on the CPU",
     .apply = set_on<&PlaybackSettings::deinterlace, AutoNo>},
    {.verbs = Play,
     .name = "loop-file",
     .metavar = "N|inf|no",
     .bare_value = "inf",
     .accepts = "a number of repetitions from 1 to 9999, 'inf' or 'no'",
     .default_text = "no",
     .help = "Repeat each input this many times; inf, or the option without a value, repeats it forever",
     .apply = set_repeats},
    flag<&PlaybackSettings::paused>(Play, "pause", "Start paused"),
    {.verbs = Play,
     .name = "keep-open",
     .choices = KeepOpens,
     .bare_value = "yes",
     .default_text = "no",
     .help = "Pause on the last frame: 'yes' pauses at the end of the last input, 'always' at the end of "
             "every input",
     .apply = choose<&PlaybackSettings::keep_open, KeepOpens>},
    flag<&PlaybackSettings::shuffled>(Play, "shuffle", "Play the inputs in random order"),
    flag<&PlaybackSettings::save_position>(
        Play, "save-position",
        "Save the position of a file when playback is quit, except near its start and end, and resume "
        "there when it is played again "
        "without --start, --end and --length; 'glyphreel info --recent' lists these files"),
    {.verbs = Play,
     .name = "speed",
     .metavar = "0.25..4",
     .accepts = "a number from 0.25 to 4",
     .default_text = "1",
     .help = "Playback speed; the sound keeps its pitch",
     .apply = parsed<&PlaybackSettings::speed, parse_speed>},
    flag<&PlaybackSettings::untimed>(Play, "untimed",
                                     "Show every frame as soon as it is decoded, for benchmarks"),
});

constexpr auto SoundOptions = std::to_array<OptionSpec>({
    {.verbs = Play | Recording,
     .name = "audio",
     .choices = AutoNo,
     .default_text = "auto",
     .help = "Whether to play or record sound; 'auto' means yes if the input has sound",
     .apply = set_on<&AudioSettings::enabled, AutoNo>},
    {.verbs = Play | Recording,
     .name = "aid",
     .metavar = "N|auto|no",
     .accepts = "'auto', 'no', or a track's number from 1 to 999",
     .default_text = "auto",
     .help = "Sound track, counted from 1; 'auto' selects the best one in the languages of --alang. "
             "With 'auto', a recording keeps all tracks; with a number, it keeps only that track",
     .apply = set_audio_track},
    {.verbs = Play | Recording,
     .name = "alang",
     .metavar = "LANG[,LANG...]",
     .accepts = "language codes separated by commas, such as ja,en",
     .help = "Languages of the sound track to select, the preferred one first",
     .apply = parsed<&AudioSettings::languages, parse_words>},
    {.verbs = Play,
     .name = "audio-device",
     .metavar = "NAME|auto",
     .accepts = "a sound device's name, as 'pactl list short sinks' lists them, or auto",
     .default_text = "auto",
     .help = "Sound device, by the name that 'pactl list short sinks' lists; 'auto' uses the desktop's "
             "default device",
     .apply = set_audio_device},
    {.verbs = Play,
     .name = "volume",
     .metavar = "0..130",
     .accepts = "a percentage from 0 to 130",
     .default_text = "100",
     .help = "Perceived loudness in percent; above 100 is louder than the input",
     .apply = parsed<&AudioSettings::volume, parse_signed_number, 0, 130>},
    flag<&AudioSettings::muted>(Play, "mute", "Start muted; the m key turns the sound on"),
    {.verbs = Play,
     .name = "audio-delay",
     .metavar = "SECONDS",
     .accepts = "a number of seconds from -100 to 100",
     .default_text = "0",
     .help = "Delay of the sound relative to the video; a negative value plays the sound earlier",
     .apply = parsed<&AudioSettings::delay, parse_signed_number, -100, 100>},
    {.verbs = Play | Recording,
     .name = "sid",
     .metavar = "N|auto|no",
     .accepts = "'auto', 'no', or a track's number from 1 to 999",
     .default_text = "auto",
     .help = "Subtitle track to show, counted from 1: the input's own tracks, then the subtitle files next "
             "to the input. 'no' shows no subtitles; 'auto' shows a track in the languages of --slang, "
             "else a subtitle file next to the input, else the input's forced or default track. With "
             "'auto', a recording keeps all of the input's own tracks; with a number, it keeps only that "
             "track",
     .apply = set_subtitle_track},
    {.verbs = Play,
     .name = "slang",
     .metavar = "LANG[,LANG...]",
     .accepts = "language codes separated by commas, such as en,de",
     .help = "Languages of the subtitles to select, the preferred one first",
     .apply = parsed<&SubtitleSettings::languages, parse_words>},
    {.verbs = Play,
     .name = "sub-file",
     .metavar = "FILE",
     .accepts = "a subtitle file name",
     .help = "Show the subtitles of this file: SubRip, ASS, WebVTT and other formats that FFmpeg reads",
     .apply = set_text<&SubtitleSettings::file>},
    {.verbs = Play,
     .name = "sub-delay",
     .metavar = "SECONDS",
     .accepts = "a number of seconds from -100 to 100",
     .default_text = "0",
     .help = "Delay of the subtitles; a negative value shows them earlier",
     .apply = parsed<&SubtitleSettings::delay, parse_signed_number, -100, 100>},
    scale_option<&SubtitleSettings::scale>("sub-scale",
                                           "Scale factor for subtitles in a window and in recordings of the "
                                           "window"),
});

const std::string ScreenshotAccepts =
    fmt::format("one or more of {}, separated by commas", screenshot_names());

const auto WindowOptions = std::to_array<OptionSpec>({
    flag<&WindowSettings::place, PlayPlace::Window>(Play, "window",
                                                    "Play in a window; without a display, end with an error"),
    flag<&WindowSettings::place, PlayPlace::Terminal>(Play, "terminal",
                                                      "Play in the terminal, even if there is a display"),
    choice<&WindowSettings::terminal_graphics, GraphicsChoices>(
        Play, "terminal-graphics", "no",
        "Protocol with which the terminal shows images of the drawn glyphs; 'no' shows characters instead; "
        "'auto' uses the first of kitty and sixel that the terminal supports, and otherwise means 'no'"),
    flag<&WindowSettings::fullscreen>(Play, "fs", "Start in fullscreen"),
    {.verbs = Play,
     .name = "geometry",
     .metavar = "WxH[+X+Y]",
     .accepts = "WxH or WxH+X+Y in pixels, such as 1280x720+40+40",
     .help = "Size and position of the window in pixels; by default as large as the video if the screen has "
             "room",
     .apply = set_geometry},
    {.verbs = Play,
     .name = "screenshot-format",
     .metavar = "LIST",
     .accepts = ScreenshotAccepts,
     .default_text = "png,txt",
     .help = "Formats in which the s key saves a frame, separated by commas",
     .apply = set_screenshot_formats},
    {.verbs = Play,
     .name = "osd-level",
     .metavar = "0..3",
     .accepts = "a level from 0 to 3",
     .default_text = "1",
     .help = "On-screen text: 0 shows text only on request; 1 also shows messages and progress; 2 also shows "
             "the time permanently; 3 also the duration",
     .apply = parsed<&WindowSettings::osd_level, parse_integer, 0, 3>},
    scale_option<&WindowSettings::osd_scale>("osd-scale", "Scale factor for on-screen text in a window"),
    choice<&WindowSettings::vsync, Vsyncs>(
        Play, "vsync", "auto",
        "Vulkan present mode: 'fifo' waits for the display, 'mailbox' shows the newest frame, and "
        "'immediate' may tear; 'auto' means 'mailbox' on Wayland and 'fifo' elsewhere"),
});

const std::array<OptionGroup, 3> PlayingGroups{
    {{"Time", TimeOptions}, {"Sound and subtitles", SoundOptions}, {"Window", WindowOptions}}};

}  // namespace

std::span<const OptionGroup> playing_options() {
  return PlayingGroups;
}

}  // namespace glyphreel::cli
