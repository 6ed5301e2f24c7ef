/* SPDX-License-Identifier: Apache-2.0 */
/* Turns bytes into execution records, once per kernel. */
#include "isa/format.h"
#include "sim/exec/select.h"
#include "sim/core/kernel.h"

#include <stdio.h>

#include "base/half.h"
#include "sim/check/hazard_hook.h"
#include "sim/core/known.h"
#include "sim/core/sim_operand.h"

static void set_linear(struct xk_sim_opnd *o, unsigned step_b)
{
    o->log_w = 0;
    o->vs_b = (uint16_t)step_b;
    o->hs_b = 0;
    o->scalar = step_b == 0;
    o->packed = step_b == o->size_b;
}

/* vs, width and hs in elements; a single row or an even step is linear. */
static void set_region(struct xk_sim_opnd *o, unsigned exec, unsigned vs,
                       unsigned width, unsigned hs)
{
    if (exec == 1) {
        set_linear(o, 0);
    } else if (width == 1) {
        set_linear(o, vs * o->size_b);
    } else if (width >= exec || vs == width * hs) {
        set_linear(o, hs * o->size_b);
    } else {
        o->log_w = (uint8_t)__builtin_ctz(width);
        o->vs_b = (uint16_t)(vs * o->size_b);
        o->hs_b = (uint16_t)(hs * o->size_b);
    }
}

/* Three-source regions <vs;hs> have no width: a row is what vs covers. */
static void set_ternary_region(struct xk_sim_opnd *o, unsigned exec,
                               struct xk_region r, unsigned k)
{
    if (k == 2)
        set_region(o, exec, r.hs, 1, 0);
    else if (r.vs > r.hs && r.hs)
        set_region(o, exec, r.vs, r.vs / r.hs, r.hs);
    else
        set_region(o, exec, r.vs, 1, 0);
}

#define ACC_EACH 0xff /* an accumulator is as wide as a register */

struct arf_place {
    uint16_t off_b, size_b;
    uint8_t special, each_b; /* each_b: distance between registers */
};

/* clang-format off */
static const struct arf_place arf_places[] = {
    [XK_ARF_NULL] = {XK_RF_ZERO, XK_SIM_SPAN_B, XK_SS_NONE, 0},
    [XK_ARF_A] = {XK_RF_A0, 32, XK_SS_NONE, 32},
    [XK_ARF_ACC] = {XK_RF_ACC, XK_SIM_SPAN_B, XK_SS_ACC, ACC_EACH},
    [XK_ARF_F] = {XK_RF_FLAG, 16, XK_SS_NONE, 4},
    [XK_ARF_CE] = {XK_RF_CE, 16, XK_SS_CE, 0},
    [XK_ARF_SR] = {XK_RF_SR, 16, XK_SS_SR, 0},
    [XK_ARF_CR] = {XK_RF_CR, 16, XK_SS_CR, 0},
    [XK_ARF_IP] = {XK_RF_IP, 8, XK_SS_IP, 0},
    [XK_ARF_TM] = {XK_RF_TM, 32, XK_SS_TM, 0},
    [XK_ARF_SP] = {XK_RF_MISC, 64, XK_SS_NONE, 0},
    [XK_ARF_TDR] = {XK_RF_MISC + 64, 64, XK_SS_NONE, 0},
    [XK_ARF_DBG] = {XK_RF_MISC + 128, 64, XK_SS_NONE, 0},
};
/* clang-format on */

static bool place_arf(const struct xk_sim_kernel *k, struct xk_sim_opnd *o,
                      const struct xk_operand *x, unsigned exec)
{
    if (x->arf >= XK_COUNTOF(arf_places) || !arf_places[x->arf].size_b)
        return false;
    const struct arf_place *p = &arf_places[x->arf];
    const uint32_t each_b = p->each_b == ACC_EACH ? k->grf_b : p->each_b;
    const uint32_t in_b =
        x->arf == XK_ARF_NULL ? 0 : (uint32_t)x->reg * each_b + x->sub_b;
    o->off_b = p->off_b + in_b;
    o->special = p->special;
    return in_b + xk_sim_extent_b(o, exec) <= p->size_b;
}

