/* SPDX-License-Identifier: Apache-2.0 */
/* Dependencies of dwords of registers, flags, accumulators, a0. An edge has the
 * cycles that the annotation will wait. (It waits by whole registers; what a
 * slot seems to wait for since another one in its register was written is not
 * seen here, since that would say which comes first.) */
#include "codegen/order_graph.h"

#include <string.h>

#include "isa/message.h"
#include "isa/workaround.h"

enum xk_status xk_order_graph_init(struct xk_order_graph *g, unsigned n)
{
    g->unit = xk_malloc(g->c, n * sizeof *g->unit);
    g->edges = xk_malloc(g->c, 2ull * n * sizeof *g->edges);
    g->before = xk_malloc(g->c, 2ull * n * sizeof *g->before);
    g->seen = xk_malloc(g->c, 2ull * n * sizeof *g->seen);
    g->seen_edge = xk_malloc(g->c, 2ull * n * sizeof *g->seen_edge);
    const bool all =
        g->unit && g->edges && g->before && g->seen && g->seen_edge;
    return all ? XK_OK : XK_ENOMEM;
}

void xk_order_graph_fini(struct xk_order_graph *g)
{
    xk_free(g->c, g->unit);
    xk_free(g->c, g->edges);
    xk_free(g->c, g->before);
    xk_free(g->c, g->seen);
    xk_free(g->c, g->seen_edge);
    xk_free(g->c, g->edge);
    xk_free(g->c, g->user);
}

/* ---- units ---- */

/* Registers that the resources below do not tell apart, or do not have. */
static bool is_arf_state(const struct xk_operand *o)
{
    if (o->file != XK_FILE_ARF)
        return o->indirect;
    return o->indirect || !(o->arf == XK_ARF_NULL || o->arf == XK_ARF_A ||
                            o->arf == XK_ARF_ACC || o->arf == XK_ARF_F);
}

static bool is_memory(const struct xk_platform *p, const struct xk_inst *i)
{
    struct xk_msg m;
    if (i->send.eot || i->send.desc_reg)
        return false;
    xk_msg_decode(p, i, &m);
    const enum xk_msg_class k = xk_msg_op_class((enum xk_msg_op)m.op);
    return k == XK_MCLASS_LOAD || k == XK_MCLASS_STORE || k == XK_MCLASS_ATOMIC;
}

/* Instructions that nothing passes: control flow, barriers, fences, state, and
 * those that clear buffers of sources where they stand. */
static bool is_wall(const struct xk_order_graph *g, const struct xk_inst *i,
                    const struct xk_sb_access *a)
{
    bool special = is_arf_state(&i->dst);
    for (unsigned k = 0; k < 3; k++)
        special |= is_arf_state(&i->src[k]);
    if (special || a->pipe == XK_SB_NOWHERE || xk_wa_clears_sources(i))
        return true;
    return a->kind == XK_SB_SEND && !is_memory(g->p, i);
}

static unsigned issue_cycles(unsigned n, unsigned lanes)
{
    return n > lanes ? (n + lanes - 1) / lanes : 1;
}

static unsigned dpas_lat(const struct xk_cg_costs *c, unsigned rows)
{
    return c->dpas1_cyc + (c->dpas8_cyc - c->dpas1_cyc) * (rows - 1u) / 7;
}

static unsigned payload_grf(const struct xk_sb_access *a)
{
    unsigned n = 0;
    for (unsigned k = 0; k < a->n_rd; k++)
        if (a->rd[k].first < XK_SB_FLAG)
            n += a->rd[k].end - a->rd[k].first;
    return n;
}

static bool writes_arf(const struct xk_sb_access *a)
{
    for (unsigned k = 0; k < a->n_wr; k++)
        if ((a->wr[k].first >= XK_SB_FLAG && a->wr[k].first < XK_SB_ACC) ||
            a->wr[k].first == XK_SB_A0)
            return true;
    return false;
}

static void cost_alu(const struct xk_cg_costs *c, const struct xk_inst *i,
                     const struct xk_sb_access *a, struct xk_order_unit *u)
{
    const bool math = a->kind == XK_SB_MATH;
    const unsigned b = xk_reg_type_b((enum xk_reg_type)i->dst.type);
    const unsigned n = issue_cycles(i->exec * (b > 4 ? 2u : 1u),
                                    math ? c->math_lanes : c->lanes);
    const unsigned lat = math            ? c->math_cyc
                         : writes_arf(a) ? c->arf_cyc
                                         : c->alu_cyc;
    u->port = a->pipe == XK_SB_F || c->one_port ? XK_ORDER_FLOAT : XK_ORDER_INT;
    u->busy_cyc = (uint16_t)n;
    u->lat_cyc = (uint16_t)(lat + n - 1);
    u->read_cyc = a->pipe == XK_SB_OOO ? u->busy_cyc : u->lat_cyc;
}

