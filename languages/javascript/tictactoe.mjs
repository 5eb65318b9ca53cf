// Tic-tac-toe: the rules, perfect play, symmetry, the tree counted, and the two texts.
//
// Source: docs/games/tictactoe.md. Pure; no JSON here. A state is { X, O, player }: a mask of nine bits for the marks of each
// player, bit c for cell c, and who is to move.

const CELLS = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const FULL = 0b111_111_111;

/** Rows, columns, the falling and the rising diagonal: the order in which they are told. */
const LINES = [
    [0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6],
];

const LINE_MASKS = LINES.map(maskOf);

export const START = { X: 0, O: 0, player: "X" };

function maskOf(cells) {
    return cells.reduce((mask, cell) => mask | (1 << cell), 0);
}

function cellsOf(mask) {
    return CELLS.filter((cell) => mask & (1 << cell));
}

// The position

/** The state of a board in nine symbols. */
export function stateOf(board, player) {
    const marksOf = (mark) => maskOf(CELLS.filter((cell) => board[cell] === mark));
    return { X: marksOf("X"), O: marksOf("O"), player };
}

/** The state of a bitboard: nine bits for X, above them nine for O. It may mark a cell twice. */
export function stateOfBits(bits, player) {
    return { X: bits & 0b111111111, O: bits >> 9, player };
}

/** "X" or "O", or null where the cell is empty. */
export function mark({ X, O }, cell) {
    if (X & (1 << cell)) return "X";
    return O & (1 << cell) ? "O" : null;
}

/** The board in nine symbols, a dot where a cell is empty. */
export function symbols(state) {
    return CELLS.map((cell) => mark(state, cell) ?? ".").join("");
}

export function bitboard({ X, O }) {
    return X | (O << 9);
}

export function marks({ X, O }) {
    return { X: cellsOf(X), O: cellsOf(O) };
}

// The rules

export function holdsLine(mask) {
    return LINE_MASKS.some((line) => (mask & line) === line);
}

export function winner({ X, O }) {
    if (holdsLine(X)) return "X";
    return holdsLine(O) ? "O" : null;
}

export function winningLines(state) {
    const held = state[winner(state)] ?? 0;
    return LINES.filter((line, i) => (held & LINE_MASKS[i]) === LINE_MASKS[i]);
}

/** 1 where X has won, -1 where O has, 0 for a draw, null while the game is not finished. */
export function utility(state) {
    const won = winner(state);
    if (won !== null) return won === "X" ? 1 : -1;
    return (state.X | state.O) === FULL ? 0 : null;
}

export function finished(state) {
    return utility(state) !== null;
}

/** The cells that may be marked, ascending. */
export function actions(state) {
    return finished(state) ? [] : cellsOf(FULL & ~(state.X | state.O));
}

/** The state after the player marks this cell, which is one of the actions. */
export function after({ X, O, player }, cell) {
    const marked = 1 << cell;
    return player === "X" ? { X: X | marked, O, player: "O" } : { X, O: O | marked, player: "X" };
}

export function nextStates(state) {
    return actions(state).map((cell) => after(state, cell));
}

// Perfect play

/** The utility in which the game ends when both play perfectly. */
export const value = kept((state) => {
    const values = nextStates(state).map(value);
    if (values.length === 0) return utility(state);
    return state.player === "X" ? Math.max(...values) : Math.min(...values);
});

/** The function of a state with its results kept: sessions ask for the same ones again and again. */
function kept(of) {
    const results = new Map();
    return (state) => {
        const key = `${state.player}${bitboard(state)}`;
        if (!results.has(key)) results.set(key, of(state));
        return results.get(key);
    };
}

/** [{ cell, value }, ...] for each action. */
export function moveValues(state) {
    return actions(state).map((cell) => ({ cell, value: value(after(state, cell)) }));
}

export function bestMoves(state) {
    const best = value(state);
    return moveValues(state).filter((move) => move.value === best).map((move) => move.cell);
}

// Symmetry

const TURNED = CELLS.map((cell) => 3 * column(cell) + 2 - row(cell));
const MIRRORED = CELLS.map((cell) => 3 * row(cell) + 2 - column(cell));

function row(cell) {
    return Math.floor(cell / 3);
}

function column(cell) {
    return cell % 3;
}

/** The state whose marks have gone, each from its cell to `places[cell]`. */
function moved({ X, O, player }, places) {
    const move = (mask) => maskOf(cellsOf(mask).map((cell) => places[cell]));
    return { X: move(X), O: move(O), player };
}

/** After a quarter turn, clockwise. */
export function turned(state) {
    return moved(state, TURNED);
}

/** With left and right swapped. */
export function mirrored(state) {
    return moved(state, MIRRORED);
}

/** The state, turned once, twice, three times; and the mirrored one likewise. */
export function images(state) {
    return [...turns(state), ...turns(mirrored(state))];
}

function turns(state) {
    const once = turned(state);
    const twice = turned(once);
    return [state, once, twice, turned(twice)];
}

/** The image with the smallest bitboard. */
export function canonical(state) {
    return images(state).reduce((least, image) => (bitboard(image) < bitboard(least) ? image : least));
}

// The tree

/** How many nodes and games the tree has, and how these end. */
export const tree = kept((state) => {
    const result = utility(state);
    const counts = { nodes: 1, games: 0, x_wins: 0, o_wins: 0, draws: 0 };
    if (result !== null) {
        counts.games = 1;
        counts[{ 1: "x_wins", "-1": "o_wins", 0: "draws" }[result]] = 1;
    }
    for (const below of nextStates(state).map(tree)) {
        for (const name of Object.keys(counts)) counts[name] += below[name];
    }
    return counts;
});

/** How many nodes the tree has at this depth. */
export function perft(state, depth) {
    if (depth === 0) return 1;
    return nextStates(state).reduce((count, next) => count + perft(next, depth - 1), 0);
}

/** How many different boards the tree has, and how many different canonical ones. */
export const reachable = kept((state) => {
    const seen = new Map([[bitboard(state), state]]);
    for (const each of seen.values()) { // a Map goes on to what is added meanwhile
        for (const next of nextStates(each)) seen.set(bitboard(next), next);
    }
    const different = new Set([...seen.values()].map((each) => bitboard(canonical(each))));
    return { states: seen.size, up_to_symmetry: different.size };
});

// The two texts

/** The board in seven lines, each with its end. */
export function text(state) {
    const frame = "+-+-+-+\n";
    const rows = [0, 1, 2].map((r) => `|${symbolsOfRow(state, r).join("|")}|\n`);
    return frame + rows.map((line) => line + frame).join("");
}

/** The board in nine lines: with numbers, with the winner's marks in brackets, and with how the game stands. */
export function picture(state) {
    const held = new Set(winningLines(state).flat());
    const boxed = (symbol, cell) => (held.has(cell) ? `[${symbol}]` : ` ${symbol} `);
    const rows = [0, 1, 2].map((r) => {
        const cells = symbolsOfRow(state, r).map((symbol, c) => boxed(symbol, 3 * r + c));
        return `${r} │${cells.join("│")}│`;
    });
    return [
        "    0   1   2", "  ┌───┬───┬───┐", rows[0], "  ├───┼───┼───┤", rows[1], "  ├───┼───┼───┤", rows[2],
        "  └───┴───┴───┘", `  ${standing(state)}`,
    ].join("\n");
}

function symbolsOfRow(state, r) {
    return [0, 1, 2].map((c) => mark(state, 3 * r + c) ?? " ");
}

function standing(state) {
    const won = winner(state);
    if (won !== null) return `${won} has won`;
    return finished(state) ? "a draw" : "not decided yet";
}
