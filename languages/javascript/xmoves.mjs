// xmoves: makes initial placements and moves on an empty board, and prints the board or the first that is refused.
//
// Form first, then the placements, then the moves; the contract is docs/games/tsuro.md.

import { COLOURS, actionWritten, colourWritten } from "./actions.mjs";
import { coordinates, end, faced, neighbours, onEdge, squareAt } from "./board.mjs";
import { array, below, integer } from "./form.mjs";
import { PORTS, leastDegrees, portWritten, tilePatternWritten } from "./tiles.mjs";
import { wholeInputProgram } from "./wire.mjs";

const PLACEMENTS = "an array of placements";

function answer([first, ...others]) {
    const placements = array(first, [], PLACEMENTS, "/0").map((part, k) => placementWritten(part, below("/0", k)));
    const moves = others.map((value, i) => actionWritten(value, `/${i + 1}`));
    const board = new Map();
    const avatars = new Map();
    for (const [i, placement] of placements.entries()) {
        const reason = place(board, avatars, placement);
        if (reason !== null) return { refused: { placement: i + 1, reason } };
    }
    for (const [i, move] of moves.entries()) {
        const reason = perform(board, avatars, move);
        if (reason !== null) return { refused: { move: i + 1, reason } };
    }
    return stateOf(board, avatars);
}

/** A placement: { colour, port, pattern, square }, where `square` is null without a position. */
function placementWritten(value, at) {
    array(value, [3, 5], "a placement [tile-pat, colour, port, x, y] or [tile-pat, colour, port]", at);
    const pattern = tilePatternWritten(value[0], below(at, 0));
    const colour = colourWritten(value[1], below(at, 1));
    const port = portWritten(value[2], below(at, 2));
    if (value.length === 3) return { colour, port, pattern, square: null };
    const x = integer(value[3], 9, "x", below(at, 3));
    const y = integer(value[4], 9, "y", below(at, 4));
    return { colour, port, pattern, square: squareAt(x, y) };
}

/** Makes a placement, or returns the reason why it is refused; else null. */
function place(board, avatars, { colour, port, pattern, square }) {
    if (avatars.has(colour)) return "on-board";
    if (square === null) return "no-position";
    if (!onEdge(square)) return "not-on-edge";
    if ([square, ...neighbours(square)].some((near) => board.has(near))) return "not-free";
    if (faced({ square, port }) === null) return "faces-off";
    board.set(square, pattern);
    avatars.set(colour, { square, port });
    return null;
}

/** Makes a move, or returns the reason why it is refused; else null. A refusal ends the program: the board may have the tile. */
function perform(board, avatars, { colour, pattern }) {
    if (!avatars.has(colour)) return "not-on-board";
    const square = faced(avatars.get(colour));
    board.set(square, pattern);
    const ends = [...avatars].map(([moved, avatar]) => [moved, end(board, avatar)]);
    if (ends.some(([, place]) => place === "loop")) return "loops";
    for (const [moved, place] of ends) {
        if (place === "left") avatars.delete(moved);
        else avatars.set(moved, place);
    }
    return null;
}

function stateOf(board, avatars) {
    return [...board.keys()].sort((one, other) => one - other).flatMap((square) => {
        const { index, degrees } = board.get(square);
        const pattern = [index, leastDegrees(index, degrees)];
        const here = COLOURS.filter((colour) => avatars.get(colour)?.square === square);
        if (here.length === 0) return [[pattern, ...coordinates(square)]];
        return here.map((colour) => [pattern, colour, PORTS[avatars.get(colour).port], ...coordinates(square)]);
    });
}

wholeInputProgram(PLACEMENTS, answer);
