/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/hazard/hazard_table.h"
#include "isa/format.h"
#include "isa/message.h"

#include <string.h>

/* Without trust in the vendor's windows, only instructions with this many
 * behind them are surely done. */
#define STRICT_WINDOW 23

/* ---- functions that read their payloads in order ---- */

enum function { F_NONE, F_MATH, F_DPAS, F_SEND, F_SLM = F_SEND + 16 };

static uint8_t function_of(const struct xk_inst *i)
{
    if (xk_inst_is_send(i))
        return (uint8_t)((xk_send_is_slm(&i->send) ? F_SLM : F_SEND) +
                         (i->send.sfid & 15));
    return xk_inst_is_dpas(i) ? F_DPAS : F_MATH;
}

/* ---- where it is executed ---- */

static void set_pipe_and_unit(const struct xk_hz_table *t, struct xk_hz_inst *e)
{
    const struct xk_inst *const i = e->in;
    const enum xk_pipe pipe = xk_inst_pipe(t->platform, i);
    e->is_branch = xk_inst_is_branch(i);
    e->is_sync = i->op == XK_OPC_SYNC;
    if (pipe == XK_PIPE_NONE)
        return;
    e->unit = XK_HZ_IN_ORDER;
    e->pipe = (uint8_t)xk_pipe_order(pipe);
    if (xk_inst_is_out_of_order(t->platform, i)) {
        e->unit = xk_inst_is_send(i)   ? XK_HZ_SEND
                  : xk_inst_is_dpas(i) ? XK_HZ_DPAS
                                       : XK_HZ_MATH;
        e->function = function_of(i);
    }
    e->touches_state = !e->is_branch;
}

/* ---- what it waits for ---- */

/* The pipe of what math or dpas multiplies, for a distance that names none. */
static uint8_t source_pipe(const struct xk_inst *i)
{
    const unsigned type = i->src[xk_inst_is_dpas(i) ? 1 : 0].type;
    return type == XK_RT_F || type == XK_RT_HF || type == XK_RT_BF ? 1 : 2;
}

static uint8_t distance_pipes(const struct xk_hz_table *t,
                              const struct xk_hz_inst *e)
{
    const uint8_t all = (1 << XK_HZ_PIPES) - 1;
    const enum xk_pipe pipe = (enum xk_pipe)e->in->swsb.pipe;
    if (pipe == XK_PIPE_ALL)
        return all;
    if (pipe != XK_PIPE_NONE)
        return (uint8_t)(1u << xk_pipe_order(pipe));
    if (t->one_pipe)
        return 1;
    switch ((enum xk_hz_unit)e->unit) {
    case XK_HZ_IN_ORDER:
        return (uint8_t)(1u << e->pipe);
    case XK_HZ_MATH:
    case XK_HZ_DPAS:
        return source_pipe(e->in);
    case XK_HZ_NOWHERE:
    case XK_HZ_SEND:
        break;
    }
    return all;
}

static void set_sync_mask(struct xk_hz_inst *e)
{
    const struct xk_inst *const i = e->in;
    const bool given = i->src[0].file == XK_FILE_IMM;
    const uint32_t mask = given ? (uint32_t)i->src[0].imm : UINT32_MAX;
    if (i->sync_fn == XK_SYNC_ALLWR)
        e->wait_dst |= mask;
    else if (i->sync_fn == XK_SYNC_ALLRD)
        e->wait_src |= mask;
}

static void set_token_waits(const struct xk_hz_table *t, struct xk_hz_inst *e)
{
    const struct xk_swsb *const s = &e->in->swsb;
    const uint32_t bit = 1u << (s->sbid & 31);
    e->set = e->token = -1;
    e->dist = s->dist;
    e->dist_pipes = s->dist ? distance_pipes(t, e) : 0;
    if (s->mode == XK_SBID_SET)
        e->set = e->token = (int8_t)(s->sbid & 31);
    else if (s->mode == XK_SBID_DST)
        e->wait_dst = bit;
    else if (s->mode == XK_SBID_SRC)
        e->wait_src = bit;
    if (e->is_sync)
        set_sync_mask(e);
}

