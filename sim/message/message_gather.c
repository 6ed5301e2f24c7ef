/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers and scatters: an address a lane, or a base and a stride; vectors and
 * component masks. Component v of lane l lies in the registers at v * plane + l
 * * element. */
#include "sim/message/sim_message.h"

struct gather {
    struct xk_sim_view view;
    uint8_t data_b, reg_b;
    uint8_t reg_off_b; /* upper half of a dword */
    uint8_t align_b;   /* of addresses */
    uint8_t vec;       /* components in memory, data_b apart */
    uint8_t cmask;     /* components that move */
    bool store;
    uint32_t plane_b;
};

#define ALWAYS static inline __attribute__((always_inline))

/* The upper bytes of a narrow element are undefined in the register on these
 * platforms: nobody may rely on them, so they are not zero here. */
#define UNDEFINED 0xa5

/* Sizes are constants wherever speed matters. */
ALWAYS void move_element(uint8_t *reg, uint8_t *mem, unsigned data_b,
                         unsigned reg_b, bool store)
{
    if (store) {
        memcpy(mem, reg, data_b);
        return;
    }
    if (reg_b != data_b)
        memset(reg, UNDEFINED, reg_b);
    memcpy(reg, mem, data_b);
}

static bool is_channel_on(const struct gather *g, unsigned v)
{
    return v >= 8 || g->cmask >> v & 1;
}

/* An element of which a load by bytes of the old port finds a part beyond the
 * end of its surface: the bytes inside, then zeros. oneDNN's gemm of bf16 loads
 * the last of an odd number of columns so. */
static void load_partly(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                        const struct gather *g, uint64_t addr, uint8_t *reg,
                        unsigned lane)
{
    const uint64_t at = addr & g->view.mask, end = g->view.size_b;
    memset(reg, 0, g->reg_b);
    if (e->msg.sfid != XK_SFID_DC0 || g->align_b != 1 || !g->view.surface ||
        at >= end)
        return;
    const uint32_t n_b = (uint32_t)(end - at);
    const uint8_t *const mem =
        xk_sim_reach(t, e, &g->view, (struct xk_sim_bytes){addr, n_b, 1, lane});
    if (mem)
        memcpy(reg, mem, n_b);
}

/* Moves one lane, component by component. What is beyond the end of a surface
 * is zero, or dropped. False after a finding. */
static bool move_lane(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      const struct gather *g, uint64_t addr, uint8_t *reg,
                      unsigned lane)
{
    for (unsigned v = 0; v < g->vec; v++) {
        if (!is_channel_on(g, v))
            continue;
        uint8_t *const mem =
            xk_sim_reach(t, e, &g->view,
                         (struct xk_sim_bytes){addr + v * g->data_b, g->data_b,
                                               g->align_b, lane});
        if (t->state == XK_SIM_FAULT)
            return false;
        if (mem && g->reg_off_b)
            move_element(reg + g->reg_off_b, mem, g->data_b, g->data_b,
                         g->store);
        else if (mem)
            move_element(reg, mem, g->data_b, g->reg_b, g->store);
        else if (!g->store)
            load_partly(t, e, g, addr + v * g->data_b, reg, lane);
        reg += g->plane_b;
    }
    return true;
}

/* The range of addresses, less its first, at which n_b bytes are plainly there:
 * in shared local memory, or in the region that was hit last. */
struct window {
    uint8_t *host;
    uint64_t first, n;
    const struct xk_sim_region *region; /* NULL: shared local memory */
};

static struct window window_of(const struct xk_sim_thread *t,
                               const struct xk_sim_view *v, uint32_t n_b)
{
    const struct xk_sim_region *const r = t->last;
    struct window w = {.host = v->host, .region = v->host ? NULL : r};
    uint64_t size_b = v->size_b;
    if (!v->host && !r)
        return w;
    if (!v->host) {
        const uint64_t skip_b = v->base > r->va ? v->base - r->va : 0;
        w.first = v->base > r->va ? 0 : r->va - v->base;
        if (skip_b >= r->size_b || w.first >= v->size_b)
            return w;
        w.host = r->host + skip_b;
        size_b -= w.first;
        if (size_b > r->size_b - skip_b)
            size_b = r->size_b - skip_b;
    }
    w.n = size_b < n_b ? 0 : size_b - n_b + 1;
    return w;
}

