"""Parses the cells of a pane from tmux's output."""

import re


def looks(rows):
    """Parses rows of `tmux capture-pane -e`. Returns each row's cells as (character, background, foreground). The
    foreground of a blank cell is None. Omits blank cells at the end of a row, because tmux sometimes does."""
    looks, colors, is_reversed = [], {}, False
    for row in rows:
        cells = []
        for sequence, character in re.findall(r"\x1b\[([0-9;]*)m|([^\x1b])", row):
            if character:
                foreground, background = (colors.get(side) for side in ("43" if is_reversed else "34"))
                cells.append((character, background, None if character.isspace() else foreground))
                continue
            for change in re.findall(r"([34])8;2;(\d+;\d+;\d+)|([34])9|(0|27|7)", sequence or "0"):
                if change[3]:
                    is_reversed, colors = change[3] == "7", {} if change[3] == "0" else colors
                else:
                    colors[change[0] or change[2]] = change[1]
        while cells and cells[-1][0].isspace():
            cells.pop()
        looks.append(cells)
    return looks
