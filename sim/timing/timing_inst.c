/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/timing/timing_inst.h"
#include "isa/format.h"

/* ---- who executes it ---- */

static enum xk_tm_pipe tm_pipe_of(const struct xk_platform *p,
                                  const struct xk_inst *i)
{
    if (xk_inst_is_send(i))
        return XK_TM_SEND;
    if (xk_inst_is_dpas(i))
        return XK_TM_XMX;
    if (i->op == XK_OPC_MATH)
        return XK_TM_MATH;
    if (xk_inst_is_branch(i))
        return XK_TM_FRONT;
    switch (xk_inst_pipe(p, i)) {
    case XK_PIPE_NONE:
        return XK_TM_FRONT;
    case XK_PIPE_FLOAT:
        return XK_TM_FLOAT;
    case XK_PIPE_LONG:
        return XK_TM_LONG;
    case XK_PIPE_ALL: /* one pipe; rates still differ by type */
        return xk_is_float_type(i->dst.type) ? XK_TM_FLOAT : XK_TM_INT;
    default:
        return XK_TM_INT;
    }
}

static uint8_t port_of(const struct xk_timing_product *m, enum xk_tm_pipe p)
{
    const uint32_t port[XK_TM_PIPES] = {
        m->port_float, m->port_int,  m->port_long, m->port_math,
        m->port_xmx,   m->port_send, XK_TM_NO_PORT};
    return (uint8_t)(port[p] & 7);
}

/* ---- how long ---- */

static unsigned widest_b(const struct xk_inst *i)
{
    unsigned n_b = i->dst.file ? xk_reg_type_b(i->dst.type) : 1;
    for (unsigned k = 0; k < xk_opcode_n_srcs((enum xk_opcode)i->op); k++) {
        const struct xk_operand *const s = &i->src[k];
        const unsigned b = xk_reg_type_b(s->type);
        if (s->file != XK_FILE_NONE && b > n_b)
            n_b = b;
    }
    return n_b;
}

/* A multiplication by a word is a plain one. */
static bool multiplies_dwords(const struct xk_inst *i)
{
    if (i->op == XK_OPC_MUL)
        return xk_reg_type_b(i->src[0].type) >= 4 &&
               xk_reg_type_b(i->src[1].type) >= 4;
    return (i->op == XK_OPC_MACH || i->op == XK_OPC_MACL) && widest_b(i) >= 4;
}

static uint32_t lanes_a_cycle(const struct xk_timing_product *m,
                              enum xk_tm_pipe p, const struct xk_inst *i)
{
    const unsigned n_b = widest_b(i);
    if (p == XK_TM_MATH)
        return m->lanes_math;
    if (p == XK_TM_FLOAT)
        return n_b <= 2 ? m->lanes_f16 : n_b == 8 ? m->lanes_f64 : m->lanes_f32;
    if (p == XK_TM_LONG)
        return xk_is_float_type(i->dst.type) ? m->lanes_f64 : m->lanes_i64;
    if (i->op == XK_OPC_DP4A)
        return m->lanes_dp4a;
    if (multiplies_dwords(i))
        return m->lanes_mul32;
    return n_b <= 2 ? m->lanes_i16 : n_b == 8 ? m->lanes_i64 : m->lanes_i32;
}

static uint32_t pipe_cycles(uint32_t n, uint32_t lanes)
{
    const uint32_t k = (n + (lanes ? lanes : 1) - 1) / (lanes ? lanes : 1);
    return k ? k : 1;
}

/* Known at repeat counts 1, 2 and 8; between them in a straight line. */
static uint32_t dpas_latency(const struct xk_timing_product *m, unsigned n)
{
    if (n <= 1)
        return m->lat_xmx1;
    return m->lat_xmx2 + ((m->lat_xmx8 - m->lat_xmx2) * (n - 2) + 3) / 6;
}

static uint32_t latency(const struct xk_timing_product *m,
                        const struct xk_inst *i, enum xk_tm_pipe p)
{
    uint32_t lat = m->lat_alu;
    if (p == XK_TM_MATH)
        lat = m->lat_math;
    else if (p == XK_TM_LONG)
        lat = m->lat_f64;
    else if (i->dst.file == XK_FILE_ARF && i->dst.arf == XK_ARF_ACC)
        lat = m->lat_acc;
    if (xk_inst_flag_use(i, true) ||
        (i->dst.file == XK_FILE_ARF && i->dst.arf == XK_ARF_A))
        lat = lat > m->lat_arf ? lat : m->lat_arf;
    return lat;
}

/* ---- banks ---- */

static bool collide(const struct xk_timing_product *m, unsigned a, unsigned b)
{
    const unsigned bank_a = a / m->bank_regs % 2, bank_b = b / m->bank_regs % 2;
    return a != b && bank_a == bank_b &&
           a / m->bundle_regs % m->bundles == b / m->bundle_regs % m->bundles;
}

