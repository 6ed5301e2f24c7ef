/* SPDX-License-Identifier: Apache-2.0 */
/* test_mutants CACHE: changes compiled instructions mechanically, one or two
 * members at a time, and counts which rules of the validator notice. Different
 * rules must fire at least MIN_RULES times in all; the figures are printed.
 * XK_TEST_SEED repeats a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/validate.h"
#include "tests/corpus/corpus.h"
#include "tests/isa/inst_field.h"
#include "tests/isa/random_inst.h"

#define MIN_RULES 50
#define N_MUTANTS 400000
#define N_PROGRAM_MUTANTS 3000
#define MAX_BROKEN 256

static struct {
    struct rng rng;
    const struct corpus *c;
    struct xk_inst *inst; /* of the kernel at hand */
    unsigned n, cap;
    unsigned fired[MAX_BROKEN], n_rules;
    unsigned n_mutants, n_broken; /* instructions changed, noticed */
    unsigned n_programs, n_programs_broken;
} run;

static void read_kernel(const struct corpus_kernel *k)
{
    size_t at = 0, used_b = 0;

    run.n = 0;
    do {
        if (run.n == run.cap) {
            run.cap = run.cap ? 2 * run.cap : 4096;
            run.inst = realloc(run.inst, run.cap * sizeof(*run.inst));
        }
        if (xk_inst_decode(k->p, k->bin.data + at, k->bin.n_b - at,
                           &run.inst[run.n], &used_b, NULL) == XK_OK)
            run.n++;
        at += used_b;
    } while (used_b);
}

static void note(const char *rule)
{
    unsigned n;
    const struct xk_isa_rule *const rules = xk_isa_rules(&n);

    for (unsigned k = 0; k < n; k++)
        run.fired[k] += rules[k].text.rule == rule;
}

/* A neighbour of the value, another small one, or any bits. */
static uint64_t other_value(uint64_t v, unsigned n_b)
{
    switch (rng_below(&run.rng, 8)) {
    case 0:
        return v + 1;
    case 1:
        return v - 1;
    case 2:
        return v * 2;
    case 3:
        return v / 2;
    case 4:
        return v ^ UINT64_C(1) << rng_below(&run.rng, 8 * n_b);
    case 5:
        return rng_bits(&run.rng);
    default:
        return rng_below(&run.rng, 24);
    }
}

static void swap_sources(struct xk_inst *i)
{
    const struct xk_operand o = i->src[0];

    i->src[0] = i->src[1];
    i->src[1] = o;
}

/* Another opcode of the same shape. */
static void other_opcode(struct xk_inst *i)
{
    const enum xk_format f = xk_opcode_format(i->op);
    const unsigned n = xk_opcode_n_srcs(i->op);
    unsigned op;

    do
        op = rng_below(&run.rng, XK_N_OPCODES);
    while (xk_opcode_format(op) != f || xk_opcode_n_srcs(op) != n);
    i->op = (uint16_t)op;
}

/* An operand becomes an accumulator, null, another register or a number. */
static void other_file(struct xk_inst *i)
{
    struct xk_operand *const o =
        rng_below(&run.rng, 4) ? &i->src[rng_below(&run.rng, 3)] : &i->dst;

    if (o->file == XK_FILE_NONE)
        return;
    o->file = (uint8_t)(XK_FILE_GRF + rng_below(&run.rng, 3));
    o->arf = (uint8_t)rng_below(&run.rng, 4);
    o->reg = (uint16_t)rng_below(&run.rng, 2);
}

static void mutate(struct xk_inst *i)
{
    unsigned n;
    const struct inst_field *const f = inst_fields(&n);
    const unsigned what = rng_below(&run.rng, n + 12);

    if (what < n)
        inst_field_set(i, &f[what],
                       other_value(inst_field_get(i, &f[what]), f[what].n_b));
    else if (what < n + 4)
        swap_sources(i);
    else if (what < n + 8)
        other_opcode(i);
    else
        other_file(i);
}

static void mutant_of(const struct xk_platform *p, const struct xk_inst *from)
{
    struct xk_isa_violation v[MAX_BROKEN];
    struct xk_inst i = *from;
    unsigned n;

    mutate(&i);
    if (rng_below(&run.rng, 4) == 0)
        mutate(&i);
    if (i.op >= XK_N_OPCODES)
        return;
    n = xk_inst_validate(p, &i, v, XK_COUNTOF(v));
    run.n_mutants++;
    run.n_broken += n > 0;
    for (unsigned k = 0; k < n; k++)
        note(v[k].rule);
}

static void hear(void *user, unsigned at, const struct xk_isa_violation *v)
{
    (void)user, (void)at;
    note(v->rule);
}

/* An instruction of the kernel is changed, dropped, or done twice. */
static void program_mutant(const struct xk_platform *p)
{
    const unsigned at = rng_below(&run.rng, run.n);
    const struct xk_inst was = run.inst[at];

    if (rng_below(&run.rng, 2))
        mutate(&run.inst[at]);
    else
        run.inst[at] = run.inst[rng_below(&run.rng, run.n)];
    run.n_programs++;
    run.n_programs_broken +=
        run.inst[at].op < XK_N_OPCODES &&
        xk_program_validate(p, run.inst, run.n, hear, NULL) > 0;
    run.inst[at] = was;
}

static void mutants_of_kernel(const struct corpus_kernel *k)
{
    const unsigned share = N_MUTANTS / run.c->n + 1;
    const unsigned programs = N_PROGRAM_MUTANTS / run.c->n + 1;

    read_kernel(k);
    for (unsigned j = 0; run.n && j < share; j++)
        mutant_of(k->p, &run.inst[rng_below(&run.rng, run.n)]);
    for (unsigned j = 0; run.n && j < programs; j++)
        program_mutant(k->p);
}

static unsigned report(uint64_t seed)
{
    const struct xk_isa_rule *const rules = xk_isa_rules(&run.n_rules);
    unsigned n = 0;

    for (unsigned k = 0; k < run.n_rules; k++)
        n += run.fired[k] > 0;
    printf("# seed %llu: %u kernels, %u mutants, %u of them noticed; %u "
           "changed programs, %u noticed\n",
           (unsigned long long)seed, run.c->n, run.n_mutants, run.n_broken,
           run.n_programs, run.n_programs_broken);
    printf("# %u of %u rules fired; not:", n, run.n_rules);
    for (unsigned k = 0; k < run.n_rules; k++) {
        if (!run.fired[k])
            printf(" %s", rules[k].text.rule);
    }
    printf("\n1..1\n%s 1 - mutants break at least %u different rules\n",
           n >= MIN_RULES ? "ok" : "not ok", MIN_RULES);
    return n;
}

int main(int argc, char **argv)
{
    const uint64_t seed = rng_seed();
    struct corpus c;
    unsigned n;

    if (argc < 2 || !corpus_read(argv[1], &c) || c.n == 0)
        return 1;
    run.rng.state = seed;
    run.c = &c;
    for (unsigned k = 0; k < c.n; k++)
        mutants_of_kernel(&c.kernel[k]);
    n = report(seed);
    free(run.inst);
    corpus_fini(&c);
    return n < MIN_RULES;
}
