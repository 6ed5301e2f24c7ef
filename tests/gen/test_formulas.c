/* SPDX-License-Identifier: Apache-2.0 */
/* Contractions that come from no convolution: made, run on the simulator with
 * its checkers, and compared with a plain loop over their text's meaning. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "any_formula.h"
#include "gen/contraction_launches.h"
#include "launches_lab.h"
#include "tests/arena_fixture.h"
#include "tests/tap.h"
#include "typed.h"
#include "views/access.h"
#include "views/formula.h"

/* Small integers in all elements, zeros in padding. */
static void *fill(const struct xk_access *a, unsigned *seed)
{
    const struct xk_layout *const l = &a->layout;
    void *const data = calloc(1, (size_t)xk_layout_size_b(l));
    const bool is_signed = xk_dtype_is_signed(l->dt);
    int64_t at[XK_LAYOUT_MAX_DIMS] = {0}, n = 1;
    for (unsigned d = 0; d < l->n_dims; d++)
        n *= l->dim[d];
    for (; n; n--) {
        typed_put(l->dt, data, xk_layout_offset_e(l, at),
                  rand_r(seed) % 4 - (is_signed ? 2 : 0));
        for (unsigned d = l->n_dims; d-- > 0;) {
            if (++at[d] < l->dim[d])
                break;
            at[d] = 0;
        }
    }
    return data;
}

static bool next(const struct xk_contraction *p, int64_t *at)
{
    for (unsigned i = p->n_index; i-- > 0;) {
        if (++at[i] < p->index[i].extent)
            return true;
        at[i] = 0;
    }
    return false;
}

/* The operand's element, or what is outside. */
static double load(const struct xk_contraction *p, const struct xk_access *a,
                   const void *data, const int64_t *at)
{
    int64_t e;
    return xk_access_element(p, a, at, &e) ? typed_get(a->layout.dt, data, e)
                                           : a->fill;
}

/* A, B, C, and what the epilogue reads, in memory. */
struct memory {
    void *of[3 + XK_MAX_INPUTS];
};

/* x behind one operation at a place of the indices. */
static double operate(const struct xk_contraction *p, const struct xk_epi_op *e,
                      const struct memory *m, const int64_t *at, double old,
                      double x)
{
    double rhs = 0;
    if (xk_epi_reads_rhs(e))
        rhs = load(p, &p->input[e->input], m->of[3 + e->input], at);
    const double alpha = (double)e->alpha, beta = (double)e->beta;
    switch (e->kind) {
    case XK_EPI_RELU:
        return x > 0 ? x : x * alpha;
    case XK_EPI_LINEAR:
        return x * alpha + beta;
    case XK_EPI_CLIP:
        return x < alpha ? alpha : x > beta ? beta : x;
    case XK_EPI_SUM:
        return x + old * alpha;
    case XK_EPI_ADD:
        return x + rhs;
    case XK_EPI_MUL:
        return x * rhs;
    case XK_EPI_MAX:
        return x > rhs ? x : rhs;
    default:
        ck_abort_msg("kind %u", e->kind);
    }
    return 0;
}

/* The elements of a contraction without classes: sums, then operations. */
static void add_class(const struct xk_contraction *p, bool terms,
                      const struct memory *m, double *sum, double *want)
{
    int64_t at[XK_MAX_INDEX] = {0}, to;
    do
        if (terms && xk_access_element(p, &p->c, at, &to))
            sum[to] +=
                load(p, &p->a, m->of[0], at) * load(p, &p->b, m->of[1], at);
    while (next(p, at));
    do {
        bool first = true;
        for (unsigned i = 0; i < p->n_index; i++)
            first = first && (p->index[i].role != XK_ROLE_K || !at[i]);
        if (!first || !xk_access_element(p, &p->c, at, &to))
            continue;
        double x = sum[to];
        for (unsigned i = 0; i < p->n_epi; i++)
            x = operate(p, &p->epi[i], m, at, want[to], x);
        want[to] = typed_as(p->c.layout.dt, x);
    } while (next(p, at));
}

/* One number for each element of C's memory. */
static double *plain_loop(const struct xk_contraction *p,
                          const struct memory *m)
{
    const enum xk_dtype dt = p->c.layout.dt;
    const size_t n = (size_t)xk_layout_size_b(&p->c.layout) / xk_dtype_b(dt);
    double *const sum = calloc(n, sizeof(*sum));
    double *const want = calloc(n, sizeof(*want));
    for (size_t i = 0; i < n; i++)
        want[i] = typed_get(dt, m->of[2], (int64_t)i);
    for (uint64_t i = 0; i < xk_contraction_classes(p); i++) {
        struct xk_contraction one;
        uint32_t r[XK_MAX_CLASS_DIMS];
        xk_contraction_class_at(p, i, r);
        const bool terms = xk_contraction_class(p, r, &one);
        add_class(&one, terms, m, sum, want);
    }
    free(sum);
    return want;
}

static const struct xk_access *operand(const struct xk_contraction *p,
                                       unsigned k)
{
    const struct xk_access *const all[] = {&p->a, &p->b, &p->c};
    return k < 3 ? all[k] : &p->input[k - 3];
}

