/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzz target without libFuzzer: replay COUNT FILE... runs it on each file,
 * then on COUNT mutations of each, always the same ones. What the target
 * demands ends the program. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_B 20000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n_b, size_t most_b);
#ifdef XK_FUZZ_MUTATOR
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n_b, size_t most_b,
                               unsigned seed);
#endif

static uint32_t state;

static uint32_t draw(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* A few bytes, or a piece left out. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n_b, size_t most_b)
{
    (void)most_b;
    if (n_b < 8)
        return n_b;
    for (unsigned n = 1 + draw() % 4; n; n--)
        data[draw() % n_b] = (uint8_t)draw();
    if (draw() % 8)
        return n_b;
    const size_t at = draw() % (n_b - 4);
    memmove(data + at, data + at + 4, n_b - at - 4);
    return n_b - 4;
}

static size_t mutate(uint8_t *data, size_t n_b)
{
#ifdef XK_FUZZ_MUTATOR
    return LLVMFuzzerCustomMutator(data, n_b, MAX_B, draw());
#else
    return LLVMFuzzerMutate(data, n_b, MAX_B);
#endif
}

/* The target gets a piece of the heap of its own, for ASan. */
static void run(const uint8_t *data, size_t n_b)
{
    uint8_t *const copy = malloc(n_b ? n_b : 1);
    memcpy(copy, data, n_b);
    LLVMFuzzerTestOneInput(copy, n_b);
    free(copy);
}

int main(int argc, char **argv)
{
    static uint8_t seed[MAX_B], now[MAX_B];
    const unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    unsigned long n = 0;
    for (int i = 2; i < argc; i++) {
        FILE *const f = fopen(argv[i], "rb");
        if (!f)
            return 1;
        const size_t n_b = fread(seed, 1, sizeof seed, f);
        fclose(f);
        run(seed, n_b);
        state = 4711;
        size_t now_b = n_b;
        memcpy(now, seed, n_b);
        for (unsigned k = 0; k < count; k++, n++) {
            if (k % 8 == 0) { /* mutations add up, eight at most */
                now_b = n_b;
                memcpy(now, seed, n_b);
            }
            now_b = mutate(now, now_b);
            run(now, now_b);
        }
    }
    printf("# %d files and %lu mutations of them\n", argc - 2, n);
    return argc > 2 ? 0 : 1;
}
