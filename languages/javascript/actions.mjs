// Colours of avatars and actions of players, as xboard and xmoves read them; otherwise a Fault.
//
// Source: docs/games/tsuro.md.

import { array, below, choice } from "./form.mjs";
import { tilePatternWritten } from "./tiles.mjs";

/** In the order in which players act. */
export const COLOURS = ["white", "black", "red", "green", "blue"];

export function colourWritten(value, at) {
    return choice(value, COLOURS, "a colour", at);
}

/** An action: { at, colour, pattern }. */
export function actionWritten(value, at) {
    array(value, [2], "an action [colour, tile-pat]", at);
    const colour = colourWritten(value[0], below(at, 0));
    return { at, colour, pattern: tilePatternWritten(value[1], below(at, 1)) };
}
