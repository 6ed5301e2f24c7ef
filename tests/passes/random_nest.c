/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/passes/random_nest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/half.h"
#include "tests/passes/random_kernel.h"

/* M: i, j (a place of a line); N: n, q; K: c, t (a tap along j). */
struct nest {
    uint64_t rng;
    struct xk_random_nest *out;
    int i, j, n, q, c, t;    /* extents */
    int step, dilation, pad; /* j * step + t * dilation - pad */
    int width;               /* of A's line */
    int dpas, deep, m_thr, n_thr, k_step, simd;
    int elem_b;
    int raw_a, raw_b; /* the operand comes in another layout, and is copied */
};

static int draw(struct nest *g, int n)
{
    return (int)(xk_random_next(&g->rng) % (uint64_t)n);
}

__attribute__((format(printf, 2, 3))) static void put(struct nest *g,
                                                      const char *fmt, ...)
{
    char *const text = g->out->text;
    const size_t n = strlen(text);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text + n, sizeof(g->out->text) - n, fmt, ap);
    va_end(ap);
}

static void draw_shape(struct nest *g)
{
    static const char *const types[] = {"f32", "f16", "u8", "s8"};
    const int type = draw(g, 4);
    g->out->type = types[type];
    g->elem_b = type == 0 ? 4 : type == 1 ? 2 : 1;
    g->dpas = g->elem_b == 2 || (g->elem_b == 1 && draw(g, 2));
    g->simd = g->dpas || draw(g, 2) ? 8 : 16;
    g->deep = g->dpas ? 32 / g->elem_b : 4 / g->elem_b;
    g->k_step = g->deep * (g->dpas ? 1 : 1 + draw(g, 3));
    g->m_thr = g->dpas ? 8 * (1 + draw(g, 3)) : 1 + draw(g, 4) * 4;
    g->n_thr = g->dpas ? 8 * (1 + draw(g, 3)) : g->simd * (1 + draw(g, 2));
    g->i = 1 + draw(g, 3);
    g->j = 1 + draw(g, 12);
    g->n = 1 + draw(g, 40);
    g->q = draw(g, 3) ? 1 : 1 + draw(g, 3);
    g->c = draw(g, 2) ? g->k_step * (1 + draw(g, 2)) : 1 + draw(g, 40);
    g->t = draw(g, 2) ? 1 : 1 + draw(g, 3);
    g->step = draw(g, 4) ? 1 : draw(g, 2) ? 2 : -1;
    g->dilation = draw(g, 4) ? 1 : 2;
    g->pad = draw(g, 3);
    g->width = 1 + draw(g, 14);
    g->raw_a = !draw(g, 3);
    g->raw_b = !draw(g, 3);
}

/* A permutation's tag, perhaps with an inner block of one dim. */
static void put_tag(struct nest *g, int n_dims, int block_dim)
{
    char tag[32] = {0};
    for (int i = 0; i < n_dims; i++)
        tag[i] = (char)('a' + i);
    for (int i = n_dims - 1; i > 0; i--) {
        const int k = draw(g, i + 1);
        const char x = tag[i];
        tag[i] = tag[k];
        tag[k] = x;
    }
    if (draw(g, 2)) { /* channels innermost */
        char *const at = strchr(tag, 'a' + block_dim);
        memmove(at, at + 1, strlen(at));
        tag[n_dims - 1] = (char)('a' + block_dim);
    }
    if (!draw(g, 3)) {
        char *const at = strchr(tag, 'a' + block_dim);
        const int size = g->elem_b == 4 ? 4 : 16;
        *at = (char)('A' + block_dim);
        snprintf(tag + n_dims, sizeof(tag) - (size_t)n_dims, "%d%c", size,
                 'a' + block_dim);
    }
    put(g, " %s ", tag);
}

static void put_views(struct nest *g)
{
    static const char *const fills[] = {"", "", " fill 0", " fill 2"};
    put(g, "index i %d, j %d, n %d, q %d, c %d, t %d\n", g->i, g->j, g->n, g->q,
        g->c, g->t);
    put(g, "view A = src %s[%d,%d,%d]", g->out->type, g->i, g->c, g->width);
    put_tag(g, 3, 1);
    put(g, "[i, c, %d*j + %d*t - %d]%s\n", g->step, g->dilation, g->pad,
        fills[draw(g, 4)]);
    put(g, "view B = wei %s[%d,%d,%d,%d]", g->out->type, g->n, g->q, g->c,
        g->t);
    put_tag(g, 4, 2);
    put(g, "[n, q, c, t]\n");
    put(g, "view C = dst %s[%d,%d,%d,%d]", g->elem_b == 1 ? "s32" : "f32", g->i,
        g->n, g->q, g->j);
    put_tag(g, 4, 1);
    put(g, "[i, n, q, j]\n");
}

