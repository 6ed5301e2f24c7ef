/* SPDX-License-Identifier: Apache-2.0 */
/* Which memory the addresses of a message mean. Surface states are read from
 * memory, once per thread, as the hardware does: reference/virtual-device.md
 * 6. */
#include <inttypes.h>

#include "sim/message/sim_message.h"

/* Intel's compiler sets this bit in local pointers, so that none of them is
 * null; the memory is far smaller and ignores it. */
#define SLM_TAG UINT64_C(0x10000000)

enum { TYPE_BUFFER = 4, TYPE_SCRATCH = 6, TYPE_NULL = 7 };
#define FORMAT_RAW 0x1ff
#define STATE_B 64

/* Extended descriptor: immediate, or in a0.N. */
static uint32_t exdesc_of(const struct xk_sim_thread *t,
                          const struct xk_sim_inst *e)
{
    const struct xk_send_info *const s = &e->in.send;
    return s->exdesc_reg ? xk_rf_u32(t, XK_RF_A0 + 4u * (s->exdesc_sub & 7))
                         : s->exdesc;
}

/* The offset of a bindless surface's state, in units of 64 bytes: from bit 6
 * on, or from bit 12 where the length of src1 is below. */
static uint32_t state_offset(const struct xk_sim_thread *t,
                             const struct xk_sim_inst *e)
{
    const uint32_t ex = exdesc_of(t, e);
    if (e->msg.surf_imm)
        return e->msg.surf_off;
    return e->in.send.exbso ? ex & ~63u : ex >> 12 << 6;
}

const uint8_t *xk_sim_state_at(struct xk_sim_thread *t,
                               const struct xk_sim_inst *e, uint64_t va,
                               uint32_t n_b)
{
    const struct xk_sim_region *last = NULL;
    const uint8_t *const p =
        va % n_b ? NULL
                 : xk_sim_space_at(&t->group->run->space, &last, va, n_b);
    return p ? p
             : xk_sim_reach(t, e, &xk_sim_flat,
                            (struct xk_sim_bytes){va, n_b, n_b, 0});
}

bool xk_sim_has_none(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                     const uint8_t *state, const struct xk_state_field *fields,
                     size_t n)
{
    uint32_t v;
    const struct xk_state_field *const f =
        xk_state_field_set(state, fields, n, &v);
    return !f || xk_sim_lacks(t, e, f->what, v);
}

bool xk_sim_is_uncompressed(struct xk_sim_thread *t,
                            const struct xk_sim_inst *e, const uint8_t *state)
{
    static const struct xk_state_field fields[] = {
        {6, 0, 7, "a surface with an auxiliary one, mode"},
        {7, 30, 1, "a surface with compressed memory"},
    };
    return xk_sim_has_none(t, e, state, fields, XK_COUNTOF(fields));
}

static bool binding_table(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                          unsigned index, uint64_t *va)
{
    const struct xk_sim_dispatch *const d = t->group->run->d;
    if (!d->binding_table_va) {
        xk_sim_fault(t, e, "binding table index %u, but there is no table",
                     index);
        return false;
    }
    const uint8_t *const p =
        xk_sim_state_at(t, e, d->binding_table_va + 4ull * index, 4);
    if (!p)
        return false;
    *va = d->surface_va + xk_sim_dw(p, 0);
    return true;
}

bool xk_sim_surface_va(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       uint64_t *va)
{
    const struct xk_sim_dispatch *const d = t->group->run->d;
    const struct xk_msg *const m = &e->msg;
    switch ((enum xk_lsc_addr_type)m->addr_type) {
    case XK_LSC_BSS:
        *va = d->bindless_va + state_offset(t, e);
        return true;
    case XK_LSC_SS:
        *va = d->surface_va + state_offset(t, e);
        return true;
    case XK_LSC_FLAT: /* the old ports, where there is one type only */
    case XK_LSC_BTI:
        break;
    }
    return xk_sim_bti_va(t, e,
                         m->surf_reg && m->bti != XK_BTI_BINDLESS
                             ? exdesc_of(t, e) >> 24
                             : m->bti,
                         va);
}

bool xk_sim_bti_va(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                   unsigned bti, uint64_t *va)
{
    if (bti != XK_BTI_BINDLESS)
        return binding_table(t, e, bti, va);
    *va = t->group->run->d->bindless_va + state_offset(t, e);
    return true;
}

static bool read_state(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                       const uint8_t *s, uint64_t *base, uint64_t *size_b)
{
    const unsigned type = xk_sim_dw(s, 0) >> 29,
                   format = xk_sim_dw(s, 0) >> 18 & 0x1ff;
    const uint64_t pitch_b = (xk_sim_dw(s, 3) & 0x3ffff) + 1;
    *base = xk_sim_dw(s, 8) | (uint64_t)xk_sim_dw(s, 9) << 32;
    if (type == TYPE_NULL) {
        *size_b = 0;
    } else if (type == TYPE_SCRATCH) {
        *base += t->slot * pitch_b;
        *size_b = pitch_b;
        t->scratch_va = *base;
        t->scratch_b = pitch_b;
    } else if (type == TYPE_BUFFER && format == FORMAT_RAW) {
        *size_b =
            ((xk_sim_dw(s, 2) & 127) | (xk_sim_dw(s, 2) >> 16 & 0x3fff) << 7 |
             (uint64_t)(xk_sim_dw(s, 3) >> 21) << 21) +
            1;
        return xk_sim_is_uncompressed(t, e, s);
    } else {
        xk_sim_fault(t, e,
                     "surface of type %u, format 0x%x: only raw buffers (4, "
                     "0x1ff) and scratch (6) are simulated",
                     type, format);
        return false;
    }
    return true;
}

