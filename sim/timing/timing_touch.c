/* SPDX-License-Identifier: Apache-2.0 */
/* What a message is about to touch: lines of memory, or banks of shared local
 * memory. Addresses are read from the registers, as the executors do, before
 * they are overwritten. What lies outside touches nothing. */
#include <string.h>

#include "sim/message/sim_message.h"
#include "sim/timing/timing_record.h"

#define MAX_LINES 512
#define MAX_WAVE 254u   /* later ones count as this one */
#define SLM_UNITS 32768 /* of 4 bytes: 128 KiB */

struct touch {
    struct xk_tm_tap *tap;
    struct xk_sim_thread *t;
    const struct xk_sim_inst *e;
    struct xk_sim_view v;
    uint32_t line[MAX_LINES];
    unsigned n_lines;
    uint32_t n_b, lanes;
    unsigned parts; /* components of a lane's access */
    bool atomic;
    /* shared local memory: units, and where in them each lane's begin */
    uint32_t slm_unit[1024];
    unsigned n_units;
    uint32_t slm_at[32], part_b;
};

/* ---- memory ---- */

static const struct xk_tm_region *region_at(struct xk_tm_tap *tap, uint64_t va)
{
    const struct xk_timing_record *const r = tap->r;
    unsigned lo = 0, hi = r->n_regions;
    if (tap->last_region < r->n_regions) {
        const struct xk_tm_region *const g = &r->region[tap->last_region];
        if (va - g->va < g->size_b)
            return g;
    }
    while (hi - lo > 1) {
        const unsigned mid = (lo + hi) / 2;
        if (r->region[mid].va <= va)
            lo = mid;
        else
            hi = mid;
    }
    if (lo >= r->n_regions || va - r->region[lo].va >= r->region[lo].size_b)
        return NULL;
    tap->last_region = lo;
    return &r->region[lo];
}

/* Sorted, each once; nearly always they come in order. */
static void add_line(struct touch *x, uint32_t line)
{
    unsigned k = x->n_lines;
    while (k && x->line[k - 1] > line)
        k--;
    if ((k && x->line[k - 1] == line) || x->n_lines == MAX_LINES)
        return;
    memmove(x->line + k + 1, x->line + k, (x->n_lines - k) * sizeof *x->line);
    x->line[k] = line;
    x->n_lines++;
}

static void add_memory(struct touch *x, uint64_t at, uint32_t n_b)
{
    /* a power of two */
    const unsigned shift = (unsigned)__builtin_ctz(x->tap->r->m->line_b);
    const uint64_t va = x->v.base + at;
    const struct xk_tm_region *const g = region_at(x->tap, va);
    if (!g)
        return;
    const uint64_t rest_b = g->size_b - (va - g->va);
    const uint64_t last = va + (n_b < rest_b ? n_b : rest_b) - 1;
    for (uint64_t l = va >> shift; l <= last >> shift; l++)
        add_line(x, g->first_line + (uint32_t)(l - (g->va >> shift)));
}

static void add_slm(struct touch *x, uint64_t at, uint32_t n_b)
{
    const uint32_t unit_b = x->tap->r->m->slm_bank_b;
    for (uint64_t u = at / unit_b; u <= (at + n_b - 1) / unit_b; u++)
        if (x->n_units < 1024 && u < SLM_UNITS)
            x->slm_unit[x->n_units++] = (uint32_t)u;
}

static void add_lines(struct touch *x, uint64_t addr, uint32_t n_b)
{
    const uint64_t at = addr & x->v.mask;
    if (!n_b || at >= x->v.size_b)
        return;
    x->n_b += n_b;
    if (x->lanes < 32)
        x->slm_at[x->lanes] = (uint32_t)at;
    x->lanes++;
    if (x->v.host)
        add_slm(x, at, n_b);
    else
        add_memory(x, at, n_b);
}

/* ---- addresses ---- */

static bool offsets_are_dwords(const struct xk_msg *m)
{
    return m->space == XK_MSPACE_SURFACE &&
           (m->kind == XK_MSG_DC0_DWORD_LOAD ||
            m->kind == XK_MSG_DC0_DWORD_STORE ||
            m->kind == XK_MSG_DCRO_DWORD_LOAD);
}