static void put_walks(struct nest *g)
{
    const int whole = g->k_step > 1 && g->c % g->k_step == 0;
    put(g, "walk m = %s, n = %s, k = ", draw(g, 2) ? "i j" : "j i",
        draw(g, 2) ? "n q" : "q n");
    if (whole && draw(g, 2))
        put(g, "%s%d t c%%%d\n", "c/", g->k_step, g->k_step);
    else
        put(g, "t c\n");
}

/* Tiles as their unit wants them; mad's in one of several orders. */
static void put_tiles(struct nest *g)
{
    const char *const t = g->out->type;
    const char *const acc = g->elem_b == 1 ? "s32" : "f32";
    const int per_dw = 4 / g->elem_b;
    if (g->dpas) {
        put(g, "tile a = %s [m%d k8 m8 k%d]\n", t, g->m_thr / 8, per_dw);
        put(g, "tile b = %s [n%d k%d]\n", t, g->n_thr, 8 * per_dw);
        put(g, "tile c = %s [n%d m%d n8 m8]\n", acc, g->n_thr / 8,
            g->m_thr / 8);
        return;
    }
    if (per_dw > 1) { /* dp4a */
        put(g, "tile a = %s [k%d m%d k%d]\n", t, g->k_step / per_dw, g->m_thr,
            per_dw);
        put(g, "tile b = %s [k%d n%d k%d]\n", t, g->k_step / per_dw, g->n_thr,
            per_dw);
    } else {
        if (draw(g, 2))
            put(g, "tile a = f32 [k%d m%d]\n", g->k_step, g->m_thr);
        else
            put(g, "tile a = f32 [m%d k%d]\n", g->m_thr, g->k_step);
        put(g, "tile b = f32 [k%d n%d]\n", g->k_step, g->n_thr);
    }
    put(g, "tile c = %s [m%d n%d]\n", acc, g->m_thr, g->n_thr);
}

/* As an operand comes that is copied: a row of K as memory may have it, or a
 * lane a place of K. */
static void put_raw_tile(struct nest *g, const char *name, char row, int rows)
{
    const int per_dw = 4 / g->elem_b;
    if (per_dw > 1 && rows % per_dw == 0 && g->k_step % 8 == 0 && draw(g, 2))
        put(g, "tile %s = %s [k%d %c%d k8 %c%d]\n", name, g->out->type,
            g->k_step / 8, row, rows / per_dw, row, per_dw);
    else if (draw(g, 3))
        put(g, "tile %s = %s [k%d %c%d]\n", name, g->out->type, g->k_step, row,
            rows);
    else
        put(g, "tile %s = %s [%c%d k%d]\n", name, g->out->type, row, rows,
            g->k_step);
}

static void put_raw_tiles(struct nest *g)
{
    if (g->raw_a)
        put_raw_tile(g, "x", 'm', g->m_thr);
    if (g->raw_b)
        put_raw_tile(g, "y", 'n', g->n_thr);
}

