#include <array>

#include "cli/options/option_groups.h"
#include "cli/options/option_setters.h"

namespace glyphreel::cli {
namespace {

using std::string_view;

constexpr string_view ColorAccepts =
    "RRGGBB or #RRGGBB in hexadecimal, or a basic CSS color name such as lime";

/// Returns an option that adjusts the video's colors. The range is the same as in mpv; 0 changes nothing.
template <auto Field>
constexpr OptionSpec adjustment(string_view name, string_view help) {
  return {.verbs = Rendering,
          .name = name,
          .metavar = "N",
          .accepts = "a whole number from -100 to 100",
          .default_text = "0",
          .help = help,
          .apply = parsed<Field, parse_signed_integer, -100, 100>};
}

/// Returns an option, such as --glow, that changes the brightness of drawn pixels.
template <auto Field>
constexpr OptionSpec light(string_view name, string_view help) {
  return {.verbs = Rendering,
          .name = name,
          .metavar = "N",
          .accepts = "a whole number from 0 to 100",
          .default_text = "0",
          .help = help,
          .apply = parsed<Field, parse_integer, 0, 100>};
}

#define MODE_HELP(Name, number, name, help) name " " help ", "
constexpr string_view without_last_comma(string_view list) {
  return list.substr(0, list.size() - 2);
}

constexpr auto EngineOptions = std::to_array<OptionSpec>({
    choice<&EngineSettings::renderer, Renderers>(
        Play | Recording | Bench, "renderer", "auto",
        "What renders frames as text: a Vulkan device or the CPU, with identical results; auto uses a "
        "GPU if there is one, and the CPU if Vulkan is missing or runs in software"),
    {.verbs = Rendering,
     .name = "device",
     .metavar = "N|NAME",
     .accepts = "a Vulkan device's number or part of its name, as 'glyphreel info' lists them",
     .help = "Vulkan device, by number or part of its name; by default the fastest one",
     .apply = set_text<&EngineSettings::device>},
    choice<&EngineSettings::hwdec, HwDecodeChoices>(
        Rendering, "hwdec", "auto",
        "Hardware video decoder; auto uses the fastest one if a GPU renders, and the CPU otherwise; if a "
        "decoder fails, decoding continues with the next one, and finally on the CPU; a decoder chosen by "
        "name also works with the CPU renderer"),
    {.verbs = Rendering,
     .name = "threads",
     .metavar = "N",
     .accepts = "a number of threads from 0 to 1024",
     .default_text = "0",
     .help = "CPU threads for decoding, the CPU renderer and encoding; 0 means one per CPU",
     .apply = parsed<&EngineSettings::threads, parse_integer, 0, 1024>},
});

constexpr auto GridOptions = std::to_array<OptionSpec>({
    {.verbs = Rendering,
     .name = "grid",
     .metavar = "COLSxROWS|auto",
     .accepts = "COLSxROWS, each from 1 to 4096, or auto",
     .default_text = "auto",
     .help = "Columns and rows of cells; auto picks a grid that fits the picture or the window",
     .apply = set_grid},
    {.verbs = All,
     .name = "cell",
     .metavar = "WxH",
     .accepts = "WxH in pixels, each from 1 to 255",
     .default_text = "8x16",
     .help = "Size of a cell in pixels; the font is drawn as large as the cell allows",
     .apply = set_cell},
    {.verbs = All,
     .name = "font",
     .metavar = "FILE|NAME",
     .accepts = "a font file or the name of an installed font",
     .default_text = "DejaVu Sans Mono",
     .help = "Font for the glyphs: a file, or a name that fontconfig finds; missing characters come from "
             "other installed fonts",
     .apply = set_text<&LayoutSettings::font>},
    {.verbs = Recording | Compare,
     .name = "size",
     .metavar = "WxH",
     .accepts = "WxH in pixels, each from 1 to 16384",
     .help = "Exact size of the output in pixels; --bg fills the area that the cells leave free; by default "
             "about the input's size, rounded to whole cells, with at least 160 columns",
     .apply = parsed<&LayoutSettings::size, parse_extent, 1, 16384>},
    choice<&LayoutSettings::fit, Fits>(
        Rendering, "fit", "contain",
        "How to fit a video into a grid with a different aspect ratio: with borders (contain), "
        "cropped (cover), or stretched"),
    {.verbs = Rendering,
     .name = "aspect",
     .metavar = "W:H|no",
     .accepts = "W:H such as 16:9, a number such as 1.85, or 'no'",
     .default_text = "no",
     .help = "Aspect ratio in which to show the video, instead of the input's",
     .apply = set_aspect},
});

constexpr auto GlyphOptions = std::to_array<OptionSpec>({
    {.verbs = All,
     .name = "charset",
     .metavar = "NAME|STRING|@FILE",
     .accepts = "a character set's name, the characters themselves in UTF-8, or @ and the name of a file "
                "that contains them",
     .default_text = "ascii",
     .help = "Characters to draw with: a set that 'glyphreel info' lists, several sets joined by + "
             "(ascii+braille), the characters themselves, or a file that contains them; a value of only "
             "lower-case letters and hyphens is a set's name, and a leading @@ means the character @; in a "
             "terminal with two colors per cell, the default is blocks",
     .apply = set_charset},
    choice<&GlyphSettings::mode, ModeNames>(
        Rendering, "mode", mode_name(Mode::Shape),
        without_last_comma("How to choose a cell's glyph: " FOR_EACH_MODE(MODE_HELP))),
    {.verbs = Rendering,
     .name = "ramp",
     .metavar = "STRING",
     .accepts = "2 to 256 characters in UTF-8, from dark to bright",
     .help = "Characters from dark to bright; implies --mode ramp; by default the characters of --charset in "
             "order of measured glyph coverage",
     .apply = set_ramp},
    {.verbs = Rendering,
     .name = "thresholds",
     .metavar = "LIST",
     .accepts = "increasing brightness values from 1 to 255, separated by commas, such as 52,103,154,215",
     .help = "Lowest brightness for which each character of --ramp, except the first, is used: N-1 "
             "values for a ramp of N characters; by default computed from measured glyph coverage",
     .apply = parsed<&GlyphSettings::thresholds, parse_thresholds>},
    choice<&GlyphSettings::sample, Samples>(
        Rendering, "sample", "area",
        "Source color of a cell in --mode ramp: 'area' is the mean of the cell's pixels, 'corner' is the "
        "pixel at the cell's upper left corner"),
    choice<&GlyphSettings::luma, Lumas>(
        Rendering, "luma", "auto",
        "Weights of red, green and blue for brightness: BT.601 or BT.709; auto follows the input"),
});

constexpr auto ColorOptions = std::to_array<OptionSpec>({
    choice<&PictureSettings::color, Colors>(
        Rendering, "color", "full",
        "Colors of a cell: mono uses --fg and --bg, fg takes the glyph color from the picture and the "
        "background from --bg, full takes both colors from the picture, ansi16 and ansi256 choose both "
        "from a terminal's 16 or 256 colors; recording to .txt, which has no colors, implies mono unless "
        "the command line has this option"),
    {.verbs = Rendering,
     .name = "fg",
     .metavar = "COLOR",
     .accepts = ColorAccepts,
     .default_text = "#FFFFFF",
     .help = "Glyph color with --color mono: #RRGGBB or one of CSS's 16 basic names",
     .apply = parsed<&PictureSettings::foreground, parse_color>},
    {.verbs = Rendering,
     .name = "bg",
     .metavar = "COLOR",
     .accepts = ColorAccepts,
     .default_text = "#000000",
     .help = "Background color with --color mono or --color fg: #RRGGBB or one of CSS's 16 basic names",
     .apply = parsed<&PictureSettings::background, parse_color>},
    {.verbs = Rendering,
     .name = "palette",
     .metavar = "NAME|FILE|auto:N",
     .accepts =
         "a palette's name (glyphreel info lists them), auto:N for N colors of the input, or a file of at "
         "most 256 colors: a GIMP palette (.gpl), or one #RRGGBB per line",
     .help = "Palette for --color fg or --color full: vga, cga, c64, zx-spectrum, gameboy, pico8, solarized, "
             "nord, phosphor, auto:N for N colors of the first input, or a file of at most 256 colors: a "
             "GIMP palette (.gpl), or one #RRGGBB per line",
     .apply = set_text<&PictureSettings::palette_file>},
    choice<&PictureSettings::reverse, Reverses>(
        Rendering, "reverse", "no",
        "Whether a cell of --color mono may swap its two colors if the result is closer to the video"),
    flag<&PictureSettings::inverted>(Rendering, "invert", "Show the picture's negative"),
    adjustment<&PictureSettings::brightness>("brightness",
                                             "Make the picture brighter or darker, -100 to 100"),
    adjustment<&PictureSettings::contrast>("contrast", "Increase or reduce the contrast, -100 to 100"),
    adjustment<&PictureSettings::gamma>("gamma", "Make the midtones brighter or darker, -100 to 100"),
    adjustment<&PictureSettings::saturation>("saturation",
                                             "Make the colors stronger or weaker, -100 (gray) to 100"),
    choice<&PictureSettings::tone_mapping, ToneMappings>(
        Rendering, "tone-mapping", "auto",
        "Curve that maps the brightness of HDR (PQ and HLG) to the "
        "range of SDR; the names are mpv's; 'auto' means 'spline'"),
    {.verbs = Rendering,
     .name = "auto-levels",
     .choices = YesNo,
     .bare_value = "yes",
     .default_text = "yes",
     .help =
         "With --color mono or --color fg, map the brightest part of the picture to the brightest glyph, and "
         "raise the contrast of bright areas such as clouds",
     .apply = set_on<&PictureSettings::auto_levels, YesNo>},
    choice<&PictureSettings::dither, Dithers>(
        Rendering, "dither", "none",
        "Dithering, which hides banding in --mode ramp and in palettes: none, a regular pattern (bayer) or "
        "fine noise (blue)"),
    {.verbs = Rendering,
     .name = "legibility",
     .metavar = "0..1",
     .accepts = "auto or a number from 0 to 1",
     .default_text = "auto",
     .help = "Minimum contrast between glyphs and their background: 0 means none and 1 means strong; 'auto' "
             "means 0 with blocks, braille, wide characters or a palette, and 0.163 with letters",
     .apply =
         [](Settings& settings, std::string_view value) {
           if (value != "auto")
             return parsed<&PictureSettings::legibility, parse_number, 0, 1>(settings, value);
           settings.picture.legibility.reset();
           return true;
         }},
    {.verbs = Rendering,
     .name = "look",
     .choices = LookNames,
     .default_text = "none",
     .help = "Named set of options; options on the command line override those of the set; "
             "'glyphreel info' lists the looks, and the E key cycles through them",
     .apply =
         [](Settings& settings, std::string_view value) {
           settings.look = value;
           return std::ranges::find(LookNames, value) != LookNames.end();
         }},
    choice<&PictureSettings::effect, Effects>(
        Rendering, "effect", "none",
        "Animated effect on the cells: rain lets drops of light fall down the columns, tube imitates a "
        "cathode-ray screen, glitch shifts rows sideways in bursts, ripple sends rings outward from the "
        "center; the e key cycles through the effects"),
    {.verbs = Rendering,
     .name = "wipe",
     .metavar = "0..1",
     .accepts = "a fraction of the width from 0 to 1, or a percentage such as 50%",
     .help = "Show the source video instead of glyphs in the left part of the picture; the value is this "
             "part's share of the width. In a window, the w key turns it on and off, and the mouse moves the "
             "edge",
     .apply = parsed<&WindowSettings::wipe, parse_share>},
    light<&PictureSettings::glow>("glow",
                                  "Let bright glyphs shine on the pixels around them, 0 (off) to 100"),
    light<&PictureSettings::scanlines>(
        "scanlines", "Darken the gaps between the lines, as on a cathode-ray screen, 0 (off) to 100"),
});

constexpr std::array<OptionGroup, 4> PictureGroups{
    {{"Engine", EngineOptions}, {"Grid", GridOptions}, {"Glyphs", GlyphOptions}, {"Color", ColorOptions}}};

}  // namespace

std::span<const OptionGroup> picture_options() {
  return PictureGroups;
}

}  // namespace glyphreel::cli