static bool place_indirect(struct xk_sim_opnd *o, const struct xk_operand *x,
                           unsigned exec)
{
    o->kind = XK_SO_INDIRECT;
    o->off_b = XK_RF_A0 + 2u * x->a0_sub;
    o->a0_off_b = x->a0_off_b;
    o->packed = o->scalar = false;
    if (x->rgn.vs == XK_VS_VXH) {
        o->kind = XK_SO_VXH;
        o->log_w = (uint8_t)(x->rgn.width ? __builtin_ctz(x->rgn.width) : 0);
        o->hs_b = (uint16_t)(x->rgn.hs * o->size_b);
        return x->a0_sub + (exec >> o->log_w) <= 16;
    }
    return x->a0_sub < 16;
}

static bool place_operand(const struct xk_sim_kernel *k, struct xk_sim_opnd *o,
                          const struct xk_operand *x, unsigned exec)
{
    o->kind = XK_SO_REG;
    if (x->file == XK_FILE_ARF)
        return place_arf(k, o, x, exec);
    if (x->file != XK_FILE_GRF)
        return false;
    if (x->indirect)
        return place_indirect(o, x, exec);
    o->off_b = (uint32_t)x->reg * k->grf_b + x->sub_b;
    return o->off_b + xk_sim_extent_b(o, exec) <= k->grf_count * k->grf_b;
}

static bool set_immediate(struct xk_sim_opnd *o, const struct xk_operand *x)
{
    const uint32_t dw = (uint32_t)x->imm;
    o->kind = XK_SO_IMM;
    o->bits = x->imm;
    o->scalar = true;
    memcpy(&o->fval, &dw, 4);
    switch (x->type) {
    case XK_RT_UW:
        o->ival = (uint16_t)x->imm;
        return true;
    case XK_RT_W:
        o->ival = (int16_t)x->imm;
        return true;
    case XK_RT_UD:
    case XK_RT_F:
        o->ival = dw;
        return true;
    case XK_RT_D:
        o->ival = (int32_t)dw;
        return true;
    case XK_RT_UQ:
    case XK_RT_Q:
        o->ival = (int64_t)x->imm;
        return true;
    case XK_RT_HF: {
        const uint16_t h = (uint16_t)x->imm;
        o->ival = h;
        o->fval = xk_half_to_float(h);
        return true;
    }
    case XK_RT_BF: {
        const uint32_t b = dw << 16;
        o->ival = (uint16_t)dw;
        memcpy(&o->fval, &b, 4);
        return true;
    }
    case XK_RT_DF:
        o->ival = (int64_t)x->imm;
        return true;
    case XK_RT_V:
    case XK_RT_UV:
    case XK_RT_VF:
        o->scalar = false;
        return true;
    default:
        return false;
    }
}

static bool type_known(unsigned type, bool dpas)
{
    switch (type) {
    case XK_RT_HF8:
    case XK_RT_U4:
    case XK_RT_S4:
    case XK_RT_U2:
    case XK_RT_S2:
        return dpas;
    default:
        return type < XK_N_REG_TYPES;
    }
}

static bool is_null_operand(const struct xk_operand *x)
{
    return x->file == XK_FILE_NONE || xk_operand_is_null(x);
}

static bool set_type(struct xk_sim_opnd *o, const struct xk_operand *x,
                     const struct xk_sim_inst *e)
{
    o->type = x->type;
    o->size_b = (uint8_t)xk_reg_type_b(x->type);
    if (!o->size_b)
        o->size_b = 1;
    return type_known(x->type, xk_inst_is_dpas(&e->in));
}

