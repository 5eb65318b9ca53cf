/* xtictactoe: answers questions about positions of tic-tac-toe.
 *
 * Standard input to requests, what is wrong with one to error objects, and the exit status. The contract is
 * docs/games/tictactoe.md; JSON is read in json.c, the game is in tictactoe.c, answers are printed in answers.c. */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answers.h"
#include "json.h"
#include "tictactoe.h"

enum status { ACCEPTED = 0, REFUSED = 1, OURS = 2, INTERRUPTED = 130, UNREAD = 141 };

/* A place in the input, as a JSON Pointer: an index or, where there is one, a name below another place. */
struct place {
    const struct place *above;
    size_t index;
    struct json_text name;
};

/* A cell or a depth, or a row and a column. */
struct argument {
    int first, second;
};

struct request {
    struct state state;
    const char *board_member; /* of the state: "board" or "bitboard" */
    const struct json_value *moves; /* cells, all of them; or NULL */
    struct place moves_at;
    bool asked[QUERY_COUNT];
    struct argument arguments[QUERY_COUNT];
};

static jmp_buf refused; /* back to the requests, once the error object is printed */

/* Printing */

static _Noreturn void fail(const char *what) {
    perror(what);
    exit(OURS);
}

/* What was printed so far is given to whoever reads. */
static void end_line(void) {
    putchar('\n');
    if (fflush(stdout) == 0) return;
    if (errno == EPIPE) _exit(UNREAD);
    fail("standard output");
}

/* Inside a string. */
static void put_characters(struct json_text text) {
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if (byte == '"' || byte == '\\') printf("\\%c", byte);
        else if (byte < 0x20) printf("\\u%04x", byte);
        else putchar(byte);
    }
}

static void put_words(const char *words) {
    put_characters((struct json_text){words, strlen(words)});
}

static void put_pointer(const struct place *place) {
    if (place->above != NULL) put_pointer(place->above);
    putchar('/');
    if (place->name.bytes == NULL) printf("%zu", place->index);
    for (size_t i = 0; i < place->name.length; i++) {
        struct json_text character = {place->name.bytes + i, 1};
        if (*character.bytes == '~') put_words("~0");
        else if (*character.bytes == '/') put_words("~1");
        else put_characters(character);
    }
}

/* A text, cut after so many bytes, or a few less where that would cut a character. */
static void put_cut(struct json_text text) {
    size_t most = 40, length = text.length;
    if (length > most) {
        length = most;
        while ((text.bytes[length] & 0xC0) == 0x80) length--;
    }
    put_characters((struct json_text){text.bytes, length});
    if (length < text.length) put_words("...");
}

