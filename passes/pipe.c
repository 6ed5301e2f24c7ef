/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over K become pipes (passes/pipe_order.c says in which order a step
 * is); buffers get their places. */
#include <string.h>

#include "base/integer.h"
#include "isa/isa.h"
#include "passes/pipe_loop.h"

/* The place of iteration i in front of the offset. */
static const xk_expr *slot_ptr(struct xk_piped_loop *p,
                               const struct xk_piped_buffer *b,
                               const xk_expr *ptr, const xk_expr *i)
{
    if (b->slots == 1)
        return ptr;
    const xk_expr *const turn = xk_bin_imm(p->c, XK_OP_MOD, i, b->slots);
    const xk_expr *const at = xk_bin_imm(p->c, XK_OP_MUL, turn, b->size_b);
    return xk_ptr(p->c, xk_kid(ptr, 0), xk_add(p->c, at, xk_kid(ptr, 1)));
}

/* In SLM places are rows one behind the other. */
static void add_places(struct xk_tiling *t, unsigned slots)
{
    struct xk_access *const a = &t->view[0].access;
    t->index[0].extent *= slots;
    a->at[0].hi *= slots;
    a->layout.dim[0] *= slots;
    a->layout.padded[0] *= slots;
    a->layout.block[0].size *= slots;
}

/* The call with its buffers' places of iteration i; in SLM behind `row`. */
static const xk_stmt *call_in_turn(struct xk_piped_loop *p, const xk_stmt *s,
                                   const xk_expr *i, const xk_expr *row)
{
    const xk_expr *kid[8];
    if (xk_n_kids(s) > XK_COUNTOF(kid))
        return s;
    for (unsigned k = 0; k < xk_n_kids(s); k++) {
        kid[k] = xk_kid(s, k);
        const struct xk_piped_buffer *const b =
            xk_op(kid[k]) == XK_OP_PTR ? xk_piped_find(p, xk_kid(kid[k], 0))
                                       : NULL;
        if (b)
            kid[k] = slot_ptr(p, b, kid[k], i);
    }
    if (row)
        kid[1] = xk_add(p->c, row, kid[1]);
    return xk_with_kids(p->c, s, kid, xk_n_kids(s));
}

static const xk_stmt *behind_branch(struct xk_piped_loop *p,
                                    const xk_stmt *branch, const xk_stmt *s)
{
    return branch && s ? xk_if(p->c, xk_kid(branch, 0), s, NULL) : s;
}

/* The same with the loop's variable as what it is there. */
static const xk_stmt *in_turn(struct xk_piped_loop *p, const xk_stmt *s,
                              const xk_expr *var, const xk_expr *value,
                              const xk_expr *i)
{
    const xk_stmt *const r = xk_substitute(p->c, s, 1, &var, &value);
    const struct xk_piped_call x =
        r ? xk_piped_call_of(r) : (struct xk_piped_call){0};
    if (!x.f)
        return r;
    if (!x.tiling)
        return behind_branch(p, x.branch, call_in_turn(p, x.call, i, NULL));
    struct xk_tiling t = *xk_tiling_of(x.tiling);
    const xk_expr *const mem = xk_tiling_mem(x.tiling, 0), *row = NULL;
    const struct xk_piped_buffer *const b = xk_piped_find(p, mem);
    if (b && b->slots > 1) {
        const xk_expr *const turn = xk_bin_imm(p->c, XK_OP_MOD, i, b->slots);
        row = xk_bin_imm(p->c, XK_OP_MUL, turn, t.index[0].extent);
        add_places(&t, b->slots);
    }
    return behind_branch(
        p, x.branch,
        xk_tiling_stmt(p->c, &t, &mem, call_in_turn(p, x.call, i, row)));
}

static const xk_stmt *stages_of_parts(struct xk_piped_loop *p,
                                      const struct xk_piped_part *part,
                                      unsigned n, const xk_stmt *loop,
                                      const xk_expr *i)
{
    const xk_stmt *stage[XK_PIPED_CALLS], *one[XK_PIPED_CALLS];
    const xk_expr *const var = xk_kid(loop, 0);
    const xk_expr *const value =
        xk_add(p->c, xk_kid(loop, 1),
               xk_bin_imm(p->c, XK_OP_MUL, i, xk_for_step(loop)));
    unsigned n_stages = 0;
    for (unsigned k = 0; k < n;) {
        const unsigned number = part[k].stage;
        unsigned count = 0;
        for (; k < n && part[k].stage == number; k++)
            one[count++] = in_turn(p, part[k].s, var, value, i);
        stage[n_stages++] = xk_stage(p->c, number, xk_seq(p->c, one, count));
    }
    return xk_seq(p->c, stage, n_stages);
}