/* A macro's operand names an exponent store in place of a subregister. */
static bool set_macro(const struct xk_sim_kernel *k, struct xk_sim_opnd *o,
                      const struct xk_operand *x, unsigned exec)
{
    struct xk_operand at = *x;
    at.sub_b = 0;
    o->mme = x->sub_b < XK_SIM_NOMME ? (uint8_t)x->sub_b : XK_SIM_NOMME;
    set_linear(o, exec == 1 ? 0 : o->size_b);
    return !x->indirect && place_operand(k, o, &at, exec);
}

static bool set_src(const struct xk_sim_kernel *k, struct xk_sim_inst *e,
                    unsigned n)
{
    const struct xk_operand *x = &e->in.src[n];
    struct xk_sim_opnd *o = &e->src[n];
    o->mme = XK_SIM_NOMME;
    if (!set_type(o, x, e))
        return false;
    o->neg = x->neg;
    o->abs = x->abs;
    if (x->file == XK_FILE_IMM)
        return set_immediate(o, x);
    if (xk_inst_is_dpas(&e->in) && is_null_operand(x))
        return true; /* kind NONE: no addend */
    if (xk_math_is_macro(&e->in) && !is_null_operand(x))
        return set_macro(k, o, x, e->exec);
    if (is_null_operand(x) || xk_inst_is_dpas(&e->in))
        set_linear(o, 0);
    else if (e->n_srcs == 3)
        set_ternary_region(o, e->exec, x->rgn, n);
    else
        set_region(o, e->exec, x->rgn.vs == XK_VS_VXH ? 1 : x->rgn.vs,
                   x->rgn.width ? x->rgn.width : 1, x->rgn.hs);
    if (x->file == XK_FILE_NONE) {
        o->kind = XK_SO_REG;
        o->off_b = XK_RF_ZERO;
        return true;
    }
    return place_operand(k, o, x, e->exec);
}

static bool set_dst(const struct xk_sim_kernel *k, struct xk_sim_inst *e)
{
    struct xk_sim_opnd *o = &e->dst;
    const struct xk_operand *x = &e->in.dst;
    o->mme = XK_SIM_NOMME;
    if (!set_type(o, x, e))
        return false;
    if (is_null_operand(x))
        return true;
    if (xk_math_is_macro(&e->in))
        return set_macro(k, o, x, e->exec);
    set_linear(o, (x->rgn.hs ? x->rgn.hs : 1u) * o->size_b);
    return place_operand(k, o, x, e->exec);
}

/* Payloads are whole registers; the handlers check their lengths. */
static bool set_payload_operand(const struct xk_sim_kernel *k,
                                struct xk_sim_opnd *o,
                                const struct xk_operand *x)
{
    o->size_b = 1;
    o->type = XK_RT_UB;
    if (is_null_operand(x))
        return true;
    o->kind = XK_SO_REG;
    o->off_b = (uint32_t)x->reg * k->grf_b;
    return x->file == XK_FILE_GRF && !x->indirect;
}

static bool is_flow(const struct xk_sim_inst *e)
{
    return e->in.op == XK_OPC_SYNC || xk_inst_is_branch(&e->in);
}

/* Targets in registers are one dword, or two: JIP and UIP, address and mask. */
static bool set_pair(const struct xk_sim_kernel *k, struct xk_sim_opnd *o,
                     const struct xk_operand *x, unsigned n_b)
{
    if (is_null_operand(x))
        return true;
    o->kind = XK_SO_REG;
    o->size_b = 4;
    o->off_b = (uint32_t)x->reg * k->grf_b + x->sub_b;
    return x->file == XK_FILE_GRF && !x->indirect &&
           o->off_b + n_b <= k->grf_count * k->grf_b;
}

