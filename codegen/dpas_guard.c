/* SPDX-License-Identifier: Apache-2.0 */
/* What stands in front of dpas because of buffers of sources, rows rs_dpas and
 * rs_dpas_fused of isa/workaround.def: a mov of src1's first register to
 * itself, and a dummy. They are put into the final order, which decides who is
 * first in a block. The first makes src1 one that needs the second.
 *
 * The vendor's dummy has the destination of the dpas that it precedes, which
 * reads it as src0 before it is overwritten; ours has eight registers that
 * nobody reads any more, for which the allocation left room. Its factors are
 * src2 of its chain, which waits for them anyway, or src0. */
#include <string.h>

#include "isa/format.h"
#include "codegen/cg.h"
#include "codegen/sb.h"
#include "isa/loaded.h"
#include "isa/workaround.h"

#define N_GRF 256
#define DUMMY_GRF 8

struct regs {
    uint64_t bit[N_GRF / 64];
};

struct guard {
    struct xk_cg *g;
    struct xk_sb_access **access; /* of g's instructions */
    struct xk_wa_program program;
    bool *target, *mixed;
    bool *has;             /* per instruction: something goes in front */
    struct xk_inst *extra; /* that */
    unsigned n_extra;
};

static bool any_dpas(const struct xk_cg *g)
{
    for (uint32_t i = 0; i < g->n_inst; i++)
        if (xk_inst_is_dpas(&g->inst[i]))
            return true;
    return false;
}

/* Whether an instruction that is no message writes src1 of a dpas, or a message
 * leaves lanes of it alone; before the registers are known. */
static bool may_need_dummy(const struct xk_cg *g, const bool *computed)
{
    bool need = false;
    for (uint32_t k = 0; k < g->n_inst && !need; k++) {
        const struct xk_inst *const i = &g->inst[k];
        need = xk_inst_is_dpas(i)
                   ? i->src[1].file == XK_FILE_TILE && computed[i->src[1].reg]
                   : i->op == XK_OPC_SEND && i->pred &&
                         i->dst.file == XK_FILE_TILE;
    }
    return need;
}

enum xk_status xk_cg_guard_room(struct xk_cg *g)
{
    bool *computed;
    if (!any_dpas(g))
        return XK_OK;
    computed = xk_calloc(g->c, g->n_tiles + 1ull, sizeof *computed);
    if (!computed)
        return XK_ENOMEM;
    for (uint32_t k = 0; k < g->n_inst; k++)
        if (g->inst[k].dst.file == XK_FILE_TILE && g->inst[k].op != XK_OPC_SEND)
            computed[g->inst[k].dst.reg] = true;
    if (may_need_dummy(g, computed)) {
        const uint32_t tile =
            xk_cg_tile_new(g, DUMMY_GRF * g->p->grf_b, g->p->grf_b);
        if (xk_cg_ok(g))
            g->tile[tile].pinned = g->tile[tile].dummy = true;
    }
    xk_free(g->c, computed);
    return xk_ctx_status(g->c);
}

struct xk_cg_tile *xk_cg_guard_tile(const struct xk_cg *g)
{
    struct xk_cg_tile *const t = g->n_tiles ? &g->tile[g->n_tiles - 1] : NULL;
    return t && t->dummy ? t : NULL;
}

/* ---- insertion ---- */

static void put_extra(struct guard *w, unsigned at, const struct xk_inst *i)
{
    w->has[at] = true;
    w->extra[at] = *i;
    w->n_extra++;
}

/* Writes the list with what goes in front, and what it accesses; new_at: where
 * each instruction's own place begins. */
static void merge_extras(const struct guard *w, struct xk_inst *list,
                         struct xk_sb_access *access, unsigned *new_at)
{
    const struct xk_cg *const g = w->g;
    uint32_t k = 0;
    for (uint32_t i = 0; i < g->n_inst; i++) {
        new_at[i] = k;
        if (w->has[i]) {
            list[k] = w->extra[i];
            xk_sb_access_of(g->p, &list[k], &access[k]);
            k++;
        }
        list[k] = g->inst[i];
        access[k++] = (*w->access)[i];
    }
    /* Branches come to what was put in front of their targets. */
    for (uint32_t i = 0; i < k; i++)
        if (list[i].op == XK_OPC_JMPI)
            list[i].jip_b = (int32_t)new_at[list[i].jip_b];
}

