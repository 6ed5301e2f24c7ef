/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binary/zebin.h"
#include "tests/ir_interp.h"
#include "xekern/device.h"

uint64_t cg_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 32 ^ *state << 32;
}

void cg_code_fini(struct cg_code *k)
{
    xk_str_fini(&k->code);
    xk_str_fini(&k->text);
}

/* cast(u64, mem) as the header pass makes it. */
static const xk_expr *address_of(xk_ctx *c, const xk_expr *mem)
{
    const struct xk_node_desc d = {.op = XK_OP_CAST,
                                   .intern = true,
                                   .type = (uint32_t)XK_DT_U64 | 1u << 16,
                                   .n_kids = 1,
                                   .kids = &mem};
    return xk_pool_make(c, &d);
}

static const xk_expr *headers(xk_ctx *c, const xk_expr *s, void *user)
{
    (void)user;
    if (xk_op(s) != XK_OP_CALL || xk_func_of(s)->kind != XK_FUNC_SEND)
        return s;
    struct xk_func f = *xk_func_of(s);
    const unsigned lanes = f.u.send.block ? 1 : f.u.send.lanes;
    const struct xk_alloc_info info = {.size_b = lanes * 8, .align_b = 32};
    const xk_expr *const h = xk_var(c, xk_type_ptr(XK_SPACE_GRF), "h");
    const xk_expr *const at = xk_ptr(c, h, xk_s32(c, 0));
    const xk_expr *const mem = xk_kid(s, 0);
    const xk_expr *const base =
        address_of(c, xk_op(mem) == XK_OP_PTR ? xk_kid(mem, 0) : mem);
    const xk_expr *const args[] = {at, xk_kid(s, 2), xk_kid(s, 3)};
    f.kind = XK_FUNC_SENDH;
    const xk_stmt *const two[] = {
        xk_store(c, at,
                 xk_add(c, xk_bcast(c, base, lanes),
                        xk_cast(c, XK_DT_U64, xk_kid(s, 1)))),
        xk_call(c, &f, args, 3)};
    return xk_alloc_stmt(c, h, info, xk_seq(c, two, 2));
}

static void make_abi(const struct xk_kernel *k, unsigned grf_count,
                     struct xk_abi *abi)
{
    uint32_t off_b = 0;
    *abi = (struct xk_abi){.platform = XK_PLATFORM_XEHPG,
                           .simd = (uint16_t)k->simd,
                           .grf_count = (uint16_t)(grf_count ? grf_count : 128),
                           .inline_b = 32,
                           .barriers = 1,
                           .local = {k->simd, 1, 1}};
    memcpy(abi->name, k->name, sizeof abi->name);
    for (unsigned i = 0; i < k->n_params; i++) {
        const struct xk_param *const p = &k->params[i];
        if (p->kind != XK_PARAM_GLOBAL && p->kind != XK_PARAM_VALUE)
            continue;
        struct xk_abi_arg *const a = &abi->args[abi->n_args++];
        strncpy(a->name, xk_var_name(p->var), sizeof a->name - 1);
        a->kind = p->kind == XK_PARAM_GLOBAL ? XK_ABI_ARG_GLOBAL_PTR
                                             : XK_ABI_ARG_VALUE;
        a->written = true;
        a->size_b = p->kind == XK_PARAM_GLOBAL
                        ? 8
                        : (uint16_t)xk_dtype_b(xk_type_of(p->var).dt);
        off_b = (off_b + a->size_b - 1) / a->size_b * a->size_b;
        a->offset_b = (uint16_t)off_b;
        off_b += a->size_b;
    }
}

static enum xk_status generate(xk_ctx *c, const struct xk_platform *p,
                               struct xk_kernel k, unsigned grf_count,
                               struct cg_code *out)
{
    memset(out, 0, sizeof *out);
    xk_str_init(&out->code, &c->alloc);
    xk_str_init(&out->text, &c->alloc);
    k.body = xk_rewrite(c, k.body, headers, NULL);
    if (!k.body)
        return xk_ctx_status(c);
    make_abi(&k, grf_count, &out->abi);
    c->verify = true;
    const struct xk_code_out to = {&out->code, &out->text, &out->stats};
    return xk_codegen(c, p, &k, &out->abi, &to);
}

enum xk_status cg_generate_on(xk_ctx *c, const struct xk_platform *p,
                              const char *text, unsigned grf_count,
                              struct cg_code *out)
{
    struct xk_kernel k;
    memset(out, 0, sizeof *out);
    const enum xk_status st = xk_kernel_parse(c, text, &k);
    return st < 0 ? st : generate(c, p, k, grf_count, out);
}

enum xk_status cg_generate(xk_ctx *c, const char *text, unsigned grf_count,
                           struct cg_code *out)
{
    return cg_generate_on(c, xk_platform_get(XK_PLATFORM_XEHPG), text,
                          grf_count, out);
}

