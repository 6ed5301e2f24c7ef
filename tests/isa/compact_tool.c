/* SPDX-License-Identifier: Apache-2.0 */
/* What the library makes of instructions, for test_compact.py: reads them from
 * standard input and writes a line for each.
 *
 * expand PLATFORM: 8-byte words; "native own decodes", the hexadecimal native
 *   form, 1 if our encoder chooses the same word for it, and 1 if it decodes;
 *   or "! reason" if there is none, or "? what" is wrong with the decoder.
 * compact PLATFORM: 16-byte native instructions; the compact word, "-" if there
 *   is none, or "! reason" if the instruction does not decode.
 * bench PLATFORM: 16-byte native instructions; nanoseconds of CPU per call. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "isa/format.h"

static uint64_t load(const uint8_t *b)
{
    uint64_t v = 0;

    for (unsigned k = 0; k < 8; k++)
        v |= (uint64_t)b[k] << 8 * k;
    return v;
}

static void store(uint64_t v, uint8_t *b)
{
    for (unsigned k = 0; k < 8; k++)
        b[k] = (uint8_t)(v >> 8 * k);
}

/* The compact word decodes as its native form does, and comes back. NULL, or
 * what is wrong. */
static const char *check(const struct xk_platform *p, const uint8_t word[8],
                         const uint64_t native[2])
{
    uint8_t bytes[XK_INST_B], again[XK_INST_B];
    struct xk_error err, native_err;
    struct xk_inst i, n;
    size_t used_b, again_b;
    enum xk_status st, native_st;

    store(native[0], bytes);
    store(native[1], bytes + 8);
    st = xk_inst_decode(p, word, 8, &i, &used_b, &err);
    if (used_b != 8)
        return "decode does not use 8 bytes";
    native_st = xk_inst_decode(p, bytes, XK_INST_B, &n, &used_b, &native_err);
    if (st != native_st)
        return "the compact and the native form do not decode alike";
    if (st != XK_OK)
        return strcmp(err.message, native_err.message) == 0
                   ? NULL
                   : "the compact and the native form are refused differently";
    if (xk_inst_encode_as_marked(p, &i, again, &again_b, &err) != XK_OK ||
        again_b != 8 || memcmp(again, word, 8) != 0)
        return "encodes to other bytes";
    i.compacted = false;
    i.compact_as = 0;
    return memcmp(&i, &n, sizeof(i)) == 0
               ? NULL
               : "the compact and the native form are different records";
}

static void expand(const struct xk_platform *p, const uint8_t *b)
{
    const struct xk_isa_tables *const t = xk_isa_tables_get(p, NULL);
    struct xk_error err;
    uint64_t n[2], as = 0;
    const char *wrong;
    struct xk_inst i;
    size_t used_b;

    if (xk_isa_expand(t, load(b), n, &as, &err) != XK_OK) {
        printf("! %s\n", err.message);
        return;
    }
    wrong = check(p, b, n);
    if (wrong)
        printf("? %s\n", wrong);
    else
        printf("%016" PRIx64 "%016" PRIx64 " %d %d\n", n[1], n[0], as == 0,
               xk_inst_decode(p, b, 8, &i, &used_b, &err) == XK_OK);
}

static void compact(const struct xk_platform *p, const uint8_t *b)
{
    struct xk_error err;
    struct xk_inst i;
    size_t used_b;
    uint8_t out[8];

    if (xk_inst_decode(p, b, XK_INST_B, &i, &used_b, &err) != XK_OK)
        printf("! %s\n", err.message);
    else if (xk_inst_compact(p, &i, out))
        printf("%016" PRIx64 "\n", load(out));
    else
        printf("-\n");
}

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define MAX_BENCH 4096
#define ROUNDS 200

struct bench {
    const struct xk_platform *p;
    unsigned n, n_compact;
    struct xk_inst inst[MAX_BENCH];
    uint8_t word[MAX_BENCH][8];
};

static void bench_add(struct bench *h, const uint8_t *b)
{
    struct xk_error err;
    size_t used_b;

    if (h->n == MAX_BENCH ||
        xk_inst_decode(h->p, b, XK_INST_B, &h->inst[h->n], &used_b, &err) < 0)
        return;
    if (xk_inst_compact(h->p, &h->inst[h->n], h->word[h->n_compact]))
        h->n_compact++;
    h->n++;
}

static void bench_run(const struct bench *h)
{
    struct xk_inst i;
    uint8_t out[XK_INST_B];
    size_t used_b;
    double t[4];

    t[0] = now_ns();
    for (unsigned r = 0; r < ROUNDS; r++) {
        for (unsigned k = 0; k < h->n; k++)
            xk_inst_encode(h->p, &h->inst[k], out, NULL);
    }
    t[1] = now_ns();
    for (unsigned r = 0; r < ROUNDS; r++) {
        for (unsigned k = 0; k < h->n; k++)
            xk_inst_compact(h->p, &h->inst[k], out);
    }
    t[2] = now_ns();
    for (unsigned r = 0; r < ROUNDS; r++) {
        for (unsigned k = 0; k < h->n_compact; k++)
            xk_inst_decode(h->p, h->word[k], 8, &i, &used_b, NULL);
    }
    t[3] = now_ns();
    printf("%s: encode %.0f ns, compact (encode and look up) %.0f ns of %u; "
           "decode %.0f ns of %u compact\n",
           h->p->name, (t[1] - t[0]) / ROUNDS / h->n,
           (t[2] - t[1]) / ROUNDS / h->n, h->n,
           (t[3] - t[2]) / ROUNDS / h->n_compact, h->n_compact);
}

int main(int argc, char **argv)
{
    const struct xk_platform *const p =
        argc == 3 ? xk_platform_find(argv[2]) : NULL;
    const bool words = p && strcmp(argv[1], "expand") == 0;
    const size_t size_b = words ? 8 : XK_INST_B;
    static struct bench bench;
    uint8_t b[XK_INST_B];

    if (!p) {
        fprintf(stderr, "usage: compact_tool expand|compact|bench PLATFORM\n");
        return 2;
    }
    bench.p = p;
    while (fread(b, 1, size_b, stdin) == size_b) {
        if (words)
            expand(p, b);
        else if (strcmp(argv[1], "compact") == 0)
            compact(p, b);
        else
            bench_add(&bench, b);
    }
    if (bench.n_compact)
        bench_run(&bench);
    return 0;
}
