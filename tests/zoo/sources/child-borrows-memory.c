/* 24 MiB, and a child that runs in them for a while, as every child does before its exec. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    memset(malloc(24 << 20), 1, 24 << 20);
    if (vfork() == 0) {
        usleep(500000);
        _exit(0);
    }
    puts("1 2 3");
    return 0;
}
