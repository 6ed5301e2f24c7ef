/* SPDX-License-Identifier: Apache-2.0 */
/* Tilings: print -> parse -> print, what is refused, and what positions mean.
 */
#include "ir/tiles.h"

#include <stdio.h>
#include <string.h>

#include "tests/ir/suites.h"
#include "tests/ir_interp.h"

#define HEAD                                                                   \
    "kernel k simd 8 (src: ptr.global, wei: ptr.global, dst: ptr.global, "     \
    "g: group_x < 8) {\n"

static const char *const bodies[] = {
    "    index i 256, j 64, p 128\n"
    "    view A = src f16[256,128] ab [i, p]\n"
    "    view B = wei f16[128,64] ba [p, j]\n"
    "    view C = dst f32[256,64] ab [i, j]\n"
    "    walk m = i, n = j, k = p/16 p%16\n"
    "    tile a = f16 [m4 k8 m8 k2]\n"
    "    tile b = f16 [n32 k16]\n"
    "    tile c = f32 [n4 m4 n8 m8]\n"
    "    alloc acc: grf[4096]\n"
    "    alloc ra: grf[1024]\n"
    "    alloc rb: grf[1024]\n"
    "    tile.zero.c(&acc[0])\n"
    "    for k0 in 0..128 step 16 {\n"
    "        tile.load.A.a(&ra[0], g * 32, k0)\n"
    "        tile.load.B.b[n 0+16](&rb[0], 0, k0)\n"
    "        tile.mul.dpas.c.a.b[m 8+8, n 0+16](&acc[0], &ra[0], &rb[0])\n"
    "    }\n"
    "    tile.store.C.c(&acc[0], g * 32, 0)\n",
    /* conditions, intervals, fills, gaps, negative steps, a batch */
    "    index mb 16, oh 56, kh 3, ic 20, t 4\n"
    "    view A = src u8[16,20,56] aBc4b [mb, ic, 2*oh - kh + 1 in 1..55 | "
    "oh - kh in 0..1] fill -3\n"
    "    view Z = wei f32[4,20] [a4:32 b20] [-t + 3, ic]\n"
    "    walk b = mb, m = oh, k = ic/4 kh ic%4 t\n"
    "    tile x = u8 [b1 m8:64 k4]\n"
    "    alloc r: grf[512]\n"
    "    tile.load.A.x(&r[0], 0, 0, 0)\n",
    /* sums of fours along k */
    "    index j 64, p 128\n"
    "    view B = wei s8[128,64] ba [p, j]\n"
    "    walk n = j, k = p\n"
    "    tile b = s8 [n16 k32]\n"
    "    tile s = s32 [n16 k8]\n"
    "    alloc rb: grf[512]\n"
    "    alloc rs: grf[512]\n"
    "    alloc ones: grf[4]\n"
    "    for k0 in 0..128 step 32 {\n"
    "        tile.load.B.b(&rb[0], 0, k0)\n"
    "        tile.dot.s.b[n 8+8](&rs[0], &rb[0], &ones[0])\n"
    "    }\n",
};

static const struct {
    const char *body, *message;
} refused[] = {
    {"index i 0\nwalk m = i\n", "index i has an extent of 0"},
    {"index i 8, i 8\nwalk m = i\n", "index i is declared twice"},
    {"index i 8\n", "walk m does not have each part of index i once"},
    {"index i 8\nwalk m = i/2\n", "each part of index i once"},
    {"index i 8\nwalk m = i i\n", "each part of index i once"},
    {"index i 8\nwalk m = i/2 i%4\n", "each part of index i once"},
    {"index i 8\nwalk m = i%4\n", "each part of index i once"},
    {"index i 8\nwalk m = i, k = i\n", "is in walk m and in walk k"},
    {"index i 8\nwalk m = i, m = i\n", "declared twice, before"},
    {"index i 8\nwalk q = i\n", "expected a walk"},
    {"index i 8\nwalk m = j\n", "no such index"},
    {"index i 99999, j 99999\nwalk m = i j\n", "more than 2147483647"},
    {"index i 8\nview A = nil f16[8] a [i]\nwalk m = i\n", "no such variable"},
    {"index i 8\nview A = src f16[8] a [h]\nwalk m = i\n", "no such index"},
    {"index i 8\nview A = src f16[8,8] ab [i]\nwalk m = i\n",
     "1 coordinates for 2 dims"},
    {"index i 8\nview A = src f16[8] a [i in 0..9]\nwalk m = i\n",
     "0..9 is no interval of its coordinate 0"},
    {"index i 8\nview A = src f16[8] a [i | i]\nwalk m = i\n",
     "a condition has an interval"},
    {"index i 8\nview A = src f16[8] xyz [i]\nwalk m = i\n", "unknown letter"},
    {"index i 8\nview long = src f16[8] a [i]\nwalk m = i\n",
     "at most 3 characters"},
    {"index i 8\nview A = src f16[8] a [i], A = src f16[8] a [i]\nwalk m = i\n",
     "view A is declared twice"},
    {"tile a = f16 [m8:0 k2]\n", "a stride is at least 1"},
    {"tile a = f16 [m8:1 k2]\n", "elements of tile a share a place"},
    {"tile a = f16 [q8]\n", "no such dim"},
    {"tile a = f16 [m8], a = f16 [m8]\n", "tile a is declared twice"},
};