/* NULL if that address needs a closer look. */
ALWAYS uint8_t *in_window(const struct window *w, const struct gather *g,
                          uint64_t addr)
{
    const uint64_t at = addr & g->view.mask;
    return at - w->first < w->n && !(at & (g->align_b - 1u))
               ? w->host + (at - w->first)
               : NULL;
}

/* As the checkers count it. */
static uint64_t address_in(const struct window *w, const uint8_t *mem)
{
    return w->region ? w->region->va + (uint64_t)(mem - w->region->host)
                     : w->first + (uint64_t)(mem - w->host);
}

/* The same where another region than that of the last hit is needed. */
static uint8_t *find_other_region(struct xk_sim_thread *t,
                                  const struct gather *g, uint64_t addr,
                                  uint32_t n_b, struct window *w)
{
    *w = window_of(t, &g->view, n_b);
    uint8_t *const mem = in_window(w, g, addr);
    if (mem || g->view.host ||
        !xk_sim_space_at(&t->group->run->space, &t->last,
                         g->view.base + (addr & g->view.mask), n_b))
        return mem;
    *w = window_of(t, &g->view, n_b);
    return in_window(w, g, addr);
}

/* The bits in which the address of any lane differs from the first one's plus
 * step_b times the lane. */
ALWAYS uint64_t unevenness(const uint64_t *addr, unsigned n, unsigned step_b)
{
    uint64_t bits = 0;
    if (addr[n - 1] - addr[0] != (uint64_t)step_b * (n - 1))
        return UINT64_MAX;
    for (unsigned l = 0; l < n; l++)
        bits |= addr[l] ^ (addr[0] + (uint64_t)step_b * l);
    return bits;
}

/* Moves the elements as a whole if all lanes are on and the elements follow
 * each other or, in a load, are all the same. False if they are not like
 * that. */
ALWAYS bool move_even(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      const struct gather *g, const uint64_t *addr,
                      uint32_t rf_b, unsigned data_b)
{
    const unsigned n = e->exec, all_b = g->vec * data_b;
    const bool row = g->vec == 1 && !unevenness(addr, n, data_b);
    const unsigned step_b = row ? data_b : 0;
    struct window w;
    if (!row && (g->store || unevenness(addr, n, 0)))
        return false;
    uint8_t *const mem =
        find_other_region(t, g, addr[0], row ? n * data_b : all_b, &w);
    uint8_t *reg = t->rf + rf_b;
    if (!mem)
        return false;
    if (t->hears.access)
        t->hears.access(t, e,
                        &(struct xk_sim_access){.region = w.region,
                                                .addr = address_in(&w, mem),
                                                .step_b = step_b,
                                                .n_b = all_b,
                                                .n = n});
    if (row && data_b == 4) {
        memcpy(g->store ? mem : reg, g->store ? reg : mem, 4 * n);
        return true;
    }
    for (unsigned v = 0; v < g->vec; v++, reg += g->plane_b)
        for (unsigned l = 0; l < n; l++)
            move_element(reg + 4 * l, mem + v * data_b + l * step_b, data_b, 4,
                         g->store);
    return true;
}

/* The lanes that move: theirs are the addresses, and elements from rf_b of the
 * register file on. */
struct lanes {
    uint32_t mask;
    const uint64_t *addr;
    uint32_t rf_b;
};

/* All components of the lanes; stops at a finding. */
ALWAYS void move_whole(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const struct gather *g, struct lanes lanes,
                       unsigned data_b, unsigned reg_b)
{
    const uint64_t *const addr = lanes.addr;
    uint32_t mask = lanes.mask;
    const unsigned vec = g->vec;
    const bool store = g->store;
    struct window w = window_of(t, &g->view, vec * data_b);
    for (; mask; mask &= mask - 1) {
        const unsigned l = (unsigned)__builtin_ctz(mask);
        uint8_t *reg = t->rf + lanes.rf_b + l * reg_b;
        uint8_t *mem = in_window(&w, g, addr[l]);
        if (!mem) {
            mem = xk_sim_reach(
                t, e, &g->view,
                (struct xk_sim_bytes){addr[l], vec * data_b, g->align_b, l});
            w = window_of(t, &g->view, vec * data_b);
        } else {
            xk_sim_saw(t, e, w.region, address_in(&w, mem), vec * data_b, l);
        }
        if (!mem) {
            if (t->state == XK_SIM_FAULT ||
                !move_lane(t, e, g, addr[l], reg, l))
                return;
            continue;
        }
        for (unsigned v = 0; v < vec; v++)
            move_element(reg + v * g->plane_b, mem + v * data_b, data_b, reg_b,
                         store);
    }
}

