/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes count dst's memory, padding included, in the order of its blocks; their
 * numbers are taken apart into the blocks' digits. A lane has an element, or of
 * half bytes the two of a byte. */
#include "lower/copy.h"

#include <inttypes.h>
#include <string.h>

#include "lower/number.h"
#include "lower/philox.h"

enum { VECTORS = 2 };

struct nest {
    struct xk_flat f;
    const struct xk_copy *x;
    const xk_expr *src, *dst, *seed;
    struct xk_number_room room;
    const xk_expr *in, *out; /* registers: what was loaded, what is stored */
};

static unsigned bits_of(const struct xk_copied *t)
{
    return xk_format_bits(t->format);
}

static int64_t elements_of(const struct xk_layout *l)
{
    int64_t n = l->offset_e + 1;
    for (unsigned i = 0; i < l->n_blocks; i++)
        n += (l->block[i].size - 1) * l->block[i].stride;
    return n;
}

int64_t xk_copied_size_b(const struct xk_copied *t)
{
    return (elements_of(&t->layout) * bits_of(t) + 7) / 8;
}

static int64_t all_places(const struct xk_layout *l)
{
    int64_t n = 1;
    for (unsigned i = 0; i < l->n_blocks; i++)
        n *= l->block[i].size;
    return n;
}

static enum xk_status check_copy(xk_ctx *c, const struct xk_copy *x)
{
    const struct xk_layout *const s = &x->src.layout, *const d = &x->dst.layout;
    bool same = s->n_dims == d->n_dims;
    for (unsigned i = 0; same && i < s->n_dims; i++)
        same = s->dim[i] == d->dim[i];
    if (!same)
        return xk_fail(c, XK_EINVAL, "copy: src and dst have other dims");
    if (x->dst.format == XK_FORMAT_E8M0)
        return xk_fail(c, XK_EINVAL, "copy: dst of format e8m0");
    const int64_t src_b = xk_copied_size_b(&x->src),
                  dst_b = xk_copied_size_b(&x->dst);
    if (src_b > XK_FLAT_MAX_B || dst_b > XK_FLAT_MAX_B ||
        elements_of(s) > XK_FLAT_MAX_B || elements_of(d) > XK_FLAT_MAX_B)
        return xk_fail(c, XK_EUNSUPPORTED,
                       "copy: %" PRId64 " to %" PRId64 " bytes: more than "
                       "%" PRId64 " are not implemented",
                       src_b, dst_b, XK_FLAT_MAX_B);
    if (bits_of(&x->dst) == 4 &&
        (all_places(d) != elements_of(d) || d->offset_e))
        return xk_fail(c, XK_EUNSUPPORTED,
                       "copy: gaps between elements of four bits are not "
                       "implemented");
    return XK_OK;
}

static const xk_expr *copy_op(struct nest *n, enum xk_op o, const xk_expr *a,
                              int64_t b)
{
    return xk_bin_imm(n->f.c, o, a, b);
}

static const xk_expr *at(struct nest *n, const xk_expr *buf)
{
    return xk_ptr(n->f.c, buf, xk_s32(n->f.c, 0));
}

/* A place of dst's memory: its element's number in memory, its coordinates, and
 * whether there is one (NULL: always). */
struct place {
    const xk_expr *e, *coord[XK_LAYOUT_MAX_DIMS], *in;
};

static const xk_expr *sum(struct nest *n, const xk_expr *a, const xk_expr *b)
{
    return a ? xk_add(n->f.c, a, b) : b;
}

static void take_apart(struct nest *n, const xk_expr *number, struct place *p)
{
    const struct xk_layout *const l = &n->x->dst.layout;
    int64_t below = 1, inner[XK_LAYOUT_MAX_DIMS] = {1, 1, 1, 1, 1, 1};
    const int64_t all = all_places(l);
    memset(p, 0, sizeof(*p));
    for (unsigned i = l->n_blocks; i-- > 0;) {
        const struct xk_block *const b = &l->block[i];
        const xk_expr *digit = number;
        if (below > 1)
            digit = copy_op(n, XK_OP_DIV, digit, below);
        if (below * b->size < all)
            digit = copy_op(n, XK_OP_MOD, digit, b->size);
        below *= b->size;
        if (b->size == 1)
            continue;
        digit = xk_block_let(&n->f.w, "d", digit);
        p->e = sum(n, p->e, copy_op(n, XK_OP_MUL, digit, b->stride));
        p->coord[b->dim] = sum(n, p->coord[b->dim],
                               copy_op(n, XK_OP_MUL, digit, inner[b->dim]));
        inner[b->dim] *= b->size;
    }
    for (unsigned d = 0; d < l->n_dims; d++) {
        if (inner[d] == l->dim[d])
            continue;
        const xk_expr *const in = copy_op(n, XK_OP_LT, p->coord[d], l->dim[d]);
        p->in = p->in ? xk_and(n->f.c, p->in, in) : in;
    }
    const xk_expr *const zero =
        xk_bcast(n->f.c, xk_s32(n->f.c, 0), XK_FLAT_SIMD);
    for (unsigned d = 0; d < l->n_dims; d++)
        p->coord[d] = p->coord[d] ? p->coord[d] : zero;
    p->e = p->e ? copy_op(n, XK_OP_ADD, p->e, l->offset_e) : zero;
}

