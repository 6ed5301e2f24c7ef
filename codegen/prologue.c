/* SPDX-License-Identifier: Apache-2.0 */
/* Entry of a kernel: what the hardware left in r0 and r1 becomes the
 * kernel's parameters (isa.md 10). The first inline_b bytes of the arguments
 * are in r1; the rest lies in memory at the 32-bit address r0.0[31:6]. */
#include <string.h>

#include "codegen/cg.h"
#include "isa/message.h"

#define R0_ARGS_MASK 0xffffffc0u
#define R0_GROUP_X_B 4
#define R0_GROUP_Y_B 24
#define R0_GROUP_Z_B 28
#define R0_THREAD_B 8
#define THREAD_MASK 0xff
#define CR0_DENORM_KEEP 0x4c0 /* f64, f32, f16 */
#define BTI_STATELESS 255

static const struct xk_abi_arg *find_arg(const struct xk_cg *g,
                                         const char *name)
{
    for (uint32_t i = 0; i < g->abi->n_args; i++)
        if (strcmp(g->abi->args[i].name, name) == 0)
            return &g->abi->args[i];
    return NULL;
}

static uint32_t args_end_b(const struct xk_abi *abi)
{
    uint32_t end_b = 0;
    for (uint32_t i = 0; i < abi->n_args; i++)
        if (abi->args[i].offset_b + abi->args[i].size_b > end_b)
            end_b = abi->args[i].offset_b + abi->args[i].size_b;
    return end_b;
}

/* Block loads of 2, 1 GRFs at a time into `tile`. The message is IGC's
 * (visa/PrologEpilog.cpp, loadFromMemoryLscBti), with its cache policy. */
static void load_rest(struct xk_cg *g, uint32_t tile, uint32_t n_grf)
{
    const uint32_t grf_b = g->p->grf_b;
    const struct xk_cg_val r00 = xk_cg_reg(XK_DT_U32, g->r0, 0, 0);
    const struct xk_cg_val mask = xk_cg_imm(XK_DT_U32, R0_ARGS_MASK);
    const int cached =
        xk_msg_cache_code(g->p, XK_MOP_LOAD, XK_CACHE_CA, XK_CACHE_CA);
    struct xk_cg_val base = {.kind = XK_CG_NONE};
    if (g->old_ports) {
        base = xk_cg_reg(XK_DT_U32, xk_cg_tile_new(g, grf_b, grf_b), 0, 0);
        xk_cg_op2(g, XK_OPC_AND, &base, &r00, &mask, 1);
        xk_cg_old_arguments(g, &base, tile, n_grf);
        return;
    }
    for (uint32_t at = 0, n; at < n_grf; at += n) {
        n = n_grf - at >= 2 ? 2 : 1;
        const struct xk_cg_val head =
            xk_cg_reg(XK_DT_U32, xk_cg_tile_new(g, grf_b, grf_b), 0, 0);
        const struct xk_cg_val off = xk_cg_imm(XK_DT_U32, at * grf_b);
        if (at == 0)
            xk_cg_op2(g, XK_OPC_AND, &head, &r00, &mask, 1);
        else
            xk_cg_op2(g, XK_OPC_ADD, &head, &base, &off, 1);
        if (at == 0)
            base = head;
        struct xk_msg m = {.kind = XK_MSG_LSC_LOAD,
                           .sfid = XK_SFID_UGM,
                           .addr_type = XK_LSC_BTI,
                           .bti = BTI_STATELESS,
                           .addr_b = 4,
                           .data_b = 4,
                           .reg_b = 4,
                           .vec = (uint8_t)(8 * n),
                           .transpose = true,
                           .cache = cached < 0 ? 0 : (uint8_t)cached};
        struct xk_error err = {0};
        struct xk_inst *const i = xk_cg_send(g, &m, 1);
        const struct xk_cg_val to = xk_cg_reg(XK_DT_U32, tile, at * grf_b, 1);
        i->dst = xk_cg_dst(&to, 0);
        i->src[0] = xk_cg_dst(&head, 0);
        if (xk_msg_build(g->p, &m, i, &err) < 0)
            xk_fail(g->c, err.status, "codegen: arguments: %s", err.message);
    }
}

/* What the data holds for parameter p: a pointer, a value, or, for SURFACE,
 * what belongs to the pointer before it. */
static enum xk_status bind_param(struct xk_cg *g, unsigned p, uint32_t rest)
{
    const struct xk_param *const q = &g->k->params[p];
    const bool at = q->kind == XK_PARAM_SURFACE;
    const struct xk_abi_arg *const a =
        find_arg(g, xk_var_name(g->k->params[at ? p - 1 : p].var));
    const bool ptr = q->kind == XK_PARAM_GLOBAL;
    const uint8_t dt = ptr ? XK_DT_U64 : xk_type_of(q->var).dt;
    if (!a)
        return xk_fail(g->c, XK_EINVAL,
                       "codegen: the ABI record has no "
                       "argument %s",
                       xk_var_name(q->var));
    if (at && a->kind != XK_ABI_ARG_SURFACE)
        return xk_fail(g->c, XK_EINVAL, "codegen: argument %s has no surface",
                       a->name);
    if (ptr && a->kind == XK_ABI_ARG_SURFACE)
        return XK_OK; /* no address: messages name its surface */
    if (a->size_b != xk_dtype_b(dt) || a->offset_b % a->size_b)
        return xk_fail(g->c, XK_EINVAL,
                       "codegen: argument %s: %u bytes at "
                       "offset %u",
                       a->name, a->size_b, a->offset_b);
    struct xk_cg_var *const v = xk_cg_bind(g, q->var);
    if (!v)
        return xk_ctx_status(g->c);
    const bool in_r1 = a->offset_b + a->size_b <= g->abi->inline_b;
    v->bind = XK_CG_VALUE;
    v->val = xk_cg_reg(
        dt, in_r1 ? g->r1 : rest,
        in_r1 ? a->offset_b : (uint32_t)a->offset_b - g->abi->inline_b, 0);
    return XK_OK;
}

