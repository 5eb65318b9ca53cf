/* See answers.h. Each answer is printed as JSON without white space; ending the line is left to the caller. */

#include "answers.h"

#include <stdio.h>

static const char *const PLAYER_NAMES[] = {[PLAYER_X] = "X", [PLAYER_O] = "O", [NOBODY] = " "};

static void put_player(enum player player) {
    if (player == NOBODY) printf("null");
    else printf("\"%s\"", PLAYER_NAMES[player]);
}

static const char *comma(bool *first) {
    const char *between = *first ? "" : ",";
    *first = false;
    return between;
}

static void put_state(struct state state) {
    printf("{\"board\":\"");
    for (int cell = 0; cell < CELLS; cell++) putchar("XO."[mark(state, cell)]);
    printf("\",\"player\":");
    put_player(state.player);
    putchar('}');
}

static void put_cells(unsigned cells) {
    bool first = true;
    putchar('[');
    for (int cell = 0; cell < CELLS; cell++) {
        if (cells & bit(cell)) printf("%s%d", comma(&first), cell);
    }
    putchar(']');
}

static void answer_state(struct question asked) {
    put_state(asked.state);
}

static void answer_player(struct question asked) {
    put_player(asked.state.player);
}

static void answer_bitboard(struct question asked) {
    printf("%u", bitboard(asked.state));
}

static void answer_bits(struct question asked) {
    putchar('"');
    for (int bit_number = 2 * CELLS - 1; bit_number >= 0; bit_number--) {
        putchar('0' + (int)(bitboard(asked.state) >> bit_number & 1));
    }
    putchar('"');
}

static void answer_marks(struct question asked) {
    struct state state = asked.state;
    printf("{\"X\":");
    put_cells(state.marks[PLAYER_X]);
    printf(",\"O\":");
    put_cells(state.marks[PLAYER_O]);
    putchar('}');
}

static void answer_mark(struct question asked) {
    put_player(mark(asked.state, asked.first));
}

static void answer_symbol(struct question asked) {
    printf("\"%s\"", PLAYER_NAMES[mark(asked.state, 3 * asked.first + asked.second)]);
}

static void answer_text(struct question asked) {
    printf("\"+-+-+-+\\n");
    for (int cell = 0; cell < CELLS; cell += 3) {
        for (int column = 0; column < 3; column++) printf("|%s", PLAYER_NAMES[mark(asked.state, cell + column)]);
        printf("|\\n+-+-+-+\\n");
    }
    putchar('"');
}

/* The cells of the lines that the winner holds: bit c for cell c. */
static unsigned winning_cells(struct state state) {
    if (winner(state) == NOBODY) return 0;
    unsigned cells = 0, held = held_lines(state.marks[winner(state)]);
    for (int i = 0; i < LINES; i++) {
        for (int j = 0; j < 3 && held & 1U << i; j++) cells |= bit(LINE_CELLS[i][j]);
    }
    return cells;
}

static void answer_picture(struct question asked) {
    struct state state = asked.state;
    const char *borders[] = {"┌───┬───┬───┐", "├───┼───┼───┤", "├───┼───┼───┤"};
    unsigned boxed = winning_cells(state);
    printf("\"    0   1   2\\n");
    for (int row = 0; row < 3; row++) {
        printf("  %s\\n%d │", borders[row], row);
        for (int cell = 3 * row; cell < 3 * row + 3; cell++) {
            printf(boxed & bit(cell) ? "[%s]│" : " %s │", PLAYER_NAMES[mark(state, cell)]);
        }
        printf("\\n");
    }
    printf("  └───┴───┴───┘\\n  ");
    if (winner(state) != NOBODY) printf("%s has won\"", PLAYER_NAMES[winner(state)]);
    else printf(finished(state) ? "a draw\"" : "not decided yet\"");
}

static void answer_actions(struct question asked) {
    put_cells(actions(asked.state));
}

static void answer_next_states(struct question asked) {
    struct state state = asked.state;
    bool first = true;
    putchar('[');
    for (int cell = 0; cell < CELLS; cell++) {
        if (!(actions(state) & bit(cell))) continue;
        printf("%s", comma(&first));
        put_state(after(state, cell));
    }
    putchar(']');
}

static void answer_finished(struct question asked) {
    printf(finished(asked.state) ? "true" : "false");
}