static void move_some(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                      const struct gather *g, struct lanes lanes)
{
    for (uint32_t mask = lanes.mask; mask; mask &= mask - 1) {
        const unsigned l = (unsigned)__builtin_ctz(mask);
        uint8_t *const reg = t->rf + lanes.rf_b + l * g->reg_b;
        if (!move_lane(t, e, g, lanes.addr[l], reg, l))
            return;
    }
}

/* One size of element that takes a dword of a register. */
#define MOVE_DWORDS(data_b)                                                    \
    do {                                                                       \
        if (lanes.mask != e->lanes ||                                          \
            !move_even(t, e, g, lanes.addr, lanes.rf_b, data_b))               \
            move_whole(t, e, g, lanes, data_b, 4);                             \
    } while (0)

static void move_elements(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                          const struct gather *g, struct lanes lanes)
{
    if (g->reg_off_b || (g->vec <= 8 && g->cmask != (1u << g->vec) - 1))
        move_some(t, e, g, lanes);
    else if (g->reg_b == 4 && g->data_b == 4)
        MOVE_DWORDS(4);
    else if (g->reg_b == 4 && g->data_b == 2)
        MOVE_DWORDS(2);
    else if (g->reg_b == 4 && g->data_b == 1)
        MOVE_DWORDS(1);
    else if (g->reg_b == 8 && g->data_b == 8)
        move_whole(t, e, g, lanes, 8, 8);
    else
        move_whole(t, e, g, lanes, g->data_b, g->reg_b);
}

/* Through a surface these count elements, in other memory bytes. */
static unsigned address_unit_b(const struct xk_msg *m)
{
    switch ((enum xk_msg_kind)m->kind) {
    case XK_MSG_DC0_DWORD_LOAD:
    case XK_MSG_DC0_DWORD_STORE:
    case XK_MSG_DCRO_DWORD_LOAD:
        return m->space == XK_MSPACE_SURFACE ? 4 : 1;
    default:
        return 1;
    }
}

static void take_addresses(const struct xk_sim_thread *t,
                           const struct xk_sim_inst *e, uint64_t *addr)
{
    const unsigned addr_b = e->msg.addr_b, unit_b = address_unit_b(&e->msg);
    const uint8_t *p = t->rf + xk_sim_addresses_at(t, e);
    if (addr_b == 8) {
        memcpy(addr, p, e->exec * sizeof(*addr));
        return;
    }
    if (addr_b == 4) {
        uint32_t a[XK_SIM_LANES];
        memcpy(a, p, e->exec * sizeof(*a));
        for (unsigned l = 0; l < e->exec; l++)
            addr[l] = (uint64_t)a[l] * unit_b;
        return;
    }
    for (unsigned l = 0; l < e->exec; l++, p += addr_b) {
        uint32_t a = 0;
        memcpy(&a, p, addr_b);
        addr[l] = (uint64_t)a * unit_b;
    }
}

/* Base in the first qword, stride in dword 2. */
static void make_addresses(const struct xk_sim_thread *t,
                           const struct xk_sim_inst *e, uint64_t *addr)
{
    const uint32_t at = e->src[0].off_b;
    const uint32_t stride_b = xk_rf_u32(t, at + 8);
    const uint64_t base =
        e->msg.addr_b == 8 ? xk_rf_u64(t, at) : xk_rf_u32(t, at);
    for (unsigned l = 0; l < e->exec; l++)
        addr[l] = base + (uint64_t)l * stride_b;
}

static bool payloads_fit(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         const struct gather *g, const struct xk_sim_opnd *data)
{
    const struct xk_msg *const m = &e->msg;
    const uint32_t lanes = e->exec < m->simd ? e->exec : m->simd;
    const uint32_t head_b = m->header ? t->kernel->grf_b : 0;
    const uint32_t addr_b =
        xk_msg_is_strided(m) ? 12 : head_b + (uint32_t)lanes * m->addr_b;
    /* vec counts the enabled components */
    const uint32_t n_b = (m->vec - 1u) * g->plane_b + lanes * g->reg_b;
    return xk_sim_payload(t, e, &e->src[0], addr_b, m->src0_grf,
                          "the address payload") &&
           xk_sim_payload(t, e, data, n_b, g->store ? m->src1_grf : m->dst_grf,
                          g->store ? "the data payload" : "the destination");
}