/* What a program of these launches is made of. */
struct parts {
    struct xk_program_arg_info args[3 + XK_MAX_INPUTS];
    struct xk_launches list;
};

static void list_launches(const struct xk_contraction *p,
                          const struct xk_contraction_launches *made,
                          struct parts *out)
{
    const unsigned n = 3 + p->n_inputs;
    memset(out, 0, sizeof(*out));
    for (unsigned i = 0; i < n; i++) {
        struct xk_program_arg_info *const a = &out->args[i];
        snprintf(a->name, sizeof(a->name), "%s", operand(p, i)->name);
        a->number = i;
        a->size_b = (uint64_t)xk_layout_size_b(&operand(p, i)->layout);
        a->written = i == 2;
    }
    out->list = (struct xk_launches){
        .n_args = n, .args = out->args, .n = made->n, .at = made->launch};
}

static xk_program *make(const struct xk_contraction *p,
                        const struct xk_contraction_launches *made)
{
    struct parts of;
    list_launches(p, made, &of);
    return lab_must_make_in(c, &of.list);
}

/* Whether the only candidate can be made. */
static bool fits(const struct xk_contraction *p,
                 const struct xk_contraction_launches *made)
{
    struct parts of;
    list_launches(p, made, &of);
    xk_program *const program = lab_make_in(c, &of.list);
    const bool can = program != NULL;
    ck_assert_msg(can || c->error.status == XK_ENOFIT, "%s", c->error.message);
    xk_ctx_clear(c);
    xk_program_unref(program);
    return can;
}

static void run(const char *text, const struct xk_contraction *p,
                const struct xk_contraction_launches *made, unsigned *seed)
{
    const enum xk_dtype dt = p->c.layout.dt;
    const size_t size_b = (size_t)xk_layout_size_b(&p->c.layout);
    struct memory m;
    struct lab_arg args[3 + XK_MAX_INPUTS];
    for (unsigned i = 0; i < 3u + p->n_inputs; i++) {
        const struct xk_access *const a = operand(p, i);
        m.of[i] = fill(a, seed);
        args[i] =
            (struct lab_arg){m.of[i], (size_t)xk_layout_size_b(&a->layout)};
    }
    double *const want = plain_loop(p, &m);
    xk_program *const program = make(p, made);
    lab_run(program, args);
    for (size_t i = 0; i < size_b / xk_dtype_b(dt); i++) {
        const double got = typed_get(dt, m.of[2], (int64_t)i);
        ck_assert_msg(got == want[i], "%s: element %zu is %g, not %g", text, i,
                      got, want[i]);
    }
    xk_program_unref(program);
    free(want);
    for (unsigned i = 0; i < 3u + p->n_inputs; i++)
        free(m.of[i]);
}

static enum xk_status make_launches(struct xk_contraction *p, bool addresses,
                                    struct xk_contraction_launches *out)
{
    XK_TRY(xk_contraction_close(c, p));
    XK_TRY(xk_contraction_join_classes(c, p, XK_MAX_LAUNCHES));
    return xk_contraction_launches_make(
        c, &arena, xk_platform_get(XK_PLATFORM_XEHPG), p, addresses, out);
}

/* text: the formula, behind its seed if it has one. addresses: of 64 bits. */
static void make_and_run(const char *text, const char *formula, unsigned seed,
                         bool addresses)
{
    static struct xk_contraction p, said;
    struct xk_contraction_launches made;
    ck_assert_msg(xk_formula_parse(c, &arena, formula, &p) == XK_OK, "%s: %s",
                  text, c->error.message);
    xk_contraction_copy(&said, &p);
    ck_assert_msg(make_launches(&p, addresses, &made) == XK_OK, "%s: %s", text,
                  c->error.message);
    ck_assert_int_eq(xk_contraction_close(c, &said), XK_OK);
    run(text, &said, &made, &seed);
}

