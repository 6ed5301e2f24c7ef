/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of B's columns over K, beside the products: dp4a with ones adds what a
 * register of B holds to eight partial sums. Behind the loop a dpas adds up
 * one byte of each partial sum, whose row of A is 1 at that byte and 0 at the
 * others; the highest byte comes first and the sum moves up by a byte before
 * the next. dpasw brings the other thread's rows of B, too. So a column's sum
 * stands in all lanes of M, where C's are. */
#include <string.h>

#include "lower/state.h"

enum { BYTES = 4, MOST_COLUMNS = 32 };

static const char dwords[] = "s", low[] = "sl", high[] = "sh", byte[] = "e",
                  column[] = "t";

static unsigned sum_lanes(const struct xk_lowering *l)
{
    return l->p->platform->dpas_exec;
}

/* Bytes of K of a row; partial sums of it as dwords take as many. */
static unsigned sum_depth(const struct xk_lowering *l)
{
    return l->p->platform->dpas_depth_b;
}

/* Lanes of an instruction: two registers. */
static unsigned sum_wide(const struct xk_lowering *l)
{
    return 2 * xk_platform_dwords(l->p->platform);
}

static unsigned shared(const struct xk_lowering *l)
{
    return l->p->t.family == XK_FAMILY_DPASW ? 2 : 1;
}

/* Columns that are added up together: a tile of 64 leaves no registers for the
 * sums of all of them. */
static unsigned chunk_of(const struct xk_plan *p)
{
    unsigned n = MOST_COLUMNS;
    while (p->t.n_part % n)
        n /= 2;
    return n;
}

static struct xk_tile_decl *add_sum_tile(struct xk_tiling *t, const char *name,
                                         enum xk_dtype dt)
{
    struct xk_tile_decl *const d = &t->tile[t->n_tiles++];
    memset(d, 0, sizeof(*d));
    strcpy(d->name, name);
    d->layout.dt = dt;
    d->layout.n_dims = 2;
    return d;
}

static void set_sum_extents(struct xk_tile_decl *d, enum xk_role r,
                            int64_t rows, enum xk_role q, int64_t columns)
{
    d->role[0] = (uint8_t)r;
    d->role[1] = (uint8_t)q;
    d->layout.dim[0] = d->layout.padded[0] = rows;
    d->layout.dim[1] = d->layout.padded[1] = columns;
}

static void add_sum_block(struct xk_tile_decl *d, uint8_t dim, int64_t size,
                          int64_t stride)
{
    if (size > 1)
        d->layout.block[d->layout.n_blocks++] =
            (struct xk_block){dim, size, stride};
}

/* The partial sums, a register a row of B: as dwords and as bytes. */
static void add_rows_tile(const struct xk_lowering *l, struct xk_tiling *t,
                          const char *name, enum xk_dtype dt, int64_t rows)
{
    const int64_t each = sum_depth(l) / xk_dtype_b(dt);
    struct xk_tile_decl *const d = add_sum_tile(t, name, dt);
    set_sum_extents(d, XK_ROLE_N, rows, XK_ROLE_K, each);
    add_sum_block(d, 0, rows, each);
    add_sum_block(d, 1, each, 1);
}

void xk_lower_sums_tiles(const struct xk_lowering *l, struct xk_tiling *t)
{
    const struct xk_plan *const p = l->p;
    const int64_t n = chunk_of(p), lanes = sum_lanes(l), deep = sum_depth(l);
    const int64_t rows = p->platform->dpas_rows;
    if (!p->sums.any)
        return;
    add_rows_tile(l, t, dwords, XK_DT_S32, p->t.n_part / shared(l));
    add_rows_tile(l, t, low, XK_DT_U8, n / shared(l));
    add_rows_tile(l, t, high, p->con->b.view.layout.dt, n / shared(l));
    struct xk_tile_decl *d = add_sum_tile(t, byte, XK_DT_U8);
    set_sum_extents(d, XK_ROLE_M, lanes, XK_ROLE_K, deep);
    add_sum_block(d, 1, deep / BYTES, lanes * BYTES);
    add_sum_block(d, 0, lanes, BYTES);
    add_sum_block(d, 1, BYTES, 1);
    d = add_sum_tile(t, column, XK_DT_S32);
    set_sum_extents(d, XK_ROLE_M, lanes, XK_ROLE_N, n);
    if (shared(l) == 2) /* as C's: four of each half of N */
        add_sum_block(d, 1, 2, rows * lanes / 2);
    add_sum_block(d, 1, n / rows, rows * lanes);
    add_sum_block(d, 1, rows / shared(l), lanes);
    add_sum_block(d, 0, lanes, 1);
}

/* The right-hand side's only element. */
static const xk_expr *right_side(struct xk_lowering *l)
{
    const unsigned input = l->p->sums.input, lanes = sum_lanes(l);
    const struct xk_operand_view *const v = &l->p->con->input[input];
    const struct xk_send send = {.op = XK_SEND_LOAD,
                                 .space = XK_SPACE_GLOBAL,
                                 .data_b = 4,
                                 .vec = 1,
                                 .lanes = (uint8_t)lanes};
    if (v->by_value)
        return l->arg_in[input];
    const xk_expr *const buf = xk_block_alloc(&l->w, v->name, 4 * lanes, 0);
    const struct xk_lower_args x = {.mem = l->arg_in[input],
                                    .off =
                                        xk_bcast(l->c, xk_s32(l->c, 0), lanes),
                                    .reg = xk_lower_reg(l, buf, 0),
                                    .mask = xk_lower_true(l, lanes)};
    xk_lower_send(l, &l->w, &send, &x);
    return x.reg;
}