static bool set_flow_operands(const struct xk_sim_kernel *k,
                              struct xk_sim_inst *e)
{
    const struct xk_operand *s = &e->in.src[0];
    switch ((enum xk_opcode)e->in.op) {
    case XK_OPC_CALL:
    case XK_OPC_CALLA:
        return set_pair(k, &e->dst, &e->in.dst, 8) &&
               set_pair(k, &e->src[0], s, 4);
    case XK_OPC_RET:
        return !is_null_operand(s) && set_pair(k, &e->src[0], s, 8);
    case XK_OPC_BRC:
        return set_pair(k, &e->src[0], s, 8);
    case XK_OPC_BRD:
    case XK_OPC_JMPI:
        return set_pair(k, &e->src[0], s, 4);
    default:
        return true;
    }
}

static bool set_operands(const struct xk_sim_kernel *k, struct xk_sim_inst *e)
{
    if (xk_inst_is_send(&e->in)) {
        xk_msg_decode(k->platform, &e->in, &e->msg);
        return set_payload_operand(k, &e->dst, &e->in.dst) &&
               set_payload_operand(k, &e->src[0], &e->in.src[0]) &&
               set_payload_operand(k, &e->src[1], &e->in.src[1]);
    }
    if (is_flow(e))
        return set_flow_operands(k, e);
    if (e->n_srcs && !set_dst(k, e))
        return false;
    for (unsigned n = 0; n < e->n_srcs; n++)
        if (!set_src(k, e, n))
            return false;
    return true;
}

static bool float_type(unsigned type)
{
    return type == XK_RT_F || type == XK_RT_HF || type == XK_RT_BF ||
           type == XK_RT_VF || type == XK_RT_TF32 || type == XK_RT_BF8;
}

static void set_inst_class(struct xk_sim_inst *e)
{
    const unsigned op = e->in.op;
    for (unsigned n = 0; n < e->n_srcs; n++)
        if (!is_null_operand(&e->in.src[n])) {
            e->is_float |= float_type(e->in.src[n].type);
            e->is_double |= e->in.src[n].type == XK_RT_DF;
        }
    e->is_float &= !e->is_double;
    e->logic = op == XK_OPC_AND || op == XK_OPC_OR || op == XK_OPC_XOR ||
               op == XK_OPC_NOT || op == XK_OPC_BFN;
    if (op == XK_OPC_DP4A || xk_inst_is_dpas(&e->in) ||
        ((op == XK_OPC_MAD || op == XK_OPC_MAC || op == XK_OPC_MADM) &&
         (e->is_float || e->is_double)))
        e->stat = XK_STAT_FMA;
    else if (xk_inst_is_send(&e->in))
        e->stat = XK_STAT_SEND;
    else if (op == XK_OPC_SYNC)
        e->stat = XK_STAT_SYNC;
}

static bool set_control(const struct xk_sim_kernel *k, struct xk_sim_inst *e)
{
    const struct xk_inst *i = &e->in;
    if (!i->exec || i->exec > XK_SIM_LANES || (i->exec & (i->exec - 1)) ||
        i->chan_off >= XK_SIM_LANES)
        return false;
    e->exec = i->exec;
    e->lanes = i->exec == 32 ? UINT32_MAX : (1u << i->exec) - 1;
    e->chan_off = i->chan_off;
    e->no_mask = i->no_mask;
    e->pred = i->pred != XK_PRED_NONE;
    const unsigned bit = i->flag_reg * 32u + i->flag_sub * 16u + i->chan_off;
    const unsigned n_bits = k->platform->n_flag_regs * 32u;
    e->flag_bit = (uint8_t)(bit % n_bits);
    return bit + i->exec <= n_bits || (!e->pred && !i->cond);
}

