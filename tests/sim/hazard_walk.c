/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/hazard_walk.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned draw(uint64_t *seed, unsigned n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % n;
}

void walk_make(const struct hz_program *g, uint64_t *seed, struct walk *w)
{
    unsigned at = 0, to[4], n;
    while (w->n < w->room) {
        w->at[w->n++] = at;
        n = hz_successors(g, at, false, to);
        if (!n)
            break;
        at = to[draw(seed, n)];
    }
}

/* Pipes that a distance at w speaks of, as a set, numbered as in hz_touch. */
static unsigned spoken_of(const struct hz_program *g, const struct hz_inst *w)
{
    static const uint8_t named[] = {
        [XK_PIPE_ALL] = 15, [XK_PIPE_FLOAT] = 1, [XK_PIPE_INT] = 2,
        [XK_PIPE_LONG] = 4, [XK_PIPE_MATH] = 8,  [XK_PIPE_DPAS] = 0};
    if (named[w->i.swsb.pipe])
        return named[w->i.swsb.pipe];
    if (g->p->id == XK_PLATFORM_XELP)
        return 1;
    if (w->t.unit == HZ_INORDER)
        return 1u << w->t.pipe;
    if (w->t.unit == HZ_SEND || w->i.op == XK_OPC_SYNC)
        return 15;
    const unsigned type = w->i.src[w->t.unit == HZ_DPAS ? 1 : 0].type;
    return type == XK_RT_F || type == XK_RT_HF || type == XK_RT_BF ? 1 : 2;
}

/* From one occurrence of the first instruction on. */
static bool gap_from(const struct hz_program *g, const struct walk *w,
                     unsigned i, unsigned second, enum hz_kind k)
{
    const struct hz_inst *const a = &g->inst[w->at[i]];
    const bool in_order = a->t.unit == HZ_INORDER;
    struct hz_pair q = {.g = g,
                        .a = w->at[i],
                        .b = second,
                        .kind = k,
                        .count = 1,
                        .by_lanes = true};
    for (unsigned j = i + 1; j < w->n; j++) {
        const struct hz_inst *const b = &g->inst[w->at[j]];
        q.back |= w->at[j] != w->at[j - 1] + 1;
        if (in_order ? b->i.swsb.dist && b->i.swsb.dist <= q.count &&
                           spoken_of(g, b) >> a->t.pipe & 1
                     : hz_covers_token(b, a->token, k == HZ_WAR))
            return false;
        if (w->at[j] == second && hz_excuse_of(&q) == HZ_N_EXCUSES)
            return true;
        if (in_order && b->t.unit == HZ_INORDER && b->t.pipe == a->t.pipe &&
            !(b->t.is_branch && g->is_ours) && ++q.count > 24)
            return false;
    }
    return false;
}

bool walk_has_gap(const struct hz_program *g, const struct walk *w,
                  unsigned first, unsigned second, enum hz_kind k)
{
    for (unsigned i = 0; i < w->n; i++)
        if (w->at[i] == first && gap_from(g, w, i, second, k))
            return true;
    return false;
}

static void take(void *user, const struct xk_hz_finding *f)
{
    struct walk_verdict *const v = user;
    if (!v->findings++)
        v->first = *f;
}

static bool make_table(struct xk_hz_table *t, const struct xk_platform *p,
                       const struct xk_inst *in, unsigned n)
{
    struct xk_hz_line *const line = calloc(n + 1, sizeof *line);
    for (unsigned k = 0; line && k < n; k++)
        line[k] = (struct xk_hz_line){
            .in = &in[k],
            .jip = in[k].jip_b < 0 ? UINT32_MAX : (uint32_t)in[k].jip_b,
            .uip = in[k].uip_b < 0 ? UINT32_MAX : (uint32_t)in[k].uip_b};
    const bool ok = line && xk_hz_table_init(t, NULL, p, line, n) == XK_OK;
    free(line);
    return ok;
}

bool walk_check(const struct walk_code *code, const struct walk *w,
                unsigned n_walks, struct walk_verdict *out)
{
    struct xk_hz_table t;
    struct xk_hz_thread *const th = calloc(1, sizeof *th);
    const bool ok = th && make_table(&t, code->p, code->in, code->n);
    *out = (struct walk_verdict){0};
    if (ok) {
        for (unsigned m = 0; m < n_walks; m++) {
            *th = (struct xk_hz_thread){.report = take, .user = out};
            xk_hz_thread_begin(th, 0, code->strict);
            for (unsigned k = 0; k < w[m].n; k++)
                xk_hz_step(&t, th, w[m].at[k], UINT32_MAX, NULL);
        }
        xk_hz_table_fini(&t);
    }
    free(th);
    return ok;
}

void walk_print(const struct xk_platform *p, const struct xk_inst *in,
                const struct xk_hz_finding *f)
{
    static const char *const names[] = {"RAW", "WAW", "WAR", "SLM"};
    char place[32];
    xk_hz_name(p, f->begin, place, sizeof place);
    printf("# %s at %s, %u units\n", names[f->kind], place, f->end - f->begin);
    for (unsigned k = 0; k < 2; k++) {
        const unsigned at = k ? f->second : f->first;
        struct xk_str s;
        xk_str_init(&s, NULL);
        xk_inst_print(p, &in[at], &s);
        printf("#   %5u %s\n", at, xk_str_get(&s));
        xk_str_fini(&s);
    }
}
