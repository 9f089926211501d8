"""Measures the fidelity of a picture drawn with glyphs to its source: F and its components, CIEDE2000, flicker.

The score models an eye at a distance at which cells blend. Source and drawing are blurred in linear light with
Gaussians of three widths, and their CIE L* is compared. The cell pitch P is the cell's height in pixels; the widths are
sigma = P/2 ("1x"), P/4 ("1/2x") and P/8 ("1/4x"). Other measures are unsuitable: the error of single pixels is high for
thin strokes, which the eye blends, and plain SSIM is always high if both colors of a cell can be chosen freely.

  T = exp(-RMS L* error at 1x / 20), over all pixels of all frames of the run
  S = mean SSIM of L* at 1x, 1/2x and 1/4x
  E = mean correlation of the L* gradient fields at 1/2x and 1/4x
  F = 100 (T S E)^(1/3)

First, one exposure factor for the whole run is fitted to minimize the RMS L* error at 1x, because characters on black
are darker than the source and the eye adapts to that. The factor scales the linear light of one side:

  "source"   dims the source to match the drawing; the drawing keeps the brightness that it has on the screen
  "drawing"  brightens the drawing to match the source, which amplifies the errors of dark modes

All functions are pure. A picture is a numpy array of uint8 sRGB values with the shape (height, width, 3).
"""

import math
from typing import NamedTuple

import numpy as np

# IEC 61966-2-1: linear light to CIE XYZ under D65; the second row is the luminance of BT.709's primaries.
XYZ_FROM_RGB = np.array([[0.4124564, 0.3575761, 0.1804375],
                         [0.2126729, 0.7151522, 0.0721750],
                         [0.0193339, 0.1191920, 0.9503041]])
LUMINANCE = XYZ_FROM_RGB[1].astype(np.float32)


class Score(NamedTuple):
    """The result of score_run. F is 0..100, and T is 0..1. S and E are at most 1 and may be negative. `rms_L` is the
    RMS error of L*, and `ciede2000` is the mean CIEDE2000 difference. `exposure` is the fitted factor."""

    F: float
    T: float
    S: float
    E: float
    rms_L: float
    ciede2000: float
    exposure: float


class Blurred(NamedTuple):
    """One picture in linear light at three blur widths. `luminance`: float32 (height, width) at 1x, 1/2x and 1/4x;
    `color`: every n-th pixel at 1x, where n is a quarter of the cell pitch; float32 (height/n, width/n, 3)."""

    luminance: list
    color: np.ndarray


class Flicker(NamedTuple):
    """`still`: the number of cells whose source did not change from one frame to the next. `changed`: how many of these
    cells changed their glyph. `share`: `changed / still`."""

    share: float
    still: int
    changed: int


def linear_from_srgb(picture):
    """Converts uint8 code values to linear light, float32 0..1, by the EOTF of IEC 61966-2-1."""
    code = np.arange(256) / 255.0
    table = np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)
    return table.astype(np.float32)[picture]


def srgb_from_linear(light):
    """Clips linear light to 0..1 and converts it to uint8 code values, rounded."""
    light = np.clip(light, 0.0, 1.0)
    code = np.where(light <= 0.0031308, light * 12.92, 1.055 * np.power(light, 1 / 2.4) - 0.055)
    return np.rint(code * 255.0).astype(np.uint8)


def lightness(luminance):
    """Returns CIE L* (CIE 15:2004) of a relative luminance: 0..100, or more for luminance above 1."""
    return np.where(luminance > 216 / 24389, 116 * np.cbrt(luminance) - 16, luminance * np.float32(24389 / 27))


