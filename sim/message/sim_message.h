/* SPDX-License-Identifier: Apache-2.0 */
/* What the executors of messages share: views onto memory, register payloads.
 * All of them work from the record of isa/message.h; no encoding is known
 * here. */
#ifndef XK_SIM_SIM_MESSAGE_H
#define XK_SIM_SIM_MESSAGE_H

#include "base/state_field.h"
#include "sim/core/observer.h"
#include "sim/core/sim_operand.h"

/* The addresses of a message are offsets in a view. */
struct xk_sim_view {
    uint64_t base;   /* virtual address of offset 0 */
    uint64_t size_b; /* UINT64_MAX: it has no end of its own */
    uint64_t mask;   /* bits of an address that count */
    uint8_t *host;   /* shared local memory; else NULL */
    bool surface;    /* beyond its end reads are zero and writes are dropped */
};

/* Virtual addresses as they are. */
static const struct xk_sim_view xk_sim_flat = {.size_b = UINT64_MAX,
                                               .mask = UINT64_MAX};

/* Dword k of a surface's state. */
static inline uint32_t xk_sim_dw(const uint8_t *p, unsigned k)
{
    uint32_t v;
    memcpy(&v, p + 4 * k, 4);
    return v;
}

/* False after a finding about the first field that is not 0. */
bool xk_sim_has_none(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                     const uint8_t *state, const struct xk_state_field *fields,
                     size_t n);
/* A surface's memory is compressed, or has an auxiliary surface: refused, for
 * whatever kind of surface. */
bool xk_sim_is_uncompressed(struct xk_sim_thread *t,
                            const struct xk_sim_inst *e, const uint8_t *state);

/* The view that *e's addresses mean; false after a finding. */
bool xk_sim_view_of(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                    struct xk_sim_view *v);
/* The surface whose state lies at an offset from the base of surface states. */
bool xk_sim_view_of_state(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                          uint64_t state_va, struct xk_sim_view *v);
/* n_b bytes of the driver's state, n_b a power of two. The hardware reads them
 * by itself, so no thread counts as having touched them, whatever kind of
 * memory they lie in. NULL after a finding. */
const uint8_t *xk_sim_state_at(struct xk_sim_thread *t,
                               const struct xk_sim_inst *e, uint64_t va,
                               uint32_t n_b);
/* Base of surface states of the message, and its state's address. */
bool xk_sim_surface_va(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       uint64_t *va);

/* The same by a binding table index; XK_BTI_BINDLESS: by the extended
 * descriptor. */
bool xk_sim_bti_va(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   unsigned bti, uint64_t *va);

/* Bytes of a view that a lane accesses. */
struct xk_sim_bytes {
    uint64_t addr;
    uint32_t n_b;
    uint32_t align_b; /* addr must be a multiple of it */
    unsigned lane;    /* for messages */
};

/* What xk_sim_reach does with an address that is not plainly there: it reports
 * it or, beyond the end of a surface, does nothing. Always NULL. */
uint8_t *xk_sim_miss(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                     const struct xk_sim_view *v, struct xk_sim_bytes a);

/* The host's view of the bytes. NULL after a finding, or, without one, where
 * some of them are beyond the end of a surface. */
static inline uint8_t *xk_sim_reach(struct xk_sim_thread *t,
                                    const struct xk_sim_inst *e,
                                    const struct xk_sim_view *v,
                                    struct xk_sim_bytes a)
{
    const uint64_t at = a.addr & v->mask;
    if (!(at & (a.align_b - 1)) && at < v->size_b && v->size_b - at >= a.n_b) {
        if (v->host) {
            xk_sim_saw(t, e, NULL, at, a.n_b, a.lane);
            return v->host + at;
        }
        uint8_t *const p = xk_sim_space_at(&t->group->run->space, &t->last,
                                           v->base + at, a.n_b);
        if (p) {
            xk_sim_saw(t, e, t->last, v->base + at, a.n_b, a.lane);
            return p;
        }
    }
    return xk_sim_miss(t, e, v, a);
}

/* True if the payload [off_b, off_b + n_b) lies in n_grf registers beginning at
 * o; else a finding that names `what`. */
bool xk_sim_payload(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                    const struct xk_sim_opnd *o, uint32_t n_b, uint32_t n_grf,
                    const char *what);

/* Lanes that take part. */
static inline uint32_t xk_sim_msg_mask(const struct xk_sim_thread *t,
                                       const struct xk_sim_inst *e)
{
    const uint32_t mask = xk_sim_mask(t, e);
    const unsigned simd = e->msg.simd;
    return simd && simd < 32 ? mask & ((1u << simd) - 1) : mask;
}

/* Bytes from one component of a payload to the next: whole registers. */
static inline uint32_t xk_sim_plane_b(const struct xk_sim_thread *t,
                                      const struct xk_sim_inst *e)
{
    const uint32_t grf_b = t->kernel->grf_b;
    const uint32_t n_b = (uint32_t)e->msg.simd * e->msg.reg_b;
    return (n_b + grf_b - 1) / grf_b * grf_b;
}

/* Where the addresses begin in the register image: behind a header. */
static inline uint32_t xk_sim_addresses_at(const struct xk_sim_thread *t,
                                           const struct xk_sim_inst *e)
{
    return e->src[0].off_b + (e->msg.header ? t->kernel->grf_b : 0);
}

/* Bytes of a block that one channel masks; 0: it moves as a whole. */
uint32_t xk_sim_block_unit_b(const struct xk_msg *m);

/* Whether mask lets the piece at at_b move; the channels repeat. A block that
 * is sent for one channel moves as a whole. */
static inline bool xk_sim_block_moves(const struct xk_sim_inst *e,
                                      uint32_t mask, uint32_t unit_b,
                                      uint32_t at_b)
{
    const unsigned n_channels = e->exec < 8 ? 8 : e->exec;
    return !unit_b || e->exec == 1 || mask == e->lanes ||
           (mask >> at_b / unit_b % n_channels & 1);
}

/* By e->msg; NULL where a kind is not simulated. */
xk_sim_fn *xk_sim_select_gather(const struct xk_sim_inst *e);
xk_sim_fn *xk_sim_select_block(const struct xk_sim_inst *e);
xk_sim_fn *xk_sim_select_gateway(const struct xk_sim_inst *e);
xk_sim_fn xk_sim_exec_block2d;
xk_sim_fn xk_sim_exec_atomic;
/* One atomic operation on size_b bytes (2, 4, 8), aligned; what was there. */
uint64_t xk_sim_atomic_apply(uint8_t *mem, unsigned op, uint64_t a, uint64_t b,
                             unsigned size_b);
xk_sim_fn xk_sim_exec_media;
/* A message that isa/ knows and that is refused. */
xk_sim_fn xk_sim_exec_refused;

/* Who executes a send. */
xk_sim_fn *xk_sim_select_send(const struct xk_sim_inst *e);

#endif