/* The element of src at a place, in elements. */
static const xk_expr *src_element(struct nest *n, const struct place *p)
{
    const struct xk_layout *const l = &n->x->src.layout;
    int64_t inner[XK_LAYOUT_MAX_DIMS] = {1, 1, 1, 1, 1, 1};
    const xk_expr *e = NULL;
    for (unsigned i = l->n_blocks; i-- > 0;) {
        const struct xk_block *const b = &l->block[i];
        const xk_expr *x = p->coord[b->dim];
        if (inner[b->dim] > 1)
            x = copy_op(n, XK_OP_DIV, x, inner[b->dim]);
        if (inner[b->dim] * b->size < l->padded[b->dim])
            x = copy_op(n, XK_OP_MOD, x, b->size);
        inner[b->dim] *= b->size;
        if (b->size > 1 && b->stride)
            e = sum(n, e, copy_op(n, XK_OP_MUL, x, b->stride));
    }
    e = e ? e : xk_bcast(n->f.c, xk_s32(n->f.c, 0), XK_FLAT_SIMD);
    return xk_block_let(&n->f.w, "e", copy_op(n, XK_OP_ADD, e, l->offset_e));
}

/* The number of an element in the order of the dims. */
static const xk_expr *logical_number(struct nest *n, const struct place *p)
{
    const struct xk_layout *const l = &n->x->dst.layout;
    const xk_expr *e = NULL;
    int64_t below = 1;
    for (unsigned d = l->n_dims; d-- > 0; below *= l->dim[d])
        e = sum(n, e, copy_op(n, XK_OP_MUL, p->coord[d], below));
    return xk_bits(n->f.c, XK_DT_U32, e);
}

/* What a byte or a word was loaded to has anything above it. */
static const xk_expr *clean(struct nest *n, unsigned bits)
{
    const struct xk_type type = xk_type_vec(XK_DT_U32, XK_FLAT_SIMD);
    const unsigned b = bits / 8;
    const struct xk_func f = {
        .kind = XK_FUNC_REORDER,
        .u.reorder = {.dst = XK_DT_S32,
                      .src = b == 1 ? XK_DT_U8 : XK_DT_U16,
                      .n_dims = 1,
                      .extent = {XK_FLAT_SIMD},
                      .dst_stride = {1},
                      .src_stride = {(uint16_t)(4 / b)}}};
    const xk_expr *const args[] = {at(n, n->room.buf), at(n, n->in)};
    if (b == 4)
        return xk_block_load(&n->f.w, "x", type, at(n, n->in));
    xk_block_call(&n->f.w, &f, args, 2);
    return xk_block_load(&n->f.w, "x", type, args[0]);
}

/* The bits of src's element at a place. */
static const xk_expr *load_bits(struct nest *n, const struct place *p,
                                const xk_expr *lanes)
{
    xk_ctx *const c = n->f.c;
    const unsigned bits = bits_of(&n->x->src);
    const xk_expr *const e = src_element(n, p);
    const xk_expr *const mask = p->in ? xk_and(c, lanes, p->in) : lanes;
    const struct xk_flat_message m = {
        .op = XK_SEND_LOAD,
        .data_b = (uint8_t)(bits < 8 ? 1 : bits / 8),
        .mem = n->src,
        .off = bits < 8 ? copy_op(n, XK_OP_DIV, e, 2)
                        : copy_op(n, XK_OP_MUL, e, bits / 8),
        .reg = at(n, n->in),
        .mask = xk_block_let(&n->f.w, "in", mask)};
    xk_flat_send(&n->f, &n->f.w, &m);
    const xk_expr *const x = clean(n, bits < 8 ? 8 : bits);
    if (bits == 8 || bits > 8)
        return x;
    const xk_expr *const odd =
        copy_op(n, XK_OP_EQ, copy_op(n, XK_OP_MOD, e, 2), 1);
    return copy_op(n, XK_OP_AND,
                   xk_select(c, odd, copy_op(n, XK_OP_SHR, x, 4), x), 15);
}

