"""The combinations of options that the parity matrix runs: every mode with every color, dither, stability and charset.
Every other option that affects cells is a `Variation`, which is combined with only some of these options.

These combinations are left out because they would repeat another one, or because the program refuses them:
- Only ramps and palettes use the thresholds of `--dither`. Shape and edge mode without a palette ignore `--dither`,
  except that `--legibility` fills flat cells with a ramp: the variation legibility-dithered tests that.
- `--reverse` works only with `--color mono`, and palettes work only with other colors. The program refuses `--reverse`
  with other colors, and a palette with `--color mono`.
- Full color and palettes never use auto levels; `--sample corner` and `--thresholds` apply only to ramp.
"""

from typing import NamedTuple, Optional

# A copy of the list in shaders/shared/modes.glsl, because packaging/make_gpu_suite does not copy that file.
MODES = ("ramp", "shape", "edge")

# {palette} is replaced by the path of the palette file.
COLORS = {
    "mono": ("--color", "mono"),
    "mono-reverse": ("--color", "mono", "--reverse", "auto"),
    "fg": ("--color", "fg"),
    "full": ("--color", "full"),
    "ansi256": ("--color", "ansi256"),
    "ansi16": ("--color", "ansi16"),
    "fg-palette": ("--color", "fg", "--palette", "{palette}"),
    "full-palette": ("--color", "full", "--palette", "{palette}"),
}
PALETTED = ("ansi256", "ansi16", "fg-palette", "full-palette")

DITHERS = {"none": (), "bayer": ("--dither", "bayer"), "blue": ("--dither", "blue")}

STABILITIES = {"steady": (), "loose": ("--stability", "0")}

# Every named charset, a combination of two, and a literal string.
CHARSETS = {name: name for name in (
    "ascii", "ascii-ramp", "latin", "digits", "letters", "half", "quadrants", "sextants", "octants", "blocks", "box",
    "braille", "symbols", "kana", "cjk", "font", "ascii+cjk")} | {"string": " .:oO8@#/\\|-_é█"}

# Twelve unevenly distributed colors; the closest two differ by one code value.
PALETTE = """\
#000000
#1A1C2C
#1A1C2D
#5D275D
#B13E53
#EF7D57
#FFCD75
#38B764
#257179
#3B5DC9
#94B0C2
#FFFFFF
"""

# By default, a variation is combined with these (color, dither) pairs in every mode.
BASE = (("mono", "none"), ("mono-reverse", "none"), ("fg", "none"), ("full", "none"), ("ansi256", "bayer"))

LEVELED = ("mono", "mono-reverse", "fg")


class Variation(NamedTuple):
    """`options` are tested only with the charsets, the modes and the (color, dither) pairs (`base`) listed here."""

    options: tuple = ()
    charsets: tuple = ("ascii",)
    modes: tuple = MODES
    base: tuple = BASE
    clip: Optional[str] = None         # a name in clips.CLIPS
    grid: Optional[tuple] = None       # (columns, rows) instead of --grid
    cell: str = "8x16"
    environment: tuple = ()            # (name, value) pairs


def of_colors(*names):
    return tuple((color, dither) for color, dither in BASE if color in names)


WIDE = ("ascii", "cjk", "ascii+cjk")
ALL_AT_ONCE = ("--brightness", "-10", "--contrast", "20", "--gamma", "15", "--saturation", "35", "--invert")
CLASSIC = ("--ramp", " 1728", "--thresholds", "52,103,154,215")
DITHERED = (("mono", "blue"), ("fg", "bayer"), ("full", "bayer"), ("full", "blue"), ("full-palette", "blue"))