/* The messages of the load/store cache, of global and of shared local memory,
 * that take any address: the compiler uses them for pointers that are aligned
 * to less. Elsewhere dwords and qwords must be aligned. */
enum any_address { NONE, SINGLE, ALL }; /* SINGLE: no vectors */

static bool takes_any_address(const struct xk_platform *p,
                              const struct xk_msg *m)
{
    static const uint8_t any[] = {
        [XK_PLATFORM_XEHPG] = SINGLE, [XK_PLATFORM_XEHPC] = ALL};
    const uint8_t which = p->id < XK_COUNTOF(any) ? any[p->id] : NONE;
    return (m->sfid == XK_SFID_UGM || m->sfid == XK_SFID_SLM) &&
           (which == ALL || (which == SINGLE && !m->cmask && m->vec == 1));
}

/* Words may lie anywhere: compilers use that. So may what the old ports move in
 * bytes. */
static unsigned alignment_b(const struct xk_platform *p, const struct xk_msg *m)
{
    if (takes_any_address(p, m))
        return 1;
    switch ((enum xk_msg_kind)m->kind) {
    case XK_MSG_DC0_BYTE_LOAD:
    case XK_MSG_DC0_BYTE_STORE:
    case XK_MSG_DC1_A64_BYTE_LOAD:
    case XK_MSG_DC1_A64_BYTE_STORE:
        return 1;
    default:
        return m->data_b < 4 ? 1 : m->data_b;
    }
}

static void shape(const struct xk_sim_thread *t, const struct xk_sim_inst *e,
                  struct gather *g)
{
    const struct xk_msg *const m = &e->msg;
    /* without gaps as a vector of as many */
    const bool quad = (m->cmask & (m->cmask + 1)) != 0;
    const unsigned vec =
        m->cmask ? (unsigned)__builtin_popcount(m->cmask) : m->vec;
    g->store = xk_msg_op_class(m->op) == XK_MCLASS_STORE;
    g->data_b = m->data_b;
    g->reg_b = m->reg_b;
    g->reg_off_b = m->data_high ? m->reg_b - m->data_b : 0;
    g->align_b = (uint8_t)alignment_b(t->kernel->platform, m);
    g->vec = quad ? 4 : (uint8_t)vec;
    g->cmask = quad ? m->cmask : (uint8_t)((1u << (vec & 15)) - 1);
    g->plane_b = xk_sim_plane_b(t, e);
}

/* The addresses are taken first: the destination may overlap them. */
static void exec_gather(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    uint64_t addr[XK_SIM_LANES];
    struct gather g;
    shape(t, e, &g);
    const struct xk_sim_opnd *data = g.store ? &e->src[1] : &e->dst;
    if (!g.store && data->kind == XK_SO_NONE)
        return; /* prefetch */
    if (!xk_sim_view_of(t, e, &g.view) || !payloads_fit(t, e, &g, data))
        return;
    if (xk_msg_is_strided(&e->msg))
        make_addresses(t, e, addr);
    else
        take_addresses(t, e, addr);
    move_elements(t, e, &g,
                  (struct lanes){xk_sim_msg_mask(t, e), addr, data->off_b});
}

/* A bit a lane: whether its memory is there. */
static void exec_status(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    uint64_t addr[XK_SIM_LANES];
    struct xk_sim_view v;
    const struct xk_msg *const m = &e->msg;
    uint32_t bits = 0;
    if (!xk_sim_view_of(t, e, &v) ||
        !xk_sim_payload(t, e, &e->src[0], (uint32_t)e->exec * m->addr_b,
                        m->src0_grf, "the address payload") ||
        !xk_sim_payload(t, e, &e->dst, 4, m->dst_grf, "the destination"))
        return;
    take_addresses(t, e, addr);
    for (uint32_t k = xk_sim_msg_mask(t, e); k; k &= k - 1) {
        const unsigned l = (unsigned)__builtin_ctz(k);
        if (xk_sim_space_find(&t->group->run->space,
                              v.base + (addr[l] & v.mask), m->mem_b))
            bits |= 1u << l;
    }
    memcpy(t->rf + e->dst.off_b, &bits, 4);
}

xk_sim_fn *xk_sim_select_gather(const struct xk_sim_inst *e)
{
    return e->msg.op == XK_MOP_LOAD_STATUS ? exec_status : exec_gather;
}