static const char *const good[] = {
    /* Matmul in each orientation. */
    "A: f16[37,48]; B: f16[48,40]; C[m,n] += A[m,k] * B[k,n]",
    "A: f16[48,37]; B: f16[48,40]; C[m,n] += A[k,m] * B[k,n]",
    "A: f16[37,48]; B: f16[40,48]; C[m,n] += A[m,k] * B[n,k]",
    "A: f16[48,37]; B: f16[40,48]; C[m,n] += A[k,m] * B[n,k]",
    "A: f16[48,40]; B: f16[48,16]; C[n,m] += A[k,m] * B[k,n]",
    "A: f32[37,19]; B: f32[19,40]; C[m,n] += A[m,k] * B[k,n]",
    "A: f32[19,37]; B: f32[40,19]; C[m,n] += A[k,m] * B[n,k]",
    "A: s8[37,64]; B: s8[64,40]; C: s32; C[m,n] += A[m,k] * B[k,n]",
    "A: u8[64,37]; B: s8[40,64]; C: s32; C[m,n] += A[k,m] * B[n,k]",
    /* K is less than the dims, and no whole steps. */
    "k = 20; A: f16[37,24]; B: f16[24,40]; C[m,n] += A[m,k] * B[k,n]",
    "k = 21; A: s8[37,48]; B: s8[40,48]; C: s32; C[m,n] += A[m,k] * B[n,k]",
    "k = 6; A: f32[37,8]; B: f32[8,40]; C[m,n] += A[m,k] * B[k,n]",
    /* A sum over two indices, two rows, two columns. */
    "A: f16[16,5,24]; B: f16[5,24,32]; C[m,n] += A[m,j,k] * B[j,k,n]",
    "A: f16[7,9,32]; B: f16[32,16]; C[l,m,n] += A[l,m,k] * B[k,n]",
    "A: f16[24,32]; B: f16[32,3,16]; C[m,o,n] += A[m,k] * B[k,o,n]",
    "A: f16[24,32]; B: f16[3,32,16]; C[o,m,n] += A[m,k] * B[o,k,n]",
    "A: f32[24,9]; B: f32[9,3,16]; C[n,m,o] += A[m,k] * B[k,o,n]",
    /* Batched, in each orientation; two batch indices; one in a sum, one in
     * blocks, groups of channels, one that reverses. */
    "A: f32[3,20,9]; B: f32[3,9,24]; C[b,m,n] += A[b,m,k] * B[b,k,n]",
    "A: f32[3,9,20]; B: f32[3,9,24]; C[b,m,n] += A[b,k,m] * B[b,k,n]",
    "A: f32[3,20,9]; B: f32[3,24,9]; C[b,m,n] += A[b,m,k] * B[b,n,k]",
    "A: f32[3,9,20]; B: f32[3,24,9]; C[b,m,n] += A[b,k,m] * B[b,n,k]",
    "A: f16[3,37,48]; B: f16[3,48,40]; C[b,m,n] += A[b,m,k] * B[b,k,n]",
    "A: f16[3,48,37]; B: f16[3,48,40]; C[b,m,n] += A[b,k,m] * B[b,k,n]",
    "A: f16[3,37,48]; B: f16[3,40,48]; C[b,m,n] += A[b,m,k] * B[b,n,k]",
    "A: f16[3,48,37]; B: f16[3,40,48]; C[b,m,n] += A[b,k,m] * B[b,n,k]",
    "A: s8[3,37,64]; B: s8[3,64,40]; C: s32; C[b,m,n] += A[b,m,k] * B[b,k,n]",
    "A: u8[3,64,37]; B: s8[3,40,64]; C: s32; C[b,m,n] += A[b,k,m] * B[b,n,k]",
    "A: f16[37,2,48]; B: f16[48,40,2]; C[m,n,b] += A[m,b,k] * B[k,n,b]",
    "A: f32[3,20,2,9]; B: f32[2,3,9,24]; C[b,d,m,n] += A[b,m,d,k] * B[d,b,k,n]",
    "x=9; A: f32[3,10]; W: f32[3,4,16]; O[b,x,n] += A[b,x+k] * W[b,k,n]",
    "b=5; x=9; A: f32[18]; W: f32[5,4,16]; O[b,x,n] += A[b+x+k-1] * W[b,k,n]",
    "b=2; k=16; n=16; x=9; y=9; A: f16[2,32,9,9] acdb; W: f16[2,16,16,3,3]; "
    "O: f16[2,32,9,9] acdb; "
    "O[i,16*b+n,y,x] += A[i,16*b+k,y+r-1,x+s-1] * W[b,n,k,r,s]",
    "b=3; A: f16[24,32]; B: f16[3,32,20]; C[b,m,n] += A[8*b+m,k] * B[2-b,k,n]",
    "b=3; m=8; n=20; A: f16[8,32]; B: f16[3,32,20]; C: f16[32,20]; "
    "C[8*b+m+5,n] += A[m,k+0*b] * B[b,k,n]",
    /* Groups of channels whose kernels share what a convolution's do. */
    "i=16; y=6; x=6; A: f16[16,64,6,6] acdb; W: f16[2,32,32,3,3] aBdeC32b16c; "
    "O: f16[16,64,6,6] acdb; "
    "O[i,32*g+n,y,x] += A[i,32*g+c,y+r-1,x+s-1] * W[g,n,c,r,s]",
    "i=16; y=5; x=5; A: f16[16,32,5,5] Bcda16b; W: f16[2,16,16,3,3] "
    "aBdeC16b16c; "
    "O: f16[16,32,5,5] Bcda16b; "
    "O[i,16*g+n,y,x] += A[i,16*g+c,y+r-1,x+s-1] * W[g,n,c,r,s]",
    "i=2; y=5; x=5; A: u8[2,64,5,5] acdb; W: s8[2,32,32,3,3] aBdeC32b4c; "
    "O: s32[2,64,5,5] acdb; "
    "O[i,32*g+n,y,x] += A[i,32*g+c,y+r-1,x+s-1] * W[g,n,c,r,s]",
    /* Sliding, forwards and backwards. */
    "x=30; A: f32[34]; W: f32[5,16]; O[x,n] += A[x+k] * W[k,n]",
    "x=30; A: f32[34]; W: f32[5,16]; O[x,n] += A[x-k+4] * W[k,n]",
    "x=30; A: f16[31,16]; W: f16[5,16,16]; O[x,n] += A[x-k+2,c] * W[k,c,n]",
    "x=16; A: f16[31,32]; W: f16[3,32,16]; O[x,n] += A[2*x+k-1,c] * W[k,c,n]",
    "x=9; y=9; A: f16[9,9,16]; W: f16[16,3,3,16]; "
    "O[y,x,n] += A[y-r+1,x-s+1,c] * W[c,r,s,n]",
    /* Operands that some indices do not move. */
    "n=16; A: f32[20,8]; B: f32[8]; C[m,n] += A[m,k] * B[k]",
    "A: f32[20]; B: f32[16]; C[m,n] += A[m] * B[n]",
    "A: f32[20,8]; B: f32[8]; C[m] += A[m,k] * B[k]",
    "A: f32[8,5]; B: f32[16]; C[m,n] += A[m,k] * B[n]",
    "A: f16[16,32]; B: f16[16]; C[m,n] += A[m,k] * B[n]",
    "A: f16[16]; B: f16[32,16]; C[m,n] += A[m] * B[k,n]",
    "A: f32[8]; B: f32[8,16]; C[n] += A[k] * B[k,n]",
    "x=30; A: f16[34]; W: f16[5,16]; O: f32; O[x,n] += A[x+k] * W[k,n]",
    "x=30; A: s8[34]; W: s8[5,16]; O: s32; O[x,n] += A[2*x-k] * W[k,n]",
    "x = 7; y = 21; n = 3; o = 3; c = 15; k = 3; l = 1; A: f16; B: f16; "
    "C: f32; C[y,x,n,o] += A[x+2*k+3,c,y+l+1] * B[l,n,k,c,o]",
    /* A fill that is not 0. */
    "x=20; A: f32[20] fill 3; W: f32[3,16]; O[x,n] += A[x+k-1] * W[k,n]",
    "x=20; A: f16[20,32] fill -2; W: f16[3,32,16]; "
    "O[x,n] += A[x+k-1,c] * W[k,c,n]",
    "x=20; A: f16[20,19] fill 2; W: f16[3,19,16]; "
    "O[x,n] += A[x+k-1,c] * W[k,c,n]",
    "x=20; A: u8[20,64] fill 128; W: s8[3,64,16]; O: s32; "
    "O[x,n] += A[x+k-1,c] * W[k,c,n]",
    "x=20; A: u8[20,7] fill 5; W: s8[3,7,16]; O: s32; "
    "O[x,n] += A[x+k-1,c] * W[k,c,n]",
    "x=20; A: f16[12,20] fill 7; W: f16[3,12,16]; "
    "O[x,n] += A[c,x+k-1] * W[k,c,n]",
    "x=7; c=22; A: f16[7,8,22] fill -2; B: f16[2,22,16]; "
    "C[x,y,n] += A[x,y+l,c | y-x in -4..4] * B[l,c,n]",
    "x=7; c=22; y=6; A: s8[7,8,22] fill -2; B: s8[2,22,16]; C: s32; "
    "C[x,y,n] += A[x,y+l,c | y-x in -4..4] * B[l,c,n]",
    /* B outside: filled with 0, with another value. */
    "x=9; A: f32[9,3]; W: f32[3,16]; O[x,n] += A[x,k] * W[k-1,n]",
    "x=9; n=16; k=3; A: f32[9,3]; W: f32[16] fill 4; "
    "O[x,n] += A[x,k] * W[n+k-1]",
    "x=9; n=16; k=3; A: f16[9,3]; W: f16[16] fill 4; "
    "O[x,n] += A[x,k] * W[n+k-1]",
    "x=9; n=16; k=3; A: f16[9,3,32]; W: f16[16,32] fill -4; "
    "O[x,n] += A[x,k,c] * W[n+k-1,c]",
    "x=9; n=16; k=3; A: s8[9,3,19]; W: s8[16,19] fill -4; O: s32; "
    "O[x,n] += A[x,k,c] * W[n+k-1,c]",
    "x=20; n=16; k=3; A: f16[20,19] fill 3; W: f16[16,19] fill -4; "
    "O[x,n] += A[x+k-1,c] * W[n+k-1,c]",
    "x=20; n=16; k=3; A: s8[20,19] fill 3; W: u8[16,19] fill 9; O: s32; "
    "O[x,n] += A[x+k-1,c] * W[n-k+1,c]",
    "A: f16[20,32]; W: f16[16,32]; O[x,n] += A[x,c] * W[n,c | n-c in 0..9]",
    /* C outside: dropped. */
    "x=9; O: f32[8]; A: f32[9]; W: f32[4]; O[x] += A[x] * W[k]",
    "x=9; n=20; O: f32[8,24]; A: f32[9,5]; W: f32[5,20]; "
    "O[x-1,n+7] += A[x,k] * W[k,n]",
    "x=20; n=20; O: f16[19,18]; A: f16[20,16]; W: f16[16,20]; "
    "O[x-2,n-1] += A[x,k] * W[k,n]",
    "x=20; n=32; O: f16[18,32]; A: f16[20,16]; W: f16[16,32]; "
    "O[x-1,n] += A[x,k] * W[k,n]",
    "x=20; n=32; O: f32[20,32]; A: f16[20,16]; W: f16[16,32]; "
    "O[x,n | x-n in 0..33] += A[x,k] * W[k,n]",
    /* Classes: a stride's residues, one without terms, two dims of them. */
    "x=9; t={2,1}@0; A: f32[20,3]; W: f32[3,3,16]; O: f32[17,16]; "
    "O[2*x+{0,1}@0,n] += A[x-t+{1,0}@0,c] * W[2*t+{0,1}@0,c,n]",
    "x=9; t={2,0,1}@0; A: f16[20,16]; W: f16[8,16,16]; O: f16[26,16]; "
    "O[3*x+{0,1,2}@0,n] += A[x-t+{1,0,1}@0,c] * W[3*t+{0,0,1}@0,c,n]",
    "x=5; y=4; t={2,1}@0; u={1,2}@1; A: s8[5,4,7]; W: s8[4,4,7,8]; O: "
    "s32[9,8,8]; "
    "O[2*x+{0,1}@0,2*y+{1,0}@1,n] += "
    "A[x-t+{1,0}@0,y+u-1,c] * W[2*t+{0,1}@0,2*u+{1,0}@1,c,n]",
    /* A batch that has fewer places in one class; in all, two of them empty. */
    "b=2; t={1,1,1}@0; A: f16[2,1,16]; B: f16[2,16,32]; C: f16[5,32]; "
    "C[3*b+{0,2,1}@0,n] += A[b,t,c] * B[b,c,n]",
    "b=3; t={1,0,0}@0; A: f16[3,1,16]; B: f16[3,16,32]; C: f16[6,32]; "
    "C[3*b+{2,1,0}@0,n] += A[b,t,c] * B[b,c,n]",
    /* Boxes of classes without terms are an index too many: one of N is added.
     */
    "a=2; b=2; c=2; t={1,0,0}@0; u={1,0}@1; v={1,0}@2; "
    "A: f32[2,2,2,4,4,4]; W: f32[4,4,1,1,1]; "
    "O[3*a+{0,1,2}@0,2*b+{0,1}@1,2*c+{0,1}@2,m] += "
    "A[a,b,c,m,k,l] * W[k,l,t,u,v]",
    /* More classes than launches, which are indices: of N, of M, of a batch;
     * fewer terms, none in some. */
    "u=4; v=3; t={2,2,2,2,2,2,2,2,2}@0; s={1,1,1,1,1,1,1,1,1}@1; "
    "A: f32[4,3,5]; W: f32[5,18,9,16]; O: f32[34,27,16]; "
    "O[9*u+{-1,0,1,2,3,4,5,6,7}@0,9*v+{8,7,6,5,4,3,2,1,0}@1,n] += "
    "A[u-t,v-s,c] * W[c,9*t+{0,1,2,3,4,5,6,7,8}@0,s+{0,1,2,3,4,5,6,7,8}@1,n]",
    "u=4; v=3; t={1,1,1,1,1,1,1,1,1}@0; s={8,7,6,5,4,3,2,1,0}@1; "
    "A: f16[36,3,16]; W: f16[8,16,16]; O: f16[36,27,16]; "
    "O[9*u+{0,1,2,3,4,5,6,7,8}@0,9*v+{0,1,2,3,4,5,6,7,8}@1,n] += "
    "A[9*u+{0,1,2,3,4,5,6,7,8}@0+t-1,v,c] * W[s,c,n] -> relu",
    "x=5; t={1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
    "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}"
    "@0"
    "; A: f32[5,140]; W: f32[70,140,16]; O: f32[70,5,16]; "
    "O[{69,68,67,66,65,64,63,62,61,60,59,58,57,56,55,54,53,52,51,50,49,48,47,"
    "46,"
    "45,44,43,42,41,40,39,38,37,36,35,34,33,32,31,30,29,28,27,26,25,24,23,22,"
    "21,"
    "20,19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0}@0,x,n] += "
    "A[x,t+k] * "
    "W[t-1+{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,"
    "23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,"
    "47,"
    "48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70}@0,k,"
    "n]",
    /* Operations on C: of what is the same for all rows, for all columns, for
     * all; of a batch; of what lies as C does, and across it; of a masked C. */
    "A: f16[40,32]; B: f16[32,48]; S: f32; T: s8; U: f16; "
    "C[m,n] += A[m,k] * B[k,n] -> add S[n] -> mul T[m] -> max U[0]",
    "A: f32[3,40,9]; B: f32[3,9,48]; S: f32; T: s8; "
    "C[b,m,n] += A[b,m,k] * B[b,k,n] -> add S[b,n] -> mul T[b] -> relu",
    "A: f16[3,40,16]; B: f16[3,16,48]; S: f32; T: s8; C: f16; "
    "C[b,m,n] += A[b,m,k] * B[b,k,n] -> add S[b,n] -> mul T[m,b] -> linear:2:1",
    "A: f32[20,9]; B: f32[9,20]; S: f32; T: f32; "
    "C[m,n] += A[m,k] * B[k,n] -> add S[m,n] -> mul T[n,m] -> sum:2",
    "A: s8[20,32]; B: s8[32,20]; S: f32; T: f32; C: u8; "
    "C[m,n] += A[m,k] * B[k,n] -> add S[m,n] -> mul T[n,m] -> sum:2",
    "A: f16[20,16]; B: f16[16,20]; S: f16; T: f16; C: f16; "
    "C[m,n] += A[m,k] * B[k,n] -> add S[m,n] -> mul T[n,m] -> sum:2",
    "m=20; A: f16[20,16]; B: f16[16,20]; S: f16; C: f16[18,20]; "
    "C[m-1,n] += A[m,k] * B[k,n] -> add S[m,n] -> sum:2",
    "x=9; t={2,0}@0; A: f32[20,3]; W: f32[3,3,16]; O: f32[17,16]; S: f32; "
    "O[2*x+{0,1}@0,n] += A[x-t+{1,0}@0,c] * W[2*t+{0,1}@0,c,n] -> add S[n] -> "
    "relu",
    /* Epilogues so long that only the smallest tile has them. */
    "m=20; A: f32[20,16]; B: f32[16,20]; S: f32; T: f16; U: s8; C: f32[18,20]; "
    "C[m-1,n] += A[m,k] * B[k,n] -> sum:2 -> add S[m,n] -> mul T[n,m] -> "
    "max U[m,n] -> sum:2",
    "m=20; A: u8[20,16]; B: s8[16,20]; S: f32; T: s8; U: f16; C: f32[18,20]; "
    "C[m-1,n] += A[m,k] * B[k,n] -> sum:2 -> add S[m,n] -> mul T[n,m] -> "
    "max U[m,n] -> sum:2",
    "m=20; A: f16[20,16]; B: f16[16,20]; S: f32; T: u8; U: f32; C: f16[18,20]; "
    "C[m-1,n] += A[m,k] * B[k,n] -> sum:2 -> add S[m,n] -> mul T[n,m] -> "
    "max U[m,n] -> sum:2",
    /* What the epilogue reads lies outside: along M, N or a batch, before or
     * behind; a fill of each type; an interval, a condition; where C lies; no
     * index moves it; by rows and by columns, several of them, and merged rows.
     */
    "m=40; A: f16[40,32]; B: f16[32,16]; S: f16[38,16]; "
    "C[m,n] += A[m,k] * B[k,n] -> add S[m-1,n]",
    "m=40; A: f16[40,32]; B: f16[32,48]; S: f32[40,48] fill 3; "
    "C[m,n] += A[m,k] * B[k,n] -> mul S[m,n+2]",
    "m=13; n=20; A: f32[13,9]; B: f32[9,20]; S: f32[12,19] fill -2; "
    "C[m,n] += A[m,k] * B[k,n] -> add S[m-1,n-1]",
    "m=13; n=20; A: f32[13,9]; B: f32[9,20]; S: s32[20] fill 70000; "
    "C[m,n] += A[m,k] * B[k,n] -> add S[n-3] -> relu:0",
    "m=13; n=20; A: f16[13,16]; B: f16[16,20]; S: bf16[9] fill 5; "
    "T: u8[10] fill 200; C[m,n] += A[m,k] * B[k,n] -> add S[m] -> max T[n]",
    "m=24; n=40; A: u8[24,64]; B: s8[64,40]; C: s32; S: s8[20,40] fill -7; "
    "C[m,n] += A[m,k] * B[k,n] -> add S[m-2,n] -> sum:2",
    "b=3; A: f32[3,20,9]; B: f32[3,9,24]; S: f32[2,24] fill 4; T: f16[3]; "
    "C[b,m,n] += A[b,m,k] * B[b,k,n] -> add S[b-1,n] -> mul T[2*b-1]",
    "m=40; n=16; A: f16[40,32]; B: f16[32,16]; S: f16[40,16] fill 2; "
    "C[m,n] += A[m,k] * B[k,n] -> add S[m in 3..17,n in 0..9]",
    "A: f16[40,32]; B: f16[32,48]; S: f32[48]; "
    "C[m,n] += A[m,k] * B[k,n] -> mul S[n | m - n in 0..9]",
    "m=40; A: f16[40,32]; B: f16[32,16]; S: f16[41,18] ba; C: f16; "
    "C[m,n] += A[m,k] * B[k,n] -> add S[2*m-20,17-n] -> sum:1",
    "m=40; n=16; A: f16[40,32]; B: f16[32,16]; S: f32[1] fill 9; "
    "C[m,n] += A[m,k] * B[k,n] -> add S[1]",
    "m=12; A: f32[12,9]; B: f32[9,20]; C: f32[10,20]; S: f32[10,20] fill 6; "
    "C[m-1,n] += A[m,k] * B[k,n] -> add S[m-1,n]",
    /* Columns of C that nothing stands for stay as they are. */
    "m=9; n=15; A: f16[9,16]; B: f16[16,15]; C: f16[10,16] ba; C[m,n] += "
    "A[m,k] * B[k,n]",
    "m=9; n=15; A: f32[9,16]; B: f32[16,15]; C: f32[10,40]; C[m,n] += A[m,k] * "
    "B[k,n]",
    /* An index that moves a tensor along two dims: of A, of B, of C, of what
     * the epilogue reads; a trace; a place that a stride passes. */
    "A: f32[12,12,9]; B: f32[9,20]; C[i,n] += A[i,i,k] * B[k,n]",
    "A: f16[20,20,32]; B: f16[32,20]; C[i,n] += A[i,i,k] * B[k,n]",
    "A: f16[20,32,20]; B: f16[32,20]; C[i,n] += A[i,k,i] * B[k,n]",
    "A: u8[20,64,20]; B: s8[64,20]; C: s32; C[i,n] += A[i,k,i] * B[k,n]",
    "A: f16[37,32]; B: f16[20,32,20]; C[m,n] += A[m,k] * B[n,k,n]",
    "A: s8[37,64]; B: s8[64,20,20]; C: s32; C[m,n] += A[m,k] * B[k,n,n]",
    "A: f32[12,12]; B: f32[12,20]; C[n] += A[k,k] * B[k,n]",
    "A: f16[24,24]; B: f16[24,24]; C[0] += A[k,k] * B[k,k]",
    "A: f16[20,32]; B: f16[32,16]; C: f32[20,20,16]; "
    "C[m,m,n] += A[m,k] * B[k,n]",
    "A: f32[20,8]; B: f32[8,24]; C: f32[20,24,24]; "
    "C[m,n,n] += A[m,k] * B[k,n] -> sum:2",
    "A: f32[3,3,20,9]; B: f32[3,9,24]; C[b,m,n] += A[b,b,m,k] * B[b,k,n]",
    "A: f16[20,16]; B: f16[16,20]; S: f16[20,20]; T: f32[20,20]; "
    "C[m,n] += A[m,k] * B[k,n] -> add S[m,m] -> mul T[n,n]",
    "x=9; A: f16[9,12,16] fill 3; W: f16[3,16,16]; "
    "O[x,n] += A[x,x+r-1,c] * W[r,c,n]",
    "x=9; A: f16[20,9,16]; W: f16[3,16,16]; "
    "O[x,n] += A[2*x+r-1,8-x,c] * W[r,c,n]",
    "x=9; A: f32[9,11,4]; W: f32[3,4,16]; O: f32[17,9,16]; "
    "O[x-y+8,y,n] += A[x,y+r-1,c] * W[r,c,n]",
    /* Runs of columns that begin anywhere in a dword. */
    "n=3; o=8; m=20; A: f16[20,16]; B: f16[16,3,8]; C: f16[20,40]; "
    "C[m,9*n+o] += A[m,k] * B[k,n,o]",
    "n=7; o=8; m=20; A: f16[20,16]; B: f16[16,7,8]; C: f16[20,7,16]; "
    "C[m,n,o-n+6] += A[m,k] * B[k,n,o]",
    "n=7; o=8; m=20; A: f16[20,16]; B: f16[16,7,8]; C: f16[20,7,32]; "
    "C[m,n,o-2*n+12] += A[m,k] * B[k,n,o]",
    "c=5; k=8; m=20; A: f16[20,48]; B: f16[5,8,16]; "
    "C[m,n] += A[m,9*c+k] * B[c,k,n]",
    /* A single element. */
    "A: f32[8]; B: f32[8]; C[0] += A[k] * B[k]",
    "A: f16[80]; B: f16[80]; C: f32; C[0] += A[k] * B[k]",
    "A: s8[80]; B: s8[80]; C: s32; C[0] += A[k] * B[k]",
    /* Conditions of both factors: more of them than there are flags. */
    "x=24; y=2; n=7; o=17; c=13; A: f16[24,15] fill 2; "
    "B: f16[13,15,7] Abc8a fill 2; C: u8[2,120,26]; C[y,n-7*o+113,25-x] += "
    "A[x,c+2*y-2 | y-c in -3..1] * B[12-c,o,n-2 | n-o in -2..6]",
    /* An interval and a condition of A. */
    "x=20; A: f32[24]; W: f32[3,16]; O[x,n] += A[x+k in 3..17] * W[k,n]",
    "A: f16[40,32]; B: f16[32,16]; C[m,n] += A[m,k | m-k in 0..9] * B[k,n]",
};