/* Copies of the steady body so that each knows the places of its buffers. */
static unsigned copies_of(const struct xk_piped_loop *p)
{
    int64_t n = xk_lcm(p->copies ? p->copies : 1, p->every);
    for (unsigned i = 0; i < p->n_buffers; i++)
        n = xk_lcm(n, p->buffer[i].slots);
    return (unsigned)n;
}

/* Who comes to this SLM again, or to other SLM in its place, waits for all. */
static const xk_stmt *meet_behind(struct xk_piped_loop *p, const xk_stmt *pipe)
{
    const struct xk_func signal = {.kind = XK_FUNC_BARRIER_SIGNAL},
                         wait = {.kind = XK_FUNC_BARRIER_WAIT};
    if (!pipe || !p->slm || (!p->depth && !p->more_slm))
        return pipe;
    const xk_stmt *const all[] = {pipe, xk_call(p->c, &signal, NULL, 0),
                                  xk_call(p->c, &wait, NULL, 0)};
    return xk_seq(p->c, all, XK_COUNTOF(all));
}

static const xk_stmt *make_pipe(struct xk_piped_loop *p, const xk_stmt *loop)
{
    struct xk_piped_part part[XK_PIPED_CALLS];
    int64_t lo, hi;
    unsigned n;
    if (!xk_is_const(xk_kid(loop, 1), &lo) ||
        !xk_is_const(xk_kid(loop, 2), &hi) || hi <= lo) {
        xk_fail(p->c, XK_EUNSUPPORTED,
                "pipe: the bounds of loop %s are not constant",
                xk_var_name(xk_kid(loop, 0)));
        return NULL;
    }
    const int64_t step = xk_for_step(loop), trip = (hi - lo + step - 1) / step;
    if (!xk_piped_order(p, loop, part, &n))
        return NULL;
    const unsigned copies = copies_of(p);
    if (copies > UINT8_MAX) {
        xk_fail(p->c, XK_EUNSUPPORTED, "pipe: loop %s has %u copies",
                xk_var_name(xk_kid(loop, 0)), copies);
        return NULL;
    }
    const xk_expr *const i = xk_var(p->c, xk_type_vec(XK_DT_S32, 1), "i");
    const struct xk_pipe_info info = {(uint8_t)copies, (uint8_t)(p->last + 1)};
    const xk_stmt *const body = i ? stages_of_parts(p, part, n, loop, i) : NULL;
    for (unsigned b = 0; b < p->n_buffers; b++)
        p->buffer[b].piped |= p->buffer[b].var != NULL;
    return meet_behind(p, xk_pipe(p->c, i, xk_s32(p->c, trip), info, body));
}

/* What a loop's body has of loads of the buffers: in itself, in loops in it. */
struct loading {
    struct xk_piped_loop *p;
    unsigned depth; /* of loops in the body */
    bool here, further_in;
};

static bool look_for_loads(const xk_expr *s, void *user)
{
    struct loading *const x = user;
    if (xk_is_expr(s) || !xk_has(s, XK_HAS_TILES))
        return false;
    const struct xk_tile_call *const f = xk_tile_call_of(s);
    if (f && f->op == XK_TILE_LOAD &&
        xk_piped_find(x->p, xk_kid(xk_kid(s, 0), 0)))
        *(x->depth ? &x->further_in : &x->here) = true;
    x->depth += xk_op(s) == XK_OP_FOR;
    return true;
}

static void leave_loop(const xk_expr *s, void *user)
{
    struct loading *const x = user;
    if (xk_op(s) == XK_OP_FOR && xk_has(s, XK_HAS_TILES))
        x->depth--;
}

/* Whether the loop is the innermost one that loads the buffers: where one in
 * its body does, that becomes the pipe, and what stands beside it stays. */
static bool loads_buffers(struct xk_piped_loop *p, const xk_stmt *body)
{
    struct loading x = {.p = p};
    xk_visit(body, look_for_loads, leave_loop, &x);
    return x.here && !x.further_in;
}

static const xk_expr *pipe_in(void *user, const xk_expr *s);

static struct xk_piped_buffer *named_buffer(struct xk_piped_loop *p,
                                            const xk_expr *var)
{
    for (unsigned i = 0; i < p->n_buffers; i++)
        if (!strcmp(p->buffer[i].name, xk_var_name(var)))
            return &p->buffer[i];
    return NULL;
}