static enum xk_status insert_extras(struct guard *w)
{
    struct xk_cg *const g = w->g;
    const uint32_t n = g->n_inst + w->n_extra;
    struct xk_inst *const list = xk_malloc(g->c, n * sizeof *list);
    struct xk_sb_access *const access = xk_malloc(g->c, n * sizeof *access);
    unsigned *const new_at = xk_malloc(g->c, g->n_inst * sizeof *new_at);
    const bool ok = list && access && new_at;
    if (ok)
        merge_extras(w, list, access, new_at);
    xk_free(g->c, new_at);
    xk_free(g->c, ok ? g->inst : list);
    xk_free(g->c, ok ? *w->access : access);
    if (!ok)
        return XK_ENOMEM;
    g->inst = list;
    g->n_inst = g->cap_inst = n;
    *w->access = access;
    w->n_extra = 0;
    return XK_OK;
}

/* ---- what is lacking ---- */

static void set_offsets(struct xk_cg *g, bool bytes)
{
    for (int32_t i = 0; i < (int32_t)g->n_inst; i++) {
        int32_t *const jip_b = &g->inst[i].jip_b;
        if (g->inst[i].op == XK_OPC_JMPI)
            *jip_b = bytes ? (*jip_b - i) * XK_INST_B : *jip_b / XK_INST_B + i;
    }
}

/* Arrays for the list as it is now. */
static enum xk_status describe_list(struct guard *w)
{
    struct xk_cg *const g = w->g;
    const size_t n = g->n_inst;
    xk_free(g->c, w->target);
    xk_free(g->c, w->mixed);
    xk_free(g->c, w->has);
    xk_free(g->c, w->extra);
    w->target = xk_calloc(g->c, n + 1, sizeof *w->target);
    w->mixed = xk_calloc(g->c, n, sizeof *w->mixed);
    w->has = xk_calloc(g->c, n, sizeof *w->has);
    w->extra = xk_malloc(g->c, n * sizeof *w->extra);
    if (!w->target || !w->mixed || !w->has || !w->extra)
        return XK_ENOMEM;
    w->program = (struct xk_wa_program){.device = g->device,
                                        .p = g->p,
                                        .inst = g->inst,
                                        .n = g->n_inst,
                                        .grf_count = g->abi->grf_count,
                                        .target = w->target,
                                        .mixed = w->mixed};
    return XK_OK;
}

static bool lacks(const struct guard *w, enum xk_wa row, unsigned at)
{
    return xk_inst_is_dpas(&w->g->inst[at]) &&
           xk_wa_applies(row, &w->program.device) &&
           xk_workaround_get(row)->lacks(&w->program, at);
}

/* ---- what goes in front ---- */

static struct xk_inst mov_of(const struct xk_operand *src1)
{
    struct xk_inst i = {.op = XK_OPC_MOV, .exec = 8, .no_mask = true};
    i.dst = (struct xk_operand){.file = XK_FILE_GRF,
                                .type = XK_RT_UD,
                                .reg = src1->reg,
                                .rgn = {.hs = 1}};
    i.src[0] = i.dst;
    i.src[0].rgn = (struct xk_region){1, 1, 0};
    return i;
}

static enum xk_status put_movs(struct guard *w)
{
    struct xk_cg *const g = w->g;
    XK_TRY(describe_list(w));
    w->program.may_suppress = xk_wa_may_suppress(&w->program);
    if (!w->program.may_suppress)
        return XK_OK;
    set_offsets(g, true);
    xk_wa_find_targets(&w->program, w->target);
    for (uint32_t at = 0; at < g->n_inst; at++)
        if (lacks(w, XK_WA_rs_dpas, at)) {
            const struct xk_inst i = mov_of(&g->inst[at].src[1]);
            put_extra(w, at, &i);
        }
    set_offsets(g, false);
    return w->n_extra ? insert_extras(w) : XK_OK;
}

static bool has_reg(const struct regs *r, unsigned grf)
{
    return r->bit[grf / 64] >> grf % 64 & 1;
}

static void mark_regs(struct regs *r, struct xk_footprint grf)
{
    for (uint32_t k = grf.first_b; k < grf.end_b && k < N_GRF; k++)
        r->bit[k / 64] |= 1ull << k % 64;
}

