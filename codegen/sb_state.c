/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of isa.md 5.3. A pipe completes in order, so waiting for one of its
 * instructions is waiting for all before it, and issue is in order, so what one
 * instruction has waited for none after it needs to wait for again.
 *
 *   read after write     always
 *   write after write    unless both are in the same in-order pipe
 *   write after read     likewise
 *
 * A token set again while outstanding stalls until it is free: its old meaning
 * is complete then. Distances grow without need for waiting; beyond HORIZON
 * instructions of a pipe nothing can be under way any more. */
#include "codegen/sb.h"

#include <string.h>

#define HORIZON 40
#define MAX_DIST 7

void xk_sb_state_clear(struct xk_sb_state *s)
{
    memset(s, 0, sizeof *s);
    for (unsigned r = 0; r < XK_SB_N_RES; r++)
        for (unsigned p = 0; p < XK_SB_N_PIPES; p++)
            s->res[r].wr[p] = s->res[r].rd[p] = XK_SB_NEVER;
    for (unsigned p = 0; p < XK_SB_N_PIPES; p++)
        s->done[p] = XK_SB_NEVER;
}

static void need_pipe(const struct xk_sb_state *s, unsigned p, int32_t stamp,
                      struct xk_sb_need *n)
{
    if (stamp <= s->done[p])
        return;
    const int32_t d = s->count[p] - stamp;
    if (d > HORIZON)
        return;
    const int32_t capped = d < MAX_DIST ? d : MAX_DIST;
    if (n->dist[p] == 0 || capped < n->dist[p])
        n->dist[p] = capped;
}

static void need_for_read(const struct xk_sb_state *s, unsigned r,
                          struct xk_sb_need *n)
{
    for (unsigned p = 0; p < XK_SB_N_PIPES; p++)
        need_pipe(s, p, s->res[r].wr[p], n);
    n->dst |= s->res[r].tok_wr;
}

static void need_for_write(const struct xk_sb_state *s, unsigned r,
                           unsigned own, struct xk_sb_need *n)
{
    for (unsigned p = 0; p < XK_SB_N_PIPES; p++)
        if (p != own) {
            need_pipe(s, p, s->res[r].wr[p], n);
            need_pipe(s, p, s->res[r].rd[p], n);
        }
    n->dst |= s->res[r].tok_wr;
    n->src |= s->res[r].tok_rd;
}

void xk_sb_need_of(const struct xk_sb_state *s, const struct xk_sb_access *a,
                   struct xk_sb_need *n)
{
    memset(n, 0, sizeof *n);
    for (unsigned i = 0; i < a->n_rd; i++)
        for (unsigned r = a->rd[i].first; r < a->rd[i].end; r++)
            need_for_read(s, r, n);
    for (unsigned i = 0; i < a->n_wr; i++)
        for (unsigned r = a->wr[i].first; r < a->wr[i].end; r++) {
            need_for_write(s, r, a->pipe, n);
            /* State registers change under everything that is under way. */
            for (unsigned p = 0; p < XK_SB_N_PIPES && r == XK_SB_STATE; p++)
                need_pipe(s, p, s->count[p] - 1, n);
        }
    n->src &= ~n->dst;
}

uint32_t xk_sb_state_reading(const struct xk_sb_state *s)
{
    uint32_t all = 0;
    for (unsigned r = 0; r < XK_SB_N_RES; r++)
        all |= s->res[r].tok_rd;
    return all;
}

uint32_t xk_sb_state_writing(const struct xk_sb_state *s)
{
    uint32_t all = 0;
    for (unsigned r = 0; r < XK_SB_N_RES; r++)
        all |= s->res[r].tok_wr;
    return all;
}

void xk_sb_state_wait(struct xk_sb_state *s, const struct xk_sb_need *n)
{
    for (unsigned p = 0; p < XK_SB_N_PIPES; p++) {
        const int32_t upto = s->count[p] - n->dist[p];
        if (n->dist[p] && upto > s->done[p])
            s->done[p] = upto;
    }
    const uint32_t rd = ~(n->dst | n->src), wr = ~n->dst;
    if (rd != UINT32_MAX)
        for (unsigned r = 0; r < XK_SB_N_RES; r++) {
            s->res[r].tok_wr &= wr;
            s->res[r].tok_rd &= rd;
        }
    s->busy &= wr;
}

static void set_token(struct xk_sb_state *s, const struct xk_sb_access *a)
{
    const uint32_t bit = 1u << a->token;
    for (unsigned r = 0; r < XK_SB_N_RES; r++) {
        s->res[r].tok_wr &= ~bit;
        s->res[r].tok_rd &= ~bit;
    }
    /* Flags and state registers are read at issue, only GRFs later. */
    for (unsigned i = 0; i < a->n_rd; i++)
        for (unsigned r = a->rd[i].first; r < a->rd[i].end && r < XK_SB_FLAG;
             r++)
            s->res[r].tok_rd |= bit;
    for (unsigned i = 0; i < a->n_wr; i++)
        for (unsigned r = a->wr[i].first; r < a->wr[i].end; r++)
            s->res[r].tok_wr |= bit;
    s->busy |= bit;
}

void xk_sb_state_issue(struct xk_sb_state *s, const struct xk_sb_access *a)
{
    if (a->pipe == XK_SB_OOO && a->token >= 0)
        set_token(s, a);
    if (a->pipe >= XK_SB_N_PIPES)
        return;
    const int32_t now = s->count[a->pipe]++;
    for (unsigned i = 0; i < a->n_rd; i++)
        for (unsigned r = a->rd[i].first; r < a->rd[i].end; r++)
            s->res[r].rd[a->pipe] = now;
    for (unsigned i = 0; i < a->n_wr; i++)
        for (unsigned r = a->wr[i].first; r < a->wr[i].end; r++)
            s->res[r].wr[a->pipe] = now;
}

static int32_t rebased(const struct xk_sb_state *s, unsigned p, int32_t stamp)
{
    const int32_t d = s->count[p] - stamp;
    return stamp <= s->done[p] || d > HORIZON ? XK_SB_NEVER : -d;
}

void xk_sb_state_rebase(struct xk_sb_state *s)
{
    for (unsigned r = 0; r < XK_SB_N_RES; r++)
        for (unsigned p = 0; p < XK_SB_N_PIPES; p++) {
            s->res[r].wr[p] = rebased(s, p, s->res[r].wr[p]);
            s->res[r].rd[p] = rebased(s, p, s->res[r].rd[p]);
        }
    for (unsigned p = 0; p < XK_SB_N_PIPES; p++) {
        s->count[p] = 0;
        s->done[p] = XK_SB_NEVER;
    }
}

bool xk_sb_state_join(struct xk_sb_state *into, const struct xk_sb_state *s)
{
    bool changed = s->busy & ~into->busy;
    for (unsigned r = 0; r < XK_SB_N_RES; r++) {
        for (unsigned p = 0; p < XK_SB_N_PIPES; p++) {
            if (s->res[r].wr[p] > into->res[r].wr[p]) {
                into->res[r].wr[p] = s->res[r].wr[p];
                changed = true;
            }
            if (s->res[r].rd[p] > into->res[r].rd[p]) {
                into->res[r].rd[p] = s->res[r].rd[p];
                changed = true;
            }
        }
        changed |= (s->res[r].tok_wr & ~into->res[r].tok_wr) ||
                   (s->res[r].tok_rd & ~into->res[r].tok_rd);
        into->res[r].tok_wr |= s->res[r].tok_wr;
        into->res[r].tok_rd |= s->res[r].tok_rd;
    }
    into->busy |= s->busy;
    return changed;
}
