/* A recursion without an end: the kernel has no room left to run even a handler. */
static int deeper(volatile int *above)
{
    volatile int here[1024];
    here[0] = above[0] + 1;
    return deeper(here) + here[0];
}

int main(void)
{
    volatile int top[1] = {0};
    return deeper(top);
}
