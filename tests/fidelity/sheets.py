"""Contact sheets: labeled tiles in rows, written as a PNG."""

import numpy as np

import measures
import pictures

GAP = 6


def tile(picture, width):
    """Returns the picture scaled to another width in linear light, as the eye sees it from a distance."""
    height = max(1, round(picture.shape[0] * width / picture.shape[1]))
    return measures.resample(picture, width, height)


def write(path, atlas, columns, rows):
    """Writes a sheet. `columns`: column names. `rows`: (name, pictures) of each row. A picture is uint8 RGB; None: no
    tile.

    Tiles keep their sizes. A column is as wide as its widest tile, and a row is as high as its tallest.
    """
    widths = [max([tiles[i].shape[1] for _, tiles in rows if tiles[i] is not None] + [8 * len(name)])
              for i, name in enumerate(columns)]
    label = max(len(name) for name, _ in rows) * 8 + GAP
    heights = [max([piece.shape[0] for piece in tiles if piece is not None] + [16]) for _, tiles in rows]
    height, width = 16 + GAP + sum(heights) + GAP * len(rows), label + sum(widths) + GAP * len(widths)
    sheet = np.full((height, width, 3), 40, np.uint8)

    def put(picture, x, y):
        sheet[y:y + picture.shape[0], x:x + picture.shape[1]] = picture

    x = label
    for name, width in zip(columns, widths):
        put(atlas.text(name), x, 0)
        x += width + GAP
    y = 16 + GAP
    for (name, tiles), height in zip(rows, heights):
        put(atlas.text(name), 0, y)
        x = label
        for piece, width in zip(tiles, widths):
            if piece is not None:
                put(piece, x, y)
            x += width + GAP
        y += height + GAP
    pictures.write_png(path, sheet)


def write_blocks(path, atlas, blocks):
    """Writes rows of tiles of equal size, each below its name. `blocks`: (names, tiles) of each row."""
    height, width = blocks[0][1][0].shape[:2]
    across = max(len(names) for names, _ in blocks)
    sheet = np.full((len(blocks) * (16 + height + GAP), across * (width + GAP), 3), 40, np.uint8)
    for row, (names, tiles) in enumerate(blocks):
        top = row * (16 + height + GAP)
        for column, (name, piece) in enumerate(zip(names, tiles)):
            left = column * (width + GAP)
            label = atlas.text(name)[:, :width]
            sheet[top:top + 16, left:left + label.shape[1]] = label
            sheet[top + 16:top + 16 + height, left:left + width] = piece
    pictures.write_png(path, sheet)


def fitted(picture, width, height):
    """Returns a black picture of this size with `picture` in its center, scaled to fit."""
    scale = min(width / picture.shape[1], height / picture.shape[0])
    inner = measures.resample(picture, round(picture.shape[1] * scale), round(picture.shape[0] * scale))
    result = np.zeros((height, width, 3), np.uint8)
    top, left = (height - inner.shape[0]) // 2, (width - inner.shape[1]) // 2
    result[top:top + inner.shape[0], left:left + inner.shape[1]] = inner
    return result