/* Whether src1 and src2 of three sources are in the same bank and bundle. */
static uint32_t bank_conflicts(const struct xk_timing_product *m,
                               const struct xk_inst *i)
{
    const struct xk_operand *const a = &i->src[1], *const b = &i->src[2];
    if (!m->bank_regs || xk_inst_is_dpas(i) || xk_inst_is_send(i) ||
        xk_opcode_n_srcs((enum xk_opcode)i->op) != 3 ||
        a->file != XK_FILE_GRF || b->file != XK_FILE_GRF || a->indirect ||
        b->indirect)
        return 0;
    return collide(m, a->reg, b->reg);
}

/* A vector in the register file: accumulators and one element for all channels
 * are not. */
static bool is_vector_read(const struct xk_operand *s)
{
    return s->file == XK_FILE_GRF && (s->rgn.vs || s->rgn.hs);
}

static uint32_t vector_reads(const struct xk_inst *i)
{
    uint32_t n = 0;
    for (unsigned k = 0; k < 3; k++)
        n += is_vector_read(&i->src[k]);
    return n;
}

/* Two of its sources are the same vector. */
static bool reads_twice(const struct xk_inst *i)
{
    for (unsigned k = 0; k < 3; k++) {
        const struct xk_operand *const a = &i->src[k], *const b =
                                                           &i->src[(k + 1) % 3];
        if (is_vector_read(a) && is_vector_read(b) && !a->indirect &&
            !b->indirect && a->reg == b->reg && a->sub_b == b->sub_b)
            return true;
    }
    return false;
}

/* Whether a mad's sources need more reads than a pass has. */
static uint32_t reads_again(const struct xk_timing_product *m,
                            const struct xk_inst *i)
{
    if (i->op != XK_OPC_MAD || i->exec <= 1)
        return 0;
    return (m->mad_reads && vector_reads(i) > m->mad_reads) ||
           (m->mad_twice && reads_twice(i));
}

/* ---- multiply-adds ---- */

static enum xk_tm_fma fma_of(const struct xk_inst *i)
{
    if (xk_inst_is_dpas(i))
        return XK_TM_XMX_FMA;
    if (i->op == XK_OPC_DP4A)
        return XK_TM_DP4A;
    if (i->op != XK_OPC_MAD && i->op != XK_OPC_MAC && i->op != XK_OPC_MADM)
        return XK_TM_NO_FMA;
    if (!xk_is_float_type(i->dst.type))
        return XK_TM_MAD_INT;
    const unsigned n_b = widest_b(i);
    return n_b <= 2 ? XK_TM_MAD_F16 : n_b == 8 ? XK_TM_MAD_F64 : XK_TM_MAD_F32;
}

static uint32_t macs_of(const struct xk_inst *i)
{
    if (xk_inst_is_dpas(i))
        return 8u * xk_dpas_ops_per_channel(i) * i->exec * i->rcount;
    return i->op == XK_OPC_DP4A ? 4u * i->exec : i->exec;
}

double xk_tm_peak(const struct xk_timing_product *m, const struct xk_inst *i)
{
    if (xk_inst_is_dpas(i))
        return 8.0 * xk_dpas_ops_per_channel(i) * i->exec / m->xmx_row_cyc;
    if (i->op == XK_OPC_DP4A)
        return 4.0 * m->lanes_dp4a;
    const enum xk_tm_pipe p =
        xk_is_float_type(i->dst.type) ? XK_TM_FLOAT : XK_TM_INT;
    return lanes_a_cycle(m, p, i);
}

const char *xk_tm_fma_name(enum xk_tm_fma f)
{
    static const char *const names[XK_TM_FMAS] = {
        "none", "mad f32", "mad f16", "mad f64", "mad int", "dp4a", "dpas"};
    return f < XK_TM_FMAS ? names[f] : "none";
}

/* ---- what it waits for ---- */

/* For math that is out of order, and for dpas, a distance without a pipe means
 * the pipe of the type that they multiply. */
static uint8_t own_orders(const struct xk_platform *p, const struct xk_inst *i,
                          uint8_t order)
{
    if (xk_type_pipe(p, XK_RT_F) == XK_PIPE_ALL)
        return 1;
    if (order < XK_TM_ORDERS)
        return (uint8_t)(1u << order);
    if (xk_inst_is_send(i) || xk_inst_pipe(p, i) == XK_PIPE_NONE)
        return (1u << XK_TM_ORDERS) - 1;
    return xk_is_float_type(i->src[xk_inst_is_dpas(i) ? 1 : 0].type) ? 1 : 2;
}

static void set_swsb_waits(const struct xk_platform *p, const struct xk_inst *i,
                           struct xk_tm_inst *out)
{
    const struct xk_swsb *const s = &i->swsb;
    const uint32_t bit = 1u << (s->sbid & 31);
    const uint32_t given =
        i->src[0].file == XK_FILE_IMM ? (uint32_t)i->src[0].imm : UINT32_MAX;
    out->set = s->mode == XK_SBID_SET ? (int8_t)(s->sbid & 31) : -1;
    out->wait_dst = s->mode == XK_SBID_DST ? bit : 0;
    out->wait_src = s->mode == XK_SBID_SRC ? bit : 0;
    if (i->op == XK_OPC_SYNC && i->sync_fn == XK_SYNC_ALLWR)
        out->wait_dst |= given;
    if (i->op == XK_OPC_SYNC && i->sync_fn == XK_SYNC_ALLRD)
        out->wait_src |= given;
    out->dist = s->dist;
    if (!s->dist)
        return;
    out->dist_orders = s->pipe == XK_PIPE_ALL ? (1u << XK_TM_ORDERS) - 1
                       : s->pipe == XK_PIPE_NONE
                           ? own_orders(p, i, out->order)
                           : (uint8_t)(1u << xk_pipe_order(s->pipe));
}