static void put_found(const struct json_value *value) {
    const char *names[] = {
        [JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true", [JSON_NUMBER] = "", [JSON_STRING] = "",
        [JSON_ARRAY] = "an array", [JSON_OBJECT] = "an object",
    };
    put_words(names[value->kind]);
    if (value->kind == JSON_STRING) put_words("\"");
    put_cut(value->text);
    if (value->kind == JSON_STRING) put_words("\"");
}

/* Faults */

static _Noreturn void refuse_value(const struct json_value *value, const struct place *at, const char *expected) {
    printf("{\"error\":{\"kind\":\"invalid-spec\",\"at\":\"");
    put_pointer(at);
    printf("\",\"message\":\"");
    put_words(expected);
    put_words(" expected, found ");
    put_found(value);
    printf("\"}}");
    longjmp(refused, 1);
}

static _Noreturn void refuse_move(int cell, const struct place *at, bool over) {
    printf("{\"error\":{\"kind\":\"illegal-move\",\"at\":\"");
    put_pointer(at);
    printf("\",\"message\":\"cell %d cannot be marked: %s\"}}", cell, over ? "the game is finished" : "it is taken");
    longjmp(refused, 1);
}

/* Form: the first fault in document order is refused */

static struct place element(const struct place *above, size_t index) {
    return (struct place){.above = above, .index = index};
}

static struct place member(const struct place *above, struct json_text name) {
    return (struct place){.above = above, .name = name};
}

/* An integer, written with one digit, from 0 to `most`. */
static int integer_read(const struct json_value *value, const struct place *at, int most, const char *expected) {
    bool one_digit = value->kind == JSON_NUMBER && value->text.length == 1;
    if (!one_digit || value->text.bytes[0] - '0' > most) refuse_value(value, at, expected);
    return value->text.bytes[0] - '0';
}

static int cell_read(const struct json_value *value, const struct place *at) {
    return integer_read(value, at, 8, "a cell (an integer from 0 to 8)");
}

static struct argument place_read(const struct json_value *value, const struct place *at) {
    if (value->kind != JSON_ARRAY || value->count != 2) refuse_value(value, at, "a place [row, column]");
    struct place row_at = element(at, 0), column_at = element(at, 1);
    int row = integer_read(value->first, &row_at, 2, "a row (an integer from 0 to 2)");
    int column = integer_read(value->first->next, &column_at, 2, "a column (an integer from 0 to 2)");
    return (struct argument){row, column};
}

static struct argument argument_read(const struct json_value *value, const struct place *at, enum takes takes) {
    if (takes == ROW_AND_COLUMN) return place_read(value, at);
    if (takes == CELL) return (struct argument){cell_read(value, at), 0};
    return (struct argument){integer_read(value, at, 9, "a depth (an integer from 0 to 9)"), 0};
}

/* The number of the query of this name, -1 where there is none. */
static int query_number(struct json_text name, bool with_argument) {
    for (int i = 0; i < QUERY_COUNT; i++) {
        if (json_is_text(name, QUERIES[i].name) && (QUERIES[i].takes != NO_ARGUMENT) == with_argument) return i;
    }
    return -1;
}

static int query_read(const struct json_value *value, const struct place *at) {
    int plain = value->kind == JSON_STRING ? query_number(value->text, false) : -1;
    if (plain >= 0) return plain;
    if (value->kind != JSON_OBJECT || value->count != 1) refuse_value(value, at, "a query");
    struct place name_at = member(at, value->first->key);
    int number = query_number(value->first->key, true);
    if (number < 0) refuse_value(value->first, &name_at, "a query that takes an argument (mark, symbol or perft)");
    return number;
}

static void read_ask(const struct json_value *value, const struct place *at, struct request *request) {
    if (value->kind != JSON_ARRAY) refuse_value(value, at, "an array of queries");
    size_t i = 0;
    for (const struct json_value *each = value->first; each != NULL; each = each->next, i++) {
        struct place each_at = element(at, i);
        int number = query_read(each, &each_at);
        if (request->asked[number]) refuse_value(each, &each_at, "a query that is not asked for already");
        request->asked[number] = true;
        if (QUERIES[number].takes == NO_ARGUMENT) continue;
        struct place argument_at = member(&each_at, each->first->key);
        request->arguments[number] = argument_read(each->first, &argument_at, QUERIES[number].takes);
    }
}

static void read_moves(const struct json_value *value, const struct place *at, struct request *request) {
    if (value->kind != JSON_ARRAY) refuse_value(value, at, "an array of cells");
    size_t i = 0;
    for (const struct json_value *each = value->first; each != NULL; each = each->next, i++) {
        struct place each_at = element(at, i);
        cell_read(each, &each_at);
    }
    request->moves = value;
    request->moves_at = *at;
}

static bool has_member(const struct json_value *value, const char *name) {
    if (value->kind != JSON_OBJECT) return false;
    const struct json_value *each = value->first;
    while (each != NULL && !json_is_text(each->key, name)) each = each->next;
    return each != NULL;
}

static void read_board(const struct json_value *value, const struct place *at, struct state *state) {
    const char *expected = "a board (nine symbols \"X\", \"O\" or \".\")";
    if (value->kind != JSON_STRING || value->text.length != CELLS) refuse_value(value, at, expected);
    for (int cell = 0; cell < CELLS; cell++) {
        char symbol = value->text.bytes[cell];
        if (symbol == 'X') state->marks[PLAYER_X] |= bit(cell);
        else if (symbol == 'O') state->marks[PLAYER_O] |= bit(cell);
        else if (symbol != '.') refuse_value(value, at, expected);
    }
}

/* Of at most six digits: a longer number is out of range, and one with another character is no such integer. */
static void read_bitboard(const struct json_value *value, const struct place *at, struct state *state) {
    const char *expected = "a bitboard (an integer from 0 to 262143)";
    if (value->kind != JSON_NUMBER || value->text.length > 6) refuse_value(value, at, expected);
    unsigned number = 0;
    for (size_t i = 0; i < value->text.length; i++) {
        char digit = value->text.bytes[i];
        if (digit < '0' || digit > '9') refuse_value(value, at, expected);
        number = 10 * number + (unsigned)(digit - '0');
    }
    if (number >= 1u << 2 * CELLS) refuse_value(value, at, expected);
    state->marks[PLAYER_X] = number & ((1u << CELLS) - 1);
    state->marks[PLAYER_O] = number >> CELLS;
}

static void read_player(const struct json_value *value, const struct place *at, struct state *state) {
    bool is_x = value->kind == JSON_STRING && json_is_text(value->text, "X");
    bool is_o = value->kind == JSON_STRING && json_is_text(value->text, "O");
    if (!is_x && !is_o) refuse_value(value, at, "a player (\"X\" or \"O\")");
    state->player = is_x ? PLAYER_X : PLAYER_O;
}

static void read_state(const struct json_value *value, const struct place *at, struct request *request) {
    bool has_board = has_member(value, "board"), has_bitboard = has_member(value, "bitboard");
    if (has_board == has_bitboard || !has_member(value, "player")) {
        refuse_value(value, at, "a state with board or bitboard, and player");
    }
    request->board_member = has_board ? "board" : "bitboard";
    for (const struct json_value *each = value->first; each != NULL; each = each->next) {
        struct place each_at = member(at, each->key);
        if (json_is_text(each->key, "board")) read_board(each, &each_at, &request->state);
        else if (json_is_text(each->key, "bitboard")) read_bitboard(each, &each_at, &request->state);
        else if (json_is_text(each->key, "player")) read_player(each, &each_at, &request->state);
        else refuse_value(each, &each_at, "no member but board or bitboard, and player");
    }
}

static struct request request_read(const struct json_value *value, const struct place *at) {
    struct request request = {.state = {{0, 0}, PLAYER_X}, .board_member = "board"};
    if (!has_member(value, "ask")) refuse_value(value, at, "a request with ask");
    for (const struct json_value *each = value->first; each != NULL; each = each->next) {
        struct place each_at = member(at, each->key);
        if (json_is_text(each->key, "state")) read_state(each, &each_at, &request);
        else if (json_is_text(each->key, "moves")) read_moves(each, &each_at, &request);
        else if (json_is_text(each->key, "ask")) read_ask(each, &each_at, &request);
        else refuse_value(each, &each_at, "no member but state, moves and ask");
    }
    return request;
}

/* The board, the moves, the answer */

static void refuse_contradictions(struct request request, const struct place *at, const struct json_value *value) {
    struct state state = request.state;
    bool is_marked_twice = state.marks[PLAYER_X] & state.marks[PLAYER_O];
    if (!is_marked_twice && (!held_lines(state.marks[PLAYER_X]) || !held_lines(state.marks[PLAYER_O]))) return;
    struct place state_at = member(at, (struct json_text){"state", 5});
    struct place board_at = member(&state_at, (struct json_text){request.board_member, strlen(request.board_member)});
    if (is_marked_twice) refuse_value(value, &board_at, "a bitboard that marks each cell once");
    refuse_value(value, &board_at, "a board on which one player at most holds a line");
}

static struct state played(const struct request *request) {
    struct state state = request->state;
    size_t i = 0;
    const struct json_value *each = request->moves == NULL ? NULL : request->moves->first;
    for (; each != NULL; each = each->next, i++) {
        struct place at = element(&request->moves_at, i);
        int cell = each->text.bytes[0] - '0';
        if (!(actions(state) & bit(cell))) refuse_move(cell, &at, finished(state));
        state = after(state, cell);
    }
    return state;
}

static const char *comma(bool *first) {
    const char *between = *first ? "" : ",";
    *first = false;
    return between;
}

static void answer(const struct json_value *value, const struct place *at) {
    struct request request = request_read(value, at);
    refuse_contradictions(request, at, value);
    struct state state = played(&request);
    bool first = true;
    putchar('{');
    for (int i = 0; i < QUERY_COUNT; i++) {
        if (!request.asked[i]) continue;
        printf("%s\"%s\":", comma(&first), QUERIES[i].name);
        QUERIES[i].answer((struct question){state, request.arguments[i].first, request.arguments[i].second});
    }
    putchar('}');
}

/* The program */

static size_t standard_input(unsigned char *bytes, size_t most) {
    ssize_t count;
    do count = read(STDIN_FILENO, bytes, most);
    while (count < 0 && errno == EINTR);
    if (count < 0) fail("standard input");
    return (size_t)count;
}

static void interrupted(int signal_number) {
    (void)signal_number;
    _exit(INTERRUPTED);
}

/* One line: the answer, or the error object that the jump back leaves. */
static void print_answer(const struct json_value *value, const struct place *at) {
    if (setjmp(refused) == 0) answer(value, at);
    end_line();
}

static enum status serve(struct json_reader *reader) {
    const struct json_value *value;
    enum json_event event;
    for (size_t k = 0; (event = json_next(reader, &value)) == JSON_VALUE; k++) {
        struct place at = element(NULL, k);
        print_answer(value, &at);
    }
    if (event == JSON_END) return ACCEPTED;
    size_t byte = json_fault_byte(reader);
    printf("{\"error\":{\"kind\":\"malformed-json\",\"at\":{\"byte\":%zu},\"message\":\"", byte);
    put_words(json_fault_reason(reader));
    printf(", at byte %zu of the input\"}}", byte);
    end_line();
    return REFUSED;
}

int main(int count, char **arguments) {
    (void)arguments;
    signal(SIGPIPE, SIG_IGN); /* it is a failed write that ends the program, with a status of its own */
    signal(SIGINT, interrupted);
    if (count > 1) {
        fputs("no arguments expected: the requests are read from standard input\n", stderr);
        return OURS;
    }
    struct json_reader *reader = json_open(standard_input);
    enum status status = serve(reader);
    json_close(reader);
    return status;
}
