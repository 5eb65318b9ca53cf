"""Pictures of a state: SVG for a page or a notebook, text for a terminal. State in, text out.

Both write on a cell what leads there, `NNE` or the cell's own number, so that what is seen can be
handed to `result`; a row's label and a column's label add up to the cell's number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engines.isolation.encoding import GRID
from engines.isolation.moves import Action
from engines.svg import document, element, text

if TYPE_CHECKING:  # state.py imports this module, in its one method that draws
    from engines.isolation.state import Isolation

__all__ = ["board_svg", "board_text"]

_COLUMNS: Final = tuple(reversed(range(GRID.width)))
_ROWS: Final = tuple(reversed(range(0, GRID.stride * GRID.height, GRID.stride)))

# In user units: the distance of two cells, the gap between them, and the room around the board.
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
# Blue and orange stay apart in every kind of colour vision. Each player's piece, and its moves.
_PIECES: Final = ("#2563b0", "#c2540f")
_MOVES: Final = ("#cfe0f6", "#fbdfc6")


def board_svg(state: Isolation) -> str:
    """The board as an SVG document: open cells with their numbers, blocked ones dark, the pieces 1
    and 2 (a ring around the one who plays, or has won), and the moves in that piece's colour."""
    moves = _moves(state)
    cells = [_drawn_cell(state, row + column, moves) for row in _ROWS for column in _COLUMNS]
    paper = element("rect", width=_WIDTH, height=_HEIGHT, rx=10, fill=_PAPER)
    drawing = element(
        "g",
        *_drawn_labels(),
        *cells,
        _drawn_caption(state),
        font_family="system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif",
        text_anchor="middle",
    )
    title = f"Isolation, {_caption(state)}"
    return document(paper, drawing, width=_WIDTH, height=_HEIGHT, title=title)


def board_text(state: Isolation) -> str:
    """The board as lines of ASCII: a dot for an open cell, `###` for a blocked one, `(1)` and `(2)`
    for the pieces, each move where it leads; the last line, without a newline at its end, tells
    who plays or has won."""
    moves = _moves(state)
    rows = [
        _line(row, [_written_cell(state, row + column, moves) for column in _COLUMNS])
        for row in _ROWS
    ]
    header = _line("", [f"+{column}" for column in _COLUMNS])
    return "\n".join([header, *rows, "", f"     {_caption(state)}"])


def _moves(state: Isolation) -> dict[int, str]:
    """By cell, what to call the move that leads there; none when the game is over."""
    if state.terminal_test():
        return {}
    loc = state.locs[state.player()]
    if loc is None:
        return {cell: str(cell) for cell in state.actions()}
    return {loc + action: Action(action).name for action in state.actions()}


def _caption(state: Isolation) -> str:
    verb = "wins" if state.terminal_test() else "to move"
    return f"player {_leader(state) + 1} {verb}, ply {state.ply_count}"


def _leader(state: Isolation) -> int:
    """The player that the picture is about: the winner, before that the one who plays."""
    mover = state.player()
    return 1 - mover if state.utility(mover) < 0 else mover


def _line(label: int | str, columns: list[str]) -> str:
    return f"{label:>4}" + "".join(f"{column:>5}" for column in columns)


def _written_cell(state: Isolation, cell: int, moves: dict[int, str]) -> str:
    if cell in state.locs:
        return f"({state.locs.index(cell) + 1})"
    if not state.board >> cell & 1:
        return "###"
    return moves.get(cell, ".")


def _drawn_labels() -> list[str]:
    columns = [
        _written(_centre(column)[0], _TOP - 14, f"+{column}", size=13, fill=_LABEL)
        for column in _COLUMNS
    ]
    rows = [
        _written(_LEFT - 14, _centre(row)[1], str(row), size=13, fill=_LABEL, text_anchor="end")
        for row in _ROWS
    ]
    return [*columns, *rows]


def _drawn_cell(state: Isolation, cell: int, moves: dict[int, str]) -> str:
    if cell in state.locs:
        player = state.locs.index(cell)
        return _tile(cell, _OPEN) + _piece(cell, player, ringed=player == _leader(state))
    if not state.board >> cell & 1:
        return _tile(cell, _BLOCKED)
    if cell in moves:
        return _move(cell, moves[cell], state.player())
    return _tile(cell, _OPEN) + _written(*_centre(cell), str(cell), size=13, fill=_FAINT)


def _tile(cell: int, fill: str) -> str:
    x, y = _centre(cell)
    side = _PITCH - _GAP
    return element("rect", x=x - side / 2, y=y - side / 2, width=side, height=side, rx=6, fill=fill)


def _piece(cell: int, player: int, *, ringed: bool) -> str:
    x, y = _centre(cell)
    colour = _PIECES[player]
    ring = element("circle", cx=x, cy=y, r=21, fill="none", stroke=colour, stroke_width=2)
    disc = element("circle", cx=x, cy=y, r=17, fill=colour)
    number = _written(x, y, str(player + 1), size=19, fill="#ffffff", font_weight=700)
    return (ring if ringed else "") + disc + number


def _move(cell: int, name: str, player: int) -> str:
    x, y = _centre(cell)
    tile = _tile(cell, _MOVES[player])
    colour = _PIECES[player]
    if name == str(cell):
        return tile + _written(x, y, name, size=14, fill=colour, font_weight=600)
    return (
        tile
        + _written(x, y - 6, name, size=14, fill=colour, font_weight=700)
        + _written(x, y + 11, str(cell), size=11, fill=colour)
    )


def _drawn_caption(state: Isolation) -> str:
    middle = _LEFT + _PITCH * GRID.width / 2
    return _written(middle, _HEIGHT - _FOOT / 2, _caption(state), size=16, fill=_INK)


def _centre(cell: int) -> tuple[float, float]:
    column, row = GRID.xy(cell)
    across, down = GRID.width - 1 - column, GRID.height - 1 - row
    return _LEFT + _PITCH * (across + 0.5), _TOP + _PITCH * (down + 0.5)


def _written(x: float, y: float, content: str, *, size: float, **style: str | float) -> str:
    # A third of the size lowers the digits to the middle; not every viewer knows baselines.
    return element("text", text(content), x=x, y=y + size * 0.35, font_size=size, **style)
