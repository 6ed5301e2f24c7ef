/* SPDX-License-Identifier: Apache-2.0 */
/* test_hazard_corpus CACHE [PLATFORM [-v]]: random ways through every kernel
 * that tests/corpus/compile.py compiled: the hazard checker must find nothing,
 * by the vendor's rules as its compiler annotated the kernel, and by the strict
 * ones as our scoreboard pass does. Then each annotation of small kernels is
 * taken away or weakened in turn; where the enumerator of tests/scoreboard says
 * that this is harmful on a way that was gone, the checker must find something.
 * Nothing is executed here, so that all platforms take part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/scoreboard.h"
#include "tests/sim/hazard_change.h"
#include "tests/sim/hazard_walk.h"

#define N_WALKS 8
#define WALK_STEPS 1500
#define MUTATED 160 /* instructions of a kernel at most */
#define MUTATE_EACH 3
#define MAX_GAPS 4096
#define N_PLATFORMS (XK_PLATFORM_XEHPC + 1)

struct totals {
    unsigned kernels, skipped, alarms;
    unsigned long long steps;
    unsigned mutants, harmful, gone, found, extra;
};

/* Sums over all platforms: mutants made, harmful on a way gone, found, and
 * found though the enumerator does not think so. */
static struct score {
    unsigned made, harmful, found, more;
} score[N_CHANGES];

struct kernel {
    const char *file;
    const struct xk_platform *p;
    struct xk_inst *in;
    uint32_t *pc; /* byte offsets, also of the padding */
    unsigned n, n_pc, number;
    bool strict; /* annotations and rules are ours */
    struct walk walk[N_WALKS];
};

static struct gap {
    unsigned first, second;
    enum hz_kind kind;
} gaps[MAX_GAPS];
static unsigned n_gaps;
static bool verbose;

static void note_gap(const struct hz_program *g, unsigned first,
                     unsigned second, enum hz_kind k)
{
    (void)g;
    if (n_gaps < MAX_GAPS)
        gaps[n_gaps++] = (struct gap){first, second, k};
}

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

static int index_of(const uint32_t *pc, unsigned n, int64_t at)
{
    for (unsigned k = 0; k < n; k++)
        if ((int64_t)pc[k] == at)
            return (int)k;
    return -1;
}

/* Decodes up to the padding. */
static bool decode(struct kernel *k)
{
    size_t n_b = 0, used = 0;
    struct xk_error err = {0};
    unsigned char *const code = read_file(k->file, &n_b);
    unsigned n = 0;
    k->n = 0;
    k->pc = calloc(n_b / 8 + 1, sizeof *k->pc);
    k->in = calloc(n_b / 8 + 1, sizeof *k->in);
    for (size_t at = 0; code && k->pc && k->in && at < n_b; at += used) {
        k->pc[n] = (uint32_t)at;
        if (xk_inst_decode(k->p, code + at, n_b - at, &k->in[n], &used, &err) <
            0)
            break;
        if (k->in[n++].op != XK_OPC_ILLEGAL)
            k->n = n;
    }
    k->n_pc = n;
    free(code);
    return k->n > 0;
}

/* Branch targets in bytes become indices. */
static void to_indices(struct kernel *k)
{
    for (unsigned m = 0; m < k->n; m++) {
        struct xk_inst *const i = &k->in[m];
        i->jip_b = index_of(k->pc, k->n_pc, (int64_t)k->pc[m] + i->jip_b);
        i->uip_b = index_of(k->pc, k->n_pc, (int64_t)k->pc[m] + i->uip_b);
    }
}

static bool go_ways(struct kernel *k, struct totals *t)
{
    struct hz_program g = {.is_ours = k->strict};
    uint64_t seed = k->n;
    if (!hz_program_make(&g, k->p, k->in, k->n))
        return false;
    for (unsigned m = 0; m < N_WALKS; m++) {
        k->walk[m].room = WALK_STEPS;
        k->walk[m].n = 0;
        walk_make(&g, &seed, &k->walk[m]);
        t->steps += k->walk[m].n;
    }
    hz_program_free(&g);
    return true;
}

/* Whether what the enumerator says is on a way that was gone. */
static bool is_on_way(struct kernel *k, bool *harmful)
{
    struct hz_program g = {.is_ours = k->strict};
    struct hz_result r = {.on_gap = note_gap};
    bool gone = false;
    n_gaps = 0;
    if (!hz_program_make(&g, k->p, k->in, k->n))
        return false;
    hz_enumerate(&g, &r);
    *harmful = r.gaps;
    for (unsigned n = 0; n < n_gaps && !gone; n++)
        for (unsigned m = 0; m < N_WALKS && !gone; m++)
            gone = walk_has_gap(&g, &k->walk[m], gaps[n].first, gaps[n].second,
                                gaps[n].kind);
    hz_program_free(&g);
    return gone;
}

static void show(const struct kernel *k, const char *what,
                 const struct walk_verdict *v, unsigned at)
{
    if (!verbose)
        return;
    printf("# %s: %s, instruction %u changed\n", k->file, what, at);
    if (v->findings)
        walk_print(k->p, k->in, &v->first);
    else if (n_gaps)
        walk_print(
            k->p, k->in,
            &(struct xk_hz_finding){.kind = (enum xk_hz_kind)gaps[0].kind,
                                    .first = gaps[0].first,
                                    .second = gaps[0].second});
}

static bool check_walks(const struct kernel *k, struct walk_verdict *v)
{
    const struct walk_code code = {k->p, k->in, k->n, k->strict};
    return walk_check(&code, k->walk, N_WALKS, v);
}

