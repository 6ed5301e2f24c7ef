/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that multiplies. The inspector says where the code's loops are; the
 * simulator says how often each instruction was executed. */
#include <stdlib.h>
#include <string.h>

#include "tools/xkbench/bench.h"
#include "xekern/inspect.h"

/* Kinds of multiply-adds, the most powerful last. A kernel's kind is the most
 * powerful one that it executes; its other multiply-adds (a scale in the
 * epilogue) do not count. */
enum kind { OTHER, SYNC, MAD, DP4A, DPAS };

/* The destination is the first operand: "mad (16|M0) r2.0<1>:f ...". */
static bool writes_float(const char *text)
{
    const char *const open = strchr(text, '>');
    return open && (!strncmp(open, ">:f", 3) || !strncmp(open, ">:hf", 4) ||
                    !strncmp(open, ">:bf", 4) || !strncmp(open, ">:df", 4));
}

static enum kind kind_of(const struct xk_simulate_inst *i)
{
    if (!strncmp(i->opcode, "sync", 4))
        return SYNC;
    if (!strcmp(i->opcode, "dpas") || !strcmp(i->opcode, "dpasw"))
        return DPAS;
    if (!strcmp(i->opcode, "dp4a"))
        return DP4A;
    if (!strcmp(i->opcode, "mad") || !strcmp(i->opcode, "mac"))
        return writes_float(i->text) ? MAD : OTHER;
    return OTHER;
}

void xk_bench_note_inst(void *user, const struct xk_simulate_inst *inst)
{
    struct xk_bench_counts *const c = &((struct xk_bench_result *)user)->counts;
    if (c->n == c->room) {
        const size_t room = c->room ? 2 * c->room : 1024;
        struct xk_bench_count *const at = realloc(c->at, room * sizeof *at);
        if (!at)
            return; /* figures are missing, nothing else */
        c->at = at;
        c->room = room;
    }
    c->at[c->n++] = (struct xk_bench_count){
        inst->offset_b, (uint8_t)kind_of(inst), inst->executed};
}

static struct xk_bench_loop count(const struct xk_bench_counts *c,
                                  enum kind fma, uint32_t head_b,
                                  uint32_t tail_b)
{
    struct xk_bench_loop l = {.head_b = head_b, .tail_b = tail_b};
    for (size_t i = 0; i < c->n; i++) {
        const struct xk_bench_count *const k = &c->at[i];
        if (k->offset_b < head_b || k->offset_b > tail_b)
            continue;
        l.instructions += k->executed;
        l.syncs += k->kind == SYNC ? k->executed : 0;
        l.fma += k->kind == fma ? k->executed : 0;
    }
    return l;
}

/* Innermost: the shortest of those that have enough. */
static struct xk_bench_loop pick(const struct xk_bench_counts *c,
                                 const struct xk_kernel_stats *s)
{
    enum kind fma = MAD;
    for (size_t i = 0; i < c->n; i++)
        if (c->at[i].executed && c->at[i].kind > fma)
            fma = (enum kind)c->at[i].kind;
    const struct xk_bench_loop all = count(c, fma, 0, UINT32_MAX);
    struct xk_bench_loop best = all;
    best.whole = true;
    for (uint32_t i = 0; i < s->n_loops; i++) {
        const struct xk_loop_facts *const f = &s->loop[i];
        if (!best.whole && f->tail_b - f->head_b >= best.tail_b - best.head_b)
            continue;
        const struct xk_bench_loop l = count(c, fma, f->head_b, f->tail_b);
        if (all.fma && 5 * l.fma >= 4 * all.fma)
            best = l;
    }
    return best;
}

void xk_bench_add_loop(struct xk_bench_result *r,
                       const struct xk_launch_info *l)
{
    xk_inspect *file = NULL;
    struct xk_kernel_stats stats;
    struct xk_error err;
    if (r->counts.n &&
        xk_inspect_open(l->zebin, l->zebin_b, NULL, &file, &err) >= 0 &&
        xk_inspect_stats(file, 0, &stats, &err) >= 0) {
        const struct xk_bench_loop more = pick(&r->counts, &stats);
        const struct xk_bench_loop had = r->loop;
        r->loop = more;
        r->loop.whole = more.whole || had.whole;
        r->loop.instructions += had.instructions;
        r->loop.fma += had.fma;
        r->loop.syncs += had.syncs;
    }
    xk_inspect_close(file);
    r->counts.n = 0;
}
