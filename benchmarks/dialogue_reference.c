/* A minimal driver of dialogues, and the server that it talks to: what benchmarks/dialogues.py compares xtest with.
 *
 * dialogue_reference SUITE CASES SERVER...: for each N-talk.jsonl, starts the server, writes the message of each send,
 * reads a line for each expect, compares it byte for byte, and waits for the server's end. Exit status 0 if all pass.
 * dialogue_reference echo: prints each line that it reads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 65536 };

static int echo(void) {
    static char line[LINE];
    while (fgets(line, LINE, stdin)) {
        fputs(line, stdout);
        fflush(stdout);
    }
    return 0;
}

/* Return the message in a step such as {"send": MESSAGE}, with a line end, or NULL. */
static char *message(char *line, const char *name) {
    size_t skipped = strlen(name), length = strlen(line);
    if (strncmp(line, name, skipped) != 0 || length < skipped + 2)
        return NULL;
    line[length - 2] = '\n';
    line[length - 1] = '\0';
    return line + skipped;
}

static int talk(char **server_argv, FILE *script) {
    static char line[LINE], answer[LINE];
    int to[2], from[2], passed = 1, status;
    if (pipe(to) || pipe(from))
        return 0;
    pid_t server = fork();
    if (server == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[0]), close(to[1]), close(from[0]), close(from[1]);
        execv(server_argv[0], server_argv);
        _exit(127);
    }
    close(to[0]), close(from[1]);
    FILE *answers = fdopen(from[0], "r");
    while (passed && fgets(line, LINE, script)) {
        char *sent = message(line, "{\"send\": "), *expected = sent ? NULL : message(line, "{\"expect\": ");
        if (sent)
            passed = write(to[1], sent, strlen(sent)) == (ssize_t)strlen(sent);
        else
            passed = expected && fgets(answer, LINE, answers) && strcmp(answer, expected) == 0;
    }
    close(to[1]);
    fclose(answers);
    return waitpid(server, &status, 0) == server && status == 0 && passed;
}

int main(int count, char **words) {
    if (count == 2 && strcmp(words[1], "echo") == 0)
        return echo();
    if (count < 4)
        return 2;
    int failed = 0, cases = atoi(words[2]);
    for (int number = 1; number <= cases; number++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%d-talk.jsonl", words[1], number);
        FILE *script = fopen(path, "r");
        failed += !script || !talk(words + 3, script);
        if (script)
            fclose(script);
    }
    return failed != 0;
}
