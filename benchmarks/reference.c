/* A minimal harness in C: the baseline of benchmarks/run_speed.py.
 *
 * reference FOLDER CASES JOBS PROGRAM reads N-in.json and N-out.json of cases 1 to CASES, runs PROGRAM with
 * posix_spawn in a session of its own, feeds it through a pipe, reads standard output and standard error
 * through two more, waits, and compares bytes. JOBS threads share the cases. It has no limits, decodes no
 * JSON and writes no results.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *folder;
static char *program;
static int cases;
static atomic_int next_case = 1, passed = 0;

struct bytes { char *data; size_t size; };

static void die(const char *what) { perror(what); exit(2); }

static struct bytes read_all(int fd)
{
    struct bytes all = {malloc(1 << 16), 0};
    size_t room = 1 << 16;
    for (;;) {
        if (all.size == room && !(all.data = realloc(all.data, room *= 2))) die("realloc");
        ssize_t got = read(fd, all.data + all.size, room - all.size);
        if (got < 0 && errno != EINTR) die("read");
        if (got == 0) return all;
        if (got > 0) all.size += (size_t)got;
    }
}

static struct bytes read_file(int number, const char *side)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d-%s.json", folder, number, side);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) die(path);
    struct bytes all = read_all(fd);
    close(fd);
    return all;
}

static void run_case(int number)
{
    struct bytes input = read_file(number, "in"), expected = read_file(number, "out");
    int in[2], out[2], err[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) die("pipe2");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err[1], 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    char *argv[] = {program, NULL};
    pid_t pid;
    if (posix_spawn(&pid, program, &actions, &attributes, argv, environ)) die("posix_spawn");
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(in[0]), close(out[1]), close(err[1]);
    for (size_t done = 0; done < input.size;) {
        ssize_t put = write(in[1], input.data + done, input.size - done);
        if (put < 0) break;
        done += (size_t)put;
    }
    close(in[1]);
    struct bytes printed = read_all(out[0]), complaints = read_all(err[0]);
    close(out[0]), close(err[0]);
    int status;
    if (waitpid(pid, &status, 0) != pid) die("waitpid");
    if (status == 0 && printed.size == expected.size
        && memcmp(printed.data, expected.data, printed.size) == 0)
        atomic_fetch_add(&passed, 1);
    free(input.data), free(expected.data), free(printed.data), free(complaints.data);
}

static void *work(void *unused)
{
    (void)unused;
    for (int number; (number = atomic_fetch_add(&next_case, 1)) <= cases;) run_case(number);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 5) { fprintf(stderr, "usage: reference FOLDER CASES JOBS PROGRAM\n"); return 2; }
    folder = argv[1], cases = atoi(argv[2]), program = argv[4];
    int jobs = atoi(argv[3]);
    pthread_t threads[64];
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < jobs && i < 64; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < jobs && i < 64; i++) pthread_join(threads[i], NULL);
    printf("%d of %d passed\n", passed, cases);
    return passed == cases ? 0 : 1;
}
