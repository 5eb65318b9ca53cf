// The board of Tsuro: which square an avatar faces, and where avatars go when a tile is placed.
//
// Source: docs/games/tsuro.md. No JSON, no input, no output. A square is a number, 10 y + x; a board is a Map from squares
// to tile-patterns ({ index, degrees, tile }), avatars are a Map from colours to { square, port }.

const SIZE = 10;

/** How x and y change, by the side that a port is on: two ports to a side, clockwise from the top. */
const SIDES = [[0, -1], [1, 0], [0, 1], [-1, 0]];

/** The port of the next square that each port touches: A - F, B - E, C - H, D - G, and back. */
const TOUCHES = [5, 4, 7, 6, 1, 0, 3, 2];

export function squareAt(x, y) {
    return SIZE * y + x;
}

export function coordinates(square) {
    return [square % SIZE, Math.floor(square / SIZE)];
}

/** The square that an avatar faces; null where that is off the board. */
export function faced({ square, port }) {
    const [x, y] = coordinates(square);
    const [right, down] = SIDES[port >> 1];
    const inside = (n) => n >= 0 && n < SIZE;
    return inside(x + right) && inside(y + down) ? squareAt(x + right, y + down) : null;
}

/** Whether a square is on the edge of the board. */
export function onEdge(square) {
    return coordinates(square).some((n) => n === 0 || n === SIZE - 1);
}

/** The two to four squares that share a side with a square. */
export function neighbours(square) {
    return [0, 2, 4, 6].map((port) => faced({ square, port })).filter((near) => near !== null);
}

/** Whether the square that an avatar faces is on the board and empty. */
export function isAtRest(board, avatar) {
    const ahead = faced(avatar);
    return ahead !== null && !board.has(ahead);
}

/**
 * Where an avatar ends that goes on as far as tiles lead: { square, port }, "left" or "loop".
 *
 * Wires join ports two and two, and so do touching ports: a way that comes to a place where it has been comes to the one
 * first where it began. So that one is all that has to be kept.
 */
export function end(board, start) {
    let avatar = start;
    while (!isAtRest(board, avatar)) {
        const square = faced(avatar);
        if (square === null) return "left";
        avatar = { square, port: board.get(square).tile[TOUCHES[avatar.port]] };
        if (samePlace(avatar, start)) return "loop";
    }
    return avatar;
}

/** Whether any two of these avatars stand on the same port of the same square. */
export function collided(avatars) {
    return avatars.some((one, i) => avatars.slice(i + 1).some((other) => samePlace(one, other)));
}

function samePlace(one, other) {
    return one.square === other.square && one.port === other.port;
}
