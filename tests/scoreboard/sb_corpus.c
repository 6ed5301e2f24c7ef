/* SPDX-License-Identifier: Apache-2.0 */
/* sb_corpus CACHE [PLATFORM [-v]]: CACHE/index.txt of tests/corpus/compile.py
 * names files of kernels' code as a compiler left it. Checks the compiler's
 * annotations, takes them away, has our pass put its own, checks those and that
 * they have codes, counts syncs, and makes sure that a missing annotation is
 * noticed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/format.h"
#include "codegen/scoreboard.h"
#include "tests/scoreboard/hazard.h"

/* Mutants are made of each so manieth kernel of at most so many instructions.
 */
#define MUTATED 110
#define MUTATE_EACH 4
#define N_PLATFORMS (XK_PLATFORM_XEHPC + 1)

struct side {
    unsigned syncs, atomic, mutants, killed;
    struct hz_result r;
};

struct totals {
    unsigned kernels, insts, skipped;
    struct side theirs, ours;
};

static bool verbose;
static const char *file_name;

static unsigned char *read_file(const char *path, size_t *n_b)
{
    FILE *const f = fopen(path, "rb");
    unsigned char *p = NULL;
    if (f && !fseek(f, 0, SEEK_END)) {
        *n_b = (size_t)ftell(f);
        rewind(f);
        p = malloc(*n_b + 1);
        if (p && fread(p, 1, *n_b, f) != *n_b)
            *n_b = 0;
    }
    if (f)
        fclose(f);
    return p;
}

/* Decodes up to the padding; false with a sentence where a record does not
 * decode. */
static bool decode_all(const struct xk_platform *p, const unsigned char *code,
                       size_t n_b, struct xk_inst **out, unsigned *n_out)
{
    struct xk_error err = {0};
    unsigned n = 0, last = 0;
    struct xk_inst *const in = calloc(n_b / 8 + 1, sizeof *in);
    for (size_t at = 0, used; at < n_b; at += used) {
        if (xk_inst_decode(p, code + at, n_b - at, &in[n], &used, &err) < 0) {
            size_t k = at;
            while (k < n_b && !code[k])
                k++;
            if (k == n_b)
                break; /* zeros to the end */
            printf("# %s: offset %zu: %s\n", file_name, at, err.message);
            free(in);
            return false;
        }
        n++;
        if (in[n - 1].op != XK_OPC_ILLEGAL)
            last = n;
    }
    *out = in;
    *n_out = last;
    return true;
}

static void report(const struct hz_program *g, unsigned a, unsigned b,
                   enum hz_kind k)
{
    static const char *const names[] = {"RAW", "WAW", "WAR", "SLM"};
    struct xk_str s;
    if (!verbose)
        return;
    printf("%s %s: %s\n", g->is_ours ? "ours" : "theirs", file_name, names[k]);
    for (unsigned n = 0; n < 2; n++) {
        xk_str_init(&s, NULL);
        xk_inst_print(g->p, &g->inst[n ? b : a].i, &s);
        printf("  %5u %s\n", n ? b : a, xk_str_get(&s));
        xk_str_fini(&s);
    }
}

/* Byte targets to indices; a target that is no instruction becomes -1. */
static void index_targets(struct xk_inst *in, unsigned n)
{
    int *const index = malloc((2 * n + 2) * sizeof *index);
    int at = 0;
    for (unsigned k = 0; k < 2 * n + 2; k++)
        index[k] = -1;
    for (unsigned k = 0; k < n; k++) {
        index[at] = (int)k;
        at += in[k].compacted ? 1 : 2;
    }
    at = 0;
    for (unsigned k = 0; k < n; k++) {
        const int jip = at + in[k].jip_b / 8, uip = at + in[k].uip_b / 8;
        at += in[k].compacted ? 1 : 2;
        in[k].jip_b = jip >= 0 && jip < (int)(2 * n) ? index[jip] : -1;
        in[k].uip_b = uip >= 0 && uip < (int)(2 * n) ? index[uip] : -1;
    }
    free(index);
}