static void cost_send(const struct xk_cg_costs *c, const struct xk_inst *i,
                      const struct xk_sb_access *a, struct xk_order_unit *u)
{
    const unsigned n = payload_grf(a);
    const bool answers = i->dst.file == XK_FILE_GRF;
    u->port = XK_ORDER_SEND;
    u->busy_cyc = (uint16_t)(n ? n : 1);
    u->read_cyc = (uint16_t)(c->payload_cyc + n);
    u->lat_cyc = !answers      ? u->read_cyc
                 : a->slm_load ? c->slm_cyc
                               : c->load_cyc;
}

/* A chain is issued as its multiplications begin. */
static void cost_dpas(const struct xk_cg_costs *c, const struct xk_inst *i,
                      struct xk_order_unit *u)
{
    const unsigned each = i->rcount * c->row_cyc;
    u->port = XK_ORDER_XMX;
    u->busy_cyc = (uint16_t)(each * u->n);
    u->slots = (uint16_t)(each * (u->n - 1) + 1);
    u->lat_cyc = (uint16_t)(each * (u->n - 1) + dpas_lat(c, i->rcount));
    u->read_cyc = u->busy_cyc;
}

static void cost(const struct xk_cg_costs *c, const struct xk_inst *i,
                 const struct xk_sb_access *a, struct xk_order_unit *u)
{
    u->slots = 1;
    u->pipe = a->pipe;
    if (a->kind == XK_SB_DPAS)
        cost_dpas(c, i, u);
    else if (a->kind == XK_SB_SEND)
        cost_send(c, i, a, u);
    else
        cost_alu(c, i, a, u);
}

/* A chain from instruction i on is one. */
static unsigned unit_length(const struct xk_order_graph *g,
                            const struct xk_inst *in, unsigned i, unsigned n)
{
    unsigned length = 1;
    while (in[i + length - 1].atomic && i + length < n &&
           g->access[i + length].kind == XK_SB_DPAS)
        length++;
    return length;
}

/* Units [first, n_units) are a region. */
static void end_region(struct xk_order_graph *g, uint32_t first)
{
    for (uint32_t u = first; u < g->n_units; u++)
        g->unit[u].region_end = g->n_units;
}

static void find_units(struct xk_order_graph *g, const struct xk_inst *in,
                       unsigned n)
{
    uint32_t first = 0;
    bool wall = false;
    g->n_units = 0;
    for (unsigned i = 0; i < n; i += g->unit[g->n_units++].n) {
        struct xk_order_unit *const u = &g->unit[g->n_units];
        const bool was = wall;
        *u = (struct xk_order_unit){.first = i, .n = unit_length(g, in, i, n)};
        wall = is_wall(g, &in[i], &g->access[i]);
        if (was || wall) {
            end_region(g, first);
            first = g->n_units;
        }
        cost(g->costs, &in[i], &g->access[i], u);
    }
    end_region(g, first);
}

/* How late a message is cannot be known. An instruction that waits for one must
 * not come in front of a message that the source sends before it, because that
 * message would be later, too. A loop's messages may still be under way when
 * the loop is entered again. */
static void enter_order_loop(struct xk_order_graph *g, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct xk_sb_access *const a = &g->access[i];
        if (a->kind != XK_SB_SEND)
            continue;
        for (unsigned k = 0; k < a->n_rd; k++)
            for (unsigned r = a->rd[k].first; r < a->rd[k].end; r++)
                g->pending[r] |= XK_ORDER_PAYLOAD;
        for (unsigned k = 0; k < a->n_wr; k++)
            for (unsigned r = a->wr[k].first; r < a->wr[k].end; r++)
                g->pending[r] |= XK_ORDER_ANSWER;
    }
}

/* ---- edges ---- */

/* Room for a block's users and edges: a read makes at most an edge from who
 * wrote the register and one to who writes it next, a write one from the write
 * before it, and an instruction two for the messages around it. Where registers
 * are written in parts there may be more edges. */
