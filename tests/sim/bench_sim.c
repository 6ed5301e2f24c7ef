/* SPDX-License-Identifier: Apache-2.0 */
/* How fast the interpreter is: a loop of SIMD16 multiply-adds, and a mix. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/sim/asm.h"

static char text[1 << 16];

static void line(const char *fmt, int a, int b, int c)
{
    const size_t at = strlen(text);
    snprintf(text + at, sizeof(text) - at, fmt, a, b, c);
}

static void head(void)
{
    text[0] = 0;
    line("(W) mov (1|M0) r2.0<1>:d %d:d\n", 100000, 0, 0);
    for (int r = 16; r < 112; r += 2)
        line("mov (16|M0) r%d.0<1>:f 1.0:f\n", r, 0, 0);
    line("LOOP:\n", 0, 0, 0);
}

static void tail(void)
{
    line("(W) add (1|M0) (gt)f0.0 r2.0<1>:d r2.0<0;1,0>:d -1:w\n", 0, 0, 0);
    line("(W&f0.0) jmpi (1|M0) LOOP\n", 0, 0, 0);
    strncat(text, ASM_EOT, sizeof(text) - strlen(text) - 1);
}

static void report(const char *what)
{
    uint8_t out[ASM_OUT_B];
    struct asm_run r = {.text = text, .out = out};
    const clock_t begin = clock(); /* of this process: not the assembler's */
    if (asm_run(&r) != XK_OK) {
        printf("%s: %s\n", what, r.err.message);
        return;
    }
    const double us = (double)(clock() - begin) * 1e6 / CLOCKS_PER_SEC;
    printf("%-12s %6.1f M instructions/s, %6.1f M fma/s\n", what,
           (double)r.stats.instructions / us, (double)r.stats.fma / us);
}

static void mads(void)
{
    head();
    for (int i = 0; i < 64; i++)
        line("mad (16|M0) r%d.0<1>:f r%d.0<1;0>:f r%d.0<1;0>:f r10.3<0>:f\n",
             64 + i % 16 * 2, 64 + i % 16 * 2, 16 + i % 20 * 2);
    tail();
    report("mad");
}

/* As a convolution's loop: loads, address updates, synchronisation. */
static void mix(void)
{
    head();
    for (int i = 0; i < 16; i++) {
        line("mad (16|M0) r%d.0<1>:f r%d.0<1;0>:f r%d.0<1;0>:f r10.3<0>:f\n",
             64 + i % 16 * 2, 64 + i % 16 * 2, 16 + i % 20 * 2);
        if (i % 4 == 0)
            line("(W) send.ugm (1|M0) r%d r1 null:0 0x0 0x02%d08580\n"
                 "(W) add (1|M0) r4.0<1>:ud r4.0<0;1,0>:ud 0x40:uw\n",
                 16, 1, 0);
        if (i % 8 == 0)
            line("sync.nop null\n", 0, 0, 0);
    }
    tail();
    report("mix");
}

int main(void)
{
    mads();
    mix();
    return 0;
}
