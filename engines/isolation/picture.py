"""Pictures of a state: SVG for pages and notebooks, ASCII for terminals.

Each possible move is labelled with the action to pass to `result`, `NNE` or a cell number. The
labels of a row and a column add up to the number of their cell.
"""

from __future__ import annotations

from typing import Final

from engines.isolation.encoding import GRID
from engines.isolation.moves import Action
from engines.isolation.state import Isolation
from engines.svg import document, element, text

__all__ = ["board_svg", "board_text"]

_COLUMNS: Final = tuple(reversed(range(GRID.width)))
_ROWS: Final = tuple(reversed(range(0, GRID.stride * GRID.height, GRID.stride)))

# In user units: the distance between cells, the gap between them, and the margins.
_PITCH: Final = 52
_GAP: Final = 3
_LEFT: Final = 48
_TOP: Final = 36
_RIGHT: Final = 20
_FOOT: Final = 48
_WIDTH: Final = _LEFT + _PITCH * GRID.width + _RIGHT
_HEIGHT: Final = _TOP + _PITCH * GRID.height + _FOOT

_PAPER: Final = "#fbfaf7"
_OPEN: Final = "#edeae3"
_BLOCKED: Final = "#4b4f59"
_FAINT: Final = "#857f72"
_LABEL: Final = "#6f6a5f"
_INK: Final = "#33363d"
# Blue and orange are distinct in every kind of colour vision. One colour per player, for its piece
# and for its moves.
_PIECES: Final = ("#2563b0", "#c2540f")
_MOVES: Final = ("#cfe0f6", "#fbdfc6")
_NUMBER: Final = "#ffffff"
_DARK: Final = {
    _PAPER: "#1b1c20",
    _OPEN: "#3a3c44",
    _BLOCKED: "#0d0e11",
    _FAINT: "#a8a398",
    _LABEL: "#a9a499",
    _INK: "#e6e4df",
    _MOVES[0]: "#1f3a5c",
    _MOVES[1]: "#54300f",
    f"text {_PIECES[0]}": "#a6c8f3",
    f"text {_PIECES[1]}": "#f7b686",
}


def board_svg(state: Isolation) -> str:
    """Return the board as an SVG document.

    Open cells show their number, blocked cells are dark, the moves have the colour of the piece to
    move, and a ring marks the player to move or the winner.
    """
    moves = _move_labels(state)
    cells = [_cell_svg(state, row + column, moves) for row in _ROWS for column in _COLUMNS]
    paper = element("rect", width=_WIDTH, height=_HEIGHT, rx=10, fill=_PAPER)
    drawing = element(
        "g",
        *_coordinate_labels(),
        *cells,
        _caption_svg(state),
        font_family="system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif",
        text_anchor="middle",
    )
    title = f"Isolation, {_caption(state)}"
    return document(paper, drawing, width=_WIDTH, height=_HEIGHT, title=title, dark=_DARK)


def board_text(state: Isolation) -> str:
    """Return the board as lines of ASCII without a final newline.

    A dot is an open cell, `###` a blocked one, `(1)` and `(2)` are the pieces, and each move is
    written on its target. The last line names the player to move or the winner.
    """
    moves = _move_labels(state)
    rows = [
        _format_row(row, [_cell_text(state, row + column, moves) for column in _COLUMNS])
        for row in _ROWS
    ]
    header = _format_row("", [f"+{column}" for column in _COLUMNS])
    return "\n".join([header, *rows, "", f"     {_caption(state)}"])


def _move_labels(state: Isolation) -> dict[int, str]:
    """Return the label of each possible move by target cell; empty when the game is over."""
    if state.terminal_test():
        return {}
    loc = state.locs[state.player()]
    if loc is None:
        return {cell: str(cell) for cell in state.actions()}
    return {loc + action: Action(action).name for action in state.actions()}


def _caption(state: Isolation) -> str:
    verb = "wins" if state.terminal_test() else "to move"
    return f"player {_highlighted_player(state) + 1} {verb}, ply {state.ply_count}"


def _highlighted_player(state: Isolation) -> int:
    """Return the winner or, in an undecided game, the player to move."""
    mover = state.player()
    return 1 - mover if state.utility(mover) < 0 else mover


def _format_row(label: int | str, columns: list[str]) -> str:
    return f"{label:>4}" + "".join(f"{column:>5}" for column in columns)


def _cell_text(state: Isolation, cell: int, moves: dict[int, str]) -> str:
    if cell in state.locs:
        return f"({state.locs.index(cell) + 1})"
    if not state.board >> cell & 1:
        return "###"
    return moves.get(cell, ".")


def _coordinate_labels() -> list[str]:
    columns = [
        _text_svg(_centre(column)[0], _TOP - 14, f"+{column}", size=13, fill=_LABEL)
        for column in _COLUMNS
    ]
    rows = [
        _text_svg(_LEFT - 14, _centre(row)[1], str(row), size=13, fill=_LABEL, text_anchor="end")
        for row in _ROWS
    ]
    return [*columns, *rows]


def _cell_svg(state: Isolation, cell: int, moves: dict[int, str]) -> str:
    if cell in state.locs:
        player = state.locs.index(cell)
        return _square_svg(cell, _OPEN) + _piece_svg(
            cell, player, ringed=player == _highlighted_player(state)
        )
    if not state.board >> cell & 1:
        return _square_svg(cell, _BLOCKED)
    if cell in moves:
        return _target_svg(cell, moves[cell], state.player())
    return _square_svg(cell, _OPEN) + _text_svg(*_centre(cell), str(cell), size=13, fill=_FAINT)


def _square_svg(cell: int, fill: str) -> str:
    x, y = _centre(cell)
    side = _PITCH - _GAP
    return element("rect", x=x - side / 2, y=y - side / 2, width=side, height=side, rx=6, fill=fill)


def _piece_svg(cell: int, player: int, *, ringed: bool) -> str:
    x, y = _centre(cell)
    colour = _PIECES[player]
    ring = element("circle", cx=x, cy=y, r=21, fill="none", stroke=colour, stroke_width=2)
    disc = element("circle", cx=x, cy=y, r=17, fill=colour)
    number = _text_svg(x, y, str(player + 1), size=19, fill=_NUMBER, font_weight=700)
    return (ring if ringed else "") + disc + number


def _target_svg(cell: int, name: str, player: int) -> str:
    x, y = _centre(cell)
    tile = _square_svg(cell, _MOVES[player])
    colour = _PIECES[player]
    if name == str(cell):
        return tile + _text_svg(x, y, name, size=14, fill=colour, font_weight=600)
    return (
        tile
        + _text_svg(x, y - 6, name, size=14, fill=colour, font_weight=700)
        + _text_svg(x, y + 11, str(cell), size=11, fill=colour)
    )


def _caption_svg(state: Isolation) -> str:
    middle = _LEFT + _PITCH * GRID.width / 2
    return _text_svg(middle, _HEIGHT - _FOOT / 2, _caption(state), size=16, fill=_INK)


def _centre(cell: int) -> tuple[float, float]:
    column, row = GRID.xy(cell)
    across, down = GRID.width - 1 - column, GRID.height - 1 - row
    return _LEFT + _PITCH * (across + 0.5), _TOP + _PITCH * (down + 0.5)


def _text_svg(x: float, y: float, content: str, *, size: float, **style: str | float) -> str:
    # Lower the baseline by a third of the size: not every viewer supports dominant-baseline.
    return element("text", text(content), x=x, y=y + size * 0.35, font_size=size, **style)
