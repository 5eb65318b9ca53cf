/* The values of a JSON stream, read strictly and one by one.
 *
 * What is accepted, and which byte is named where it is not: docs/json.md and docs/games/index.md. Bytes come from a
 * function that is handed in; nothing else is read here, and nothing is printed. */

#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of UTF-8. U+0000 is a character like others, so no 0 ends them. */
struct json_text {
    const char *bytes;
    size_t length;
};

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_value {
    enum json_kind kind;
    struct json_text text;    /* of a string its characters; of a number its digits, as they are written */
    struct json_text key;     /* of a member its name */
    size_t count;             /* of an array or object: how many there are of what follows */
    struct json_value *first; /* its first element or member, if any ... */
    struct json_value *next;  /* ... and of that the next */
};

/* At most `most` bytes, and how many there are; 0 at the end of the input. It may wait, and need not fill up. */
typedef size_t json_source(unsigned char *bytes, size_t most);

struct json_reader;

enum json_event { JSON_VALUE, JSON_END, JSON_MALFORMED };

struct json_reader *json_open(json_source *source);

/* The next value, as soon as its last byte has come; it lives until the next call. */
enum json_event json_next(struct json_reader *reader, const struct json_value **value);

/* After JSON_MALFORMED: the first byte at which it is certain that no stream begins so, and why. */
size_t json_fault_byte(const struct json_reader *reader);
const char *json_fault_reason(const struct json_reader *reader);

void json_close(struct json_reader *reader);

bool json_is_text(struct json_text text, const char *word);

#endif