/* ---- what it touches ---- */

static bool reserve_accesses(struct xk_hz_table *t, unsigned more)
{
    if (t->n_access + more <= t->room)
        return true;
    const uint32_t room = 2 * t->room + 256;
    struct xk_hz_access *const a =
        t->alloc.realloc(t->alloc.user, t->access, room * sizeof *a);
    if (!a)
        return false;
    t->access = a;
    t->room = room;
    return true;
}

static bool set_accesses(struct xk_hz_table *t, struct xk_hz_inst *e)
{
    if (!reserve_accesses(t, 2 * XK_HZ_MAX_ACCESSES))
        return false;
    e->access = t->n_access;
    if (e->unit == XK_HZ_NOWHERE)
        return true;
    e->n_rd = (uint8_t)xk_hz_reads(t->platform, e->in, t->access + t->n_access);
    t->n_access += e->n_rd;
    e->n_wr =
        (uint8_t)xk_hz_writes(t->platform, e->in, t->access + t->n_access);
    t->n_access += e->n_wr;
    for (uint32_t k = e->access; k < t->n_access; k++)
        e->is_dynamic |= t->access[k].dynamic;
    return true;
}

static bool is_fence(const struct xk_inst *i)
{
    return i->send.sfid == XK_SFID_SLM && (i->send.desc & 0x3f) == 0x1f;
}

/* An A64 block read of hwords. Intel's compiler counts them as owords
 * (G4_SendDescs.cpp, G4_SendDescRaw::getDstLenBytes). */
static bool reads_hwords(const struct xk_inst *i)
{
    const uint32_t desc = i->send.desc;
    return xk_inst_is_send(i) && i->send.sfid == XK_SFID_DC1 &&
           !i->send.desc_reg && (desc >> 14 & 31) == 0x14 &&
           (desc >> 11 & 3) == 3;
}

static void set_hazard_kind(const struct xk_hz_table *t, struct xk_hz_inst *e)
{
    const struct xk_inst *const i = e->in;
    const bool answers = i->dst.file == XK_FILE_GRF;
    const unsigned type = i->dst.type;
    e->is_macro = xk_math_is_macro(i);
    e->byte_float = type == XK_RT_BF8 || type == XK_RT_HF8;
    e->writes_bytes = t->merges_bytes && e->unit == XK_HZ_IN_ORDER &&
                      (e->byte_float || type == XK_RT_UB || type == XK_RT_B) &&
                      !e->is_branch;
    e->half_known = reads_hwords(i);
    if (!t->slm_overtakes || !xk_inst_is_send(i) || !xk_send_is_slm(&i->send))
        return;
    e->slm_load = answers;
    e->slm_store = !answers || is_fence(i);
}

/* ---- the whole ---- */

/* Only the last dpas of an Atomic chain has a token; it speaks for all. */
static void link_chains(struct xk_hz_table *t)
{
    for (uint32_t k = t->n; k-- > 1;) {
        struct xk_hz_inst *const e = &t->inst[k - 1];
        const struct xk_hz_inst *const next = &t->inst[k];
        if (e->unit != XK_HZ_DPAS || !e->in->atomic || e->set >= 0 ||
            next->unit != XK_HZ_DPAS)
            continue;
        e->in_chain = true;
        e->token = next->token;
    }
}

static bool meets_any(const struct xk_hz_table *t, const struct xk_hz_access *a,
                      uint32_t first, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        if (xk_hz_meet(a, &t->access[first + k]))
            return true;
    return false;
}

/* Whether an instruction behind, in the order of the layout, reads what a
 * message loaded before it is written again. */