START_TEST(by_hand)
{
    make_and_run(good[_i], good[_i], 1000u + (unsigned)_i, false);
}
END_TEST

/* Batched ones whose candidates go every way there is. */
static const char *const any_way[] = {
    "i=16; y=4; x=4; A: f16[16,64,4,4] acdb; W: f16[2,32,32,3,3] aBdeC32b16c; "
    "O: f16[16,64,4,4] acdb; "
    "O[i,32*g+n,y,x] += A[i,32*g+c,y+r-1,x+s-1] * W[g,n,c,r,s]",
    "i=2; y=5; x=5; A: s8[2,128,5,5] acdb; W: s8[2,32,64,3,3] aBdeC32b4c; "
    "O: s32[2,64,5,5] acdb; "
    "O[i,32*g+n,y,x] += A[i,64*g+c,y+r-1,x+s-1] * W[g,n,c,r,s]",
    "A: f32[2,40,64]; B: f32[2,64,64]; C[b,m,n] += A[b,m,k] * B[b,k,n]",
    "A: f16[3,70,64]; B: f16[3,64,64] aCB32c16b; "
    "C[b,m,n] += A[b,m,k] * B[b,k,n]",
};
static unsigned through_slm, in_one_loop;

/* The way that operands take, and who multiplies. */
static unsigned way_of(const struct xk_schedule *s)
{
    return s->fma | (s->slm > 0) << 2 | xk_schedule_is_one_loop(s) << 3 |
           xk_schedule_is_walk(s) << 4 | (s->slices > 1) << 5;
}