static enum xk_status bind_id(struct xk_cg *g, unsigned p)
{
    const struct xk_param *const q = &g->k->params[p];
    const int64_t extent = g->k->extent[p];
    struct xk_cg_val v = xk_cg_reg(XK_DT_S32, g->r0, R0_GROUP_X_B, 0);
    int64_t hi = extent > 0 ? extent - 1 : INT32_MAX;
    if (q->kind == XK_PARAM_GROUP_Y)
        v.sub_b = R0_GROUP_Y_B;
    if (q->kind == XK_PARAM_GROUP_Z)
        v.sub_b = R0_GROUP_Z_B;
    if (q->kind == XK_PARAM_THREAD) {
        const struct xk_cg_val mask = xk_cg_imm(XK_DT_S32, THREAD_MASK);
        const struct xk_cg_val t = xk_cg_temp(g, XK_DT_S32, 1);
        v.sub_b = R0_THREAD_B;
        xk_cg_op2(g, XK_OPC_AND, &t, &v, &mask, 1);
        v = t;
        hi = hi < THREAD_MASK ? hi : THREAD_MASK;
    }
    struct xk_cg_var *const var = xk_cg_bind(g, q->var);
    if (!var)
        return xk_ctx_status(g->c);
    var->bind = XK_CG_VALUE;
    var->val = v;
    var->range = (struct xk_cg_range){0, hi};
    return XK_OK;
}

void xk_cg_eight_lanes(struct xk_cg *g, const struct xk_cg_val *to)
{
    struct xk_inst *const i = xk_cg_emit(g, XK_OPC_MOV, 8);
    i->dst = xk_cg_dst(to, 0);
    i->src[0] = (struct xk_operand){
        .file = XK_FILE_IMM, .type = XK_RT_UV, .imm = 0x76543210};
}

/* u16 lane numbers 0..15. */
static enum xk_status lane_numbers(struct xk_cg *g)
{
    if (!g->has_ramp)
        return xk_ctx_status(g->c);
    g->lane_tile = xk_cg_tile_new(g, g->p->grf_b, g->p->grf_b);
    const struct xk_cg_val lo = xk_cg_reg(XK_DT_U16, g->lane_tile, 0, 1);
    const struct xk_cg_val hi = xk_cg_reg(XK_DT_U16, g->lane_tile, 16, 1);
    const struct xk_cg_val eight = xk_cg_imm(XK_DT_U16, 8);
    xk_cg_eight_lanes(g, &lo);
    xk_cg_op2(g, XK_OPC_ADD, &hi, &lo, &eight, 8);
    return xk_ctx_status(g->c);
}

static void keep_denormals(struct xk_cg *g)
{
    struct xk_inst *const i = xk_cg_emit(g, XK_OPC_OR, 1);
    i->dst = (struct xk_operand){.file = XK_FILE_ARF,
                                 .arf = XK_ARF_CR,
                                 .type = XK_RT_UD,
                                 .rgn = {.hs = 1}};
    i->src[0] = i->dst;
    i->src[0].rgn = (struct xk_region){.width = 1};
    i->src[1] = (struct xk_operand){
        .file = XK_FILE_IMM, .type = XK_RT_UW, .imm = CR0_DENORM_KEEP};
}

enum xk_status xk_cg_prologue(struct xk_cg *g)
{
    const uint32_t grf_b = g->p->grf_b;
    const uint32_t end_b = args_end_b(g->abi);
    uint32_t rest = 0;
    if (g->abi->inline_b > grf_b)
        return xk_fail(g->c, XK_EINVAL, "codegen: %u bytes of inline data",
                       g->abi->inline_b);
    g->r0 = xk_cg_tile_new(g, grf_b, grf_b);
    g->r1 = xk_cg_tile_new(g, grf_b, grf_b);
    XK_TRY(xk_ctx_status(g->c));
    g->tile[g->r0].at_b = 0;
    g->tile[g->r1].at_b = (int32_t)grf_b;
    g->tile[g->r0].first = g->tile[g->r1].first = 0;
    keep_denormals(g);
    if (g->old_ports)
        xk_cg_old_lanes(g);
    if (end_b > g->abi->inline_b) {
        const uint32_t n_grf = (end_b - g->abi->inline_b + grf_b - 1) / grf_b;
        rest = xk_cg_tile_new(g, n_grf * grf_b, grf_b);
        load_rest(g, rest, n_grf);
    }
    for (unsigned i = 0; i < g->k->n_params; i++) {
        const struct xk_param *const q = &g->k->params[i];
        const bool arg = q->kind == XK_PARAM_GLOBAL ||
                         q->kind == XK_PARAM_VALUE ||
                         q->kind == XK_PARAM_SURFACE;
        XK_TRY(arg ? bind_param(g, i, rest) : bind_id(g, i));
    }
    if (g->has_barrier)
        xk_cg_barrier_message(g);
    return lane_numbers(g);
}
