/* SPDX-License-Identifier: Apache-2.0 */
#include "launches_lab.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static xk_program *make(xk_ctx *c, const struct xk_launches *l)
{
    static const struct xk_conv_info info = {.size = sizeof info};
    struct xk_gen g = {.c = c, .platform = xk_platform_get(XK_PLATFORM_XEHPG)};
    xk_program *p = NULL;
    ck_assert_ptr_nonnull(c);
    xk_str_init(&g.text, NULL);
    xk_trace_init(&g.trace, NULL, "lab");
    c->verify = true;
    const enum xk_status s =
        xk_launches_make(&g, l, &info, &xk_alloc_default, &p);
    xk_str_fini(&g.text);
    ck_assert_int_eq(s, c->error.status);
    ck_assert_int_eq(p == NULL, s < 0);
    return p;
}

xk_program *lab_make(const struct xk_launches *l, struct xk_error *err)
{
    xk_ctx *const c = xk_ctx_create(NULL);
    xk_program *const p = make(c, l);
    *err = c->error;
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
    return p;
}

xk_program *lab_make_in(xk_ctx *c, const struct xk_launches *l)
{
    return make(c, l);
}

xk_program *lab_must_make_in(xk_ctx *c, const struct xk_launches *l)
{
    xk_program *const p = make(c, l);
    ck_assert_msg(p != NULL, "%s", c->error.message);
    return p;
}

xk_program *lab_must_make(const struct xk_launches *l)
{
    struct xk_error err;
    xk_program *const p = lab_make(l, &err);
    ck_assert_msg(p != NULL, "%s", err.message);
    return p;
}

static void need(enum xk_status s, const struct xk_error *err)
{
    ck_assert_msg(s == XK_OK, "%s", err->message);
}

struct device {
    xk_device *d;
    xk_module *m;
    xk_buffer *buffer[XK_MAX_LAUNCH_ARGS];
};

static void open_device(struct device *v, const xk_program *p,
                        const struct xk_simulate_opts *look)
{
    const struct xk_launch_info *const first = xk_program_launch(p, 0);
    struct xk_error err;
    need(xk_device_create("sim", "xehpg", 1, &v->d, &err), &err);
    need(xk_simulate_configure(v->d, look, &err), &err);
    need(xk_module_create(v->d, first->zebin, first->zebin_b, &v->m, &err),
         &err);
}

/* A block with NaNs of every type; NULL: of no bytes. */
static xk_buffer *rubbish(xk_device *d, uint64_t size_b)
{
    struct xk_error err;
    xk_buffer *b;
    if (!size_b)
        return NULL;
    void *const ones = malloc(size_b);
    ck_assert_ptr_nonnull(ones);
    memset(ones, 0xff, size_b);
    need(xk_buffer_create(d, size_b, &b, &err), &err);
    need(xk_buffer_write(b, 0, ones, size_b, &err), &err);
    free(ones);
    return b;
}

void lab_run(const xk_program *p, const struct lab_arg *arg)
{
    const struct xk_simulate_opts all = {.checks = "all"};
    lab_run_seen(p, arg, &all);
}

void lab_run_seen(const xk_program *p, const struct lab_arg *arg,
                  const struct xk_simulate_opts *look)
{
    const struct xk_launch_list *const l = xk_program_launches(p);
    struct xk_launch_arg a[XK_MAX_LAUNCH_ARGS] = {{0}};
    struct device v = {0};
    struct xk_error err;
    open_device(&v, p, look);
    for (uint32_t i = 0; i < l->n_args; i++) {
        const uint32_t k = l->args[i].number;
        if (l->args[i].type != XK_VALUE_NONE) {
            a[k].value = arg[k].data;
            a[k].size_b = (uint32_t)arg[k].size_b;
            continue;
        }
        need(xk_buffer_create(v.d, arg[k].size_b, &v.buffer[k], &err), &err);
        need(xk_buffer_write(v.buffer[k], 0, arg[k].data, arg[k].size_b, &err),
             &err);
        a[k].buffer = v.buffer[k];
    }
    const struct xk_run_opts o = {.size = sizeof o,
                                  .n_args = XK_MAX_LAUNCH_ARGS,
                                  .args = a,
                                  .scratch = rubbish(v.d, l->scratch_b)};
    need(xk_module_run(v.m, &o, NULL, &err), &err);
    xk_buffer_unref(o.scratch);
    for (uint32_t k = 0; k < XK_MAX_LAUNCH_ARGS; k++) {
        if (v.buffer[k])
            need(xk_buffer_read(v.buffer[k], 0, arg[k].data, arg[k].size_b,
                                &err),
                 &err);
        xk_buffer_unref(v.buffer[k]);
    }
    xk_module_unref(v.m);
    xk_device_unref(v.d);
}
