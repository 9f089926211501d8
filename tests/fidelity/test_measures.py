"""Tests the measures of the fidelity benchmark against known values."""

import unittest

import numpy as np

import measures
import peers

# Sharma, Wu, Dalal 2005, table 1: L*, a*, b* of two colors and their CIEDE2000 difference. The pairs also
# test the branches of the formula: hue differences just below and above 180 degrees, and grays.
PUBLISHED_PAIRS = [
    ((50.0000, 2.6772, -79.7751), (50.0000, 0.0000, -82.7485), 2.0425),
    ((50.0000, 3.1571, -77.2803), (50.0000, 0.0000, -82.7485), 2.8615),
    ((50.0000, -1.3802, -84.2814), (50.0000, 0.0000, -82.7485), 1.0000),
    ((50.0000, 0.0000, 0.0000), (50.0000, -1.0000, 2.0000), 2.3669),
    ((50.0000, 2.4900, -0.0010), (50.0000, -2.4900, 0.0009), 7.1792),
    ((50.0000, 2.4900, -0.0010), (50.0000, -2.4900, 0.0011), 7.2195),
    ((50.0000, -0.0010, 2.4900), (50.0000, 0.0009, -2.4900), 4.8045),
    ((50.0000, -0.0010, 2.4900), (50.0000, 0.0011, -2.4900), 4.7461),
    ((50.0000, 2.5000, 0.0000), (50.0000, 0.0000, -2.5000), 4.3065),
    ((50.0000, 2.5000, 0.0000), (73.0000, 25.0000, -18.0000), 27.1492),
    ((50.0000, 2.5000, 0.0000), (58.0000, 24.0000, 15.0000), 19.4535),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ((90.8027, -2.0831, 1.4410), (91.1528, -1.6435, 0.0447), 1.4441),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
]


def blobs(seed=3, width=160, height=96):
    """Returns a picture of discs, each of one color, with hard edges."""
    y, x = np.mgrid[0:height, 0:width]
    random = np.random.default_rng(seed)
    picture = np.zeros((height, width, 3)) + 60.0
    for _ in range(12):
        inside = np.hypot(x - random.uniform(0, width), y - random.uniform(0, height)) < random.uniform(8, 30)
        picture[inside] = random.uniform(10, 245, 3)
    return picture.astype(np.uint8)


class Colors(unittest.TestCase):
    def test_ciede2000_agrees_with_the_published_pairs(self):
        first, second, wanted = (np.array(column) for column in zip(*PUBLISHED_PAIRS))
        np.testing.assert_allclose(measures.ciede2000(first, second), wanted, atol=6e-5)
        np.testing.assert_allclose(measures.ciede2000(second, first), wanted, atol=6e-5)

    def test_lab_of_known_colors(self):
        # Published values of sRGB's white, middle gray and red under D65, with two decimals.
        code = np.array([[[255, 255, 255], [119, 119, 119], [255, 0, 0]]], np.uint8)
        lab = measures.lab_from_linear(measures.linear_from_srgb(code))[0]
        np.testing.assert_allclose(lab, [[100, 0, 0], [50.03, 0, 0], [53.24, 80.09, 67.20]], atol=0.02)

    def test_code_values_survive_linear_light(self):
        code = np.arange(256, dtype=np.uint8)
        np.testing.assert_array_equal(measures.srgb_from_linear(measures.linear_from_srgb(code)), code)


class Resampling(unittest.TestCase):
    def test_area_average_weighs_fractions_of_pixels(self):
        row = np.array([[0.0, 3.0, 9.0]])
        np.testing.assert_allclose(measures.area_average(row, 2, 1), [[1.0, 7.0]])
        np.testing.assert_allclose(measures.area_average(row, 6, 2)[1], [0, 0, 3, 3, 9, 9])

    def test_half_black_half_white_becomes_half_the_light(self):
        picture = np.zeros((2, 2, 3), np.uint8)
        picture[:, 1] = 255
        self.assertEqual(measures.resample(picture, 1, 1).tolist(), [[[188, 188, 188]]])