/* The bits of dst's element at a place; zero where there is none. */
static const xk_expr *copied_bits(struct nest *n, const struct place *p,
                                  const xk_expr *lanes)
{
    xk_ctx *const c = n->f.c;
    const struct xk_copy *const x = n->x;
    const xk_expr *v = load_bits(n, p, lanes);
    if (x->src.format != x->dst.format || x->stochastic) {
        v = xk_number_decode(&n->room, x->src.format, v);
        if (x->stochastic)
            v = xk_round_at_random(&n->room, x->dst.format,
                                   xk_block_let(&n->f.w, "v", v),
                                   logical_number(n, p), n->seed);
        v = xk_number_encode(&n->room, x->dst.format,
                             xk_block_let(&n->f.w, "v", v));
    }
    if (p->in)
        v = xk_select(c, p->in, v,
                      xk_bcast(c, xk_imm(c, XK_DT_U32, 0), XK_FLAT_SIMD));
    return xk_block_let(&n->f.w, "bits", v);
}

static void copy_vector(struct nest *n, unsigned v)
{
    xk_ctx *const c = n->f.c;
    const bool nibbles = bits_of(&n->x->dst) == 4;
    const xk_expr *const number =
        xk_block_let(&n->f.w, "n", xk_flat_elements(&n->f, v));
    const xk_expr *const lanes = xk_flat_mask(&n->f, v);
    struct place p;
    take_apart(n, nibbles ? copy_op(n, XK_OP_MUL, number, 2) : number, &p);
    const xk_expr *off = p.e;
    const xk_expr *x = copied_bits(n, &p, lanes);
    if (nibbles) {
        struct place next;
        const xk_expr *const second =
            copy_op(n, XK_OP_ADD, copy_op(n, XK_OP_MUL, number, 2), 1);
        take_apart(n, second, &next);
        if (all_places(&n->x->dst.layout) % 2) {
            const xk_expr *const in =
                copy_op(n, XK_OP_LT, second, all_places(&n->x->dst.layout));
            next.in = next.in ? xk_and(c, next.in, in) : in;
        }
        x = xk_or(c, x,
                  copy_op(n, XK_OP_MUL, copied_bits(n, &next, lanes), 16));
        off = number;
    } else {
        off = copy_op(n, XK_OP_MUL, off, bits_of(&n->x->dst) / 8);
    }
    xk_block_add(&n->f.w, xk_store(c, at(n, n->out), x));
    const struct xk_flat_message m = {
        .op = XK_SEND_STORE,
        .data_b = (uint8_t)(nibbles ? 1 : bits_of(&n->x->dst) / 8),
        .mem = n->dst,
        .off = off,
        .reg = at(n, n->out),
        .mask = lanes};
    xk_flat_send(&n->f, &n->f.w, &m);
}

enum xk_status xk_lower_copy(xk_ctx *c, const struct xk_copy *x,
                             const char *name, bool surfaces,
                             struct xk_flat_nest *out)
{
    static const char *const names[] = {"src", "dst"};
    const xk_expr *mem[2];
    const int64_t places = all_places(&x->dst.layout);
    struct nest n = {
        .f = {.c = c,
              .out = out,
              .surfaces = surfaces,
              .n = bits_of(&x->dst) == 4 ? (places + 1) / 2 : places,
              .vectors = VECTORS},
        .x = x};
    XK_TRY(check_copy(c, x));
    XK_TRY(xk_flat_begin(&n.f, name, 2, names, mem));
    n.src = mem[0];
    n.dst = mem[1];
    if (x->stochastic)
        n.seed = xk_flat_value(&n.f, XK_DT_S32, "seed");
    n.in = xk_block_alloc(&n.f.w, "in", XK_FLAT_VECTOR_B, 0);
    n.out = xk_block_alloc(&n.f.w, "out", XK_FLAT_VECTOR_B, 0);
    n.room = (struct xk_number_room){
        .w = &n.f.w,
        .buf = xk_block_alloc(&n.f.w, "room", XK_FLAT_VECTOR_B, 0),
        .lanes = XK_FLAT_SIMD};
    const xk_expr *const zero =
        xk_bcast(c, xk_imm(c, XK_DT_U32, 0), XK_FLAT_SIMD);
    xk_block_add(&n.f.w, xk_store(c, at(&n, n.in), zero));
    for (unsigned v = 0; v < VECTORS; v++)
        copy_vector(&n, v);
    return xk_flat_end(&n.f);
}
