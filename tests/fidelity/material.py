"""Generates test material other than real clips. Each function returns a list of uint8 RGB frames."""

import numpy as np

WIDTH, HEIGHT, FRAMES, RATE = 640, 360, 12, 24


def _grid():
    """Returns x (0..16/9) and y (0..1) of the samples of a frame at twice its resolution in each direction."""
    y, x = np.mgrid[0:HEIGHT * 2, 0:WIDTH * 2]
    return (x + 0.5) / (HEIGHT * 2), (y + 0.5) / (HEIGHT * 2)


def _reduced(fine):
    """Averages each block of 2 x 2 samples. Returns a frame of uint8 RGB."""
    small = fine.reshape(HEIGHT, 2, WIDTH, 2, -1).mean(axis=(1, 3))
    return np.rint(np.clip(np.broadcast_to(small, (HEIGHT, WIDTH, 3)), 0, 255)).astype(np.uint8)


def _noise(x, y, seed, octaves=4):
    """Returns smooth value noise, 0..1: the sum of `octaves` layers of interpolated random lattices."""
    lattice = np.random.default_rng(seed).random((64, 64))
    total, weight = 0.0, 0.0
    for octave in range(octaves):
        u, v = x * 2**octave, y * 2**octave
        column, row = np.floor(u).astype(int), np.floor(v).astype(int)
        s, t = u - column, v - row
        s, t = s * s * (3 - 2 * s), t * t * (3 - 2 * t)
        a, b = lattice[row % 64, column % 64], lattice[row % 64, (column + 1) % 64]
        c, d = lattice[(row + 1) % 64, column % 64], lattice[(row + 1) % 64, (column + 1) % 64]
        total = total + ((a * (1 - s) + b * s) * (1 - t) + (c * (1 - s) + d * s) * t) * 0.5**octave
        weight += 0.5**octave
    return total / weight


def night():
    """Draws a dark scene: code values mostly 4 to 30, a few small lights, panned by 2 pixels per frame."""
    wide = WIDTH + 2 * FRAMES
    x, y = (np.arange(wide) + 0.5) / HEIGHT, ((np.arange(HEIGHT) + 0.5) / HEIGHT)[:, None]
    ground = 4 + 26 * _noise(x * 5, y * 5, 1)
    hills = y > 0.45 + 0.2 * _noise(x * 2, np.zeros_like(y), 2)
    light = np.where(hills, ground * 0.5, ground)[..., None] * np.array([0.7, 0.85, 1.2])
    for lamp_x, lamp_y, size in ((0.3, 0.62, 0.012), (0.9, 0.7, 0.008), (1.4, 0.66, 0.015), (1.1, 0.2, 0.03)):
        distance = np.hypot(x - lamp_x, y - lamp_y)
        glow = 230 * np.clip((size - distance) * HEIGHT, 0, 1) + 40 * np.exp(-distance / (size * 4))
        light = light + glow[..., None] * np.array([1.0, 0.9, 0.6])
    picture = np.rint(np.clip(light, 0, 255)).astype(np.uint8)
    return [picture[:, 2 * number:2 * number + WIDTH] for number in range(FRAMES)]


def line_art():
    """Draws black strokes about 2 pixels wide on white, rotating slowly."""
    x, y = _grid()
    frames = []
    for number in range(FRAMES):
        angle = 0.02 * number
        u = (x - 8 / 9) * np.cos(angle) - (y - 0.5) * np.sin(angle)
        v = (x - 8 / 9) * np.sin(angle) + (y - 0.5) * np.cos(angle)
        ink = np.zeros(x.shape, bool)
        for radius in (0.08, 0.2, 0.33, 0.47):
            ink |= np.abs(np.hypot(u, v) - radius) < 0.003
        for spoke in range(12):
            turn = spoke * np.pi / 12
            ink |= (np.abs(u * np.sin(turn) - v * np.cos(turn)) < 0.0025) & (np.hypot(u, v) > 0.33)
        ink |= (np.abs((u - v) % 0.06 - 0.03) < 0.0025) & (np.hypot(u, v) < 0.2)
        ink |= np.abs(v - 0.1 * np.sin(9 * u)) < 0.003
        frames.append(_reduced(np.where(ink, 12.0, 250.0)[..., None]))
    return frames