class Blurring(unittest.TestCase):
    def test_equals_a_convolution_with_mirrored_borders(self):
        picture = blobs(width=90, height=50)
        gray = measures.linear_from_srgb(picture) @ measures.LUMINANCE
        blurred = measures.blur(picture, 16)
        for scale, sigma in enumerate((8, 4, 2)):
            reach = 5 * sigma
            taps = np.exp(-np.arange(-reach, reach + 1) ** 2 / (2 * sigma**2))
            wanted = np.pad(gray, reach, mode="symmetric")
            for axis in (0, 1):
                wanted = np.apply_along_axis(np.convolve, axis, wanted, taps / taps.sum(), "valid")
            np.testing.assert_allclose(blurred.luminance[scale], wanted, atol=3e-5)
        np.testing.assert_allclose(blurred.color @ measures.LUMINANCE, blurred.luminance[0][::4, ::4], atol=1e-6)


class Scores(unittest.TestCase):
    def test_a_picture_is_perfectly_like_itself(self):
        for exposed in ("source", "drawing"):
            score = measures.score_run([blobs(1), blobs(2)], [blobs(1), blobs(2)], 16, exposed)
            self.assertAlmostEqual(score.F, 100, places=2)
            self.assertAlmostEqual(score.rms_L, 0, places=2)
            self.assertAlmostEqual(score.ciede2000, 0, places=2)
            self.assertAlmostEqual(score.exposure, 1, places=3)

    def test_one_exposure_is_forgiven_but_not_two(self):
        pictures = [blobs(1), blobs(2)]
        dimmed = [measures.srgb_from_linear(measures.linear_from_srgb(picture) * 0.25) for picture in pictures]
        score = measures.score_run(pictures, dimmed, 16)
        self.assertAlmostEqual(score.exposure, 0.25, places=2)
        self.assertGreater(score.F, 99.5)
        self.assertAlmostEqual(measures.score_run(pictures, dimmed, 16, "drawing").exposure, 4, places=1)
        self.assertLess(measures.score_run(pictures, [pictures[0], dimmed[1]], 16).F, score.F - 5)

    def test_worse_pictures_score_lower(self):
        picture = blobs(4)
        similar = measures.score_run([picture], [np.roll(picture, 1, axis=1)], 16)
        shifted = measures.score_run([picture], [np.roll(picture, 6, axis=1)], 16)
        flat = measures.score_run([picture], [np.full_like(picture, 90)], 16)
        self.assertLess(similar.F, 100)
        self.assertLess(shifted.F, similar.F - 5)
        self.assertLess(flat.F, 1)
        self.assertEqual(flat.E, 0)

    def test_ssim_of_fields_whose_value_is_known(self):
        # The expected values are from Wang et al.'s formula, which is a product of two factors. Flat fields test the first
        # one (means); a checkerboard and its negative test the second one (variances).
        flat = np.ones((32, 32), np.float32)
        self.assertAlmostEqual(measures.ssim(50 * flat, 60 * flat), (2 * 50 * 60 + 1) / (50**2 + 60**2 + 1), places=4)
        board = np.where(np.indices((32, 32)).sum(axis=0) % 2, np.float32(10), np.float32(-10))
        self.assertAlmostEqual(measures.ssim(50 + board, 50 - board), (-2 * 100 + 9) / (2 * 100 + 9), places=3)

    def test_tone_error_matches_its_definition(self):
        # Flat grays of L* 50.03 and 60.18, swapped: an exposure factor cannot reduce both errors.
        low, high = (np.full((64, 64, 3), code, np.uint8) for code in (119, 145))
        score = measures.score_run([low, high], [high, low], 16)
        self.assertAlmostEqual(score.rms_L, 10.15, delta=0.05)
        self.assertAlmostEqual(score.T, np.exp(-score.rms_L / 20), places=6)

    def test_wrong_hue_affects_only_ciede2000(self):
        gray, tinted = np.full((64, 64, 3), 119, np.uint8), np.full((64, 64, 3), 119, np.uint8)
        tinted[...] = (160, 105, 105)
        score = measures.score_run([gray], [tinted], 16)
        self.assertLess(score.rms_L, 0.01)
        self.assertGreater(score.ciede2000, 10)


