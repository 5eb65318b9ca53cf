/* Answers the values of a case in reverse order: the program of the suite languages/session-suite. */

#include "session.h"

#include <string.h>

static enum session_result mirror(char *values[], size_t count, FILE *out) {
    if (count > 0 && strcmp(values[0], "\"skip\"") == 0) {
        fputs("asked to skip", out);
        return SESSION_SKIPPED;
    }
    if (count > 0 && strcmp(values[0], "\"fail\"") == 0) {
        fputs("asked to fail", out);
        return SESSION_ERROR;
    }
    while (count > 0) fprintf(out, "%s\n", values[--count]);
    return SESSION_OUT;
}

int main(void) {
    return session_serve(mirror, "mirror", "1.0");
}
