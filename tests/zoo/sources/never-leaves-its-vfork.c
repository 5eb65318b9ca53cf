/* Its child has borrowed its memory and does not give it back: no catchable signal reaches the parent. */
#include <unistd.h>

int main(void)
{
    if (vfork() == 0)
        for (;;)
            pause();
    return 0;
}