/* Runs one candidate alone; false: it does not fit. */
static bool run_candidate(const char *text, const struct xk_contraction *p,
                          const struct xk_contraction_launches *all, unsigned i)
{
    unsigned seed = 2000 + i;
    struct xk_launch one = all->launch[0];
    const struct xk_contraction_launches made = {1, all->problem, &one};
    const struct xk_schedule *const s = &all->problem[0]->candidate[i];
    one.u.contract.candidate = s;
    one.u.contract.n_candidates = 1;
    if (!fits(p, &made))
        return false;
    run(text, p, &made, &seed);
    through_slm += s->slm > 0;
    in_one_loop += xk_schedule_is_flat(s);
    return true;
}

START_TEST(candidates)
{
    struct xk_contraction p;
    struct xk_contraction_launches all;
    unsigned n = 0, seen[64] = {0};
    const char *const text = any_way[_i];
    ck_assert_int_eq(xk_formula_parse(c, &arena, text, &p), XK_OK);
    ck_assert_int_eq(make_launches(&p, false, &all), XK_OK);
    for (unsigned i = 0; i < all.problem[0]->n_candidates; i++) {
        const unsigned way = way_of(&all.problem[0]->candidate[i]);
        if (!seen[way] && run_candidate(text, &p, &all, i))
            seen[way] = ++n;
    }
    ck_assert_uint_gt(n, 0);
}
END_TEST