class FlickerCounts(unittest.TestCase):
    def test_counts_changes_among_still_cells_only(self):
        source = np.full((8, 16, 3), 100, np.uint8)
        moved = source.copy()
        moved[0:4, 0:4] += 2  # cell (0, 0) is not still: its mean change is 2
        moved[0:4, 4:8] += 1  # cell (0, 1) is still
        before = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
        after = np.array([[9, 9, 3, 4], [5, 6, 7, 9]])
        found = measures.flicker(before, after, source, moved, (4, 2))
        self.assertEqual(found, measures.Flicker(2 / 7, 7, 2))

    def test_nothing_still_is_no_flicker(self):
        source = np.zeros((4, 4), np.uint8)
        self.assertEqual(measures.flicker(np.array([[1]]), np.array([[2]]), source, source + 50, (1, 1)).share, 0.0)


class VisibleText(unittest.TestCase):
    def test_contrast_and_polarity_of_drawn_cells(self):
        coverage = np.zeros((4, 12, 3), np.uint8)
        coverage[1:3, 1:3] = coverage[1:3, 5:7] = 255  # the third cell is blank
        drawing = np.full((4, 12, 3), 119, np.uint8)   # L* 50
        drawing[1:3, 1:3], drawing[1:3, 5:7] = 145, 94  # L* 60 and 40
        contrast = measures.ink_contrast(drawing, coverage, (3, 1))
        np.testing.assert_allclose(contrast, [[10, -10, 0]], atol=0.3)
        self.assertAlmostEqual(measures.visible_share(contrast), 2 / 3)
        flat = measures.flat_cells(np.full((4, 12, 3), 119, np.uint8), (3, 1))
        self.assertEqual(measures.polarity_agreement(contrast, flat), (0, 1))
        self.assertEqual(measures.polarity_agreement(np.abs(contrast), flat), (1, 1))
        still = np.array([[True, True, True]])
        self.assertEqual(measures.polarity_flips(contrast, np.abs(contrast), still), (1, 2))

    def test_cells_with_detail_are_not_flat(self):
        source = np.full((4, 8, 3), 100, np.uint8)
        source[:2, 4:] = 110
        self.assertEqual(measures.flat_cells(source, (2, 1)).tolist(), [[True, False]])


class TerminalOutput(unittest.TestCase):
    def test_reads_characters_colors_and_repeats(self):
        text = "\x1b[38;2;1;2;3;48;2;4;5;6mA\x1b[7mB\x1b[0mC\n\x1b[31;40mx\x1b[2b\x1b[0;1;30;90;47mé\n"
        cells = peers.parse_terminal(text, 4, 3)
        self.assertEqual(["".join(row) for row in cells.characters], ["ABC ", "xxxé", "    "])
        self.assertEqual(cells.foreground[0, :3].tolist(), [[1, 2, 3], [4, 5, 6], [255, 255, 255]])
        self.assertEqual(cells.background[0, :3].tolist(), [[4, 5, 6], [1, 2, 3], [0, 0, 0]])
        self.assertEqual(cells.foreground[1].tolist(), [[170, 0, 0]] * 3 + [[85, 85, 85]])
        self.assertEqual(cells.background[1, 3].tolist(), [170, 170, 170])

    def test_256_colors(self):
        cells = peers.parse_terminal("\x1b[38;5;196;48;5;244mx", 1, 1)
        self.assertEqual(cells.foreground[0, 0].tolist(), [255, 0, 0])
        self.assertEqual(cells.background[0, 0].tolist(), [128, 128, 128])


if __name__ == "__main__":
    unittest.main()