/* A buffer that the arguments name gets its places where it is allocated. */
static const xk_stmt *allocation(struct xk_piped_loop *p, const xk_stmt *s)
{
    const xk_expr *const var = xk_kid(s, 0);
    struct xk_piped_buffer *const b = named_buffer(p, var);
    if (!b)
        return xk_pass_map_kids(p->c, s, pipe_in, p);
    struct xk_alloc_info info = xk_alloc_info_of(s);
    b->var = var;
    b->size_b = (info.size_b + p->grf_b - 1) / p->grf_b * p->grf_b;
    const xk_stmt *const body = pipe_in(p, xk_kid(s, 1));
    b->var = NULL;
    info.size_b = b->size_b * b->slots;
    return xk_alloc_stmt(p->c, var, info, body);
}

static const xk_expr *pipe_in(void *user, const xk_expr *s)
{
    struct xk_piped_loop *const p = user;
    if (xk_is_expr(s))
        return s;
    if (xk_op(s) == XK_OP_TILING) {
        const struct xk_tiling *const outer = p->t;
        p->t = xk_tiling_of(s);
        const xk_expr *const r = xk_pass_map_kids(p->c, s, pipe_in, p);
        p->t = outer;
        return r;
    }
    if (xk_op(s) == XK_OP_ALLOC)
        return allocation(p, s);
    if (xk_op(s) == XK_OP_FOR && loads_buffers(p, xk_kid(s, 3)))
        return make_pipe(p, s);
    p->depth += xk_op(s) == XK_OP_FOR;
    const xk_expr *const r = xk_pass_map_kids(p->c, s, pipe_in, p);
    p->depth -= xk_op(s) == XK_OP_FOR;
    return r;
}

/* "ra ahead=1 slots=2". */
static enum xk_status read_piped_buffer(xk_ctx *c, const char **args,
                                        struct xk_piped_loop *p)
{
    struct xk_pass_arg a;
    struct xk_piped_buffer *b = NULL;
    while (xk_pass_next_arg(args, ';', &a)) {
        const bool ahead = !strcmp(a.name, "ahead");
        if (!a.bad && !strcmp(a.name, "copies") && a.has_value && !b) {
            p->copies = a.value;
        } else if (!a.bad && !a.has_value && !b) {
            if (p->n_buffers == XK_PIPED_BUFFERS)
                return xk_fail(c, XK_EPARSE, "pipe: more than %d buffers",
                               XK_PIPED_BUFFERS);
            b = &p->buffer[p->n_buffers++];
            memcpy(b->name, a.name, sizeof(b->name));
        } else if (!a.bad && b && a.has_value &&
                   (ahead || !strcmp(a.name, "slots"))) {
            *(ahead ? &b->ahead : &b->slots) = a.value;
        } else {
            return xk_fail(c, XK_EPARSE,
                           "pipe: '%s' is no buffer, ahead=N, slots=N or "
                           "copies=N",
                           a.name);
        }
    }
    if (b && !b->slots)
        b->slots = b->ahead + 1;
    if (b && (b->ahead > 8 || b->slots > 9))
        return xk_fail(c, XK_EINVAL,
                       "pipe: %s ahead=%u slots=%u: at most 8 ahead", b->name,
                       b->ahead, b->slots);
    if (b && b->ahead > p->last)
        p->last = b->ahead;
    return XK_OK;
}

/* SLM that is not piped here: other allocations, messages that name none. */
static bool look_for_slm(const xk_expr *s, void *user)
{
    struct xk_piped_loop *const p = user;
    if (xk_is_expr(s))
        return false;
    p->more_slm |= xk_op(s) == XK_OP_ALLOC &&
                   xk_type_of(xk_kid(s, 0)).space == XK_SPACE_SLM &&
                   !named_buffer(p, xk_kid(s, 0));
    p->more_slm |= xk_op(s) == XK_OP_CALL &&
                   (xk_func_of(s)->kind == XK_FUNC_SENDH ||
                    xk_func_of(s)->kind == XK_FUNC_SEND) &&
                   xk_func_of(s)->u.send.space == XK_SPACE_SLM;
    return true;
}

enum xk_status xk_pass_pipe(xk_ctx *c, struct xk_kernel *k,
                            const struct xk_pass_env *env)
{
    struct xk_piped_loop p = {.c = c, .grf_b = env->platform->grf_b};
    const char *args = env->args ? env->args : "";
    for (; *args; args += *args == ';')
        XK_TRY(read_piped_buffer(c, &args, &p));
    if (!p.n_buffers)
        return xk_fail(c, XK_EPARSE, "pipe: no buffer is named");
    xk_visit(k->body, look_for_slm, NULL, &p);
    const xk_stmt *const body = pipe_in(&p, k->body);
    for (unsigned i = 0; body && i < p.n_buffers; i++)
        if (!p.buffer[i].piped)
            return xk_fail(c, XK_EINVAL,
                           "pipe: no loop loads a buffer that is called %s",
                           p.buffer[i].name);
    return xk_pass_end(c, k, body);
}