VARIATIONS = {
    "brightness+30": Variation(("--brightness", "30")),
    "brightness-25": Variation(("--brightness", "-25")),
    "contrast+60": Variation(("--contrast", "60")),
    "contrast-40": Variation(("--contrast", "-40")),
    "gamma+40": Variation(("--gamma", "40")),
    "gamma-70": Variation(("--gamma", "-70")),
    "saturation+100": Variation(("--saturation", "100")),
    "saturation-100": Variation(("--saturation", "-100")),
    "invert": Variation(("--invert",)),
    "wipe": Variation(("--wipe", "0.37"), WIDE),
    "all-adjustments": Variation(ALL_AT_ONCE, WIDE),
    "legibility-0.4": Variation(("--legibility", "0.4"), WIDE),
    "legibility-1": Variation(("--legibility", "1"), (*WIDE, "braille")),
    "legibility-dithered": Variation(("--legibility", "0.4"), WIDE, base=DITHERED),
    "auto-levels-no": Variation(("--auto-levels", "no"), WIDE, base=of_colors(*LEVELED)),
    "auto-levels-no-loose": Variation(("--auto-levels", "no", "--stability", "0"), WIDE, base=of_colors(*LEVELED)),
    "stability-0.25": Variation(("--stability", "0.25"), WIDE),
    "stability-1": Variation(("--stability", "1"), WIDE),
    "luma-601": Variation(("--luma", "601")),
    "luma-709": Variation(("--luma", "709")),
    "own-colors": Variation(("--fg", "#FFB000", "--bg", "#102040"), WIDE, base=of_colors("mono", "mono-reverse")),
    "dark-ink": Variation(("--fg", "black", "--bg", "white"), base=of_colors("mono", "mono-reverse")),
    "own-background": Variation(("--bg", "#102040"), WIDE, base=of_colors("fg")),
    "corner": Variation(("--sample", "corner"), WIDE, modes=("ramp",)),
    "thresholds": Variation(CLASSIC, modes=("ramp",)),
    "classic": Variation((*CLASSIC, "--sample", "corner", "--luma", "601"), modes=("ramp",)),
    "ramp-dithered": Variation(("--ramp", " .oO@#", "--dither", "blue"), modes=("ramp",)),
    "light": Variation(("--glow", "70", "--scanlines", "45"), WIDE),
    "light-7x13": Variation(("--glow", "100"), cell="7x13"),
    # 51 is odd, so the last column has no wide characters.
    "cover": Variation(("--fit", "cover"), WIDE, grid=(51, 23)),
    "stretch": Variation(("--fit", "stretch"), WIDE, grid=(51, 23)),
    "borders": Variation(("--fit", "contain"), WIDE, grid=(51, 23)),
    "cell-7x13": Variation(cell="7x13"),
    "cell-5x11": Variation(cell="5x11", charsets=WIDE),
    "cell-8x8": Variation(cell="8x8"),
    "cell-16x32": Variation(cell="16x32", charsets=WIDE),
    "cell-2x3": Variation(cell="2x3"),  # too few pixels for the usual 4 x 8 samples
    "cell-1x1": Variation(cell="1x1"),
    "10-bit": Variation(clip="10-bit"),
    "pq": Variation(clip="pq", charsets=WIDE),
    "hlg": Variation(clip="hlg"),
    "pq-bt.2446a": Variation(("--tone-mapping", "bt.2446a"), clip="pq"),
    "444": Variation(clip="444"),
    "rgb": Variation(clip="rgb"),
    "turned-90": Variation(clip="turned-90", charsets=WIDE),
    "turned-180": Variation(clip="turned-180"),
    "turned-270": Variation(clip="turned-270"),
    # Slower CPU kernels: by default, the program uses the fastest kernels that the CPU supports.
    "cpu-baseline": Variation(environment=(("GLYPHREEL_ISA", "baseline"),), charsets=WIDE),
    "cpu-avx2": Variation(environment=(("GLYPHREEL_ISA", "avx2"),), charsets=WIDE),
}


class Combination(NamedTuple):
    name: str                  # MODE/COLOR/DITHER/STABILITY/CHARSET, then /with-VARIATION if there is one
    mode: str
    options: tuple
    clip: Optional[str]
    grid: Optional[tuple]
    environment: tuple


def combined(mode, color, dither, stability, charset, variation_name=None):
    variation = VARIATIONS[variation_name] if variation_name else Variation()
    options = ["--cell", variation.cell, "--mode", mode, *COLORS[color], *DITHERS[dither], *STABILITIES[stability]]
    if "--ramp" not in variation.options:
        options += ["--charset", CHARSETS[charset]]
    parts = [mode, color, dither, stability, charset, *([f"with-{variation_name}"] if variation_name else [])]
    return Combination("/".join(parts), mode, (*options, *variation.options), variation.clip, variation.grid,
                       variation.environment)


def matters(mode, color, dither):
    """Whether to test this dither: it is "none", or it has an effect in this mode and color."""
    return dither == "none" or mode == "ramp" or color in PALETTED


def combinations():
    """Returns all combinations, with unique names: the full product, then the variations."""
    product = [combined(mode, color, dither, stability, charset)
               for charset in CHARSETS for mode in MODES for color in COLORS for dither in DITHERS
               if matters(mode, color, dither) for stability in STABILITIES]
    varied = [combined(mode, color, dither, "steady", charset, name)
              for name, variation in VARIATIONS.items() for charset in variation.charsets
              for mode in variation.modes for color, dither in variation.base]
    return product + varied