def lab_from_linear(light):
    """Converts linear sRGB light to CIE L*a*b* (D65, CIE 15:2004) along the last axis."""
    white = XYZ_FROM_RGB.sum(axis=1)
    relative = light.astype(np.float64) @ (XYZ_FROM_RGB / white[:, None]).T
    f = np.where(relative > 216 / 24389, np.cbrt(relative), (relative * (24389 / 27) + 16) / 116)
    x, y, z = f[..., 0], f[..., 1], f[..., 2]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def ciede2000(lab_1, lab_2):
    """Returns the CIEDE2000 difference of two L*a*b* arrays (last axis of 3), with kL = kC = kH = 1.

    Sharma, Wu, Dalal: The CIEDE2000 Color-Difference Formula, Color Research and Application 30(1), 2005. The
    numbers in comments are those of its equations.
    """
    l_1, a_1, b_1 = np.moveaxis(np.asarray(lab_1, np.float64), -1, 0)
    l_2, a_2, b_2 = np.moveaxis(np.asarray(lab_2, np.float64), -1, 0)
    seventh = ((np.hypot(a_1, b_1) + np.hypot(a_2, b_2)) / 2) ** 7
    stretch = 1.5 - 0.5 * np.sqrt(seventh / (seventh + 25.0**7))  # 1 + G of (4)
    a_1, a_2 = a_1 * stretch, a_2 * stretch  # (5)
    c_1, c_2 = np.hypot(a_1, b_1), np.hypot(a_2, b_2)  # (6)
    h_1, h_2 = np.arctan2(b_1, a_1) % (2 * np.pi), np.arctan2(b_2, a_2) % (2 * np.pi)  # (7)
    gray = c_1 * c_2 == 0
    turn = np.where(gray, 0.0, (h_2 - h_1 + np.pi) % (2 * np.pi) - np.pi)  # (10)
    # For opposite hues, the paper keeps the sign of h_2 - h_1: the difference is +180 or -180 degrees.
    turn = np.where(~gray & (np.abs(np.abs(h_2 - h_1) - np.pi) < 1e-12), h_2 - h_1, turn)
    d_l, d_c, d_h = l_2 - l_1, c_2 - c_1, 2 * np.sqrt(c_1 * c_2) * np.sin(turn / 2)  # (8), (9), (11)
    l_mean, c_mean = (l_1 + l_2) / 2, (c_1 + c_2) / 2  # (12), (13)
    h_sum = h_1 + h_2
    wrapped = np.abs(h_1 - h_2) > np.pi + 1e-12
    h_mean = np.where(wrapped, np.where(h_sum < 2 * np.pi, h_sum + 2 * np.pi, h_sum - 2 * np.pi), h_sum) / 2
    h_mean = np.where(gray, h_sum, h_mean)  # (14)
    t = (1 - 0.17 * np.cos(h_mean - np.radians(30)) + 0.24 * np.cos(2 * h_mean)
         + 0.32 * np.cos(3 * h_mean + np.radians(6)) - 0.20 * np.cos(4 * h_mean - np.radians(63)))  # (15)
    rotation = np.radians(30) * np.exp(-(((np.degrees(h_mean) - 275) / 25) ** 2))  # (16)
    seventh = c_mean**7
    r_c = 2 * np.sqrt(seventh / (seventh + 25.0**7))  # (17)
    s_l = 1 + 0.015 * (l_mean - 50) ** 2 / np.sqrt(20 + (l_mean - 50) ** 2)  # (18)
    s_c = 1 + 0.045 * c_mean  # (19)
    s_h = 1 + 0.015 * c_mean * t  # (20)
    r_t = -np.sin(2 * rotation) * r_c  # (21)
    squared = (d_l / s_l) ** 2 + (d_c / s_c) ** 2 + (d_h / s_h) ** 2 + r_t * (d_c / s_c) * (d_h / s_h)  # (22)
    return np.sqrt(np.maximum(squared, 0.0))


def area_average(field, width, height):
    """Resamples (rows, columns[, channels]) so that each output value is the mean of the input area that it covers.

    Exact for any ratio, because the means are differences of the running integral at fractional positions.
    """
    for axis, size in ((0, height), (1, width)):
        old = field.shape[axis]
        if old == size:
            continue
        integral = np.cumsum(field, axis=axis, dtype=np.float64)
        integral = np.insert(integral, 0, 0.0, axis=axis)
        edges = np.arange(size + 1) * (old / size)
        left = np.minimum(edges.astype(np.int64), old - 1)
        part = (edges - left).reshape([-1 if i == axis else 1 for i in range(field.ndim)])
        at_edges = np.take(integral, left, axis) * (1 - part) + np.take(integral, left + 1, axis) * part
        field = np.diff(at_edges, axis=axis) * (size / old)
    return field


def resample(picture, width, height):
    """Returns a picture at another size, averaged over area in linear light."""
    if picture.shape[:2] == (height, width):
        return picture
    return srgb_from_linear(area_average(linear_from_srgb(picture), width, height))


