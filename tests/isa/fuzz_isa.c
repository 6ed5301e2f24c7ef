/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_isa [CASES]: per platform, so many (a million) random legal instructions
 * against iga64, as many with a bit flipped, and as many random bit patterns,
 * in batches, each with its own seed, over all cores. XK_TEST_SEED sets the
 * first seed; without it, it comes from the clock. Exits with 77 where iga64 is
 * missing. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "tests/isa/codec_check.h"
#include "tests/isa/iga.h"

#define BATCH 25000
#define MAX_WORKERS 64

/* What a worker tells its parent. */
struct result {
    struct codec_counts texts, flips, bits;
};

/* Batches worker, worker + n_workers, ... of one platform. */
static struct result run_batches(const struct xk_platform *p, uint64_t seed,
                                 unsigned cases, unsigned worker,
                                 unsigned n_workers)
{
    struct result r = {0};

    for (unsigned k = worker; k * BATCH < cases; k += n_workers) {
        const unsigned left = cases - k * BATCH;
        const unsigned n = left < BATCH ? left : BATCH;

        check_random_texts(p, seed + k, n, &r.texts);
        check_random_flips(p, seed + k, n, &r.flips);
        check_random_bits(p, seed + k, n, &r.bits);
    }
    return r;
}

static void add(struct codec_counts *to, const struct codec_counts *from)
{
    to->n += from->n;
    to->refused += from->refused;
    to->compact += from->compact;
    to->wrong += from->wrong;
}

/* One process a core; their results come through a pipe. False if one of them
 * did not come back. */
static bool run_platform(const struct xk_platform *p, uint64_t seed,
                         unsigned cases, struct result *sum)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned n = cores < 1             ? 1
                       : cores > MAX_WORKERS ? MAX_WORKERS
                                             : (unsigned)cores;
    unsigned n_back = 0;
    struct result r;
    int ends[2];

    if (pipe(ends) < 0)
        return false;
    for (unsigned k = 0; k < n; k++) {
        if (fork() == 0) {
            r = run_batches(p, seed, cases, k, n);
            _exit(write(ends[1], &r, sizeof(r)) != (ssize_t)sizeof(r));
        }
    }
    close(ends[1]);
    while (read(ends[0], &r, sizeof(r)) == (ssize_t)sizeof(r)) {
        add(&sum->texts, &r.texts);
        add(&sum->flips, &r.flips);
        add(&sum->bits, &r.bits);
        n_back++;
    }
    close(ends[0]);
    while (wait(NULL) > 0)
        continue;
    return n_back == n;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"xelp", "xehpg", "xehpc"};
    const char *const given = getenv("XK_TEST_SEED");
    const uint64_t seed =
        given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 1000003;
    const unsigned long cases = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000;
    bool ok = true;

    if (!iga_available()) {
        printf("iga64 is not installed: nothing to compare with\n");
        return 77;
    }
    printf("XK_TEST_SEED=%llu, %lu cases a platform\n",
           (unsigned long long)seed, cases);
    fflush(stdout);
    for (unsigned k = 0; k < XK_COUNTOF(names); k++) {
        struct result r = {0};

        ok &=
            run_platform(xk_platform_find(names[k]), seed, (unsigned)cases, &r);
        printf("%s: %u instructions, %u differ from iga64; %u with a bit "
               "flipped, %u refused by iga64, %u differ; %u patterns, %u "
               "refused by us, %u of the rest compacted, %u wrong\n",
               names[k], r.texts.n, r.texts.wrong, r.flips.n, r.flips.refused,
               r.flips.wrong, r.bits.n, r.bits.refused, r.bits.compact,
               r.bits.wrong);
        fflush(stdout);
        ok &= !r.texts.wrong && !r.flips.wrong && !r.bits.wrong &&
              r.texts.n == cases && r.flips.n == cases && r.bits.n == cases;
    }
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
