/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over K become pipes. The multiplies of a step stand in the last stage;
 * what loads a buffer stands so many stages before as it is ahead. */
#include <string.h>

#include "base/integer.h"
#include "isa/isa.h"
#include "passes/nest_pass.h"

#define MAX_BUFFERS 4
#define MAX_CALLS 256 /* statements of a loop's body */

struct buffer {
    char name[16];
    unsigned ahead, slots;
    const xk_expr *var; /* once a loop that loads it was found */
    uint32_t size_b;    /* of one place */
    bool piped;
};

struct pipe {
    xk_ctx *c;
    const struct xk_tiling *t;
    unsigned grf_b, n_buffers, copies,
        last; /* last: number of the last stage */
    struct buffer buffer[MAX_BUFFERS];
};

/* One statement of the body. */
struct part {
    const xk_stmt *s;
    struct buffer *loads; /* the buffer that it loads; NULL: none */
    unsigned stage;
};

static struct buffer *piped_buffer(struct pipe *p, const xk_expr *ptr)
{
    for (unsigned i = 0; i < p->n_buffers; i++)
        if (p->buffer[i].var && p->buffer[i].var == xk_kid(ptr, 0))
            return &p->buffer[i];
    return NULL;
}

/* The place of iteration i in front of the offset. */
static const xk_expr *slot_ptr(struct pipe *p, const struct buffer *b,
                               const xk_expr *ptr, const xk_expr *i)
{
    if (b->slots == 1)
        return ptr;
    const xk_expr *const turn = xk_bin_imm(p->c, XK_OP_MOD, i, b->slots);
    const xk_expr *const at = xk_bin_imm(p->c, XK_OP_MUL, turn, b->size_b);
    return xk_ptr(p->c, xk_kid(ptr, 0), xk_add(p->c, at, xk_kid(ptr, 1)));
}

/* The call with its buffers' places of iteration i, and the loop's variable as
 * what it is there. */
static const xk_stmt *in_turn(struct pipe *p, const xk_stmt *s,
                              const xk_expr *var, const xk_expr *value,
                              const xk_expr *i)
{
    const xk_expr *kid[8];
    const xk_stmt *const r = xk_substitute(p->c, s, 1, &var, &value);
    if (!r || !xk_tile_call_of(r) || xk_n_kids(r) > XK_COUNTOF(kid))
        return r;
    for (unsigned k = 0; k < xk_n_kids(r); k++) {
        kid[k] = xk_kid(r, k);
        const struct buffer *const b =
            xk_op(kid[k]) == XK_OP_PTR ? piped_buffer(p, kid[k]) : NULL;
        if (b)
            kid[k] = slot_ptr(p, b, kid[k], i);
    }
    return xk_with_kids(p->c, r, kid, xk_n_kids(r));
}

static bool is_reader(const struct xk_tile_call *f)
{
    return f && (f->op == XK_TILE_MUL || f->op == XK_TILE_COPY);
}

/* Whether a multiply or a copy reads what a load of the same buffer goes over.
 */
static bool reads_loaded(const struct pipe *p, const xk_stmt *reader,
                         const xk_stmt *load)
{
    const struct xk_tile_call *const f = xk_tile_call_of(reader);
    struct xk_tile_part a, b;
    for (unsigned i = 1; i < xk_tile_call_tiles(f); i++) {
        if (xk_kid(xk_kid(reader, i), 0) != xk_kid(xk_kid(load, 0), 0))
            continue;
        if (!xk_tile_part_of(p->t, f, i, &a) ||
            !xk_tile_part_of(p->t, xk_tile_call_of(load), 0, &b) ||
            a.tile != b.tile)
            return true;
        bool apart = false;
        for (unsigned d = 0; d < a.tile->layout.n_dims; d++)
            apart |= a.first[d] + a.n[d] <= b.first[d] ||
                     b.first[d] + b.n[d] <= a.first[d];
        if (!apart)
            return true;
    }
    return false;
}

/* Where a load goes: behind the last that reads what it goes over. */
static unsigned behind_readers(const struct pipe *p, const struct part *part,
                               unsigned n, const xk_stmt *load)
{
    unsigned at = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct xk_tile_call *const f = xk_tile_call_of(part[i].s);
        if (is_reader(f) && reads_loaded(p, part[i].s, load))
            at = i + 1;
    }
    return at;
}

static void insert_part(struct part *part, unsigned *n, unsigned at,
                        struct part x)
{
    memmove(part + at + 1, part + at, (*n - at) * sizeof(*part));
    part[at] = x;
    ++*n;
}

