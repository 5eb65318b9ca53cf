/* Serves a function of JSON texts as a program and as a session of xtest.
 *
 *     enum session_result answer(char *values[], size_t count, FILE *out) {
 *         fprintf(out, "%zu\n", count);
 *         return SESSION_OUT;
 *     }
 *
 *     int main(void) {
 *         return session_serve(answer, "counts", "1.2");
 *     }
 *
 * Started as usual, the program reads all values of standard input and prints the answer. With
 * XTEST_SESSION=protocol it answers one request after the other; the project's docs/sessions.md describes
 * them. Copy session.h and session.c beside your program: C11 and POSIX, with any JSON library or none. */

#ifndef SESSION_H
#define SESSION_H

#include <stddef.h>
#include <stdio.h>

/* What `out` was given: the values to print, why the answer failed, or why the input is not supported. */
enum session_result { SESSION_OUT, SESSION_ERROR, SESSION_SKIPPED };

/* Takes the JSON texts of all values of one case. */
typedef enum session_result session_answer(char *values[], size_t count, FILE *out);

/* Answers all cases that come on standard input, and returns the exit status of the program. */
int session_serve(session_answer *answer, const char *implementation, const char *version);

#endif