def silhouettes():
    """Draws black shapes against an evening sky: hills, thin bare trees, posts; panned."""
    x, y = _grid()
    frames = []
    for number in range(FRAMES):
        moved = x + 0.006 * number
        sky = np.stack([255 - 150 * (1 - y) ** 2, 90 + 130 * y**2, 150 - 90 * y], axis=-1)
        sky = np.where((np.hypot(x - 1.2, y - 0.62) < 0.16)[..., None], [255.0, 240.0, 190.0], sky)
        dark = y > 0.78 + 0.05 * np.sin(3 * moved) + 0.02 * np.sin(11 * moved)
        for trunk in range(5):
            u, v = moved - 0.1 - 0.43 * trunk, 0.85 - y
            dark |= (np.abs(u) < 0.012 * (0.7 - v)) & (v > 0) & (v < 0.6)
            for branch in range(7):
                height, side = 0.2 + 0.05 * branch, (-1) ** branch
                reach = side * u
                dark |= (np.abs(v - height - 0.8 * reach) < 0.007 * (1 - reach / 0.2)) & (reach > 0) & (reach < 0.2)
        frames.append(_reduced(np.where(dark[..., None], [8.0, 6.0, 12.0], sky)))
    return frames


def gradients():
    """Draws only smooth gradients: hue horizontally, brightness vertically, a gray wedge, a shaded ball; moving."""
    x, y = _grid()
    frames = []
    for number in range(FRAMES):
        hue = 2 * np.pi * (x / (16 / 9) + 0.004 * number)
        colors = np.stack([0.5 + 0.5 * np.cos(hue - shift) for shift in (0, 2.1, 4.2)], axis=-1)
        picture = 255 * colors * (1 - y)[..., None]
        picture = np.where((y > 0.7)[..., None], (255 * x / (16 / 9))[..., None], picture)
        distance = np.hypot(x - 0.89, y - 0.35) / 0.28
        ball = 255 * np.sqrt(np.clip(1 - distance**2, 0, 1))
        frames.append(_reduced(np.where((distance < 1)[..., None], ball[..., None] * [1.0, 0.8, 0.7], picture)))
    return frames


def foliage():
    """Draws thousands of small overlapping leaves in many greens, swaying."""
    generator = np.random.default_rng(5)
    leaves = 3000
    place = generator.random((leaves, 2)) * [WIDTH + 40, HEIGHT + 40] - 20
    size = generator.uniform(2, 9, leaves)
    turn = generator.uniform(0, np.pi, leaves)
    green = generator.uniform([70, 120, 20], [150, 220, 80], (leaves, 3))
    shade = generator.uniform(0.15, 1.0, leaves)[:, None] * green
    frames = []
    for number in range(FRAMES):
        picture = np.full((HEIGHT, WIDTH, 3), 14.0)
        for (x, y), radius, angle, color in zip(place, size, turn, shade):
            x, angle = x + 2 * np.sin(0.2 * number + y / 60), angle + 0.05 * np.sin(0.3 * number + x)
            left, top = max(int(x - radius), 0), max(int(y - radius), 0)
            right, bottom = min(int(x + radius) + 2, WIDTH), min(int(y + radius) + 2, HEIGHT)
            if right <= left or bottom <= top:
                continue
            v, u = np.mgrid[top:bottom, left:right]
            along = (u - x) * np.cos(angle) + (v - y) * np.sin(angle)
            across = (v - y) * np.cos(angle) - (u - x) * np.sin(angle)
            cover = np.clip((1 - np.hypot(along / radius, across / (0.45 * radius))) * radius, 0, 1)[..., None]
            area = picture[top:bottom, left:right]
            area[:] = area * (1 - cover) + color * cover * (0.8 + 0.2 * (across > 0))[..., None]
        frames.append(np.rint(np.clip(picture, 0, 255)).astype(np.uint8))
    return frames


def text_page(atlas):
    """Draws dark 16-pixel text on a light page, scrolling. `atlas`: the GlyphAtlas that draws it."""
    lines = ["The quick brown fox jumps over the lazy dog.", "0123456789 + - * / = (x, y) [z] {w} <v>",
             "Sphinx of black quartz, judge my vow!", "How vexingly quick daft zebras jump;",
             "@#$%&? 'quotes' \"double\" ~^|", "Pack my box with five dozen liquor jugs.",
             "WALTZ, BAD NYMPH, FOR QUICK JIGS VEX."]
    page = [line.ljust(WIDTH // 8)[:WIDTH // 8] for line in lines * 5]
    drawn = np.vstack([atlas.text(line) for line in page])
    drawn = np.rint(244 - 0.88 * drawn.astype(np.float64)).astype(np.uint8)
    frames = [np.roll(drawn, -number, axis=0)[:HEIGHT] for number in range(FRAMES)]
    title = 255 - atlas.text("GLYPHS AND VIDEO", 4)[:, :WIDTH]
    for frame in frames:
        frame[20:20 + title.shape[0], 40:40 + title.shape[1]] = title
    return frames


def made(atlas):
    """Returns {name: function} for every kind of material."""
    return {"night": night, "line art": line_art, "silhouettes": silhouettes, "gradients": gradients,
            "foliage": foliage, "text": lambda: text_page(atlas)}