static enum xk_tm_kind tm_kind_of(const struct xk_sim_inst *e)
{
    const struct xk_inst *const i = &e->in;
    if (xk_inst_is_dpas(i))
        return XK_TM_DPAS;
    if (i->op == XK_OPC_SYNC)
        return i->sync_fn == XK_SYNC_BAR ? XK_TM_WAIT : XK_TM_SYNC;
    if (xk_inst_is_branch(i))
        return XK_TM_BRANCH;
    if (!xk_inst_is_send(i))
        return XK_TM_ALU;
    if (i->send.eot)
        return XK_TM_EOT;
    if (i->send.desc_reg)
        return XK_TM_MEMORY; /* the trace says what it was */
    switch (xk_msg_op_class(e->msg.op)) {
    case XK_MCLASS_LOAD:
    case XK_MCLASS_STORE:
    case XK_MCLASS_ATOMIC:
        return XK_TM_MEMORY;
    case XK_MCLASS_FENCE:
        return XK_TM_FENCE;
    case XK_MCLASS_BARRIER:
        return XK_TM_SIGNAL;
    default:
        return XK_TM_MESSAGE;
    }
}

static void set_cycles(const struct xk_timing_product *m,
                       const struct xk_sim_inst *e, struct xk_tm_inst *out)
{
    const struct xk_inst *const i = &e->in;
    switch ((enum xk_tm_pipe)out->pipe) {
    case XK_TM_FRONT:
        out->busy_cyc = out->lat_cyc = 1;
        return;
    case XK_TM_SEND:
        out->payload = e->msg.src0_grf + e->msg.src1_grf;
        out->answer = e->msg.dst_grf;
        out->busy_cyc = (uint16_t)(m->payload_cyc * out->payload);
        out->busy_cyc += !out->busy_cyc;
        out->lat_cyc = (uint16_t)m->lat_send;
        return;
    case XK_TM_XMX:
        out->busy_cyc = (uint16_t)(i->rcount * m->xmx_row_cyc);
        out->lat_cyc = (uint16_t)dpas_latency(m, i->rcount);
        return;
    default:
        break;
    }
    const uint32_t n = pipe_cycles(i->exec, lanes_a_cycle(m, out->pipe, i));
    const uint32_t again = bank_conflicts(m, i) + reads_again(m, i);
    out->busy_cyc = (uint16_t)(n + n * again);
    out->lat_cyc = (uint16_t)(latency(m, i, out->pipe) + out->busy_cyc - 1u);
}

static void fill_inst(const struct xk_timing_product *m,
                      const struct xk_platform *p, const struct xk_sim_inst *e,
                      struct xk_tm_inst *out)
{
    const struct xk_inst *const i = &e->in;
    *out = (struct xk_tm_inst){.kind = (uint8_t)tm_kind_of(e),
                               .pipe = (uint8_t)tm_pipe_of(p, i),
                               .order = XK_TM_ORDERS};
    out->port = port_of(m, out->pipe);
    if (xk_inst_pipe(p, i) != XK_PIPE_NONE && !xk_inst_is_out_of_order(p, i))
        out->order = (uint8_t)xk_pipe_order(xk_inst_pipe(p, i));
    out->of_slm = xk_inst_is_send(i) &&
                  (e->msg.sfid == XK_SFID_SLM || e->msg.bti == XK_BTI_SLM);
    out->past_l1 = xk_inst_is_send(i) && e->msg.l1 == XK_CACHE_UC;
    out->atomic = i->atomic;
    out->joins = i->op == XK_OPC_JOIN || i->op == XK_OPC_ENDIF;
    out->fma = (uint8_t)fma_of(i);
    out->macs = out->fma ? macs_of(i) : 0;
    out->src1 = i->src[1].reg;
    set_cycles(m, e, out);
    set_swsb_waits(p, i, out);
}

enum xk_status xk_tm_insts_create(const struct xk_timing_product *m,
                                  const struct xk_sim_kernel *k,
                                  struct xk_tm_inst **out)
{
    struct xk_tm_inst *const t =
        k->alloc.realloc(k->alloc.user, NULL, (k->n + 1) * sizeof *t);
    *out = t;
    if (!t)
        return XK_ENOMEM;
    for (uint32_t n = 0; n < k->n; n++) {
        fill_inst(m, k->platform, &k->inst[n], &t[n]);
        t[n].code_line = k->inst[n].pc_b / m->line_b;
    }
    return XK_OK;
}

void xk_tm_insts_destroy(const struct xk_sim_kernel *k, struct xk_tm_inst *i)
{
    k->alloc.realloc(k->alloc.user, i, 0);
}
