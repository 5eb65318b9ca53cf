/* The file became shorter than what is mapped of it: SIGBUS, not SIGSEGV. */
#include <stdio.h>
#include <sys/mman.h>

int main(void)
{
    FILE *file = tmpfile();
    char *mapped = mmap(0, 4096, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    return mapped[0];
}