static void prepare_inst(const struct xk_sim_kernel *k, struct xk_sim_inst *e)
{
    char why[256];
    e->n_srcs = (uint8_t)xk_opcode_n_srcs(e->in.op);
    if (e->in.op == XK_OPC_NOP || e->in.op == XK_OPC_SYNC)
        e->in.exec = 1;
    const bool good = set_control(k, e) && set_operands(k, e);
    if (xk_sim_not_known(k, e, why, sizeof(why))) {
        e->fn = xk_sim_exec_not_known;
        return;
    }
    if (!good) {
        e->fn = xk_sim_exec_unsupported;
        return;
    }
    set_inst_class(e);
    e->fn = xk_sim_select_fast(k, e);
    if (!e->fn)
        xk_sim_select(k, e);
}

static void exec_past_end(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    xk_sim_fault(t, NULL, "execution ran past the end of the code, 0x%x bytes",
                 e->pc_b);
}

static void decode_all(struct xk_sim_kernel *k)
{
    uint32_t pc = 0, n = 0;
    while (pc < k->code_b) {
        struct xk_sim_inst *e = &k->inst[n++];
        struct xk_error ignored = {.status = XK_OK};
        size_t used_b = 0;
        const bool compact = k->code_b - pc < 16 || (k->code[pc + 3] & 0x20);
        *e = (struct xk_sim_inst){.pc_b = pc};
        if (xk_inst_decode(k->platform, k->code + pc, k->code_b - pc, &e->in,
                           &used_b, &ignored) == XK_OK) {
            prepare_inst(k, e);
        } else {
            e->in = (struct xk_inst){.op = XK_OPC_ILLEGAL}; /* was half read */
            e->fn = xk_sim_exec_undecodable;
            used_b = compact ? 8 : 16;
        }
        pc += (uint32_t)used_b;
    }
    k->inst[n++] = (struct xk_sim_inst){.fn = exec_past_end, .pc_b = pc};
    k->n = n;
}

/* Plain loads and stores only, so that no thread can wait for another one. */
static bool has_apart_threads(const struct xk_sim_kernel *k)
{
    if (k->barriers || k->slm_b)
        return false;
    for (uint32_t n = 0; n < k->n; n++) {
        const struct xk_sim_inst *e = &k->inst[n];
        if (e->in.op == XK_OPC_DPASW && e->fn)
            return false;
        if (!xk_inst_is_send(&e->in))
            continue;
        switch ((enum xk_msg_kind)e->msg.kind) {
        case XK_MSG_LSC_LOAD:
        case XK_MSG_LSC_STORE:
        case XK_MSG_LSC_LOAD_CMASK:
        case XK_MSG_LSC_STORE_CMASK:
        case XK_MSG_EOT:
            break;
        default:
            return false;
        }
    }
    return true;
}

static void link_branches(struct xk_sim_kernel *k)
{
    for (uint32_t n = 0; n + 1 < k->n; n++) {
        struct xk_sim_inst *e = &k->inst[n];
        const int64_t base_b = e->in.op == XK_OPC_CALLA ? 0 : e->pc_b;
        e->jip = xk_sim_kernel_at(k, base_b + e->in.jip_b);
        e->uip = xk_sim_kernel_at(k, base_b + e->in.uip_b);
    }
}

static void copy_abi(struct xk_sim_kernel *k, const struct xk_zkernel *z)
{
    snprintf(k->name, sizeof(k->name), "%s", z->name);
    k->simd = z->simd;
    k->grf_count = z->grf_count;
    k->slm_b = z->slm_b;
    k->barriers = z->barriers;
    k->inline_b = z->inline_b;
    k->local_id_b = z->local_id_b;
    k->idless = z->idless;
    k->skip_b = z->skip_per_thread_b;
    k->scratch_b = z->scratch_b;
    k->cross_thread_b = z->cross_thread_b;
}