def blur(picture, pitch):
    """Returns a picture as Blurred, for a cell pitch in pixels. Borders are mirrored.

    The Gaussians are applied in the frequency domain. The colors at 1x are computed only for every n-th pixel, where n is
    a quarter of the pitch, from the low frequencies. This loses nothing: every n-th pixel can represent frequencies up to
    `1 / (2 n)` cycles per pixel. The blur at 1x, with a sigma of `2 n`, reduces higher frequencies to less than 1e-8.
    """
    height, width = picture.shape[:2]
    sigmas = [pitch / 2, pitch / 4, pitch / 8]
    step = max(1, int(pitch) // 4)
    margin = step * math.ceil(4 * sigmas[0] / step)
    padded_height, padded_width = (_fft_size(size + 2 * margin, 2 * step) for size in (height, width))
    light = np.pad(linear_from_srgb(picture), ((margin, padded_height - height - margin),
                                               (margin, padded_width - width - margin), (0, 0)), mode="symmetric")
    spectra = [np.fft.rfft2(light[..., channel]) for channel in range(3)]
    gray = sum(weight * spectrum for weight, spectrum in zip(LUMINANCE, spectra))
    rows, columns = np.fft.fftfreq(padded_height), np.fft.rfftfreq(padded_width)

    def gaussian(frequencies, sigma):
        return np.exp(-2 * (np.pi * sigma * frequencies) ** 2)

    inside = slice(margin, margin + height), slice(margin, margin + width)
    luminance = []
    for sigma in sigmas:
        response = gaussian(rows, sigma)[:, None] * gaussian(columns, sigma)
        blurred = np.fft.irfft2(gray * response, (padded_height, padded_width))[inside]
        luminance.append(np.maximum(blurred, 0).astype(np.float32))
    small_height, small_width = padded_height // step, padded_width // step
    low_rows = np.r_[0:small_height // 2, padded_height - small_height // 2:padded_height]
    low_columns = slice(0, small_width // 2 + 1)
    response = gaussian(rows[low_rows], sigmas[0])[:, None] * gaussian(columns[low_columns], sigmas[0]) / step**2
    first = margin // step
    color = np.stack([np.fft.irfft2(spectrum[low_rows, low_columns] * response, (small_height, small_width))
                      for spectrum in spectra], axis=-1)
    color = color[first:first + -(-height // step), first:first + -(-width // step)]
    return Blurred(luminance, np.maximum(color, 0).astype(np.float32))


def _fft_size(least, multiple):
    """Returns the smallest multiple of `multiple` that is at least `least` and has no prime factor above 7."""
    size = -(-least // multiple) * multiple
    while True:
        rest = size
        for prime in (2, 3, 5, 7):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return size
        size += multiple


def fit_exposure(scaled, fixed):
    """Returns the factor, about 1/512..512, that minimizes the mean squared L* difference between `fixed` and `scaled`
    at 1x when it multiplies the light of `scaled`. Both are lists of Blurred.

    Searches the powers of two, then uses golden-section search around the best one.
    """
    light = np.concatenate([(item.color @ LUMINANCE).ravel() for item in scaled])
    wanted = lightness(np.concatenate([(item.color @ LUMINANCE).ravel() for item in fixed]))

    def error(log_factor):
        return float(np.mean((lightness(light * np.float32(2.0**log_factor)) - wanted) ** 2))

    best = min(range(-8, 9), key=error)
    low, high = best - 1.0, best + 1.0
    golden = (math.sqrt(5) - 1) / 2
    inner_low, inner_high = high - golden * (high - low), low + golden * (high - low)
    error_low, error_high = error(inner_low), error(inner_high)
    while high - low > 1e-4:
        if error_low <= error_high:
            high, inner_high, error_high = inner_high, inner_low, error_low
            inner_low = high - golden * (high - low)
            error_low = error(inner_low)
        else:
            low, inner_low, error_low = inner_low, inner_high, error_high
            inner_high = low + golden * (high - low)
            error_high = error(inner_high)
    return 2.0 ** ((low + high) / 2)


def ssim(a, b):
    """Returns the mean structural similarity (SSIM) of two L* fields with a dynamic range of 100.

    Wang, Bovik, Sheikh, Simoncelli, IEEE Transactions on Image Processing 13(4), 2004: Gaussian window of 11 x 11
    pixels and sigma 1.5, K1 = 0.01, K2 = 0.03, only where the window is inside the fields. Smaller pictures use smaller
    windows.
    """
    c_1, c_2 = (0.01 * 100) ** 2, (0.03 * 100) ** 2
    offset = np.arange(11) - 5
    window = np.exp(-(offset**2) / (2 * 1.5**2))
    window = (window / window.sum()).astype(np.float32)
    mean_a, mean_b = _inside(a, window), _inside(b, window)
    power = _inside(a * a + b * b, window)
    product = _inside(a * b, window)
    means = mean_a * mean_b
    squares = mean_a * mean_a + mean_b * mean_b
    similarity = ((2 * means + c_1) * (2 * (product - means) + c_2)) / ((squares + c_1) * (power - squares + c_2))
    return float(np.mean(similarity, dtype=np.float64))


def _inside(field, window):
    """Convolves with a symmetric odd window along both axes, only where the window is inside the field."""
    for axis in (0, 1):
        size = field.shape[axis]
        taps = window
        if size < window.size:
            cut = (window.size - size + 1) // 2
            taps = window[cut:window.size - cut] / window[cut:window.size - cut].sum()
        length = size - taps.size + 1
        half = taps.size // 2
        field = np.moveaxis(field, axis, 0)
        result = field[half:half + length] * taps[half]
        for i in range(half):
            pair = field[i:i + length] + field[taps.size - 1 - i:taps.size - 1 - i + length]
            pair *= taps[i]
            result += pair
        field = np.moveaxis(result, 0, axis)
    return field


def gradient_correlation(a, b):
    """Returns Pearson's correlation of two fields' gradients. Each gradient (central differences) is one long vector, its x
    parts followed by its y parts.

    Returns 1 if both fields are flat, and 0 if only one is.
    """
    vectors = [np.concatenate([part.ravel() for part in np.gradient(field)]) for field in (a, b)]
    vectors = [vector - np.mean(vector, dtype=np.float64).astype(np.float32) for vector in vectors]
    norms = [math.sqrt(float(np.dot(vector, vector)) / vector.size) for vector in vectors]
    flat = [norm < 1e-4 for norm in norms]
    if any(flat):
        return 1.0 if all(flat) else 0.0
    return float(np.dot(*vectors)) / vectors[0].size / (norms[0] * norms[1])


def score_blurred(sources, drawings, exposed="source"):
    """Returns the Score of a run. Takes lists of Blurred, so that the sources need to be blurred only once for many runs."""
    exposure = fit_exposure(sources, drawings) if exposed == "source" else fit_exposure(drawings, sources)
    source_factor, drawing_factor = (np.float32(exposure if exposed == side else 1.0) for side in ("source", "drawing"))
    squared, similarities, correlations, differences = [], [], [], []
    for source, drawing in zip(sources, drawings, strict=True):
        for scale, (wanted, drawn) in enumerate(zip(source.luminance, drawing.luminance)):
            wanted, drawn = lightness(wanted * source_factor), lightness(drawn * drawing_factor)
            similarities.append(ssim(wanted, drawn))
            if scale == 0:
                squared.append(float(np.mean((wanted - drawn) ** 2, dtype=np.float64)))
            else:
                correlations.append(gradient_correlation(wanted, drawn))
        differences.append(float(np.mean(ciede2000(lab_from_linear(source.color * source_factor),
                                                   lab_from_linear(drawing.color * drawing_factor)))))
    rms = math.sqrt(float(np.mean(squared)))
    t, s, e = math.exp(-rms / 20), float(np.mean(similarities)), float(np.mean(correlations))
    fidelity = 100 * (t * max(s, 0.0) * max(e, 0.0)) ** (1 / 3)
    return Score(fidelity, t, s, e, rms, float(np.mean(differences)), exposure)


def score_run(sources, drawings, pitch, exposed="source"):
    """Returns the Score of a run from lists of pictures of equal size. `pitch`: the cell's height in pixels. `exposed`:
    the side whose light the exposure factor scales."""
    return score_blurred([blur(picture, pitch) for picture in sources], [blur(picture, pitch) for picture in drawings],
                         exposed)


def still_cells(source_a, source_b, grid):
    """Returns which cells' source did not change between two frames: booleans (rows, columns).

    `source_*`: uint8 pictures of equal size, RGB or gray. `grid`: (columns, rows). A cell is still if the mean absolute
    change of its code values is below 2.
    """
    change = np.abs(source_a.astype(np.int16) - source_b.astype(np.int16))
    if change.ndim == 3:
        change = change.mean(axis=2)
    return area_average(change, *grid) < 2


def flicker_of(cells_a, cells_b, still):
    """Returns the Flicker between the glyphs of two frames, in the cells that `still` marks. All are arrays (rows,
    columns)."""
    changed, count = int(np.count_nonzero(still & (cells_a != cells_b))), int(np.count_nonzero(still))
    return Flicker(changed / count if count else 0.0, count, changed)


def flicker(cells_a, cells_b, source_a, source_b, grid):
    """Returns the Flicker between two successive frames, counted over the cells that still_cells() marks.

    `Flicker.share` times the frame rate is the number of glyph changes of a still cell per second.
    """
    return flicker_of(cells_a, cells_b, still_cells(source_a, source_b, grid))


VISIBLE_CONTRAST = 8  # CIE L*


def ink_contrast(drawing, coverage, grid):
    """Returns how much lighter each cell's ink is than its background: L* (rows, columns), 0 where there is no ink.

    `drawing`: uint8 RGB. `coverage`: the same glyphs drawn in white on black. The two colors of a cell are fitted to its
    pixels by least squares.
    """
    columns, rows = grid

    def by_cell(picture):
        height, width = picture.shape[0] // rows, picture.shape[1] // columns
        cells = picture.reshape(rows, height, columns, width, -1).swapaxes(1, 2)
        return cells.reshape(rows, columns, height * width, -1).astype(np.float32)

    pixels, mask = by_cell(drawing), by_cell(coverage[..., 0]) / 255
    mean = mask.mean(axis=2, keepdims=True)
    away = mask - mean
    variance = (away ** 2).sum(axis=2)
    slope = (away * pixels).sum(axis=2) / np.maximum(variance, 1e-9)
    background = pixels.mean(axis=2) - slope * mean[:, :, 0]

    def lightness_of(colors):
        light = linear_from_srgb(np.clip(np.rint(colors), 0, 255).astype(np.uint8))
        return lightness(light @ np.array([0.2126, 0.7152, 0.0722]))

    return np.where(variance[..., 0] > 1e-6, lightness_of(background + slope) - lightness_of(background), 0)


def visible_share(contrast):
    """Returns the share of cells whose ink and background differ visibly. `contrast`: from ink_contrast()."""
    return float(np.mean(np.abs(contrast) >= VISIBLE_CONTRAST))


def flat_cells(source, grid):
    """Returns the cells without visible detail: the standard deviation of their luma is below 3 code values."""
    luma = source[..., :3].astype(np.float64) @ np.array([0.2126, 0.7152, 0.0722])
    mean = area_average(luma, *grid)
    return area_average(luma ** 2, *grid) - mean ** 2 < 9


def polarity_agreement(contrast, flat):
    """Counts pairs of adjacent cells in which each cell is flat and has ink. A cell's polarity is whether its ink is
    lighter or darker than its background. Returns the number of pairs with equal polarity, and the number of all
    pairs."""
    same = count = 0
    for axis in (0, 1):
        one, other = (np.take(contrast, range(*ends), axis) for ends in ((1, contrast.shape[axis]),
                                                                         (0, contrast.shape[axis] - 1)))
        marked = np.take(flat, range(1, flat.shape[axis]), axis) & np.take(flat, range(flat.shape[axis] - 1), axis)
        marked &= (one != 0) & (other != 0)
        same += int(np.count_nonzero(marked & ((one > 0) == (other > 0))))
        count += int(np.count_nonzero(marked))
    return same, count


def polarity_flips(before, after, still):
    """Counts the still cells that have ink in both frames. Returns how many of them changed their polarity, and how
    many there are. `before` and `after`: each frame's result of ink_contrast()."""
    marked = still & (before != 0) & (after != 0)
    return int(np.count_nonzero(marked & ((before > 0) != (after > 0)))), int(np.count_nonzero(marked))