/* The body's statements in the order of a step. False: too many. */
static bool arrange_step(struct pipe *p, const xk_stmt *body, struct part *out,
                         unsigned *n)
{
    const unsigned count = xk_op(body) == XK_OP_SEQ ? xk_n_kids(body) : 1;
    unsigned first = 0; /* loads in front of all multiplies */
    *n = 0;
    if (count > MAX_CALLS)
        return false;
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < count; i++) {
            const xk_stmt *const s =
                xk_op(body) == XK_OP_SEQ ? xk_kid(body, i) : body;
            const struct xk_tile_call *const f = xk_tile_call_of(s);
            struct part x = {s, NULL, p->last};
            if (f && f->op == XK_TILE_LOAD)
                x.loads = piped_buffer(p, xk_kid(s, 0));
            if (x.loads && !x.loads->ahead) /* stays where it is */
                x.loads = NULL;
            if (x.loads)
                x.stage = p->last - x.loads->ahead;
            if ((x.loads != NULL) != (pass == 1))
                continue;
            if (!x.loads)
                out[(*n)++] = x;
            else if (x.loads->slots > x.loads->ahead)
                insert_part(out, n, first++, x);
            else
                insert_part(out, n, behind_readers(p, out, *n, s), x);
        }
    return true;
}

/* Loads that are further ahead stand first among those in front. */
static void order_front(struct part *part, unsigned n)
{
    unsigned front = 0;
    while (front < n && part[front].loads &&
           part[front].loads->slots > part[front].loads->ahead)
        front++;
    for (unsigned i = 1; i < front; i++)
        for (unsigned k = i; k > 0 && part[k].stage < part[k - 1].stage; k--) {
            const struct part x = part[k];
            part[k] = part[k - 1];
            part[k - 1] = x;
        }
}

static const xk_stmt *stages_of_parts(struct pipe *p, const struct part *part,
                                      unsigned n, const xk_stmt *loop,
                                      const xk_expr *i)
{
    const xk_stmt *stage[MAX_CALLS], *one[MAX_CALLS];
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
static unsigned copies_of(const struct pipe *p)
{
    int64_t n = p->copies ? p->copies : 1;
    for (unsigned i = 0; i < p->n_buffers; i++)
        n = xk_lcm(n, p->buffer[i].slots);
    return (unsigned)n;
}

/* Whether the body loads, copies and multiplies tiles, and does nothing else
 * that loads must not pass: read the buffers in its own way or copy into them,
 * store, wait for others. */
static bool is_plain(struct pipe *p, const xk_stmt *body)
{
    const unsigned n = xk_op(body) == XK_OP_SEQ ? xk_n_kids(body) : 1;
    for (unsigned i = 0; i < n; i++) {
        const xk_stmt *const s =
            xk_op(body) == XK_OP_SEQ ? xk_kid(body, i) : body;
        const struct xk_tile_call *const f = xk_tile_call_of(s);
        if (!f || (f->op != XK_TILE_LOAD && !is_reader(f)) ||
            (f->op == XK_TILE_COPY && piped_buffer(p, xk_kid(s, 0))))
            return false;
    }
    return true;
}

/* Whether two loads of a buffer certainly go to different places of it: to
 * other parts of the same tile, or to tiles that lie apart. */
static bool go_apart(const struct pipe *p, const xk_stmt *one,
                     const xk_stmt *other)
{
    struct xk_tile_part a, b;
    int64_t at_a, at_b;
    const xk_expr *const to_a = xk_kid(xk_kid(one, 0), 1);
    const xk_expr *const to_b = xk_kid(xk_kid(other, 0), 1);
    if (!xk_tile_part_of(p->t, xk_tile_call_of(one), 0, &a) ||
        !xk_tile_part_of(p->t, xk_tile_call_of(other), 0, &b))
        return false;
    if (to_a != to_b)
        return xk_is_const(to_a, &at_a) && xk_is_const(to_b, &at_b) &&
               (at_a + xk_tile_size_b(a.tile) <= at_b ||
                at_b + xk_tile_size_b(b.tile) <= at_a);
    for (unsigned d = 0; a.tile == b.tile && d < a.tile->layout.n_dims; d++)
        if (a.first[d] + a.n[d] <= b.first[d] ||
            b.first[d] + b.n[d] <= a.first[d])
            return true;
    return false;
}

/* Whether two loads of a step go to the same places of a buffer that is ahead:
 * the second would stand in front of the first one's multiply. */
static bool loads_twice(const struct pipe *p, const struct part *part,
                        unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = i + 1; k < n; k++)
            if (part[i].loads && part[i].loads == part[k].loads &&
                !go_apart(p, part[i].s, part[k].s))
                return true;
    return false;
}

