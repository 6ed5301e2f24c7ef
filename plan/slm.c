/* SPDX-License-Identifier: Apache-2.0 */
/* A through shared local memory (SLM): the group loads its tile of A once, a
 * part a thread, and each thread reads its rows from there as whole register
 * tiles. All of K is one pipelined loop, filter taps innermost, so that the
 * pipeline is filled once; each tap has addresses of its own. */
#include "isa/message.h"
#include "plan/operand.h"

enum {
    LANES = 8,     /* rows of M in a register tile */
    BLOCK_B = 256, /* of such a tile: a dpas depth */
    MAX_COPIES = 18
};

static unsigned gcd(unsigned a, unsigned b)
{
    return b ? gcd(b, a % b) : a;
}

static unsigned lcm(unsigned a, unsigned b)
{
    return a / gcd(a, b) * b;
}

static enum xk_status no_fit(xk_ctx *c, const char *why)
{
    return xk_fail(c, XK_ENOFIT, "plan: A through SLM: %s", why);
}

/* Bytes of memory from one step of k to the next; 0: no constant. A's blocks of
 * channels may be as long as a step, or longer than K. */
static int64_t step_stride_b(const struct xk_plan *p)
{
    const struct xk_view *const v = &p->con->a.view;
    const struct xk_index *const k = xk_plan_k_inner(p);
    const int dim = xk_plan_tensor_dim(v, k->name);
    int64_t inner = 1, step = p->s.k_step;
    if (dim < 0)
        return 0;
    for (int i = v->layout.n_blocks - 1; i >= 0; i--) {
        const struct xk_block *const b = &v->layout.block[i];
        if ((int)b->dim != dim || b->size == 1)
            continue;
        if (inner * b->size > step) {
            const bool to_the_end = inner * b->size >= k->extent;
            return step % inner == 0 && to_the_end
                       ? step / inner * b->stride *
                             (int64_t)xk_dtype_b(v->layout.dt)
                       : 0;
        }
        inner *= b->size;
    }
    return inner >= k->extent ? step * xk_dtype_b(v->layout.dt) : 0;
}

/* Whether B lies in memory in the order of the loop: taps innermost. */
static bool b_in_order(xk_ctx *c, const struct xk_plan *p)
{
    const struct xk_view *const v = &p->con->b.view;
    int64_t want = (int64_t)p->s.n_thr * 32; /* of a tap */
    for (int i = (int)p->con->n_index - 1; i >= 0; i--) {
        const struct xk_index *const x = &p->con->index[i];
        int64_t stride_b, run;
        if (x->role != XK_ROLE_K || x == xk_plan_k_inner(p) || x->extent == 1)
            continue;
        if (!xk_view_stride_b(c, v, x->name, &stride_b, &run) ||
            run < x->extent || stride_b != want)
            return false;
        want *= x->extent;
    }
    const struct xk_layout *const l = &v->layout;
    const int dim = xk_plan_tensor_dim(v, xk_plan_k_inner(p)->name);
    for (unsigned i = 0; i < l->n_blocks; i++)
        if ((int)l->block[i].dim == dim && l->block[i].size > 1)
            return l->block[i].stride * (int64_t)xk_dtype_b(l->dt) == want ||
                   xk_plan_k_inner(p)->extent <= p->s.k_step;
    return true;
}

enum xk_status xk_plan_slm(xk_ctx *c, struct xk_plan *p)
{
    struct xk_plan_slm *const s = &p->slm;
    const unsigned threads = p->s.tg_m * p->s.tg_n;
    const struct xk_index *const k = xk_plan_k_inner(p);
    const int64_t taps = xk_shape_of(p->con).k_outer;
    if (!p->s.slm)
        return XK_OK;
    if (p->a.access != XK_ACCESS_SCATTERED)
        return no_fit(c, "its rows are no dwords of K");
    if (p->b.access != XK_ACCESS_BLOCK)
        return no_fit(c, "B is not loaded in blocks");
    if (k->extent % p->s.k_step)
        return no_fit(c, "K is no multiple of a step");
    s->step_b = step_stride_b(p);
    if (!s->step_b)
        return no_fit(c, "its steps of K are not evenly spaced");
    /* A lane that begins at XK_OFF_NULL must not come round. */
    if (s->step_b * (k->extent / p->s.k_step) >= UINT32_MAX - XK_OFF_NULL)
        return no_fit(c, "K spans too many bytes");
    s->beside = XK_OFF_NULL;
    s->blocks = (uint16_t)(p->s.tg_m * p->s.m_thr / LANES);
    if (s->blocks % threads)
        return no_fit(c, "its tile cannot be divided between the threads");
    s->per_thread = (uint16_t)(s->blocks / threads);
    if (taps > MAX_COPIES)
        return no_fit(c, "too many filter taps");
    s->taps = (uint16_t)taps;
    s->copies = (uint16_t)lcm(lcm((unsigned)taps, p->s.slm), p->s.slots_b);
    if (s->copies > MAX_COPIES)
        return no_fit(c, "too many copies of the loop's body");
    s->trip = (uint32_t)(taps * (k->extent / p->s.k_step));
    s->buffers = p->s.slm;
    s->slot_b = s->blocks * (uint32_t)BLOCK_B;
    s->b_in_order = b_in_order(c, p);
    if (s->slot_b * s->buffers > p->platform->slm_max_b)
        return no_fit(c, "its buffers are larger than SLM");
    return xk_ctx_status(c);
}
