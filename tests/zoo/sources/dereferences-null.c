/* A real fault of memory, not a signal that somebody sent. */
int main(void)
{
    volatile int *nowhere = 0;
    return *nowhere;
}