static uint64_t lane_address(const struct touch *x, unsigned lane)
{
    const struct xk_msg *const m = &x->e->msg;
    const uint32_t at =
        xk_sim_addresses_at(x->t, x->e) + (uint32_t)lane * m->addr_b;
    uint64_t a = 0;
    memcpy(&a, x->t->rf + at, m->addr_b > 8 ? 8 : m->addr_b);
    return offsets_are_dwords(m) ? a * 4 : a;
}

static void touch_strided(struct touch *x, uint32_t mask, uint32_t n_b)
{
    const uint32_t at = x->e->src[0].off_b;
    const uint64_t base =
        x->e->msg.addr_b == 8 ? xk_rf_u64(x->t, at) : xk_rf_u32(x->t, at);
    const uint64_t stride_b = xk_rf_u32(x->t, at + 8);
    for (; mask; mask &= mask - 1) {
        const unsigned l = (unsigned)__builtin_ctz(mask);
        add_lines(x, base + l * stride_b, n_b);
    }
}

static void touch_lanes(struct touch *x)
{
    const struct xk_msg *const m = &x->e->msg;
    const uint32_t parts = m->cmask ? 4u : m->vec ? m->vec : 1u;
    const uint32_t n_b = parts * m->data_b;
    uint32_t mask = xk_sim_msg_mask(x->t, x->e);
    x->parts = m->cmask ? (unsigned)__builtin_popcount(m->cmask) : parts;
    x->part_b = m->data_b;
    if (m->op == XK_MOP_LOAD_STRIDED || m->op == XK_MOP_STORE_STRIDED) {
        touch_strided(x, mask, n_b);
        return;
    }
    for (; mask; mask &= mask - 1)
        add_lines(x, lane_address(x, (unsigned)__builtin_ctz(mask)), n_b);
}

static void touch_block2d(struct touch *x)
{
    struct xk_error err = {.message = ""};
    struct xk_block2d h;
    uint32_t dw[8];
    const uint32_t data_b = x->e->msg.data_b;
    memcpy(dw, x->t->rf + x->e->src[0].off_b, sizeof dw);
    if (xk_block2d_unpack(dw, &h, &err) < 0)
        return;
    const int64_t from = (int64_t)h.x * data_b;
    const int64_t to = from + (int64_t)h.n_blocks * h.block_w * data_b;
    const int64_t lo = from < 0 ? 0 : from;
    const int64_t hi = to > (int64_t)h.width_b ? (int64_t)h.width_b : to;
    x->v = (struct xk_sim_view){.size_b = UINT64_MAX, .mask = UINT64_MAX};
    for (int64_t y = h.y; y < (int64_t)h.y + h.block_h; y++)
        if (y >= 0 && y < (int64_t)h.height && hi > lo)
            add_lines(x, h.base + (uint64_t)y * h.pitch_b + (uint64_t)lo,
                      (uint32_t)(hi - lo));
}

/* One address: in the payload, or in a header as an offset in units. */
static void touch_block(struct touch *x)
{
    const struct xk_msg *const m = &x->e->msg;
    const uint32_t at = x->e->src[0].off_b;
    const uint32_t n_b = (uint32_t)m->vec * m->data_b;
    if (m->space == XK_MSPACE_SCRATCH) {
        add_lines(x, m->scratch_b, n_b);
        return;
    }
    if (m->sfid != XK_SFID_DC0 && m->sfid != XK_SFID_DC1 &&
        m->sfid != XK_SFID_DCRO) {
        uint64_t a = 0;
        memcpy(&a, x->t->rf + at, m->addr_b > 8 ? 8 : m->addr_b);
        add_lines(x, a, n_b);
        return;
    }
    const bool owords = m->kind == XK_MSG_DC0_OWORD_LOAD ||
                        m->kind == XK_MSG_DC0_OWORD_STORE ||
                        m->kind == XK_MSG_DCRO_OWORD_LOAD;
    add_lines(x,
              m->sfid == XK_SFID_DC1 && m->addr_b == 8
                  ? xk_rf_u64(x->t, at)
                  : (uint64_t)xk_rf_u32(x->t, at + 8) * (owords ? 16 : 1),
              n_b);
}

/* ---- what is written down ---- */

/* The largest number of accesses to one bank. Accesses to one unit count once,
 * except those of atomics. */