static bool is_used(const struct xk_hz_table *t, uint32_t at)
{
    const struct xk_hz_inst *const e = &t->inst[at];
    if (!e->n_wr)
        return false;
    const struct xk_hz_access *const answer = &t->access[e->access + e->n_rd];
    for (uint32_t k = at + 1; k < t->n; k++) {
        const struct xk_hz_inst *const o = &t->inst[k];
        if (meets_any(t, answer, o->access, o->n_rd))
            return true;
        if (meets_any(t, answer, o->access + o->n_rd, o->n_wr))
            return false;
    }
    return false;
}

static bool fill_table(struct xk_hz_table *t, const struct xk_hz_line *line)
{
    static const struct xk_inst nothing = {.op = XK_OPC_ILLEGAL};
    for (uint32_t k = 0; k < t->n; k++) {
        struct xk_hz_inst *const e = &t->inst[k];
        *e = (struct xk_hz_inst){.in = line[k].in ? line[k].in : &nothing,
                                 .jip = line[k].jip,
                                 .uip = line[k].uip};
        set_pipe_and_unit(t, e);
        set_token_waits(t, e);
        if (!set_accesses(t, e))
            return false;
        set_hazard_kind(t, e);
    }
    link_chains(t);
    for (uint32_t k = 0; k < t->n; k++)
        t->inst[k].slm_unused = t->inst[k].slm_load && !is_used(t, k);
    return true;
}

static void set_platform(struct xk_hz_table *t)
{
    static const uint8_t window[XK_HZ_PIPES] = {
#define XK_HZ_PIPE(pipe, n_inst) n_inst,
#define XK_HZ_PLATFORM(id, merges, slm, flags)
#define XK_HZ_LATENCY(unit, r0, r1, w0, w1)
#include "sim/hazard/hazard_pipe.def"
#undef XK_HZ_PIPE
#undef XK_HZ_PLATFORM
#undef XK_HZ_LATENCY
    };
    static const struct {
        bool merges, slm, flags;
    } rows[] = {
#define XK_HZ_PIPE(pipe, n_inst)
#define XK_HZ_PLATFORM(id, merges, slm, flags)                                 \
    [XK_PLATFORM_##id] = {merges, slm, flags},
#define XK_HZ_LATENCY(unit, r0, r1, w0, w1)
#include "sim/hazard/hazard_pipe.def"
#undef XK_HZ_PIPE
#undef XK_HZ_PLATFORM
#undef XK_HZ_LATENCY
    };
    memcpy(t->window, window, sizeof t->window);
    t->strict_window = STRICT_WINDOW;
    t->merges_bytes = rows[t->platform->id].merges;
    t->slm_overtakes = rows[t->platform->id].slm;
    t->flags_overtake = rows[t->platform->id].flags;
    t->one_pipe = xk_type_pipe(t->platform, XK_RT_F) == XK_PIPE_ALL;
    const uint32_t at = xk_hz_file_at(t->platform, XK_HZ_STATE);
    t->state = (struct xk_hz_access){.first = at,
                                     .end = at + 1,
                                     .place = (uint16_t)(at / t->grf_b),
                                     .n_places = 1,
                                     .file = XK_HZ_STATE,
                                     .operand = 3};
}

enum xk_status xk_hz_table_init(struct xk_hz_table *t,
                                const struct xk_alloc *alloc,
                                const struct xk_platform *p,
                                const struct xk_hz_line *line, uint32_t n)
{
    *t = (struct xk_hz_table){.alloc = alloc ? *alloc : xk_alloc_default,
                              .platform = p,
                              .grf_b = p->grf_b,
                              .n = n};
    set_platform(t);
    t->inst =
        t->alloc.realloc(t->alloc.user, NULL, (n ? n : 1) * sizeof *t->inst);
    if (t->inst && fill_table(t, line))
        return XK_OK;
    xk_hz_table_fini(t);
    return XK_ENOMEM;
}

void xk_hz_table_fini(struct xk_hz_table *t)
{
    if (!t->alloc.realloc)
        return;
    t->alloc.realloc(t->alloc.user, t->inst, 0);
    t->alloc.realloc(t->alloc.user, t->access, 0);
    t->inst = NULL;
    t->access = NULL;
}