static void judge(struct kernel *k, unsigned at, unsigned how, struct totals *t)
{
    struct walk_verdict v;
    bool harmful = false;
    const bool gone = is_on_way(k, &harmful);
    if (!check_walks(k, &v))
        abort();
    t->mutants++;
    t->harmful += harmful;
    t->gone += gone;
    t->found += gone && v.findings;
    t->extra += !harmful && v.findings;
    score[how].made++;
    score[how].harmful += gone;
    score[how].found += gone && v.findings;
    score[how].more += !harmful && v.findings;
    if (gone && !v.findings)
        show(k, "missed", &v, at);
    if (!harmful && v.findings)
        show(k, "more than the enumerator", &v, at);
}

static void mutate(struct kernel *k, struct totals *t)
{
    for (unsigned m = 0; m < k->n; m++) {
        const struct xk_inst keep = k->in[m];
        for (unsigned how = 0; how < N_CHANGES; how++) {
            if (hazard_change(&k->in[m], how))
                judge(k, m, how, t);
            k->in[m] = keep;
        }
    }
}

/* Checks the kernel as it is, then its mutants. */
static void check(struct kernel *k, struct totals *t)
{
    struct walk_verdict v = {0};
    if (!go_ways(k, t) || !check_walks(k, &v))
        abort();
    t->kernels++;
    if (v.findings) {
        t->alarms++;
        printf("# %s, %s: an alarm\n", k->file, k->strict ? "ours" : "theirs");
        walk_print(k->p, k->in, &v.first);
    } else if (k->n <= MUTATED && k->number % MUTATE_EACH == 0) {
        mutate(k, t);
    }
}

/* The same code with annotations of our own pass. *k has indices as targets,
 * as compilers' code has not: strip wants bytes. */
static bool annotate(struct kernel *k)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    struct xk_inst *bare = NULL, *out = NULL;
    unsigned n_bare = 0, n_out = 0;
    bool ok = xk_scoreboard_strip(c, k->in, k->n, &bare, &n_bare) == XK_OK;
    if (ok)
        xk_scoreboard_chain(k->p, bare, n_bare);
    ok = ok && xk_scoreboard(c, k->p, bare, n_bare, &out, &n_out) == XK_OK;
    free(k->in);
    k->in = ok ? malloc(n_out * sizeof *k->in) : NULL;
    k->n = n_out;
    if (k->in)
        memcpy(k->in, out, n_out * sizeof *k->in);
    xk_free(c, bare);
    xk_free(c, out);
    xk_ctx_destroy(c);
    return k->in;
}

static void one_kernel(struct kernel *k, struct totals *theirs,
                       struct totals *ours)
{
    k->number++;
    k->strict = false;
    if (!decode(k)) {
        theirs->skipped++;
    } else {
        to_indices(k);
        check(k, theirs);
    }
    free(k->in);
    free(k->pc);
    k->strict = true;
    if (decode(k) && annotate(k))
        check(k, ours);
    else
        ours->skipped++;
    free(k->in);
    free(k->pc);
    k->in = NULL;
    k->pc = NULL;
}

static void print(enum xk_platform_id id, const char *whose,
                  const struct totals *t)
{
    printf("# %s, %s: %u kernels (%u not decoded), %llu instructions walked, "
           "false alarms in %u kernels\n"
           "#   %u annotations taken away or weakened, %u harmful, %u of them "
           "on a way gone: %u found; %u findings beyond the enumerator\n",
           xk_platform_get(id)->name, whose, t->kernels, t->skipped, t->steps,
           t->alarms, t->mutants, t->harmful, t->gone, t->found, t->extra);
}

static bool is_good(const struct totals *t)
{
    return !t->alarms && t->found == t->gone;
}

static struct totals theirs[N_PLATFORMS], ours[N_PLATFORMS];

static void read_list(FILE *list, const char *only)
{
    static uint32_t rooms[N_WALKS][WALK_STEPS];
    struct kernel k = {0};
    char line[4096];
    for (unsigned m = 0; m < N_WALKS; m++)
        k.walk[m].at = rooms[m];
    while (fgets(line, sizeof line, list)) {
        char *column[8] = {0}, *rest = line;
        for (unsigned m = 0; m < 8 && rest; m++)
            column[m] = strsep(&rest, "\t\n");
        k.p = column[6] ? xk_platform_find(column[2]) : NULL;
        if (!k.p || (only && strcmp(only, k.p->name)))
            continue;
        k.file = column[6];
        one_kernel(&k, &theirs[k.p->id], &ours[k.p->id]);
    }
}

int main(int argc, char **argv)
{
    char path[4096] = "";
    bool ok = true;
    verbose = argc > 3;
    if (argc > 1)
        snprintf(path, sizeof path, "%s/index.txt", argv[1]);
    FILE *const list = fopen(path, "r");
    if (!list) {
        printf("# no list of kernels\n");
        return 1;
    }
    read_list(list, argc > 2 ? argv[2] : NULL);
    fclose(list);
    for (unsigned m = 1; m < N_PLATFORMS; m++) {
        if (!theirs[m].kernels)
            continue;
        print((enum xk_platform_id)m, "theirs", &theirs[m]);
        print((enum xk_platform_id)m, "ours", &ours[m]);
        ok &= is_good(&theirs[m]) && is_good(&ours[m]);
    }
    for (unsigned how = 0; how < N_CHANGES; how++)
        printf("score: %s hazard %u %u %u %u\n", hazard_change_name(how),
               score[how].made, score[how].harmful, score[how].found,
               score[how].more);
    return !ok;
}
