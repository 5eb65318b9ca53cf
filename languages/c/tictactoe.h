/* Tic-tac-toe: the rules, perfect play, symmetry, and the tree counted.
 *
 * Source: docs/games/tictactoe.md. Values in, values out. */

#ifndef TICTACTOE_H
#define TICTACTOE_H

#include <stdbool.h>

enum { CELLS = 9, LINES = 8, IMAGES = 8 };

enum player { PLAYER_X, PLAYER_O, NOBODY };

struct state {
    unsigned marks[2]; /* of each player: bit c for cell c */
    enum player player;
};

struct tree {
    long nodes, games, wins[2], draws;
};

struct reachable {
    int states, up_to_symmetry;
};

/* Rows, columns, the falling and the rising diagonal: the order in which they are told. */
extern const int LINE_CELLS[LINES][3];

unsigned bit(int cell);
enum player mark(struct state state, int cell);
unsigned bitboard(struct state state);

/* The lines that a player holds: bit i for line i. */
unsigned held_lines(unsigned marks);
enum player winner(struct state state);
bool finished(struct state state);
int utility(struct state finished_state);

/* The cells that may be marked: bit c for cell c. */
unsigned actions(struct state state);
struct state after(struct state state, int cell);

int value_of(struct state state);

struct state turned(struct state state);
struct state mirrored(struct state state);
void images_of(struct state state, struct state images[IMAGES]);
struct state canonical(struct state state);

struct tree tree_below(struct state state);
long perft(struct state state, int depth);
struct reachable reachable_from(struct state state);

#endif