static enum xk_status make_edge_room(struct xk_order_graph *g, unsigned n)
{
    uint32_t reads = 0, writes = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct xk_sb_access *const a = &g->access[i];
        for (unsigned k = 0; k < a->n_rd; k++)
            reads += a->rd[k].end - a->rd[k].first;
        for (unsigned k = 0; k < a->n_wr; k++)
            writes += a->wr[k].end - a->wr[k].first;
    }
    const uint32_t users = g->rounds * (reads + writes);
    const uint32_t edges = g->rounds * (2 * reads + writes + 3 * n);
    if (users > g->cap_users) {
        xk_free(g->c, g->user);
        g->user = xk_malloc(g->c, users * sizeof *g->user);
        g->cap_users = g->user ? users : 0;
    }
    if (edges > g->cap_edges) {
        xk_free(g->c, g->edge);
        g->edge = xk_malloc(g->c, edges * sizeof *g->edge);
        g->cap_edges = g->edge ? edges : 0;
    }
    return g->cap_users >= users && g->cap_edges >= edges ? XK_OK : XK_ENOMEM;
}

static void link(struct xk_order_graph *g, uint32_t from, uint32_t to,
                 uint32_t lat_cyc)
{
    if (from == XK_ORDER_NONE || from == to)
        return;
    if (g->seen[from] == to + 1) {
        struct xk_order_edge *const e = &g->edge[g->seen_edge[from]];
        e->lat_cyc = lat_cyc > e->lat_cyc ? lat_cyc : e->lat_cyc;
        return;
    }
    if (g->n_edges == g->cap_edges &&
        !xk_grow(g->c, &g->edge, g->n_edges, &g->cap_edges, sizeof *g->edge)) {
        g->failed = true;
        return;
    }
    g->edge[g->n_edges] = (struct xk_order_edge){to, g->edges[from], lat_cyc};
    g->seen[from] = to + 1;
    g->seen_edge[from] = g->edges[from] = g->n_edges++;
    g->before[to]++;
}

/* Cycles until `to` may write what `from` writes, or only reads. */
static uint32_t until_free(const struct xk_order_graph *g, uint32_t from,
                           uint32_t to, unsigned r, bool reads)
{
    const struct xk_order_unit *const a = xk_order_unit_of(g, from);
    const struct xk_order_unit *const b = xk_order_unit_of(g, to);
    if (a->pipe == b->pipe && a->pipe < XK_SB_N_PIPES)
        return 1;
    if (!reads)
        return a->lat_cyc;
    if (a->pipe == XK_SB_OOO && r >= XK_SB_FLAG)
        return 1; /* went along with the instruction */
    return a->read_cyc;
}

static uint16_t span_dwords(struct xk_sb_span s)
{
    return s.dwords ? s.dwords : UINT16_MAX;
}

/* Users of the same dwords stand behind the first of them. */
static void push_user(struct xk_order_graph *g, uint32_t *list, uint32_t node,
                      uint16_t dwords)
{
    const uint32_t me = g->n_users++;
    uint32_t k = *list;
    for (; k != XK_ORDER_NONE && g->user[k].dwords != dwords;
         k = g->user[k].next)
        g->steps++;
    g->user[me] = (struct xk_order_user){node, *list, XK_ORDER_NONE, dwords};
    if (k == XK_ORDER_NONE) {
        *list = me;
        return;
    }
    g->user[me].like = g->user[k].like;
    g->user[k].like = me;
}

/* Takes the dwords from all users in the list: they are written anew, so these
 * users have nothing to do with what comes later. */
static void forget_users(struct xk_order_graph *g, uint32_t *list,
                         uint16_t dwords)
{
    while (*list != XK_ORDER_NONE) {
        struct xk_order_user *const u = &g->user[*list];
        g->steps++;
        u->dwords &= (uint16_t)~dwords;
        if (u->dwords)
            list = &u->next;
        else
            *list = u->next;
    }
}

static void link_read(struct xk_order_graph *g, uint32_t node, unsigned r,
                      uint16_t dwords)
{
    if (g->wrote[r] != XK_ORDER_NONE)
        link(g, g->wrote[r], node, xk_order_unit_of(g, g->wrote[r])->lat_cyc);
    for (uint32_t k = g->part[r]; k != XK_ORDER_NONE; k = g->user[k].next) {
        g->steps++;
        if (!(g->user[k].dwords & dwords))
            continue;
        for (uint32_t j = k; j != XK_ORDER_NONE; j = g->user[j].like)
            link(g, g->user[j].node, node,
                 xk_order_unit_of(g, g->user[j].node)->lat_cyc);
    }
    push_user(g, &g->read[r], node, dwords);
}

