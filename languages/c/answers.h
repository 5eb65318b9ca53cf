/* The queries of xtictactoe: their names, what they take, and their answers as they are printed.
 *
 * Source: docs/games/tictactoe.md. What is asked is in order: form is a matter of xtictactoe.c. */

#ifndef ANSWERS_H
#define ANSWERS_H

#include "tictactoe.h"

enum { QUERY_COUNT = 27 };

enum takes { NO_ARGUMENT, CELL, ROW_AND_COLUMN, DEPTH };

/* A state, and the argument: a cell or a depth, or a row and a column. */
struct question {
    struct state state;
    int first, second;
};

struct query {
    const char *name;
    void (*answer)(struct question asked);
    enum takes takes;
};

extern const struct query QUERIES[QUERY_COUNT];

#endif
