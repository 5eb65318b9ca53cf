/* See session.h. JSON texts are only cut into their parts; whoever reads the parts finds what is malformed. */

#define _POSIX_C_SOURCE 200809L

#include "session.h"

#include <stdlib.h>
#include <string.h>

#define SPACE " \t\r\n"

struct texts {
    char **items;
    size_t count;
};

static void *checked(void *memory) {
    if (memory == NULL) {
        perror("session");
        exit(2);
    }
    return memory;
}

/* Cutting */

static const char *skip_string(const char *at) {
    for (at++; *at != '\0' && *at != '"'; at++) {
        if (*at == '\\' && at[1] != '\0') at++;
    }
    return at + (*at == '"');
}

/* The end of the value that begins here. */
static const char *skip_value(const char *at) {
    int depth = 0;
    do {
        depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
        if (*at == '"') at = skip_string(at);
        else if (strchr("[]{},:", *at) != NULL) at++;
        else at += strcspn(at, SPACE ",:[]{}\"");
        if (depth > 0) at += strspn(at, SPACE ",:");
    } while (depth > 0 && *at != '\0');
    return at;
}

/* The texts of the values before `end`. */
static struct texts cut(const char *at, const char *end, const char *separators) {
    struct texts found = {NULL, 0};
    for (at += strspn(at, separators); at < end; at += strspn(at, separators)) {
        const char *next = skip_value(at);
        if ((found.count & (found.count - 1)) == 0) { /* a power of 2: full */
            size_t room = found.count == 0 ? 1 : 2 * found.count;
            found.items = checked(realloc(found.items, room * sizeof *found.items));
        }
        found.items[found.count++] = checked(strndup(at, (size_t)(next - at)));
        at = next;
    }
    return found;
}

/* The elements of an array, or the names and values of an object. */
static struct texts cut_container(const char *text) {
    const char *first = strpbrk(text, "[{"), *last = text + strlen(text);
    if (first == NULL) return (struct texts){NULL, 0};
    while (strchr("]}", last[-1]) == NULL && last - 1 > first) last--;
    return cut(first + 1, last - 1, SPACE ",:");
}

static struct texts cut_stream(const char *text) {
    return cut(text, text + strlen(text), SPACE);
}

static void free_texts(struct texts texts) {
    for (size_t i = 0; i < texts.count; i++) free(texts.items[i]);
    free(texts.items);
}

static const char *member(struct texts parts, const char *quoted_name) {
    for (size_t i = 0; i + 1 < parts.count; i += 2) {
        if (strcmp(parts.items[i], quoted_name) == 0) return parts.items[i + 1];
    }
    fprintf(stderr, "session: a request without %s\n", quoted_name);
    exit(2);
}

/* Printing */

static void put_string(const char *text) {
    putchar('"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') printf("\\%c", *text);
        else if ((unsigned char)*text < 0x20) printf("\\u%04x", *text);
        else putchar(*text);
    }
    putchar('"');
}

static void put_values(const char *text) {
    struct texts values = cut_stream(text);
    putchar('[');
    for (size_t i = 0; i < values.count; i++) {
        if (i > 0) printf(", ");
        /* A line break can only be white space: inside strings it is escaped. */
        for (const char *at = values.items[i]; *at != '\0'; at++) putchar(*at == '\n' ? ' ' : *at);
    }
    putchar(']');
    free_texts(values);
}

/* Serving */

static enum session_result call(session_answer *answer, struct texts values, char **written) {
    size_t length;
    FILE *out = checked(open_memstream(written, &length));
    enum session_result result = answer(values.items, values.count, out);
    if (fclose(out) != 0) checked(NULL);
    return result;
}

static void respond(session_answer *answer, struct texts values) {
    const char *const members[] = {
        [SESSION_OUT] = "out", [SESSION_ERROR] = "error", [SESSION_SKIPPED] = "skipped",
    };
    char *written;
    enum session_result result = call(answer, values, &written);
    printf("\"%s\": ", members[result]);
    if (result == SESSION_OUT) put_values(written);
    else put_string(written);
    free(written);
}

static void serve_session(session_answer *answer, const char *implementation, const char *version) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        struct texts request = cut_container(line);
        const char *id = member(request, "\"id\"");
        printf("{\"id\": %s, ", id);
        if (strcmp(id, "0") == 0) {
            printf("\"protocol\": 1, \"implementation\": ");
            put_string(implementation);
            printf(", \"version\": ");
            put_string(version);
            printf(", \"language\": \"C\"");
        } else {
            struct texts values = cut_container(member(request, "\"in\""));
            respond(answer, values);
            free_texts(values);
        }
        printf("}\n");
        free_texts(request);
    }
    free(line);
}

static int serve_one_case(session_answer *answer) {
    char *text = NULL, *written;
    size_t room = 0;
    if (getdelim(&text, &room, '\0', stdin) < 0) text = checked(realloc(text, 1)), *text = '\0';
    struct texts values = cut_stream(text);
    enum session_result result = call(answer, values, &written);
    if (result == SESSION_OUT) printf("%s", written);
    else fprintf(stderr, "%s%s\n", result == SESSION_SKIPPED ? "skipped: " : "", written);
    free(written);
    free_texts(values);
    free(text);
    return result == SESSION_OUT ? 0 : 1;
}

int session_serve(session_answer *answer, const char *implementation, const char *version) {
    const char *session = getenv("XTEST_SESSION");
    if (session == NULL || strcmp(session, "protocol") != 0) return serve_one_case(answer);
    serve_session(answer, implementation, version);
    return 0;
}