/* Whether it waits for a message. */
static bool link_reads(struct xk_order_graph *g, uint32_t node,
                       struct xk_sb_span s, bool send)
{
    unsigned pending = 0;
    for (unsigned r = s.first; r < s.end; r++) {
        link_read(g, node, r, span_dwords(s));
        pending |= g->pending[r];
        if (send)
            g->pending[r] |= XK_ORDER_PAYLOAD;
    }
    return pending & XK_ORDER_ANSWER;
}

static void link_users(struct xk_order_graph *g, uint32_t node, unsigned r,
                       uint16_t dwords, bool reads)
{
    uint32_t k = reads ? g->read[r] : g->part[r];
    for (; k != XK_ORDER_NONE; k = g->user[k].next) {
        g->steps++;
        if (!(g->user[k].dwords & dwords))
            continue;
        for (uint32_t j = k; j != XK_ORDER_NONE; j = g->user[j].like) {
            const uint32_t who = g->user[j].node;
            if (who != node)
                link(g, who, node, until_free(g, who, node, r, reads));
        }
    }
}

static void link_write(struct xk_order_graph *g, uint32_t node, unsigned r,
                       uint16_t dwords)
{
    const uint32_t from = g->wrote[r];
    if (from != XK_ORDER_NONE)
        link(g, from, node, until_free(g, from, node, r, false));
    link_users(g, node, r, dwords, false);
    link_users(g, node, r, dwords, true);
    if (dwords == UINT16_MAX) {
        g->part[r] = g->read[r] = XK_ORDER_NONE;
        g->wrote[r] = node;
        return;
    }
    forget_users(g, &g->part[r], dwords);
    forget_users(g, &g->read[r], dwords);
    push_user(g, &g->part[r], node, dwords);
}

static bool link_writes(struct xk_order_graph *g, uint32_t node,
                        struct xk_sb_span s, bool send)
{
    unsigned pending = 0;
    for (unsigned r = s.first; r < s.end; r++) {
        link_write(g, node, r, span_dwords(s));
        pending |= g->pending[r];
        g->pending[r] = send ? XK_ORDER_ANSWER : 0;
    }
    return pending & XK_ORDER_ANSWER;
}

/* Messages keep their order. */
static void link_send(struct xk_order_graph *g, uint32_t node,
                      const struct xk_sb_access *a)
{
    if (a->kind != XK_SB_SEND)
        return;
    link(g, g->sent, node, 1);
    if (a->slm_order)
        link(g, g->slm_loaded, node, g->costs->slm_cyc);
    if (a->slm_load)
        g->slm_loaded = node;
    g->sent = node;
}

/* Reads first: what an instruction reads it may write itself. */
static void link_node(struct xk_order_graph *g, uint32_t node)
{
    const struct xk_order_unit *const u = xk_order_unit_of(g, node);
    bool waits = false;
    for (uint32_t i = u->first; i < u->first + u->n; i++) {
        const struct xk_sb_access *const a = &g->access[i];
        const bool send = a->kind == XK_SB_SEND;
        for (unsigned k = 0; k < a->n_rd; k++)
            if (a->rd[k].first != XK_SB_STATE)
                waits |= link_reads(g, node, a->rd[k], send);
        for (unsigned k = 0; k < a->n_wr; k++)
            waits |= link_writes(g, node, a->wr[k], send);
        link_send(g, node, a);
    }
    if (waits)
        link(g, g->sent, node, 1);
}

enum xk_status xk_order_graph_build(struct xk_order_graph *g,
                                    const struct xk_inst *in,
                                    const struct xk_sb_access *access,
                                    unsigned n, bool loops)
{
    g->access = access;
    find_units(g, in, n);
    g->rounds = loops ? 2 : 1;
    g->n_edges = g->n_users = 0;
    g->failed = false;
    g->sent = g->slm_loaded = XK_ORDER_NONE;
    memset(g->wrote, 0xff, sizeof g->wrote);
    memset(g->part, 0xff, sizeof g->part);
    memset(g->read, 0xff, sizeof g->read);
    const size_t nodes = (size_t)g->rounds * g->n_units;
    memset(g->edges, 0xff, nodes * sizeof *g->edges);
    memset(g->before, 0, nodes * sizeof *g->before);
    memset(g->seen, 0, nodes * sizeof *g->seen);
    if (loops)
        enter_order_loop(g, n);
    XK_TRY(make_edge_room(g, n));
    for (uint32_t v = 0; v < nodes; v++)
        link_node(g, v);
    return g->failed ? XK_ENOMEM : XK_OK;
}