static void answer_utility(struct question asked) {
    struct state state = asked.state;
    if (finished(state)) printf("%d", utility(state));
    else printf("null");
}

static void answer_winner(struct question asked) {
    put_player(winner(asked.state));
}

static void answer_winning_lines(struct question asked) {
    struct state state = asked.state;
    unsigned held = winner(state) == NOBODY ? 0 : held_lines(state.marks[winner(state)]);
    bool first = true;
    putchar('[');
    for (int i = 0; i < LINES; i++) {
        const int *cells = LINE_CELLS[i];
        if (held & 1U << i) printf("%s[%d,%d,%d]", comma(&first), cells[0], cells[1], cells[2]);
    }
    putchar(']');
}

static void answer_value(struct question asked) {
    printf("%d", value_of(asked.state));
}

static void answer_best_moves(struct question asked) {
    struct state state = asked.state;
    int best = value_of(state);
    unsigned cells = 0;
    for (int cell = 0; cell < CELLS; cell++) {
        if (actions(state) & bit(cell) && value_of(after(state, cell)) == best) cells |= bit(cell);
    }
    put_cells(cells);
}

static void answer_move_values(struct question asked) {
    struct state state = asked.state;
    bool first = true;
    putchar('[');
    for (int cell = 0; cell < CELLS; cell++) {
        if (!(actions(state) & bit(cell))) continue;
        printf("%s{\"cell\":%d,\"value\":%d}", comma(&first), cell, value_of(after(state, cell)));
    }
    putchar(']');
}

static void answer_turned(struct question asked) {
    put_state(turned(asked.state));
}

static void answer_mirrored(struct question asked) {
    put_state(mirrored(asked.state));
}

static void answer_images(struct question asked) {
    struct state images[IMAGES];
    images_of(asked.state, images);
    for (int i = 0; i < IMAGES; i++) {
        putchar(i == 0 ? '[' : ',');
        put_state(images[i]);
    }
    putchar(']');
}

static void answer_canonical(struct question asked) {
    put_state(canonical(asked.state));
}

static void answer_tree(struct question asked) {
    struct tree tree = tree_below(asked.state);
    printf("{\"nodes\":%ld,\"games\":%ld,\"x_wins\":%ld,\"o_wins\":%ld,\"draws\":%ld}",
           tree.nodes, tree.games, tree.wins[PLAYER_X], tree.wins[PLAYER_O], tree.draws);
}

static void answer_reachable(struct question asked) {
    struct reachable reachable = reachable_from(asked.state);
    printf("{\"states\":%d,\"up_to_symmetry\":%d}", reachable.states, reachable.up_to_symmetry);
}

static void answer_perft(struct question asked) {
    printf("%ld", perft(asked.state, asked.first));
}

const struct query QUERIES[QUERY_COUNT] = {
    {"state", answer_state, NO_ARGUMENT},
    {"player", answer_player, NO_ARGUMENT},
    {"to_play", answer_player, NO_ARGUMENT},
    {"bitboard", answer_bitboard, NO_ARGUMENT},
    {"bits", answer_bits, NO_ARGUMENT},
    {"marks", answer_marks, NO_ARGUMENT},
    {"text", answer_text, NO_ARGUMENT},
    {"picture", answer_picture, NO_ARGUMENT},
    {"actions", answer_actions, NO_ARGUMENT},
    {"next_states", answer_next_states, NO_ARGUMENT},
    {"finished", answer_finished, NO_ARGUMENT},
    {"terminal", answer_finished, NO_ARGUMENT},
    {"utility", answer_utility, NO_ARGUMENT},
    {"winner", answer_winner, NO_ARGUMENT},
    {"winning_lines", answer_winning_lines, NO_ARGUMENT},
    {"value", answer_value, NO_ARGUMENT},
    {"best_moves", answer_best_moves, NO_ARGUMENT},
    {"move_values", answer_move_values, NO_ARGUMENT},
    {"turned", answer_turned, NO_ARGUMENT},
    {"mirrored", answer_mirrored, NO_ARGUMENT},
    {"images", answer_images, NO_ARGUMENT},
    {"canonical", answer_canonical, NO_ARGUMENT},
    {"tree", answer_tree, NO_ARGUMENT},
    {"reachable", answer_reachable, NO_ARGUMENT},
    {"mark", answer_mark, CELL},
    {"symbol", answer_symbol, ROW_AND_COLUMN},
    {"perft", answer_perft, DEPTH},
};
