/* SPDX-License-Identifier: Apache-2.0 */
/* The tables behind isa/compact.h, built from isa/compact.def and the rows of
 * isa/compact_<platform>.def. */
#include "isa/compact.h"

/* Rows that the next table does not take. */
#define XK_COMPACT_LOOKUP(group, form, slot, table, index, lo, hi)
#define XK_COMPACT_REG(group, form, slot, compact, native)
#define XK_COMPACT_KIND(group, kind, form, imm_form, flag, type, lo, hi,       \
                        imm_lo, imm_hi)

#define XK_COMPACT_IMM(type, how) [XK_RT_##type] = XK_COMPACT_IMM_##how,
const uint8_t xk_compact_imms[XK_N_REG_TYPES] = {
#include "isa/compact.def"
};

#undef XK_COMPACT_LOOKUP
#undef XK_COMPACT_REG
#undef XK_COMPACT_KIND
#undef XK_COMPACT_IMM
#define XK_COMPACT_IMM(type, how)

/* The platforms: the rows of compact.def whose group is IN, and all rows of the
 * platform's own file. */
#define RUN(first, count) (((UINT64_C(1) << (count)) - 1) << ((first)&63))
#define L(first, count) RUN(first, count)
#define H(first, count) RUN(first, count)
#define XK_COMPACT_LOOKUP(group, form_id, slot, table, index, lo, hi)          \
    IN_##group(.form[XK_COMPACT_##form_id].lookup[slot] = {                    \
                   XK_FLD_##index, XK_COMPACT_##table, {lo, hi}}, )
#define XK_COMPACT_REG(group, form_id, slot, compact, native)                  \
    IN_##group(.form[XK_COMPACT_##form_id].reg[slot] = {XK_FLD_##compact,      \
                                                        XK_FLD_##native}, )
#define XK_COMPACT_KIND(group, kind_id, form, imm_form, flag, type, lo, hi,    \
                        imm_lo, imm_hi)                                        \
    IN_##group(.kind[XK_COMPACT_KIND_##kind_id] = {XK_COMPACT_##form,          \
                                                   XK_COMPACT_##imm_form,      \
                                                   XK_FLD_##flag,              \
                                                   XK_FLD_##type,              \
                                                   {lo, hi},                   \
                                                   {imm_lo, imm_hi}}, )
#define XK_COMPACT(table, index, lo, hi)                                       \
    .row[XK_COMPACT_##table][index] = {lo, hi},
#define XK_COMPACT_OP(op, kind_id)                                             \
    .kind_of[XK_OPC_##op] = XK_COMPACT_KIND_##kind_id,
#define YES(...) __VA_ARGS__
#define NO(...)
#define IN_ANY YES

#define IN_XE YES
#define IN_XELP YES
#define IN_XEHPG NO
#define IN_HPC NO
const struct xk_compact xk_compact_xelp = {
#include "isa/compact.def"
#include "isa/compact_xelp.def"
};

#undef IN_XELP
#undef IN_XEHPG
#define IN_XELP NO
#define IN_XEHPG YES
const struct xk_compact xk_compact_xehpg = {
#include "isa/compact.def"
#include "isa/compact_xehpg.def"
};

#undef IN_XE
#undef IN_XEHPG
#undef IN_HPC
#define IN_XE NO
#define IN_XEHPG NO
#define IN_HPC YES
const struct xk_compact xk_compact_xehpc = {
#include "isa/compact.def"
#include "isa/compact_xehpc.def"
};