static void interpret(xk_ctx *c, const struct xk_kernel *k,
                      const struct cg_case *t)
{
    struct xk_interp_args a = {0};
    struct xk_interp_report r;
    unsigned b = 0;
    for (unsigned i = 0; i < k->n_params; i++) {
        a.value[i] = xk_dtype_b(xk_type_of(k->params[i].var).dt) == 8
                         ? (int64_t)t->wide
                         : t->value;
        if (k->params[i].kind == XK_PARAM_GLOBAL) {
            a.buffer[i].data = t->buffer[b].data;
            a.buffer[i].size_b = t->buffer[b++].size_b;
        }
    }
    for (uint32_t g = 0; g < t->groups[0] * t->groups[1] * t->groups[2]; g++)
        for (uint32_t n = 0; n < t->n_threads; n++) {
            a.group[0] = (int32_t)(g % t->groups[0]);
            a.group[1] = (int32_t)(g / t->groups[0] % t->groups[1]);
            a.group[2] = (int32_t)(g / t->groups[0] / t->groups[1]);
            a.thread = (int32_t)n;
            if (xk_interp_run(c, k, &a, &r) < 0)
                ck_abort_msg("interpreter: %s\n%s", r.message, t->text);
        }
}

struct device {
    xk_device *d;
    xk_module *m;
    xk_buffer *b[CG_MAX_BUFFERS];
};

static void need(enum xk_status st, const struct xk_error *err,
                 const struct cg_code *code)
{
    if (st == XK_OK)
        return;
    fprintf(stderr, "%s", xk_str_get(&code->text));
    ck_abort_msg("%s: %s", xk_status_str(st), err->message);
}

static void launch(struct device *v, const struct cg_case *t,
                   const struct cg_code *code)
{
    struct xk_error err = {0};
    struct xk_launch_arg args[XK_ABI_MAX_ARGS] = {0};
    unsigned n = 0;
    for (unsigned i = 0; i < code->abi.n_args; i++) {
        if (code->abi.args[i].kind == XK_ABI_ARG_VALUE) {
            args[i].size_b = code->abi.args[i].size_b;
            args[i].value =
                args[i].size_b == 8 ? (const void *)&t->wide : &t->value;
            continue;
        }
        const size_t size_b = t->buffer[n].size_b;
        need(xk_buffer_create(v->d, size_b, &v->b[n], &err), &err, code);
        need(xk_buffer_write(v->b[n], 0, t->buffer[n].data, size_b, &err), &err,
             code);
        args[i].buffer = v->b[n++];
    }
    const uint32_t local[3] = {t->n_threads * code->abi.simd, 1, 1};
    need(xk_launch(v->m,
                   &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                            code->abi.name, t->groups, local,
                                            code->abi.n_args, args},
                   NULL, &err),
         &err, code);
    for (unsigned i = 0; i < n; i++)
        need(xk_buffer_read(v->b[i], 0, t->buffer[i].data, t->buffer[i].size_b,
                            &err),
             &err, code);
}

void cg_run_code(const struct cg_case *t, const struct cg_code *code)
{
    struct device v = {0};
    struct xk_error err = {0};
    struct xk_str zebin;
    struct xk_abi abi = code->abi;
    xk_ctx *const c = xk_ctx_create(NULL);
    abi.local[0] = t->n_threads * abi.simd;
    xk_str_init(&zebin, NULL);
    need(xk_zebin_write_kernel(c, &abi, code->code.s, (uint32_t)code->code.len,
                               &zebin),
         &c->error, code);
    need(xk_device_create("sim", "xehpg", 1, &v.d, &err), &err, code);
    need(xk_module_create(v.d, zebin.s, zebin.len, &v.m, &err), &err, code);
    launch(&v, t, code);
    for (unsigned i = 0; i < CG_MAX_BUFFERS; i++)
        xk_buffer_unref(v.b[i]);
    xk_module_unref(v.m);
    xk_device_unref(v.d);
    xk_str_fini(&zebin);
    xk_ctx_destroy(c);
}

static void compare(const struct cg_case *t, void *const *want,
                    const struct cg_code *code)
{
    for (unsigned b = 0; b < CG_MAX_BUFFERS; b++)
        for (size_t i = 0; i + 4 <= t->buffer[b].size_b; i += 4) {
            uint32_t x, y;
            memcpy(&x, (char *)want[b] + i, 4);
            memcpy(&y, (char *)t->buffer[b].data + i, 4);
            if (x == y)
                continue;
            fprintf(stderr, "%s\n%s", t->text, xk_str_get(&code->text));
            ck_abort_msg("buffer %u dword %zu: interpreter 0x%x, code 0x%x", b,
                         i / 4, x, y);
        }
}

void cg_run(const struct cg_case *t)
{
    struct xk_kernel k;
    struct cg_code code;
    struct cg_case ref = *t;
    void *want[CG_MAX_BUFFERS] = {0};
    xk_ctx *const c = xk_ctx_create(NULL);
    if (xk_kernel_parse(c, t->text, &k) < 0)
        ck_abort_msg("%s\n%s", c->error.message, t->text);
    for (unsigned b = 0; b < CG_MAX_BUFFERS; b++) {
        want[b] = malloc(t->buffer[b].size_b + 1);
        if (t->buffer[b].size_b)
            memcpy(want[b], t->buffer[b].data, t->buffer[b].size_b);
        ref.buffer[b].data = want[b];
    }
    interpret(c, &k, &ref);
    if (generate(c, xk_platform_get(XK_PLATFORM_XEHPG), k, t->grf_count,
                 &code) < 0)
        ck_abort_msg("%s\n%s", c->error.message, t->text);
    cg_run_code(t, &code);
    compare(t, want, &code);
    for (unsigned b = 0; b < CG_MAX_BUFFERS; b++)
        free(want[b]);
    cg_code_fini(&code);
    ck_assert_uint_eq(xk_ctx_destroy(c), 0);
}