static unsigned count_syncs(const struct xk_inst *in, unsigned n)
{
    unsigned syncs = 0;
    for (unsigned k = 0; k < n; k++)
        syncs += in[k].op == XK_OPC_SYNC && (in[k].sync_fn == XK_SYNC_NOP ||
                                             in[k].sync_fn == XK_SYNC_ALLRD ||
                                             in[k].sync_fn == XK_SYNC_ALLWR);
    return syncs;
}

static unsigned count_atomic(const struct xk_inst *in, unsigned n)
{
    unsigned atomic = 0;
    for (unsigned k = 0; k < n; k++)
        atomic += in[k].atomic;
    return atomic;
}

static void enumerate(const struct xk_platform *p, const struct xk_inst *in,
                      unsigned n, bool is_ours, struct hz_result *r)
{
    struct hz_program g = {.is_ours = is_ours};
    if (!hz_program_make(&g, p, in, n))
        abort();
    hz_enumerate(&g, r);
    hz_program_free(&g);
}

/* Every annotation must have a code on this platform. */
static bool all_encode(const struct xk_platform *p, const struct xk_inst *in,
                       unsigned n)
{
    unsigned char bytes[XK_INST_B];
    struct xk_error err = {0};
    for (unsigned k = 0; k < n; k++) {
        struct xk_inst i = in[k];
        if (xk_inst_is_branch(&i)) {
            i.jip_b = (i.jip_b - (int)k) * XK_INST_B;
            i.uip_b = i.op == XK_OPC_ENDIF || i.op == XK_OPC_JOIN
                          ? 0
                          : (i.uip_b - (int)k) * XK_INST_B;
        }
        if (xk_inst_encode(p, &i, bytes, &err) < 0 &&
            strstr(err.message, "swsb")) {
            printf("# %s: ours, instruction %u: %s\n", file_name, k,
                   err.message);
            return false;
        }
    }
    return true;
}

static bool misses(const struct xk_platform *p, const struct xk_inst *in,
                   unsigned n, bool is_ours)
{
    struct hz_result r = {0};
    enumerate(p, in, n, is_ours, &r);
    return r.gaps;
}

/* Takes one annotation away at a time. */
static void mutate(const struct xk_platform *p, struct xk_inst *in, unsigned n,
                   bool is_ours, struct side *t)
{
    for (unsigned k = 0; k < n; k++) {
        const struct xk_inst keep = in[k];
        const bool mask =
            in[k].op == XK_OPC_SYNC &&
            (in[k].sync_fn == XK_SYNC_ALLRD || in[k].sync_fn == XK_SYNC_ALLWR);
        for (unsigned part = 0; part < 2; part++) {
            if (part == 0 && keep.swsb.dist)
                in[k].swsb.dist = 0;
            else if (part == 1 && (keep.swsb.mode == XK_SBID_DST ||
                                   keep.swsb.mode == XK_SBID_SRC))
                in[k].swsb.mode = XK_SBID_NONE;
            else if (part == 1 && mask)
                in[k].sync_fn = XK_SYNC_NOP;
            else
                continue;
            t->mutants++;
            t->killed += misses(p, in, n, is_ours);
            in[k] = keep;
        }
    }
}

static void check(const struct xk_platform *p, struct xk_inst *in, unsigned n,
                  bool is_ours, bool mutants, struct side *t)
{
    t->syncs += count_syncs(in, n);
    t->atomic += count_atomic(in, n);
    t->r.on_gap = report;
    enumerate(p, in, n, is_ours, &t->r);
    if (n <= MUTATED && mutants)
        mutate(p, in, n, is_ours, t);
}

static bool ours(xk_ctx *c, const struct xk_platform *p,
                 const struct xk_inst *in, unsigned n, struct totals *t)
{
    struct xk_inst *bare = NULL, *out = NULL;
    unsigned n_bare, n_out;
    bool ok = xk_scoreboard_strip(c, in, n, &bare, &n_bare) == XK_OK;
    if (ok)
        xk_scoreboard_chain(p, bare, n_bare);
    ok = ok && xk_scoreboard(c, p, bare, n_bare, &out, &n_out) == XK_OK;
    if (ok) {
        check(p, out, n_out, true, t->kernels % MUTATE_EACH == 0, &t->ours);
        ok = all_encode(p, out, n_out);
    } else {
        printf("# %s: %s\n", file_name, c->error.message);
    }
    xk_free(c, bare);
    xk_free(c, out);
    return ok;
}