START_TEST(candidates_went_every_way)
{
    ck_assert_uint_gt(through_slm, 0);
    ck_assert_uint_gt(in_one_loop, 0);
}
END_TEST

static const struct {
    const char *text;
    enum xk_status status;
    const char *message;
} bad[] = {
    {"A: f64[8]; W: f64[4]; O[x] += A[x] * W[k]", XK_EUNSUPPORTED,
     "multiplies f64"},
    {"A: f16[8]; W: f16[4]; O: f64; O[x] += A[x] * W[k]", XK_EUNSUPPORTED,
     "into f64"},
    {"A: u8[8]; W: s8[4]; O: s16; O[x] += A[x] * W[k]", XK_EUNSUPPORTED,
     "into s16"},
    {"A: f16[8]; W: bf16[4]; O[x] += A[x] * W[k]", XK_EUNSUPPORTED,
     "multiplies f16 by bf16"},
    {"A: f32[40000,40000]; B: f32[40000]; C[m] += A[m,k] * B[k]",
     XK_EUNSUPPORTED, "A with what lies beside"},
    {"x=9; O: f32[8]; A: f32[9]; W: f32[4]; O[x-9] += A[x] * W[k]", XK_EINVAL,
     "O: no coordinates are an element"},
    {"t={1,2,3,4,5,6,7,8,9}@0; q={1,2,3,4,5,6,7,9,8}@1; x=4; y=4; "
     "A: f32[4,9]; W: f32[9,9,4]; O[9*x+{0,1,2,3,4,5,6,8,7}@0,"
     "9*y+{0,1,2,3,4,5,6,7,8}@1] += A[x,t] * W[t,q,y]",
     XK_EUNSUPPORTED,
     "81 classes, a program has at most 64 launches, and they are no index: q: "
     "the extents are not linear"},
};

