/* See tictactoe.h. No game is longer than nine moves, so whatever walks the tree just does so; only values are kept, since a
   program that reads many requests is asked for them again and again. */

#include "tictactoe.h"

enum { FULL = 0x1FF, BOARDS = 1 << (2 * CELLS), BITS = 32 };

const int LINE_CELLS[LINES][3] = {
    {0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6},
};

/* The position */

unsigned bit(int cell) {
    return 1U << cell;
}

enum player mark(struct state state, int cell) {
    if (state.marks[PLAYER_X] & bit(cell)) return PLAYER_X;
    return state.marks[PLAYER_O] & bit(cell) ? PLAYER_O : NOBODY;
}

unsigned bitboard(struct state state) {
    return state.marks[PLAYER_X] | state.marks[PLAYER_O] << CELLS;
}

/* The rules */

unsigned held_lines(unsigned marks) {
    unsigned held = 0;
    for (int i = 0; i < LINES; i++) {
        const int *cells = LINE_CELLS[i];
        unsigned line = bit(cells[0]) | bit(cells[1]) | bit(cells[2]);
        if ((marks & line) == line) held |= 1U << i;
    }
    return held;
}

enum player winner(struct state state) {
    if (held_lines(state.marks[PLAYER_X])) return PLAYER_X;
    return held_lines(state.marks[PLAYER_O]) ? PLAYER_O : NOBODY;
}

static unsigned empty(struct state state) {
    return FULL & ~(state.marks[PLAYER_X] | state.marks[PLAYER_O]);
}

bool finished(struct state state) {
    return winner(state) != NOBODY || empty(state) == 0;
}

int utility(struct state finished_state) {
    const int utilities[] = {[PLAYER_X] = 1, [PLAYER_O] = -1, [NOBODY] = 0};
    return utilities[winner(finished_state)];
}

unsigned actions(struct state state) {
    return finished(state) ? 0 : empty(state);
}

struct state after(struct state state, int cell) {
    state.marks[state.player] |= bit(cell);
    state.player = state.player == PLAYER_X ? PLAYER_O : PLAYER_X;
    return state;
}

/* Perfect play */

int value_of(struct state state) {
    static signed char known[2][BOARDS]; /* by player and bitboard: the value and 2, or 0 */
    signed char *kept = &known[state.player == PLAYER_X][bitboard(state)];
    if (*kept) return *kept - 2;
    if (finished(state)) return utility(state);
    int sign = state.player == PLAYER_X ? 1 : -1, best = -1;
    for (int cell = 0; cell < CELLS; cell++) {
        if (!(actions(state) & bit(cell))) continue;
        int value = sign * value_of(after(state, cell));
        if (value > best) best = value;
    }
    *kept = (signed char)(sign * best + 2);
    return sign * best;
}

/* Symmetry */

static struct state moved(struct state state, int (*place)(int row, int column)) {
    struct state result = {.player = state.player};
    for (int cell = 0; cell < CELLS; cell++) {
        enum player whose = mark(state, cell);
        if (whose != NOBODY) result.marks[whose] |= bit(place(cell / 3, cell % 3));
    }
    return result;
}

static int turned_place(int row, int column) {
    return 3 * column + 2 - row;
}

static int mirrored_place(int row, int column) {
    return 3 * row + 2 - column;
}

struct state turned(struct state state) {
    return moved(state, turned_place);
}

struct state mirrored(struct state state) {
    return moved(state, mirrored_place);
}

void images_of(struct state state, struct state images[IMAGES]) {
    images[0] = state;
    images[4] = mirrored(state);
    for (int i = 0; i < 3; i++) {
        images[i + 1] = turned(images[i]);
        images[i + 5] = turned(images[i + 4]);
    }
}

struct state canonical(struct state state) {
    struct state images[IMAGES], least = state;
    images_of(state, images);
    for (int i = 0; i < IMAGES; i++) {
        if (bitboard(images[i]) < bitboard(least)) least = images[i];
    }
    return least;
}

/* The tree */

static void count(struct tree *tree, struct state state) {
    tree->nodes++;
    if (finished(state)) {
        tree->games++;
        if (winner(state) == NOBODY) tree->draws++;
        else tree->wins[winner(state)]++;
    }
    unsigned open = actions(state);
    for (int cell = 0; cell < CELLS; cell++) {
        if (open & bit(cell)) count(tree, after(state, cell));
    }
}

struct tree tree_below(struct state state) {
    struct tree tree = {0, 0, {0, 0}, 0};
    count(&tree, state);
    return tree;
}

long perft(struct state state, int depth) {
    if (depth == 0) return 1;
    long nodes = 0;
    unsigned open = actions(state);
    for (int cell = 0; cell < CELLS; cell++) {
        if (open & bit(cell)) nodes += perft(after(state, cell), depth - 1);
    }
    return nodes;
}

/* A set of boards, by their bitboards. */
struct boards {
    unsigned bits[BOARDS / BITS];
    int count;
};

/* Whether the board is a new one. */
static bool added(struct boards *boards, struct state state) {
    unsigned board = bitboard(state), mask = 1U << board % BITS;
    if (boards->bits[board / BITS] & mask) return false;
    boards->bits[board / BITS] |= mask;
    boards->count++;
    return true;
}

static void collect(struct boards *all, struct boards *different, struct state state) {
    if (!added(all, state)) return;
    added(different, canonical(state));
    unsigned open = actions(state);
    for (int cell = 0; cell < CELLS; cell++) {
        if (open & bit(cell)) collect(all, different, after(state, cell));
    }
}

struct reachable reachable_from(struct state state) {
    struct boards all = {{0}, 0}, different = {{0}, 0};
    collect(&all, &different, state);
    return (struct reachable){all.count, different.count};
}
