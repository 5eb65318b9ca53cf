// The 35 tiles of Tsuro: their wires, how they turn, and how tile-patterns are written.
//
// Source: docs/games/tsuro.md. A tile is an array of eight ports: at each port, the other end of its wire. Never changed.

import { array, below, choice, integer, unexpected } from "./form.mjs";
import { Numeral } from "./json.mjs";

export const PORTS = ["A", "B", "C", "D", "E", "F", "G", "H"];

const DEGREES = [0, 90, 180, 270];

const TILES = [
    "AE BF CH DG", "AE BF CG DH", "AF BE CH DG", "AE BD CG FH", "AH BC DE FG", "AE BC DH FG", "AE BC DG FH",
    "AD BG CF EH", "AD BF CG EH", "AD BE CH FG", "AD BE CG FH", "AD BC EH FG", "AC BH DF EG", "AC BH DE FG",
    "AC BG DF EH", "AC BG DE FH", "AC BF DH EG", "AC BF DG EH", "AC BE DH FG", "AC BE DG FH", "AC BD EH FG",
    "AC BD EG FH", "AB CH DG EF", "AB CH DF EG", "AB CH DE FG", "AB CG DH EF", "AB CG DF EH", "AB CG DE FH",
    "AB CF DH EG", "AB CF DG EH", "AB CE DH FG", "AB CE DG FH", "AB CD EH FG", "AB CD EG FH", "AB CD EF GH",
].map(tileOf);

function tileOf(wires) {
    const tile = [];
    for (const [one, other] of wires.split(" ")) {
        tile[PORTS.indexOf(one)] = PORTS.indexOf(other);
        tile[PORTS.indexOf(other)] = PORTS.indexOf(one);
    }
    return tile;
}

/** The tile of this index, turned clockwise. */
export function turned(index, degrees) {
    const k = degrees / 45;
    const tile = [];
    TILES[index].forEach((other, port) => {
        tile[(port + k) % 8] = (other + k) % 8;
    });
    return tile;
}

export function sameWires(tile, another) {
    return tile.every((other, port) => other === another[port]);
}

/** The least degrees by which the tile of this index, turned, has the wires that it has at `degrees`. */
export function leastDegrees(index, degrees) {
    return DEGREES.find((least) => sameWires(turned(index, least), turned(index, degrees)));
}

// As they are written; otherwise a Fault.

export function indexWritten(value, at) {
    return integer(value, TILES.length - 1, "the index of a tile", at);
}

export function degreesWritten(value, at) {
    const degrees = DEGREES.find((one) => value instanceof Numeral && value.text === String(one));
    if (degrees === undefined) throw unexpected("0, 90, 180 or 270 (degrees, clockwise)", at, value);
    return degrees;
}

/** A port, as its number. */
export function portWritten(value, at) {
    return PORTS.indexOf(choice(value, PORTS, "a port", at));
}

/** A tile-pat: { index, degrees, tile }. */
export function tilePatternWritten(value, at) {
    const [first, second] = array(value, [2], "a tile-pat [index, degrees]", at);
    const index = indexWritten(first, below(at, 0));
    const degrees = degreesWritten(second, below(at, 1));
    return { index, degrees, tile: turned(index, degrees) };
}
