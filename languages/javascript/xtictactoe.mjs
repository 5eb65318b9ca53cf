// xtictactoe: answers questions about positions of tic-tac-toe.
//
// Form first, in document order, then the board, then the moves; the contract is docs/games/tictactoe.md.

import { Fault, array, below, choice, integer, unexpected } from "./form.mjs";
import * as game from "./tictactoe.mjs";
import { requestProgram } from "./wire.mjs";

const PLAYERS = ["X", "O"];

/** What is asked for by name alone. */
const PLAIN = {
    state: written,
    player: (state) => state.player,
    to_play: (state) => state.player,
    bitboard: game.bitboard,
    bits: (state) => game.bitboard(state).toString(2).padStart(18, "0"),
    marks: game.marks,
    text: game.text,
    picture: game.picture,
    actions: game.actions,
    next_states: (state) => game.nextStates(state).map(written),
    finished: game.finished,
    terminal: game.finished,
    utility: game.utility,
    winner: game.winner,
    winning_lines: game.winningLines,
    value: game.value,
    best_moves: game.bestMoves,
    move_values: game.moveValues,
    turned: (state) => written(game.turned(state)),
    mirrored: (state) => written(game.mirrored(state)),
    images: (state) => game.images(state).map(written),
    canonical: (state) => written(game.canonical(state)),
    tree: game.tree,
    reachable: game.reachable,
};

/** What is asked for with an argument: how that is read, and what the answer is. */
const WITH_ARGUMENT = {
    mark: { read: cellWritten, answer: game.mark },
    symbol: { read: placeWritten, answer: (state, [row, column]) => game.mark(state, 3 * row + column) ?? " " },
    perft: { read: (value, at) => integer(value, 9, "a depth", at), answer: game.perft },
};

const QUERIES = [...Object.keys(PLAIN), ...Object.keys(WITH_ARGUMENT).map((name) => `{"${name}": ...}`)];

const MEMBERS = { state: stateWritten, moves: movesWritten, ask: askWritten };

function answer(value, at) {
    const { state = game.START, moves = [], ask } = membersWritten(value, ["ask"], MEMBERS, "a request with ask", at);
    refuseContradictions(state, below(below(at, "state"), state.from ?? "board"));
    const last = played(state, moves, below(at, "moves"));
    return Object.fromEntries(ask.map(({ name, answerOf }) => [name, answerOf(last)]));
}

// Form

/** An object that has all `needed` members, and none that `known` has no reader for; each member, read. */
function membersWritten(value, needed, known, name, at) {
    if (!(value instanceof Map && needed.every((member) => value.has(member)))) throw unexpected(name, at, value);
    const members = {};
    for (const [member, part] of value) {
        if (!Object.hasOwn(known, member)) {
            throw unexpected(`no member but ${Object.keys(known).join(", ")}`, below(at, member), part);
        }
        members[member] = known[member](part, below(at, member));
    }
    return members;
}

function stateWritten(value, at) {
    const name = "a state with board or bitboard, and player";
    if (!(value instanceof Map) || value.has("board") === value.has("bitboard")) throw unexpected(name, at, value);
    const known = { board: boardWritten, bitboard: bitboardWritten, player: playerWritten };
    const { board, bitboard, player } = membersWritten(value, ["player"], known, name, at);
    if (board !== undefined) return game.stateOf(board, player);
    return { ...game.stateOfBits(bitboard, player), from: "bitboard" };
}

function bitboardWritten(value, at) {
    return integer(value, 2 ** 18 - 1, "a bitboard", at);
}

function boardWritten(value, at) {
    if (typeof value !== "string" || !/^[XO.]{9}$/.test(value)) {
        throw unexpected('a board (nine symbols "X", "O" or ".")', at, value);
    }
    return value;
}

function playerWritten(value, at) {
    return choice(value, PLAYERS, "a player", at);
}

function movesWritten(value, at) {
    return array(value, [], "an array of cells", at).map((cell, i) => cellWritten(cell, below(at, i)));
}

function cellWritten(value, at) {
    return integer(value, 8, "a cell", at);
}

function placeWritten(value, at) {
    array(value, [2], "a place [row, column]", at);
    return ["a row", "a column"].map((name, i) => integer(value[i], 2, name, below(at, i)));
}

/** The queries, each { name, answerOf }. */
function askWritten(value, at) {
    const asked = new Set();
    return array(value, [], "an array of queries", at).map((query, i) => {
        const place = below(at, i);
        const name = nameOf(query, place);
        if (asked.has(name)) throw unexpected(`a query other than ${name}, which is asked for already,`, place, query);
        asked.add(name);
        return { name, answerOf: answerWritten(query, name, below(place, name)) };
    });
}

/** The name of a query: a word that needs no argument, or that of the one member of an object, which takes one. */
function nameOf(query, at) {
    if (typeof query === "string" && Object.hasOwn(PLAIN, query)) return query;
    if (!(query instanceof Map && query.size === 1)) throw unexpected(`a query (${QUERIES.join(", ")})`, at, query);
    const [[name, argument]] = query;
    if (Object.hasOwn(WITH_ARGUMENT, name)) return name;
    const names = Object.keys(WITH_ARGUMENT).join(", ");
    throw unexpected(`a query that takes an argument (${names})`, below(at, name), argument);
}

/** What answers a query, its argument being read; `at` is the place of that. */
function answerWritten(query, name, at) {
    if (typeof query === "string") return PLAIN[name];
    const argument = WITH_ARGUMENT[name].read(query.get(name), at);
    return (state) => WITH_ARGUMENT[name].answer(state, argument);
}

// The board, and the moves

function refuseContradictions(state, at) {
    if (state.X & state.O) throw unexpected("a bitboard that marks each cell once", at, game.bitboard(state));
    if (PLAYERS.every((player) => game.holdsLine(state[player]))) {
        throw unexpected("a board on which one player at most holds a line", at, game.symbols(state));
    }
}

/** The state after these moves; a Fault at the first that cannot be made. */
function played(state, moves, at) {
    return moves.reduce((before, cell, i) => {
        if (game.actions(before).includes(cell)) return game.after(before, cell);
        const why = game.finished(before) ? "the game is finished" : `cell ${cell} is taken`;
        throw new Fault("illegal-move", below(at, i), `the move at ${below(at, i)} cannot be made: ${why}`);
    }, state);
}

function written(state) {
    return { board: game.symbols(state), player: state.player };
}

requestProgram(answer);
