// xboard: performs actions on a board, and prints their effect on red.
//
// Form first, then contradictions in the state, then the actions; the contract is docs/games/tsuro.md.

import { actionWritten, colourWritten } from "./actions.mjs";
import { collided, coordinates, end, faced, isAtRest, squareAt } from "./board.mjs";
import { Fault, array, below, integer } from "./form.mjs";
import { PORTS, leastDegrees, portWritten, sameWires, tilePatternWritten } from "./tiles.mjs";
import { wholeInputProgram } from "./wire.mjs";

const STATE = "a state [state-pat, ...]";

function answer([first, ...others]) {
    const parts = stateWritten(first);
    const actions = others.map((value, i) => actionWritten(value, `/${i + 1}`));
    const { board, avatars } = stateOf(parts);
    if (!avatars.has("red")) return "red never played";
    for (const action of actions) {
        const outcome = perform(board, avatars, action);
        if (outcome !== null) return outcome;
    }
    return patternOf("red", board, avatars.get("red"));
}

// Form

function stateWritten(value) {
    return array(value, [], STATE, "/0").map((part, k) => statePatternWritten(part, below("/0", k)));
}

/** A state-pat: { at, pattern, square, avatar }, where `avatar` is null or { colour, square, port }. */
function statePatternWritten(value, at) {
    array(value, [3, 5], "a state-pat [tile-pat, x, y] or [tile-pat, colour, port, x, y]", at);
    const pattern = tilePatternWritten(value[0], below(at, 0));
    const place = value.length - 2;
    const colour = place === 1 ? null : colourWritten(value[1], below(at, 1));
    const port = place === 1 ? null : portWritten(value[2], below(at, 2));
    const x = integer(value[place], 9, "x", below(at, place));
    const y = integer(value[place + 1], 9, "y", below(at, place + 1));
    const square = squareAt(x, y);
    return { at, pattern, square, avatar: colour === null ? null : { colour, square, port } };
}

// The state

function stateOf(parts) {
    const board = new Map();
    for (const { square, pattern } of parts) {
        if (!board.has(square)) board.set(square, pattern);
    }
    const avatars = new Map();
    for (const part of parts) {
        refuseOtherWires(part, board.get(part.square));
        if (part.avatar === null) continue;
        refuseUnrest(part, board);
        refuseSecond(part, avatars);
        avatars.set(part.avatar.colour, part.avatar);
    }
    return { board, avatars };
}

function refuseOtherWires({ at, pattern, square }, first) {
    if (sameWires(pattern.tile, first.tile)) return;
    const [there, here] = [first, pattern].map(({ index, degrees }) => `[${index}, ${degrees}]`);
    throw contradiction(at, `two tiles on ${named(square)}: ${there} lies there already, found ${here} at ${at}`);
}

function refuseUnrest({ at, avatar }, board) {
    if (isAtRest(board, avatar)) return;
    const ahead = faced(avatar);
    const found = ahead === null ? "the edge of the board" : `a tile on ${named(ahead)}`;
    const where = `before port ${PORTS[avatar.port]} of ${named(avatar.square)}`;
    throw contradiction(at, `${avatar.colour} at ${at} is not at rest: an empty square expected ${where}, found ${found}`);
}

function refuseSecond({ at, avatar: { colour } }, avatars) {
    if (!avatars.has(colour)) return;
    const first = named(avatars.get(colour).square);
    throw contradiction(below(at, 1), `one ${colour} avatar expected, found another at ${at}: the first stands on ${first}`);
}

function contradiction(at, message) {
    return new Fault("invalid-spec", at, message);
}

function named(square) {
    return `(${coordinates(square).join(", ")})`;
}

// The actions

/** Performs an action, on board and avatars; what it comes to, or null where all goes on. */
function perform(board, avatars, { at, colour, pattern }) {
    if (!avatars.has(colour)) {
        throw new Fault("illegal-move", at, `the action at ${at} cannot be performed: ${colour} is not on the board`);
    }
    board.set(faced(avatars.get(colour)), pattern);
    const ends = [...avatars].map(([moved, avatar]) => [moved, end(board, avatar)]);
    if (ends.some(([, place]) => place === "loop")) return "infinite";
    for (const [moved, place] of ends) {
        if (place === "left") avatars.delete(moved);
        else avatars.set(moved, place);
    }
    if (collided([...avatars.values()])) return "collision";
    return avatars.has("red") ? null : "red died";
}

function patternOf(colour, board, { square, port }) {
    const { index, degrees } = board.get(square);
    return [[index, leastDegrees(index, degrees)], colour, PORTS[port], ...coordinates(square)];
}

wholeInputProgram(STATE, answer);