void xk_lower_sums_begin(struct xk_lowering *l, struct xk_lower_sums *s)
{
    const struct xk_plan_sums *const p = &l->p->sums;
    *s = (struct xk_lower_sums){NULL};
    if (!p->any)
        return;
    s->times = right_side(l);
    s->ones = xk_block_alloc(&l->w, "ones", 4, 0);
    xk_block_add(&l->w, xk_store(l->c, xk_lower_reg(l, s->ones, 0),
                                 xk_s32(l->c, 0x01010101)));
    s->sum = xk_block_alloc(&l->w, "sums", p->size_b, 0);
    xk_lower_zero(l, s->sum, p->size_b);
}

void xk_lower_sums_add(struct xk_lowering *l, const struct xk_lower_sums *s,
                       struct xk_block_writer *w, unsigned part,
                       const char *tile_b, const xk_expr *b)
{
    struct xk_func f = {.kind = XK_FUNC_TILE, .u.tile = {.op = XK_TILE_DOT}};
    if (!s->sum)
        return;
    strcpy(f.u.tile.tile[0], dwords);
    strcpy(f.u.tile.tile[1], tile_b);
    const xk_expr *const args[] = {
        xk_lower_reg(l, s->sum, part * l->p->sums.part_b),
        xk_lower_reg(l, b, 0), xk_lower_reg(l, s->ones, 0)};
    xk_block_call(w, &f, args, XK_COUNTOF(args));
}

/* What some columns' sums are added up in. */
struct part_sum {
    struct xk_lowering *l;
    const xk_expr *from; /* partial sums */
    const xk_expr *byte, *column;
    uint32_t size_b; /* of column */
};

static const xk_expr *load_wide(struct xk_lowering *l, const xk_expr *buf,
                                uint32_t at_b)
{
    return xk_block_load(&l->w, "x", xk_type_vec(XK_DT_S32, sum_wide(l)),
                         xk_lower_reg(l, buf, at_b));
}

static void store_wide(struct xk_lowering *l, const xk_expr *buf, uint32_t at_b,
                       const xk_expr *x)
{
    if (x)
        xk_block_add(&l->w, xk_store(l->c, xk_lower_reg(l, buf, at_b), x));
}

/* One byte of each partial sum, added up, to the columns' sums. */
static void add_byte(const struct part_sum *s, unsigned number)
{
    struct xk_lowering *const l = s->l;
    const bool last = number + 1u == l->p->sums.bytes;
    struct xk_func f = {
        .kind = XK_FUNC_TILE,
        .u.tile = {.op = XK_TILE_MUL, .family = l->p->t.family}};
    xk_lower_fill_registers(l, s->byte, sum_depth(l) * sum_lanes(l),
                            xk_s32(l->c, INT32_C(1) << 8 * number));
    strcpy(f.u.tile.tile[0], column);
    strcpy(f.u.tile.tile[1], byte);
    strcpy(f.u.tile.tile[2], last ? high : low);
    const xk_expr *const args[] = {xk_lower_reg(l, s->column, 0),
                                   xk_lower_reg(l, s->byte, 0), s->from};
    xk_block_call(&l->w, &f, args, XK_COUNTOF(args));
}

static void add_all_bytes(const struct part_sum *s)
{
    struct xk_lowering *const l = s->l;
    xk_lower_zero(l, s->column, s->size_b);
    for (unsigned i = l->p->sums.bytes; i-- > 0;) {
        add_byte(s, i);
        for (uint32_t b = 0; i && b < s->size_b; b += 4 * sum_wide(l))
            store_wide(
                l, s->column, b,
                xk_bin_imm(l->c, XK_OP_MUL, load_wide(l, s->column, b), 256));
    }
}

/* C's sums, number * size_b bytes of a row of squares on: of eight columns a
 * square of each eight rows. */
static void lose_sums(const struct part_sum *s, const xk_expr *times,
                      unsigned number)
{
    struct xk_lowering *const l = s->l;
    const unsigned squares = l->p->t.m / sum_lanes(l), wide = sum_wide(l);
    const uint32_t square_b = xk_plan_square_b(l->p);
    const uint32_t first_b = number * s->size_b * squares;
    for (uint32_t b = 0; b < s->size_b; b += 4 * wide) {
        const xk_expr *const x =
            xk_block_let(&l->w, "z",
                         xk_mul(l->c, load_wide(l, s->column, b),
                                xk_bcast(l->c, times, wide)));
        for (unsigned m = 0; m < squares; m++) {
            const uint32_t at_b = first_b +
                                  (b / square_b * squares + m) * square_b +
                                  b % square_b;
            store_wide(l, l->acc, at_b,
                       xk_sub(l->c, load_wide(l, l->acc, at_b), x));
        }
    }
}

void xk_lower_sums_end(struct xk_lowering *l, const struct xk_lower_sums *s)
{
    const struct xk_plan *const p = l->p;
    const unsigned n = chunk_of(p);
    struct part_sum x = {.l = l, .size_b = n * 4u * sum_lanes(l)};
    const xk_expr *times = s->times;
    if (!s->sum)
        return;
    if (xk_op(times) == XK_OP_PTR)
        times = xk_block_load(&l->w, "times", xk_type_vec(XK_DT_S32, 1), times);
    x.byte = xk_block_alloc(&l->w, "byte", sum_depth(l) * sum_lanes(l), 1);
    x.column = xk_block_alloc(&l->w, "column", x.size_b, 0);
    for (unsigned i = 0; i < p->t.n / n; i++) {
        x.from = xk_lower_reg(l, s->sum, i * n / shared(l) * sum_depth(l));
        add_all_bytes(&x);
        lose_sums(&x, times, i);
    }
}
