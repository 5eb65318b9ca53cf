/* See json.h. One byte is looked at, at a time; what ends a value is the last byte that is waited for.
 *
 * A fault jumps out to json_next, from wherever it is found. All values are in an arena, which goes with the next value. */

#include "json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END = -1, MAX_DEPTH = 512, CHUNK = 1 << 16 };

struct block {
    struct block *older;
    size_t used, size;
    max_align_t bytes[];
};

struct json_reader {
    json_source *source;
    unsigned char chunk[CHUNK];
    size_t at, filled; /* in the chunk */
    bool ended;
    size_t offset; /* of the byte that is looked at, in the input */
    int depth;
    bool after_scalar; /* the last value of the stream was a number or a word */
    struct block *arena;
    char *text; /* of the string or number that is being read */
    size_t length, capacity;
    jmp_buf refused;
    size_t fault_byte;
    char fault_reason[120];
};

static struct json_value *read_value(struct json_reader *reader, const char *expected);

/* Memory */

static void *checked(void *memory) {
    if (memory == NULL) {
        fputs("no memory left\n", stderr);
        exit(2);
    }
    return memory;
}

static void *taken(struct json_reader *reader, size_t size) {
    size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct block *block = reader->arena;
    if (block == NULL || block->size - block->used < size) {
        size_t room = size > CHUNK ? size : CHUNK;
        block = checked(malloc(sizeof *block + room));
        *block = (struct block){.older = reader->arena, .used = 0, .size = room};
        reader->arena = block;
    }
    void *memory = (char *)block->bytes + block->used;
    block->used += size;
    return memset(memory, 0, size);
}

static void forget_values(struct json_reader *reader) {
    while (reader->arena != NULL) {
        struct block *block = reader->arena;
        reader->arena = block->older;
        free(block);
    }
}

static void append(struct json_reader *reader, int byte) {
    if (reader->length == reader->capacity) {
        reader->capacity = reader->capacity == 0 ? 256 : 2 * reader->capacity;
        reader->text = checked(realloc(reader->text, reader->capacity));
    }
    reader->text[reader->length++] = (char)byte;
}

static struct json_text kept_text(struct json_reader *reader) {
    char *bytes = taken(reader, reader->length);
    if (reader->length > 0) memcpy(bytes, reader->text, reader->length);
    return (struct json_text){bytes, reader->length};
}

/* Bytes, and what is refused */

static _Noreturn void refuse(struct json_reader *reader, size_t byte, const char *reason, ...) {
    va_list values;
    va_start(values, reason);
    vsnprintf(reader->fault_reason, sizeof reader->fault_reason, reason, values);
    va_end(values);
    reader->fault_byte = byte;
    longjmp(reader->refused, 1);
}

/* The byte that is looked at, or END. */
static int peek(struct json_reader *reader) {
    if (reader->at == reader->filled && !reader->ended) {
        reader->at = 0;
        reader->filled = reader->source(reader->chunk, CHUNK);
        reader->ended = reader->filled == 0;
    }
    return reader->ended ? END : reader->chunk[reader->at];
}

static void pass(struct json_reader *reader) {
    reader->at++;
    reader->offset++;
}

/* The byte that is looked at, inside a value, which the end of the input would cut short. */
static int need(struct json_reader *reader, const char *inside) {
    int byte = peek(reader);
    if (byte == END) refuse(reader, reader->offset, "the text ends inside %s", inside);
    return byte;
}

