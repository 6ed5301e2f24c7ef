/* SPDX-License-Identifier: Apache-2.0 */
#include "many_program.h"

#include <stdio.h>
#include <string.h>

#include "base/launch_list.h"
#include "launches_lab.h"
#include "tests/tap.h"

const struct many_values many_values = {-5, 300, 0.5f, 77};

int32_t many_element(int b, int e)
{
    return b * 1000 + e;
}

float many_expected(int n, int e)
{
    const struct many_values *const v = &many_values;
    int sum = v->x + (int)v->wide + v->z + 1000000;
    for (int i = 0; i < n; i++)
        sum += many_element(i, e);
    return (float)sum * v->y;
}

static struct xk_program_arg_info argument(uint32_t number, const char *name,
                                           uint64_t size_b)
{
    struct xk_program_arg_info a = {.number = number, .size_b = size_b};
    snprintf(a.name, sizeof a.name, "%s", name);
    return a;
}

static void print_way(struct xk_str *s, const char *op, bool surfaces, int k)
{
    xk_str_printf(s, "send.%s.global.", op);
    if (surfaces)
        xk_str_printf(s, "surface%d", k);
    else
        xk_str_puts(s, "a64");
    xk_str_puts(s, ".d32x1.s16");
}

static void print_sum(struct xk_str *s, int n, bool surfaces)
{
    xk_str_puts(s, "let e: s32x16 = ramp.16((g * 2 + t) * 64, 4)\n"
                   "alloc v: grf[64]\nalloc sum: grf[64]\n"
                   "store &sum[0] = bcast.16(x + cast.s32(wide) + z "
                   "+ cast.s32(w))\n");
    for (int i = 0; i < n; i++) {
        xk_str_puts(s, "scope {\n");
        print_way(s, "load", surfaces, i);
        xk_str_printf(s,
                      "(&b%d[0], e, &v[0], bcast.16(true))\n"
                      "load a: s32x16 = &v[0]\nload b: s32x16 = &sum[0]\n"
                      "store &sum[0] = a + b\n}\n",
                      i);
    }
    xk_str_puts(s, "load f: s32x16 = &sum[0]\n"
                   "store &sum[0] = cast.f32(f) * bcast.16(y)\n");
    print_way(s, "store", surfaces, n);
    xk_str_puts(s, "(&dst[0], e, &sum[0], bcast.16(true))\n}\n");
}

static void print_many(struct xk_str *s, int n, bool surfaces)
{
    xk_str_puts(s, "kernel many simd 16 (");
    for (int i = 0; i < n; i++)
        xk_str_printf(s,
                      surfaces ? "b%d: ptr.global, b%d_at: surface, "
                               : "b%d: ptr.global, ",
                      i, i);
    xk_str_printf(s,
                  "x: s32, dst: ptr.global, %swide: s64, y: f32, z: s32, "
                  "w: s64, g: group_x < 4, t: thread < 2) {\n",
                  surfaces ? "dst_at: surface, " : "");
    print_sum(s, n, surfaces);
}

/* The constant comes from the program, the other values from the caller. */
static unsigned set_arguments(int n, struct xk_program_arg_info *arg,
                              struct xk_bind *bind)
{
    static const char *const names[] = {"dst", "x", "wide", "y", "z"};
    static const uint32_t types[] = {XK_VALUE_NONE, XK_VALUE_S32, XK_VALUE_S64,
                                     XK_VALUE_F32, XK_VALUE_S32};
    for (unsigned i = 0; i < (unsigned)n + MANY_OTHERS; i++) {
        const unsigned k = i - (unsigned)n;
        const uint32_t type = i < (unsigned)n ? XK_VALUE_NONE : types[k];
        char name[16];
        snprintf(name, sizeof name, "b%u", i);
        arg[i] = argument(i, i < (unsigned)n ? name : names[k],
                          type ? xk_value_type_b(type) : MANY_E * 4);
        arg[i].type = type;
        arg[i].written = i == (unsigned)n;
        bind[i] =
            (struct xk_bind){.binding = type ? XK_BIND_VALUE : XK_BIND_TENSOR,
                             .number = (uint8_t)i};
        memcpy(bind[i].name, arg[i].name, sizeof bind[i].name);
    }
    bind[n + MANY_OTHERS] = (struct xk_bind){"w", XK_BIND_CONSTANT, 0, 1000000};
    return (unsigned)n + MANY_OTHERS;
}

xk_program *many_program(int n, bool surfaces)
{
    struct xk_program_arg_info arg[MANY_ARGS_MAX];
    struct xk_bind bind[MANY_ARGS_MAX + 1];
    struct xk_kernel k;
    struct xk_str text;
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_str_init(&text, NULL);
    print_many(&text, n, surfaces);
    ck_assert_msg(xk_kernel_parse(c, xk_str_get(&text), &k) == XK_OK, "%s",
                  c->error.message);
    const unsigned n_args = set_arguments(n, arg, bind);
    const struct xk_launch l = {.kind = XK_LAUNCH_IR,
                                .name = "many",
                                .u.ir = {.ir = &k,
                                         .written = "dst",
                                         .threads = 2,
                                         .groups = {4, 1, 1},
                                         .grf_count = 128,
                                         .surfaces = surfaces},
                                .n_binds = n_args + 1,
                                .bind = bind};
    const struct xk_launches all = {
        .n_args = n_args, .args = arg, .n = 1, .at = &l};
    xk_program *const p = lab_must_make_in(c, &all);
    xk_str_fini(&text);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
    return p;
}
