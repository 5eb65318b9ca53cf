/* abort(), with a last word on standard error. */
#include <assert.h>

int main(void)
{
    assert(!"this cannot happen");
    return 0;
}