/* One group a tile of M; its threads are tiles of N. */
static void put_body(struct nest *g)
{
    const int all_m = g->i * g->j, all_n = g->n * g->q, all_k = g->t * g->c;
    const int acc_b = 4 * g->m_thr * g->n_thr;
    const int a_b = g->m_thr * g->k_step * g->elem_b;
    const int b_b = g->n_thr * g->k_step * g->elem_b;
    put(g, "let m0: s32 = gm * %d\nlet n0: s32 = tid * %d\n", g->m_thr,
        g->n_thr);
    put(g, "alloc rc: grf[%d] align 32\ntile.zero.c(&rc[0])\n", acc_b);
    put(g, "alloc ra: grf[%d] align 32\nalloc rb: grf[%d] align 32\n", a_b,
        b_b);
    if (g->raw_a)
        put(g, "alloc xa: grf[%d] align 32\n", a_b);
    if (g->raw_b)
        put(g, "alloc xb: grf[%d] align 32\n", b_b);
    put(g,
        "for k0 in 0..%d step %d {\n"
        "tile.load.A.%s, m0, k0)\n"
        "tile.load.B.%s, n0, k0)\n"
        "%s%s"
        "tile.mul.%s.c.a.b(&rc[0], &ra[0], &rb[0])\n"
        "}\n"
        "tile.store.C.c(&rc[0], m0, n0)\n}\n",
        (all_k + g->k_step - 1) / g->k_step * g->k_step, g->k_step,
        g->raw_a ? "x(&xa[0]" : "a(&ra[0]", g->raw_b ? "y(&xb[0]" : "b(&rb[0]",
        g->raw_a ? "tile.copy.a.x(&ra[0], &xa[0])\n" : "",
        g->raw_b ? "tile.copy.b.y(&rb[0], &xb[0])\n" : "",
        g->dpas          ? "dpas"
        : g->elem_b == 1 ? "dp4a"
                         : "mad");
    g->out->groups = (all_m + g->m_thr - 1) / g->m_thr;
    g->out->threads = (all_n + g->n_thr - 1) / g->n_thr;
}

static void put_passes(struct nest *g)
{
    char *const s = g->out->passes;
    const size_t size = sizeof(g->out->passes);
    const int ahead_a = draw(g, 3), ahead_b = draw(g, 3);
    const int slots_a = ahead_a + (ahead_a ? draw(g, 2) : 1);
    const int slots_b = ahead_b + (ahead_b ? draw(g, 2) : 1);
    const int rows = g->dpas ? 8 : g->m_thr < 4 ? g->m_thr : 4;
    s[0] = 0;
    if (draw(g, 2))
        snprintf(s, size, "peel(k0) ");
    if (draw(g, 2))
        snprintf(s + strlen(s), size - strlen(s),
                 draw(g, 2) ? "split(m=%d) " : "split(m=%d n=%d) ", rows,
                 g->simd);
    if (draw(g, 4) && (!strstr(s, "peel") || g->t * g->c > g->k_step))
        snprintf(s + strlen(s), size - strlen(s),
                 "pipe(%s ahead=%d slots=%d; %s ahead=%d slots=%d; copies=%d) ",
                 g->raw_a ? "xa" : "ra", ahead_a, slots_a,
                 g->raw_b ? "xb" : "rb", ahead_b, slots_b, 1 + draw(g, 3));
}

void xk_random_nest(uint64_t seed, struct xk_random_nest *out)
{
    struct nest g = {.rng = seed * 2654435761u + 12345, .out = out};
    const char *const at = seed % 2 ? "_at: surface, " : "";
    memset(out, 0, sizeof(*out));
    for (int i = 0; i < 4; i++)
        xk_random_next(&g.rng);
    draw_shape(&g);
    put(&g, "kernel k simd %d (src: ptr.global, %s%s", g.simd, *at ? "src" : "",
        at);
    put(&g, "wei: ptr.global, %s%s", *at ? "wei" : "", at);
    put(&g, "dst: ptr.global, %s%s", *at ? "dst" : "", at);
    put(&g, "gm: group_x < %d, tid: thread < %d) {\n",
        (g.i * g.j + g.m_thr - 1) / g.m_thr,
        (g.n * g.q + g.n_thr - 1) / g.n_thr);
    put_views(&g);
    put_walks(&g);
    put_tiles(&g);
    put_raw_tiles(&g);
    put_body(&g);
    put_passes(&g);
}

void xk_random_nest_fill(const struct xk_random_nest *g, uint64_t *rng,
                         uint8_t *bytes)
{
    for (unsigned i = 0; i < XK_NEST_BUFFER_B / 4; i++) {
        const int v = (int)(xk_random_next(rng) % 9) - 4;
        const float f = (float)v;
        const uint16_t h = xk_half_from_float(f);
        if (!strcmp(g->type, "f32"))
            memcpy(bytes + 4 * (size_t)i, &f, 4);
        else if (!strcmp(g->type, "f16"))
            memcpy(bytes + 2 * (size_t)i, &h, 2);
        else
            bytes[i] = (uint8_t)(*g->type == 'u' ? v + 4 : v);
    }
}
