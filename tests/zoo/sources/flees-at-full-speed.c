/* Each generation has a session of its own and lives for microseconds. */
#include <time.h>
#include <unistd.h>

int main(void)
{
    time_t until = time(0) + 20; /* bounded: we live here too */
    write(1, "1 2 3\n", 6);
    if (fork() == 0)
        while (time(0) < until && fork() == 0)
            setsid();
    _exit(0);
}