bool xk_sim_view_of_state(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                          uint64_t state_va, struct xk_sim_view *v)
{
    const uint8_t *const s = xk_sim_state_at(t, e, state_va, STATE_B);
    *v = (struct xk_sim_view){.mask = UINT64_MAX, .surface = true};
    return s && read_state(t, e, s, &v->base, &v->size_b);
}

/* What names the surface, never 0. */
static uint64_t surface_key(const struct xk_sim_thread *t,
                            const struct xk_sim_inst *e)
{
    const struct xk_msg *const m = &e->msg;
    const bool bindless = m->addr_type == XK_LSC_BSS ||
                          m->addr_type == XK_LSC_SS ||
                          m->bti == XK_BTI_BINDLESS;
    const uint64_t kind = bindless ? 2u + m->addr_type : 1;
    return kind << 33 | (uint64_t)e->in.send.exbso << 32 |
           (bindless || m->surf_reg
                ? m->surf_imm ? m->surf_off : exdesc_of(t, e)
                : m->bti);
}

/* Bits 23:11 beside a binding table index, and bit 11 beside the length of
 * src1, are reserved (isa.md 6.2); those below it repeat the port and EOT, or
 * nothing. */
static bool exdesc_known(struct xk_sim_thread *t, const struct xk_sim_inst *e)
{
    const struct xk_msg *const m = &e->msg;
    const bool index = m->addr_type == XK_LSC_BTI && m->bti != XK_BTI_BINDLESS;
    const uint32_t reserved = !m->surf_reg       ? 0
                              : index            ? 0x00fff800u
                              : e->in.send.exbso ? 0
                                                 : 0x800u;
    if (!(exdesc_of(t, e) & reserved))
        return true;
    xk_sim_fault(t, e,
                 "not modelled: extended descriptor 0x%x in a0.%u has reserved "
                 "bits 0x%x",
                 exdesc_of(t, e), e->in.send.exdesc_sub,
                 exdesc_of(t, e) & reserved);
    return false;
}

static bool surface_view(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         struct xk_sim_view *v)
{
    const uint64_t key = surface_key(t, e);
    struct xk_sim_surface *const c =
        &t->surface[(key ^ key >> 6 ^ key >> 12) % XK_SIM_SURFACES];
    uint64_t va;
    if (c->key == key) {
        *v = (struct xk_sim_view){.base = c->base,
                                  .size_b = c->size_b,
                                  .mask = UINT64_MAX,
                                  .surface = true};
        return true;
    }
    if (!exdesc_known(t, e) || !xk_sim_surface_va(t, e, &va) ||
        !xk_sim_view_of_state(t, e, va, v))
        return false;
    *c = (struct xk_sim_surface){key, v->base, v->size_b};
    return true;
}

/* The header is a copy of r0, which says where scratch space is. */
static bool scratch_view(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                         struct xk_sim_view *v)
{
    const struct xk_sim_dispatch *const d = t->group->run->d;
    if (!xk_sim_payload(t, e, &e->src[0], 32, e->msg.src0_grf, "the header"))
        return false;
    const uint32_t field = xk_rf_u32(t, e->src[0].off_b + 20) & ~0x3ffu;
    if (d->scratch_surface)
        return xk_sim_view_of_state(t, e, d->surface_va + (field >> 4), v);
    *v = (struct xk_sim_view){.base = d->general_va + field,
                              .size_b = d->scratch_slot_b,
                              .mask = UINT64_MAX};
    t->scratch_va = v->base;
    t->scratch_b = v->size_b;
    return true;
}

bool xk_sim_view_of(struct xk_sim_thread *t, const struct xk_sim_inst *e,
                    struct xk_sim_view *v)
{
    const struct xk_sim_group *const g = t->group;
    switch ((enum xk_msg_space)e->msg.space) {
    case XK_MSPACE_FLAT:
        *v = xk_sim_flat;
        return true;
    case XK_MSPACE_STATELESS:
        *v = (struct xk_sim_view){.base = g->run->d->general_va,
                                  .size_b = UINT64_C(1) << 32,
                                  .mask = UINT32_MAX};
        return true;
    case XK_MSPACE_SLM:
        *v = (struct xk_sim_view){
            .size_b = g->slm_b, .mask = ~SLM_TAG, .host = g->slm};
        return true;
    case XK_MSPACE_SCRATCH:
        return scratch_view(t, e, v);
    case XK_MSPACE_SURFACE:
        return surface_view(t, e, v);
    case XK_MSPACE_NONE:
        break;
    }
    xk_sim_fault(t, e, "the message has no addresses");
    return false;
}