START_TEST(refused)
{
    struct xk_contraction p;
    struct xk_contraction_launches made;
    ck_assert_msg(xk_formula_parse(c, &arena, bad[_i].text, &p) == XK_OK,
                  "%s: %s", bad[_i].text, c->error.message);
    ck_assert_int_eq(make_launches(&p, false, &made), bad[_i].status);
    ck_assert_msg(strstr(c->error.message, bad[_i].message), "%s: %s",
                  bad[_i].text, c->error.message);
}
END_TEST

/* Each formula has a seed of its own, from XK_TEST_SEED on if that is set. One
 * in five goes without surfaces. */
enum { FIRST_SEED = 5000, SEEDS = 25 };

static unsigned first_seed(void)
{
    const char *const given = getenv("XK_TEST_SEED");
    return given ? (unsigned)strtoul(given, NULL, 10) : FIRST_SEED;
}

START_TEST(random_formulas)
{
    for (unsigned i = 0; i < SEEDS; i++) {
        const unsigned seed = first_seed() + (unsigned)_i * SEEDS + i;
        char text[ANY_FORMULA_SIZE + 20];
        const int n = sprintf(text, "seed %u: ", seed);
        any_formula(seed, text + n);
        make_and_run(text, text + n, seed, i % 5 == 4);
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("formulas");
    TCase *const t = tcase_create("formulas");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, by_hand, 0, XK_COUNTOF(good));
    tcase_add_loop_test(t, candidates, 0, XK_COUNTOF(any_way));
    tcase_add_test(t, candidates_went_every_way);
    tcase_add_loop_test(t, refused, 0, XK_COUNTOF(bad));
    tcase_add_loop_test(t, random_formulas, 0, 40);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