static uint32_t bank_cycles(struct touch *x)
{
    const struct xk_timing_product *const m = x->tap->r->m;
    uint8_t seen[SLM_UNITS / 8];
    uint32_t count[256] = {0}, most = 0;
    if (!x->n_units)
        return 0;
    for (unsigned k = 0; k < x->n_units; k++)
        seen[x->slm_unit[k] / 8] = 0;
    for (unsigned k = 0; k < x->n_units; k++) {
        const uint32_t u = x->slm_unit[k], bank = u % m->slm_banks % 256;
        if (seen[u / 8] >> (u % 8) & 1 && !x->atomic)
            continue;
        seen[u / 8] |= (uint8_t)(1u << (u % 8));
        count[bank]++;
        most = count[bank] > most ? count[bank] : most;
    }
    return most;
}

/* The same if components are served one after the other. */
static uint32_t parts_cycles(struct touch *x, uint32_t whole)
{
    const unsigned lanes = x->lanes < 32 ? x->lanes : 32;
    uint32_t sum = 0;
    if (x->parts <= 1 || !x->n_units)
        return whole;
    for (unsigned p = 0; p < x->parts; p++) {
        x->n_units = 0;
        for (unsigned l = 0; l < lanes; l++)
            add_slm(x, x->slm_at[l] + (uint64_t)p * x->part_b, x->part_b);
        sum += bank_cycles(x);
    }
    return sum;
}

static uint32_t mix_lines(uint32_t a, uint32_t b)
{
    uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 29;
    return (uint32_t)(h * UINT64_C(0xbf58476d1ce4e5b9) >> 40);
}

static uint32_t owner_key(uint32_t wave, uint32_t line, uint32_t core)
{
    return (wave < MAX_WAVE ? wave : MAX_WAVE) << 24 | mix_lines(line, core);
}

/* The region's keys; NULL without memory. */
static _Atomic uint32_t *owners(struct xk_timing_record *r,
                                struct xk_tm_region *g)
{
    _Atomic uint32_t *o = atomic_load(&g->owner), *none = NULL;
    if (o)
        return o;
    o = r->alloc.realloc(r->alloc.user, NULL, g->n_lines * sizeof *o);
    if (!o) {
        atomic_store(&r->no_memory, true);
        return NULL;
    }
    for (uint32_t k = 0; k < g->n_lines; k++)
        atomic_init(&o[k], UINT32_MAX);
    if (!atomic_compare_exchange_strong(&g->owner, &none, o)) {
        r->alloc.realloc(r->alloc.user, (void *)o, 0);
        return none;
    }
    return o;
}

static void claim_line(_Atomic uint32_t *o, uint32_t key)
{
    uint32_t old = atomic_load_explicit(o, memory_order_relaxed);
    while (key < old &&
           !atomic_compare_exchange_weak_explicit(
               o, &old, key, memory_order_relaxed, memory_order_relaxed))
        ;
}

static struct xk_tm_region *region_of_line(const struct xk_timing_record *r,
                                           uint32_t line)
{
    unsigned lo = 0, hi = r->n_regions;
    while (hi - lo > 1) {
        const unsigned mid = (lo + hi) / 2;
        if (r->region[mid].first_line <= line)
            lo = mid;
        else
            hi = mid;
    }
    return &r->region[lo];
}

static void claim(struct touch *x)
{
    struct xk_timing_record *const r = x->tap->r;
    struct xk_tm_region *g = NULL;
    _Atomic uint32_t *o = NULL;
    for (unsigned k = 0; k < x->n_lines; k++) {
        const uint32_t line = x->line[k];
        if (!g || line - g->first_line >= g->n_lines) {
            g = region_of_line(r, line);
            o = owners(r, g);
        }
        if (o)
            claim_line(&o[line - g->first_line],
                       owner_key(x->tap->wave, line, x->tap->core));
    }
}

bool xk_timing_owns(const struct xk_timing_record *r, uint32_t line,
                    uint32_t *wave)
{
    const struct xk_tm_region *const g = region_of_line(r, line);
    const _Atomic uint32_t *const o = atomic_load(&g->owner);
    const uint32_t key = o ? atomic_load(&o[line - g->first_line]) : 0;
    *wave = key >> 24;
    return (key & 0xffffff) == mix_lines(line, 0);
}