static bool is_space(int byte) {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static bool is_digit(int byte) {
    return byte >= '0' && byte <= '9';
}

static bool begins_scalar(int byte) {
    return is_digit(byte) || byte == '-' || byte == 't' || byte == 'f' || byte == 'n';
}

static int need_token(struct json_reader *reader, const char *inside) {
    while (is_space(need(reader, inside))) pass(reader);
    return need(reader, inside);
}

static _Noreturn void refuse_byte(struct json_reader *reader, const char *reason) {
    int byte = peek(reader);
    bool visible = byte > ' ' && byte < 0x7F;
    refuse(reader, reader->offset, visible ? "%s, found '%c'" : "%s, found the byte 0x%02X", reason, byte);
}

/* Words and numbers */

static struct json_value *read_word(struct json_reader *reader, const char *word, enum json_kind kind) {
    for (const char *letter = word; *letter != 0; letter++) {
        if (need(reader, "a word") != *letter) refuse_byte(reader, "the rest of the word expected");
        pass(reader);
    }
    struct json_value *value = taken(reader, sizeof *value);
    value->kind = kind;
    return value;
}

/* Takes the byte into the text of the number. */
static void take(struct json_reader *reader) {
    append(reader, peek(reader));
    pass(reader);
}

static void take_digits(struct json_reader *reader) {
    if (!is_digit(need(reader, "a number"))) refuse_byte(reader, "a digit expected in a number");
    while (is_digit(peek(reader))) take(reader);
}

static void take_integer(struct json_reader *reader) {
    if (peek(reader) == '-') take(reader);
    if (need(reader, "a number") != '0') {
        take_digits(reader);
        return;
    }
    take(reader);
    if (is_digit(peek(reader))) refuse_byte(reader, "no digit may follow a leading 0");
}

static struct json_value *read_number(struct json_reader *reader) {
    reader->length = 0;
    take_integer(reader);
    if (peek(reader) == '.') {
        take(reader);
        take_digits(reader);
    }
    if (peek(reader) == 'e' || peek(reader) == 'E') {
        take(reader);
        if (peek(reader) == '+' || peek(reader) == '-') take(reader);
        take_digits(reader);
    }
    struct json_value *value = taken(reader, sizeof *value);
    value->kind = JSON_NUMBER;
    value->text = kept_text(reader);
    return value;
}

/* Strings */

static const char SIMPLE_ESCAPES[] = "\"\\/bfnrt", SIMPLE_TEXTS[] = "\"\\/\b\f\n\r\t";

static _Noreturn void refuse_surrogate(struct json_reader *reader, size_t backslash) {
    refuse(reader, backslash, "a lone surrogate: \\uD800 to \\uDFFF come in pairs only");
}

static int digit_value(int byte) {
    if (is_digit(byte)) return byte - '0';
    int letter = byte | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* Whether all units from `least` to `most` are second halves of pairs. */
static bool all_second_halves(unsigned least, unsigned most) {
    return least >= 0xDC00 && most <= 0xDFFF;
}

static bool no_second_half(unsigned least, unsigned most) {
    return most < 0xDC00 || least > 0xDFFF;
}

/* The four digits of an escape. A second half of a pair has to come where a first one did, and must not come
 * otherwise: that is certain before the last digit, often. */
static unsigned read_unit(struct json_reader *reader, const char *inside, size_t backslash, bool second) {
    unsigned unit = 0;
    for (int left = 3; left >= 0; left--) {
        int digit = digit_value(need(reader, inside));
        if (digit < 0 && second) refuse_surrogate(reader, backslash);
        if (digit < 0) refuse_byte(reader, "four hexadecimal digits expected after \\u");
        pass(reader);
        unit = unit * 16 + (unsigned)digit;
        unsigned least = unit << (4 * left), most = least + (1U << (4 * left)) - 1;
        if (second ? no_second_half(least, most) : all_second_halves(least, most)) refuse_surrogate(reader, backslash);
    }
    return unit;
}

static void append_character(struct json_reader *reader, unsigned code) {
    if (code < 0x80) {
        append(reader, (int)code);
        return;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    const int leads[] = {0, 0xC0, 0xE0, 0xF0};
    append(reader, leads[more] | (int)(code >> (6 * more)));
    while (more-- > 0) append(reader, 0x80 | (int)((code >> (6 * more)) & 0x3F));
}

static void read_unicode_escape(struct json_reader *reader, const char *inside, size_t backslash) {
    unsigned code = read_unit(reader, inside, backslash, false);
    if (code >= 0xD800 && code <= 0xDBFF) {
        for (const char *expected = "\\u"; *expected != 0; expected++) {
            if (need(reader, inside) != *expected) refuse_surrogate(reader, backslash);
            pass(reader);
        }
        unsigned second = read_unit(reader, inside, backslash, true);
        code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
    }
    append_character(reader, code);
}

static void read_escape(struct json_reader *reader, const char *inside) {
    size_t backslash = reader->offset;
    pass(reader);
    int byte = need(reader, inside);
    const char *found = byte == 0 ? NULL : strchr(SIMPLE_ESCAPES, byte);
    if (found == NULL && byte != 'u') refuse_byte(reader, "an escape expected after the backslash");
    pass(reader);
    if (found == NULL) read_unicode_escape(reader, inside, backslash);
    else append(reader, SIMPLE_TEXTS[found - SIMPLE_ESCAPES]);
}

/* A character beyond ASCII; which bytes may follow which is table 3-7 of the Unicode standard. */
static void read_character(struct json_reader *reader, const char *inside) {
    int lead = peek(reader);
    if (lead < 0xC2 || lead > 0xF4) refuse_byte(reader, "invalid UTF-8: the beginning of a character expected");
    int more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    int least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80; /* shorter forms exist below */
    int most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;  /* surrogates, and what is too large, above */
    take(reader);
    for (; more > 0; more--, least = 0x80, most = 0xBF) {
        int byte = need(reader, inside);
        if (byte < least || byte > most) refuse_byte(reader, "invalid UTF-8: the rest of a character expected");
        take(reader);
    }
}

static struct json_text read_text(struct json_reader *reader, const char *inside) {
    reader->length = 0;
    pass(reader);
    for (int byte; (byte = need(reader, inside)) != '"';) {
        if (byte == '\\') read_escape(reader, inside);
        else if (byte < 0x20) refuse_byte(reader, "no control character expected in a string");
        else if (byte < 0x80) take(reader);
        else read_character(reader, inside);
    }
    pass(reader);
    return kept_text(reader);
}

static struct json_value *read_string(struct json_reader *reader) {
    struct json_text text = read_text(reader, "a string");
    struct json_value *value = taken(reader, sizeof *value);
    value->kind = JSON_STRING;
    value->text = text;
    return value;
}

/* The keys of one object: a table of slots, at most half of them taken, found by hash. */

struct keys {
    struct json_text *slots;
    size_t size, taken;
};

static bool same_text(struct json_text one, struct json_text other) {
    return one.length == other.length && (one.length == 0 || memcmp(one.bytes, other.bytes, one.length) == 0);
}

/* The slot that has this key, or the one where it belongs. Fowler, Noll and Vo's hash, 1a. */
static struct json_text *slot_of(const struct keys *keys, struct json_text key) {
    uint64_t hash = 0xCBF29CE484222325;
    for (size_t i = 0; i < key.length; i++) hash = (hash ^ (unsigned char)key.bytes[i]) * 0x100000001B3;
    size_t i = (size_t)hash % keys->size;
    while (keys->slots[i].bytes != NULL && !same_text(keys->slots[i], key)) i = (i + 1) % keys->size;
    return &keys->slots[i];
}

static void grow(struct json_reader *reader, struct keys *keys) {
    struct keys larger = {.size = keys->size == 0 ? 8 : 2 * keys->size, .taken = keys->taken};
    larger.slots = taken(reader, larger.size * sizeof *larger.slots);
    for (size_t i = 0; i < keys->size; i++) {
        if (keys->slots[i].bytes != NULL) *slot_of(&larger, keys->slots[i]) = keys->slots[i];
    }
    *keys = larger;
}

/* Whether the key is a new one. */
static bool added(struct json_reader *reader, struct keys *keys, struct json_text key) {
    if (2 * keys->taken >= keys->size) grow(reader, keys);
    struct json_text *slot = slot_of(keys, key);
    if (slot->bytes != NULL) return false;
    *slot = key;
    keys->taken++;
    return true;
}

/* Arrays and objects */

static struct json_value *begin_container(struct json_reader *reader, enum json_kind kind) {
    if (reader->depth == MAX_DEPTH) refuse(reader, reader->offset, "brackets nested more than %d deep", MAX_DEPTH);
    reader->depth++;
    pass(reader);
    struct json_value *value = taken(reader, sizeof *value);
    value->kind = kind;
    return value;
}

static struct json_value *end_container(struct json_reader *reader, struct json_value *value) {
    reader->depth--;
    pass(reader);
    return value;
}

static struct json_value *read_array(struct json_reader *reader) {
    struct json_value *array = begin_container(reader, JSON_ARRAY), **last = &array->first;
    if (need_token(reader, "an array") == ']') return end_container(reader, array);
    for (const char *expected = "a value or ']' expected";; expected = "a value expected") {
        need_token(reader, "an array");
        *last = read_value(reader, expected);
        last = &(*last)->next;
        array->count++;
        int byte = need_token(reader, "an array");
        if (byte == ']') return end_container(reader, array);
        if (byte != ',') refuse_byte(reader, "',' or ']' expected");
        pass(reader);
    }
}

static struct json_value *read_member(struct json_reader *reader, struct keys *keys) {
    size_t quote = reader->offset;
    struct json_text key = read_text(reader, "a key");
    if (!added(reader, keys, key)) refuse(reader, quote, "a key stands twice in one object");
    if (need_token(reader, "an object") != ':') refuse_byte(reader, "':' after a key expected");
    pass(reader);
    need_token(reader, "an object");
    struct json_value *value = read_value(reader, "a value expected");
    value->key = key;
    return value;
}

static struct json_value *read_object(struct json_reader *reader) {
    struct json_value *object = begin_container(reader, JSON_OBJECT), **last = &object->first;
    struct keys keys = {NULL, 0, 0};
    if (need_token(reader, "an object") == '}') return end_container(reader, object);
    for (const char *expected = "a key in quotes or '}' expected";; expected = "a key in quotes expected") {
        if (need_token(reader, "an object") != '"') refuse_byte(reader, expected);
        *last = read_member(reader, &keys);
        last = &(*last)->next;
        object->count++;
        int byte = need_token(reader, "an object");
        if (byte == '}') return end_container(reader, object);
        if (byte != ',') refuse_byte(reader, "',' or '}' expected");
        pass(reader);
    }
}

static struct json_value *read_value(struct json_reader *reader, const char *expected) {
    switch (peek(reader)) {
        case '[': return read_array(reader);
        case '{': return read_object(reader);
        case '"': return read_string(reader);
        case 't': return read_word(reader, "true", JSON_TRUE);
        case 'f': return read_word(reader, "false", JSON_FALSE);
        case 'n': return read_word(reader, "null", JSON_NULL);
        default: break;
    }
    if (!begins_scalar(peek(reader))) refuse_byte(reader, expected);
    return read_number(reader);
}

/* The stream */

struct json_reader *json_open(json_source *source) {
    struct json_reader *reader = checked(calloc(1, sizeof *reader));
    reader->source = source;
    return reader;
}

enum json_event json_next(struct json_reader *reader, const struct json_value **value) {
    forget_values(reader);
    if (setjmp(reader->refused) != 0) return JSON_MALFORMED;
    if (reader->after_scalar && begins_scalar(peek(reader))) refuse_byte(reader, "white space expected between two values");
    while (is_space(peek(reader))) pass(reader);
    if (peek(reader) == END) return JSON_END;
    reader->after_scalar = begins_scalar(peek(reader));
    *value = read_value(reader, "a value expected");
    return JSON_VALUE;
}

size_t json_fault_byte(const struct json_reader *reader) {
    return reader->fault_byte;
}

const char *json_fault_reason(const struct json_reader *reader) {
    return reader->fault_reason;
}

void json_close(struct json_reader *reader) {
    forget_values(reader);
    free(reader->text);
    free(reader);
}

bool json_is_text(struct json_text text, const char *word) {
    return same_text(text, (struct json_text){word, strlen(word)});
}
