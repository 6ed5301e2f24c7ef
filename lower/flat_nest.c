/* SPDX-License-Identifier: Apache-2.0 */
#include "lower/flat_nest.h"

#include <stdio.h>
#include <string.h>

static const xk_expr *pointer(struct xk_flat *f, const char *name)
{
    char at[40];
    const xk_expr *const p = xk_kernel_add_param(
        &f->out->kernel, xk_var(f->c, xk_type_ptr(XK_SPACE_GLOBAL), name),
        XK_PARAM_GLOBAL, 0);
    snprintf(at, sizeof(at), "%s_at", name);
    if (f->surfaces)
        xk_kernel_add_param(&f->out->kernel,
                            xk_var(f->c, xk_type_vec(XK_DT_U32, 1), at),
                            XK_PARAM_SURFACE, 0);
    return p;
}

static const xk_expr *id(struct xk_flat *f, const char *name,
                         enum xk_param_kind kind, int64_t extent)
{
    const xk_expr *const v = xk_var(f->c, xk_type_vec(XK_DT_S32, 1), name);
    if (v)
        xk_facts_set(f->facts, v, 0, extent - 1, 1, 0);
    return xk_kernel_add_param(&f->out->kernel, v, kind, extent);
}

static void place_flat_thread(struct xk_flat *f)
{
    xk_ctx *const c = f->c;
    const int64_t thread_e = (int64_t)f->vectors * XK_FLAT_SIMD;
    const int64_t group_e = thread_e * XK_FLAT_THREADS;
    const int64_t groups = (f->n + group_e - 1) / group_e;
    f->masked = f->n % group_e != 0;
    f->out->groups[0] = (uint32_t)groups;
    f->out->groups[1] = f->out->groups[2] = 1;
    f->out->threads = XK_FLAT_THREADS;
    const xk_expr *const g = id(f, "tg_x", XK_PARAM_GROUP_X, groups);
    const xk_expr *const t = id(f, "tid", XK_PARAM_THREAD, XK_FLAT_THREADS);
    f->thread = xk_block_let(
        &f->w, "t", xk_add(c, xk_bin_imm(c, XK_OP_MUL, g, XK_FLAT_THREADS), t));
    f->first = xk_block_let(&f->w, "first",
                            xk_bin_imm(c, XK_OP_MUL, f->thread, thread_e));
}

enum xk_status xk_flat_begin(struct xk_flat *f, const char *name,
                             unsigned n_mem, const char *const *mem_name,
                             const xk_expr **mem)
{
    struct xk_kernel *const k = &f->out->kernel;
    memset(f->out, 0, sizeof(*f->out));
    snprintf(k->name, sizeof(k->name), "%s", name);
    k->simd = XK_FLAT_SIMD;
    f->facts = xk_facts_create(f->c);
    if (!f->facts)
        return xk_ctx_status(f->c);
    xk_block_init(&f->w, f->c, f->facts);
    for (unsigned i = 0; i < n_mem; i++)
        mem[i] = pointer(f, mem_name[i]);
    place_flat_thread(f);
    return XK_OK;
}

const xk_expr *xk_flat_elements(struct xk_flat *f, unsigned v)
{
    const xk_expr *const first =
        xk_bin_imm(f->c, XK_OP_ADD, f->first, (int64_t)v * XK_FLAT_SIMD);
    return xk_ramp(f->c, first, xk_s32(f->c, 1), XK_FLAT_SIMD);
}

const xk_expr *xk_flat_mask(struct xk_flat *f, unsigned v)
{
    if (!f->masked)
        return xk_bcast(f->c, xk_imm(f->c, XK_DT_BOOL, 1), XK_FLAT_SIMD);
    return xk_block_let(
        &f->w, "in", xk_bin_imm(f->c, XK_OP_LT, xk_flat_elements(f, v), f->n));
}

const xk_expr *xk_flat_value(struct xk_flat *f, enum xk_dtype dt,
                             const char *name)
{
    return xk_kernel_add_param(&f->out->kernel,
                               xk_var(f->c, xk_type_vec(dt, 1), name),
                               XK_PARAM_VALUE, 0);
}

void xk_flat_send(struct xk_flat *f, struct xk_block_writer *w,
                  const struct xk_flat_message *m)
{
    const struct xk_func func = {
        .kind = XK_FUNC_SEND,
        .u.send = {.op = (uint8_t)m->op,
                   .space = XK_SPACE_GLOBAL,
                   .addr = f->surfaces ? XK_SEND_SURFACE : XK_SEND_A64,
                   .data_b = m->data_b,
                   .vec = 1,
                   .lanes = XK_FLAT_SIMD,
                   .surface = f->surfaces
                                  ? xk_kernel_pointer(&f->out->kernel, m->mem)
                                  : 0}};
    const xk_expr *const args[4] = {xk_ptr(f->c, m->mem, xk_s32(f->c, 0)),
                                    m->off, m->reg, m->mask};
    for (unsigned i = 0; i < 4; i++)
        if (!args[i])
            return;
    xk_block_call(w, &func, args, 4);
}

enum xk_status xk_flat_end(struct xk_flat *f)
{
    f->out->kernel.body = xk_block_end(&f->w);
    xk_facts_unref(f->facts);
    if (xk_ctx_status(f->c) == XK_OK && !f->out->kernel.body)
        return xk_fail(f->c, XK_EINTERNAL, "lower: no body");
    return xk_ctx_status(f->c);
}