static bool one_kernel(const struct xk_platform *p, struct totals *t)
{
    struct xk_inst *in;
    unsigned n;
    size_t n_b = 0;
    unsigned char *const code = read_file(file_name, &n_b);
    if (!code || !decode_all(p, code, n_b, &in, &n)) {
        free(code);
        t->skipped++;
        return false;
    }
    xk_ctx *const c = xk_ctx_create(NULL);
    const bool ok = ours(c, p, in, n, t);
    index_targets(in, n);
    check(p, in, n, false, t->kernels % MUTATE_EACH == 0, &t->theirs);
    t->kernels++;
    t->insts += n;
    xk_ctx_destroy(c);
    free(in);
    free(code);
    return ok;
}

static void print_side(const char *who, const struct side *t)
{
    const struct hz_result *const r = &t->r;
    printf("#   %s: %u syncs, %u Atomic, pairs: RAW %llu, WAW %llu, WAR %llu, "
           "SLM %llu, of them not covered %llu; of %u annotations taken away "
           "one by one "
           "%u were noticed\n#     excused:",
           who, t->syncs, t->atomic, (unsigned long long)r->pairs[HZ_RAW],
           (unsigned long long)r->pairs[HZ_WAW],
           (unsigned long long)r->pairs[HZ_WAR],
           (unsigned long long)r->pairs[HZ_SLM], (unsigned long long)r->gaps,
           t->mutants, t->killed);
    for (unsigned e = 0; e < HZ_N_EXCUSES; e++)
        if (r->excused[e])
            printf(" %s %llu", hz_excuse_name(e),
                   (unsigned long long)r->excused[e]);
    printf("\n");
}

/* Most annotations are needed: taken away, most are missed. The rest makes up
 * for what this enumerator knows better (bytes of a register) or not at all
 * (faults of the hardware). */
static bool is_good(const struct side *t, double noticed)
{
    return !t->r.gaps && t->killed >= t->mutants * noticed;
}

static void print_sources(const struct totals *t)
{
    for (unsigned e = 0; e < HZ_N_EXCUSES; e++) {
        uint64_t n = 0;
        for (unsigned k = 1; k < N_PLATFORMS; k++)
            n += t[k].theirs.r.excused[e] + t[k].ours.r.excused[e];
        if (n)
            printf("# %s: %s\n", hz_excuse_name(e), hz_excuse_source(e));
    }
}

static bool print_platform(enum xk_platform_id id, const struct totals *t)
{
    printf("# %s: %u kernels, %u instructions, %u kernels not decoded\n",
           xk_platform_get(id)->name, t->kernels, t->insts, t->skipped);
    print_side("theirs", &t->theirs);
    print_side("ours", &t->ours);
    return is_good(&t->theirs, 0.75) && is_good(&t->ours, 0.85) &&
           t->ours.syncs <= t->theirs.syncs;
}

int main(int argc, char **argv)
{
    static struct totals t[N_PLATFORMS];
    char line[4096];
    const char *const only = argc > 2 ? argv[2] : NULL;
    bool ok = argc > 1;
    verbose = argc > 3;
    if (ok)
        snprintf(line, sizeof line, "%s/index.txt", argv[1]);
    FILE *const list = ok ? fopen(line, "r") : NULL;
    if (!list) {
        printf("# no list of kernels\n");
        return 1;
    }
    while (fgets(line, sizeof line, list)) {
        char *column[8] = {0}, *rest = line;
        for (unsigned k = 0; k < 8 && rest; k++)
            column[k] = strsep(&rest, "\t\n");
        const struct xk_platform *const p =
            column[6] ? xk_platform_find(column[2]) : NULL;
        if (!p || (only && strcmp(only, p->name)))
            continue;
        file_name = column[6];
        ok &= one_kernel(p, &t[p->id]);
    }
    fclose(list);
    for (unsigned k = 1; k < N_PLATFORMS; k++)
        if (t[k].kernels || t[k].skipped)
            ok &= print_platform(k, &t[k]);
    print_sources(t);
    return !ok;
}