/* The registers of an operand: whole ones, by their numbers. */
static struct xk_footprint whole_registers(const struct xk_cg *g,
                                           const struct xk_inst *i, int operand)
{
    struct xk_footprint f = xk_inst_footprint(g->p, i, operand);
    f.first_b /= g->p->grf_b;
    f.end_b = (f.end_b + g->p->grf_b - 1) / g->p->grf_b;
    return f;
}

/* Registers for a dummy to write: those that the allocation has left for it, or
 * eight that the program does not use. -1: there are none. */
static int find_free(const struct guard *w)
{
    const struct xk_cg *const g = w->g;
    const unsigned end = xk_platform_grf(g->p, g->abi->grf_count);
    const struct xk_cg_tile *const room = xk_cg_guard_tile(g);
    struct regs used = {{0}};
    if (room)
        return room->at_b / (int)g->p->grf_b;
    for (uint32_t i = 0; i < g->n_inst; i++)
        for (int k = -1; k < 3; k++)
            mark_regs(&used, whole_registers(g, &g->inst[i], k));
    for (unsigned r = end, n = 0; r-- > 0;) {
        n = has_reg(&used, r) ? 0 : n + 1;
        if (n == DUMMY_GRF)
            return (int)r;
    }
    return -1;
}

/* Eight registers that the chain reads as src2, or those of src0: a dpasw has
 * only four registers of src2. */
static unsigned find_factors(const struct guard *w, unsigned at)
{
    const struct xk_cg *const g = w->g;
    struct regs read = {{0}};
    for (uint32_t i = at; i < g->n_inst && xk_inst_is_dpas(&g->inst[i]); i++) {
        mark_regs(&read, whole_registers(g, &g->inst[i], 2));
        if (!g->inst[i].atomic)
            break;
    }
    for (unsigned r = 0, n = 0; r < N_GRF; r++) {
        n = has_reg(&read, r) ? n + 1 : 0;
        if (n == DUMMY_GRF)
            return r + 1 - DUMMY_GRF;
    }
    return g->inst[at].src[0].reg;
}

static enum xk_status put_dummy(struct guard *w, unsigned at, int free)
{
    const struct xk_inst *const real = &w->g->inst[at];
    struct xk_inst i = *real;
    if (free < 0 || real->src[0].file != XK_FILE_GRF)
        return xk_fail(w->g->c, XK_ENOFIT,
                       "codegen: at instruction %u of %u no %u registers are "
                       "left for a dummy dpas",
                       at, w->g->n_inst, DUMMY_GRF);
    i.atomic = true;
    i.dst.reg = (uint16_t)free;
    i.src[1].reg = i.src[2].reg = (uint16_t)find_factors(w, at);
    i.src[1].sub_b = i.src[2].sub_b = 0;
    i.src[0] = xk_cg_null((enum xk_reg_type)real->src[0].type);
    put_extra(w, at, &i);
    return XK_OK;
}

static enum xk_status put_dummies(struct guard *w)
{
    struct xk_cg *const g = w->g;
    enum xk_status st = XK_OK;
    XK_TRY(describe_list(w));
    struct xk_loaded_room *const room = xk_malloc(g->c, sizeof *room);
    if (!room)
        return XK_ENOMEM;
    const int free = find_free(w);
    set_offsets(g, true);
    xk_wa_find_targets(&w->program, w->target);
    xk_find_mixed_src1(g->p, g->inst, g->n_inst, w->mixed, room);
    xk_free(g->c, room);
    for (uint32_t at = 0; at < g->n_inst && st == XK_OK; at++)
        if (lacks(w, XK_WA_rs_dpas_fused, at))
            st = put_dummy(w, at, free);
    set_offsets(g, false);
    return st == XK_OK && w->n_extra ? insert_extras(w) : st;
}

enum xk_status xk_cg_guard_dpas(struct xk_cg *g, struct xk_sb_access **access)
{
    struct guard w = {.g = g, .access = access};
    if (!any_dpas(g))
        return XK_OK;
    enum xk_status st = put_movs(&w);
    if (st == XK_OK)
        st = put_dummies(&w);
    xk_free(g->c, w.target);
    xk_free(g->c, w.mixed);
    xk_free(g->c, w.has);
    xk_free(g->c, w.extra);
    return st;
}