static enum xk_status check_zkernel(const struct xk_platform *p,
                                    const struct xk_zkernel *z,
                                    struct xk_error *err)
{
    if (!p)
        return xk_sim_refuse(err, XK_EINVAL, z->name, "no platform", 0);
    const uint32_t ids_b = xk_sim_id_channel_b(p->grf_b, z->simd);
    if (z->simd > 1 && (z->local_id_b % ids_b || z->local_id_b > 3 * ids_b))
        return xk_sim_refuse(
            err, XK_EUNSUPPORTED, z->name,
            "bytes of local ids, not of up to three dimensions", z->local_id_b);
    if (z->grf_count != 128 && z->grf_count != 256)
        return xk_sim_refuse(err, XK_EUNSUPPORTED, z->name,
                             "grf_count is neither 128 nor 256", z->grf_count);
    if (z->simd != 8 && z->simd != 16 && z->simd != 32 && z->simd != 1)
        return xk_sim_refuse(err, XK_EINVAL, z->name,
                             "simd_size is not 1, 8, 16 or 32", z->simd);
    if (!z->code_b || z->code_b % 8 || z->code_b > UINT32_MAX / 2)
        return xk_sim_refuse(err, XK_EINVAL, z->name, "bad size of code",
                             z->code_b);
    if (z->inline_b > 32)
        return xk_sim_refuse(err, XK_EUNSUPPORTED, z->name,
                             "more than 32 bytes of inline data", z->inline_b);
    return XK_OK;
}

static enum xk_status load_code(struct xk_sim_kernel *k,
                                const struct xk_zkernel *z,
                                struct xk_error *err)
{
    /* Slack: the operand reader may look a few bytes further. */
    k->code = k->alloc.realloc(k->alloc.user, NULL, z->code_b + 16);
    k->inst = k->alloc.realloc(k->alloc.user, NULL,
                               (z->code_b / 8 + 1) * sizeof(*k->inst));
    if (!k->code || !k->inst)
        return xk_sim_refuse(err, XK_ENOMEM, z->name, "out of memory for code",
                             z->code_b);
    memset(k->code + z->code_b, 0, 16);
    memcpy(k->code, z->code, z->code_b);
    k->code_b = z->code_b;
    decode_all(k);
    link_branches(k);
    xk_sim_find_rows(k);
    k->threads_apart = has_apart_threads(k);
    if (xk_sim_hazard_prepare(k) < 0)
        return xk_sim_refuse(err, XK_ENOMEM, z->name,
                             "out of memory for hazards", k->n);
    k->start_skip = xk_sim_kernel_at(k, k->skip_b);
    if (k->start_skip == UINT32_MAX)
        return xk_sim_refuse(err, XK_EINVAL, z->name,
                             "no instruction begins at "
                             "offset_to_skip_per_thread_data_load",
                             k->skip_b);
    return XK_OK;
}

enum xk_status xk_sim_kernel_create(const struct xk_alloc *alloc,
                                    const struct xk_platform *p,
                                    const struct xk_zkernel *zk,
                                    xk_sim_kernel **out, struct xk_error *err)
{
    const struct xk_alloc a = alloc ? *alloc : xk_alloc_default;
    *out = NULL;
    XK_TRY(check_zkernel(p, zk, err));
    struct xk_sim_kernel *k = a.realloc(a.user, NULL, sizeof(*k));
    if (!k)
        return xk_sim_refuse(err, XK_ENOMEM, zk->name, "out of memory",
                             sizeof(*k));
    *k = (struct xk_sim_kernel){.alloc = a, .platform = p, .grf_b = p->grf_b};
    copy_abi(k, zk);
    const enum xk_status s = load_code(k, zk, err);
    if (s < 0)
        xk_sim_kernel_destroy(k);
    else
        *out = k;
    return s;
}

void xk_sim_kernel_destroy(xk_sim_kernel *k)
{
    if (!k)
        return;
    const struct xk_alloc a = k->alloc;
    xk_sim_hazard_forget(k);
    a.realloc(a.user, k->code, 0);
    a.realloc(a.user, k->inst, 0);
    a.realloc(a.user, k, 0);
}

unsigned xk_sim_kernel_insts(const xk_sim_kernel *k)
{
    return k->n - 1;
}