static const xk_stmt *make_pipe(struct pipe *p, const xk_stmt *loop)
{
    struct part part[MAX_CALLS];
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
    const unsigned copies = copies_of(p);
    if (!is_plain(p, xk_kid(loop, 3))) {
        xk_fail(p->c, XK_EUNSUPPORTED,
                "pipe: loop %s has more in it than tile.load, tile.copy and "
                "tile.mul",
                xk_var_name(xk_kid(loop, 0)));
        return NULL;
    }
    if (copies > UINT8_MAX || !arrange_step(p, xk_kid(loop, 3), part, &n)) {
        xk_fail(p->c, XK_EUNSUPPORTED,
                "pipe: loop %s has %u copies or too many statements",
                xk_var_name(xk_kid(loop, 0)), copies);
        return NULL;
    }
    if (loads_twice(p, part, n)) {
        xk_fail(p->c, XK_EUNSUPPORTED,
                "pipe: loop %s loads a buffer twice, which is ahead",
                xk_var_name(xk_kid(loop, 0)));
        return NULL;
    }
    order_front(part, n);
    const xk_expr *const i = xk_var(p->c, xk_type_vec(XK_DT_S32, 1), "i");
    const struct xk_pipe_info info = {(uint8_t)copies, (uint8_t)(p->last + 1)};
    const xk_stmt *const body = i ? stages_of_parts(p, part, n, loop, i) : NULL;
    for (unsigned b = 0; b < p->n_buffers; b++)
        p->buffer[b].piped |= p->buffer[b].var != NULL;
    return xk_pipe(p->c, i, xk_s32(p->c, trip), info, body);
}

/* What a loop's body has of loads of the buffers: in itself, in loops in it. */
struct loading {
    struct pipe *p;
    unsigned depth; /* of loops in the body */
    bool here, further_in;
};

static bool look_for_loads(const xk_expr *s, void *user)
{
    struct loading *const x = user;
    if (xk_is_expr(s) || !xk_has(s, XK_HAS_TILES))
        return false;
    const struct xk_tile_call *const f = xk_tile_call_of(s);
    if (f && f->op == XK_TILE_LOAD && piped_buffer(x->p, xk_kid(s, 0)))
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
static bool loads_buffers(struct pipe *p, const xk_stmt *body)
{
    struct loading x = {.p = p};
    xk_visit(body, look_for_loads, leave_loop, &x);
    return x.here && !x.further_in;
}

static const xk_expr *pipe_in(void *user, const xk_expr *s);

/* A buffer that the arguments name gets its places where it is allocated. */
static const xk_stmt *allocation(struct pipe *p, const xk_stmt *s)
{
    const xk_expr *const var = xk_kid(s, 0);
    struct buffer *b = NULL;
    for (unsigned i = 0; i < p->n_buffers; i++)
        if (!strcmp(p->buffer[i].name, xk_var_name(var)))
            b = &p->buffer[i];
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
    struct pipe *const p = user;
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
    return xk_pass_map_kids(p->c, s, pipe_in, p);
}

/* "ra ahead=1 slots=2". */
static enum xk_status read_piped_buffer(xk_ctx *c, const char **args,
                                        struct pipe *p)
{
    struct xk_pass_arg a;
    struct buffer *b = NULL;
    while (xk_pass_next_arg(args, ';', &a)) {
        const bool ahead = !strcmp(a.name, "ahead");
        if (!a.bad && !strcmp(a.name, "copies") && a.has_value && !b) {
            p->copies = a.value;
        } else if (!a.bad && !a.has_value && !b) {
            if (p->n_buffers == MAX_BUFFERS)
                return xk_fail(c, XK_EPARSE, "pipe: more than %d buffers",
                               MAX_BUFFERS);
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
    if (b && (b->ahead > 8 || b->slots > 9 || b->slots < b->ahead ||
              b->slots > b->ahead + 1))
        return xk_fail(c, XK_EINVAL,
                       "pipe: %s ahead=%u slots=%u: a buffer has as many "
                       "places as it is ahead, or one more; at most 8 ahead",
                       b->name, b->ahead, b->slots);
    if (b && b->ahead > p->last)
        p->last = b->ahead;
    return XK_OK;
}

enum xk_status xk_pass_pipe(xk_ctx *c, struct xk_kernel *k,
                            const struct xk_pass_env *env)
{
    struct pipe p = {.c = c, .grf_b = env->platform->grf_b};
    const char *args = env->args ? env->args : "";
    for (; *args; args += *args == ';')
        XK_TRY(read_piped_buffer(c, &args, &p));
    if (!p.n_buffers)
        return xk_fail(c, XK_EPARSE, "pipe: no buffer is named");
    const xk_stmt *const body = pipe_in(&p, k->body);
    for (unsigned i = 0; body && i < p.n_buffers; i++)
        if (!p.buffer[i].piped)
            return xk_fail(c, XK_EINVAL,
                           "pipe: no loop loads a buffer that is called %s",
                           p.buffer[i].name);
    return xk_pass_end(c, k, body);
}