static void whole(char *out, size_t cap, const char *body)
{
    snprintf(out, cap, "%s%s}\n", HEAD, body);
}

START_TEST(round_trip)
{
    char text[4096];
    struct xk_kernel k, again;
    struct xk_str out;
    xk_ctx *const c = xk_ctx_create(NULL);
    whole(text, sizeof(text), bodies[_i]);
    xk_str_init(&out, NULL);
    ck_assert_msg(xk_kernel_parse(c, text, &k) == XK_OK, "%s",
                  c->error.message);
    ck_assert_msg(xk_kernel_verify(c, &k, NULL, NULL) == XK_OK, "%s",
                  c->error.message);
    xk_kernel_print(&k, &out);
    ck_assert_str_eq(xk_str_get(&out), text);
    ck_assert_int_eq(xk_kernel_parse(c, xk_str_get(&out), &again), XK_OK);
    ck_assert(xk_has(k.body, XK_HAS_TILES));
    xk_str_fini(&out);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(refuses)
{
    char text[4096];
    struct xk_kernel k;
    xk_ctx *const c = xk_ctx_create(NULL);
    whole(text, sizeof(text), refused[_i].body);
    ck_assert_int_ne(xk_kernel_parse(c, text, &k), XK_OK);
    ck_assert_msg(strstr(c->error.message, refused[_i].message) != NULL,
                  "%s instead of %s", c->error.message, refused[_i].message);
    xk_ctx_destroy(c);
}
END_TEST

/* Calls under the first body's tiling, and why the verifier refuses them. */
static const struct {
    const char *call, *message;
} bad_calls[] = {
    {"tile.load.A.a(&r[0], 0)", "a position for each of its roles"},
    {"tile.load.Z.a(&r[0], 0, 0)", "no such view"},
    {"tile.load.A.z(&r[0], 0, 0)", "no such tile"},
    {"tile.load.A.a[m 24+16](&r[0], 0, 0)", "the part is beyond it"},
    {"tile.load.A.a[n 0+8](&r[0], 0, 0)", "that its tiles do not have"},
    {"tile.load.A.a(&src[0], 0, 0)", "registers or SLM"},
    {"tile.load.A.a(&r[0], 0, ramp.8(0, 1))", "s32 scalars"},
    {"tile.load.B.a(&r[0], 0, 0)", "whose role the tile does not have"},
    {"tile.zero.a(&r[0], 0)", "the tile alone"},
    {"tile.mul.mad.c.a.b(&r[0], &r[0])", "needs c, a and b"},
    {"tile.mul.mad.a.c.b(&r[0], &r[0], &r[0])", "c has m and n"},
    {"tile.mul.mad.d.a.b(&r[0], &r[0], &r[0])", "differ in a role's extent"},
    {"tile.copy.a.a(&r[0])", "needs two tiles"},
    {"tile.copy.a.b(&r[0], &r[0])", "differ in a role or its extent"},
    {"tile.copy.a.a(&r[0], 0)", "registers or SLM"},
    {"tile.copy.a.z(&r[0], &r[0])", "no such tile"},
    {"tile.dot.b.b(&r[0], &r[0])", "needs two tiles and four bytes"},
    {"tile.dot.b.b(&r[0], &r[0], 0)", "registers or SLM"},
    {"tile.dot.a.b(&r[0], &r[0], &r[0])", "its tiles have n and k"},
    {"tile.dot.b.b(&r[0], &r[0], &r[0])", "four places of k for each of s"},
    {"tile.dot.b.b[n 0+8](&r[0], &r[0], &r[0])", "four places of k"},
};

START_TEST(verifier_refuses)
{
    char text[4096];
    struct xk_kernel k;
    const char *const end = strstr(bodies[0], "    alloc acc");
    xk_ctx *const c = xk_ctx_create(NULL);
    snprintf(
        text, sizeof(text),
        "%s%.*s    tile d = f32 [n2 m8]\n    alloc r: grf[64]\n    %s\n}\n",
        HEAD, (int)(end - bodies[0]), bodies[0], bad_calls[_i].call);
    ck_assert_msg(xk_kernel_parse(c, text, &k) == XK_OK, "%s",
                  c->error.message);
    ck_assert_int_eq(xk_kernel_verify(c, &k, NULL, NULL), XK_EINVAL);
    ck_assert_msg(strstr(c->error.message, bad_calls[_i].message) != NULL,
                  "%s instead of %s", c->error.message, bad_calls[_i].message);
    xk_ctx_destroy(c);
}
END_TEST

START_TEST(a_tile_needs_a_tiling)
{
    char text[512];
    struct xk_kernel k;
    xk_ctx *const c = xk_ctx_create(NULL);
    whole(text, sizeof(text), "alloc r: grf[64]\ntile.zero.a(&r[0])\n");
    ck_assert_int_eq(xk_kernel_parse(c, text, &k), XK_OK);
    ck_assert_int_eq(xk_kernel_verify(c, &k, NULL, NULL), XK_EINVAL);
    ck_assert(strstr(c->error.message, "no tiling around it") != NULL);
    xk_ctx_destroy(c);
}
END_TEST

/* Counting upwards visits digits as an odometer, the last one fastest. */
START_TEST(positions_count_digits)
{
    struct xk_tiling t = {
        .n_index = 2, .index = {{"ic", 20, XK_ROLE_K}, {"kh", 3, XK_ROLE_K}}};
    int64_t at[XK_MAX_INDEX], next = 0;
    struct xk_digits *const w = &t.walk[XK_ROLE_K];
    w->n = 3;
    w->at[0] = (struct xk_digit){0, 16, 0};
    w->at[1] = (struct xk_digit){1, 1, 0};
    w->at[2] = (struct xk_digit){0, 1, 16};
    ck_assert_int_eq(xk_walk_extent(&t, XK_ROLE_K), 2 * 3 * 16);
    for (int64_t high = 0; high < 3; high++)
        for (int64_t kh = 0; kh < 3; kh++)
            for (int64_t low = 0; low < 16; low++) {
                xk_walk_place(&t, XK_ROLE_K, next++, at);
                ck_assert_int_eq(at[0], 16 * high + low);
                ck_assert_int_eq(at[1], kh);
            }
}
END_TEST

/* The interpreter's meaning: a small product with a tail in m, n and k, beside
 * a plain loop. */
START_TEST(interpreted)
{
    static const char text[] =
        "kernel k simd 8 (src: ptr.global, wei: ptr.global, dst: ptr.global) "
        "{\n"
        "    index i 7, j 5, p 11\n"
        "    view A = src f32[7,11] ab [i, p]\n"
        "    view B = wei f32[5,11] ba [4 - j, p]\n"
        "    view C = dst f32[7,5] ba [i, j]\n"
        "    walk m = i, n = j, k = p\n"
        "    tile a = f32 [m4 k4]\n"
        "    tile b = f32 [k4 n8]\n"
        "    tile c = f32 [m4 n8]\n"
        "    for m0 in 0..7 step 4 {\n"
        "        alloc rc: grf[128]\n"
        "        alloc ra: grf[64]\n"
        "        alloc rb: grf[128]\n"
        "        tile.zero.c(&rc[0])\n"
        "        for k0 in 0..11 step 4 {\n"
        "            tile.load.A.a(&ra[0], m0, k0)\n"
        "            tile.load.B.b(&rb[0], 0, k0)\n"
        "            tile.mul.mad.c.a.b[m 0+2](&rc[0], &ra[0], &rb[0])\n"
        "            tile.mul.mad.c.a.b[m 2+2](&rc[0], &ra[0], &rb[0])\n"
        "        }\n"
        "        tile.store.C.c(&rc[0], m0, 0)\n"
        "    }\n"
        "}\n";
    float a[7][11], b[11][5], d[5][7];
    struct xk_kernel k;
    struct xk_interp_args args = {
        .buffer = {{a, sizeof(a)}, {b, sizeof(b)}, {d, sizeof(d)}}};
    struct xk_interp_report report;
    xk_ctx *const c = xk_ctx_create(NULL);
    for (int p = 0; p < 11; p++) {
        for (int i = 0; i < 7; i++)
            a[i][p] = (float)(i * 3 + p % 5 - 4);
        for (int j = 0; j < 5; j++)
            b[p][j] = (float)(j + 2 * p - 7);
    }
    ck_assert_msg(xk_kernel_parse(c, text, &k) == XK_OK, "%s",
                  c->error.message);
    ck_assert_msg(xk_kernel_verify(c, &k, NULL, NULL) == XK_OK, "%s",
                  c->error.message);
    ck_assert_msg(xk_interp_run(c, &k, &args, &report) == XK_OK, "%s",
                  report.message);
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 5; j++) {
            float sum = 0;
            for (int p = 0; p < 11; p++)
                sum += a[i][p] * b[p][4 - j];
            ck_assert_float_eq(d[j][i], sum);
        }
    xk_ctx_destroy(c);
}
END_TEST

TCase *ir_tiling_cases(void)
{
    TCase *const t = tcase_create("tiling");
    tcase_add_loop_test(t, round_trip, 0, XK_COUNTOF(bodies));
    tcase_add_loop_test(t, refuses, 0, XK_COUNTOF(refused));
    tcase_add_loop_test(t, verifier_refuses, 0, XK_COUNTOF(bad_calls));
    tcase_add_test(t, a_tile_needs_a_tiling);
    tcase_add_test(t, positions_count_digits);
    tcase_add_test(t, interpreted);
    return t;
}