uint64_t xk_timing_lines(const struct xk_timing_record *r)
{
    uint64_t n = 0;
    for (unsigned k = 0; k < r->n_regions; k++) {
        const _Atomic uint32_t *const o = atomic_load(&r->region[k].owner);
        for (uint32_t l = 0; o && l < r->region[k].n_lines; l++)
            n += atomic_load_explicit(&o[l], memory_order_relaxed) >> 24 <
                 (r->n_waves < MAX_WAVE ? r->n_waves : MAX_WAVE + 1);
    }
    return n;
}

static void put_runs(struct touch *x)
{
    struct xk_tm_tap *const tap = x->tap;
    uint32_t *run = NULL;
    for (unsigned k = 0; k < x->n_lines; k++) {
        if (run && run[0] + run[1] == x->line[k]) {
            run[1]++;
            continue;
        }
        run = tap->extra + tap->n_extra;
        run[0] = x->line[k];
        run[1] = 1;
        tap->n_extra += 2;
    }
}

static void put_extra_words(struct touch *x, enum xk_tm_class class)
{
    struct xk_tm_tap *const tap = x->tap;
    const uint32_t units = x->v.host ? bank_cycles(x) : x->lanes;
    const uint32_t lanes = x->lanes < 255 ? x->lanes : 255;
    tap->extra[0] = (uint32_t) class | (x->v.host ? 4u : 0u) | lanes << 8 |
                    (units < 0xffff ? units : 0xffff) << 16;
    tap->extra[1] = x->n_b;
    tap->extra[2] = x->parts | (x->v.host ? parts_cycles(x, units) : 0) << 8;
    tap->n_extra = XK_TM_HEAD;
    put_runs(x);
}

static enum xk_tm_class class_of(const struct xk_sim_inst *e, bool *known)
{
    *known = true;
    switch (xk_msg_op_class(e->msg.op)) {
    case XK_MCLASS_LOAD:
        return e->dst.kind == XK_SO_NONE ? XK_TM_PREFETCH : XK_TM_LOAD;
    case XK_MCLASS_STORE:
        return XK_TM_STORE;
    case XK_MCLASS_ATOMIC:
        return XK_TM_ATOMIC;
    default:
        *known = false;
        return XK_TM_LOAD;
    }
}

/* Reads descriptors in a0 as they will be read. */
static void resolve_descriptors(const struct xk_sim_thread *t,
                                struct xk_sim_inst *fixed)
{
    if (!fixed->in.send.desc_reg)
        return;
    fixed->in.send.desc = xk_rf_u32(t, XK_RF_A0);
    fixed->in.send.desc_reg = false;
    xk_msg_decode(t->kernel->platform, &fixed->in, &fixed->msg);
}

/* No observer may hear that we look at surface states. */
static bool find_view(struct touch *x)
{
    const struct xk_sim_hearing heard = xk_sim_mute(x->t);
    const bool found = xk_sim_view_of(x->t, x->e, &x->v);
    xk_sim_unmute(x->t, heard);
    return found;
}

void xk_timing_touch(struct xk_tm_tap *tap, struct xk_sim_thread *t,
                     const struct xk_sim_inst *e)
{
    struct xk_sim_inst fixed;
    struct touch x;
    bool known;
    if (e->in.send.desc_reg) {
        fixed = *e;
        resolve_descriptors(t, &fixed);
        e = &fixed;
    }
    const enum xk_tm_class class = class_of(e, &known);
    if (!known || e->src[0].kind != XK_SO_REG || !xk_sim_mask(t, e))
        return;
    x.tap = tap;
    x.t = t;
    x.e = e;
    x.n_lines = x.n_units = 0;
    x.n_b = x.lanes = 0;
    x.parts = 1;
    x.atomic = class == XK_TM_ATOMIC;
    if (!find_view(&x))
        return;
    if (e->msg.op == XK_MOP_LOAD_BLOCK2D || e->msg.op == XK_MOP_STORE_BLOCK2D)
        touch_block2d(&x);
    else if (e->msg.transpose)
        touch_block(&x);
    else
        touch_lanes(&x);
    claim(&x);
    put_extra_words(&x, class);
}
