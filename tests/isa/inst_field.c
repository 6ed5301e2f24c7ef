/* SPDX-License-Identifier: Apache-2.0 */
/* The table of members. */
#include "tests/isa/inst_field.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define FIELD_AS(text, member)                                                 \
    {                                                                          \
        text, offsetof(struct xk_inst, member),                                \
            sizeof(((struct xk_inst *)0)->member),                             \
            _Generic(((struct xk_inst *)0)->member, bool                       \
                     : true, default                                           \
                     : false)                                                  \
    }
#define FIELD(member) FIELD_AS(#member, member)
#define OPERAND(text, o)                                                       \
    FIELD_AS(text ".file", o.file), FIELD_AS(text ".type", o.type),            \
        FIELD_AS(text ".arf", o.arf), FIELD_AS(text ".neg", o.neg),            \
        FIELD_AS(text ".abs", o.abs), FIELD_AS(text ".indirect", o.indirect),  \
        FIELD_AS(text ".reg", o.reg), FIELD_AS(text ".sub_b", o.sub_b),        \
        FIELD_AS(text ".vs", o.rgn.vs), FIELD_AS(text ".width", o.rgn.width),  \
        FIELD_AS(text ".hs", o.rgn.hs), FIELD_AS(text ".a0_sub", o.a0_sub),    \
        FIELD_AS(text ".a0_off_b", o.a0_off_b), FIELD_AS(text ".imm", o.imm)

static const struct inst_field fields[] = {
    FIELD(exec),
    FIELD(chan_off),
    FIELD(pred),
    FIELD(pred_inv),
    FIELD(flag_reg),
    FIELD(flag_sub),
    FIELD(cond),
    FIELD(sat),
    FIELD(no_mask),
    FIELD(atomic),
    FIELD(acc_wr_en),
    FIELD(branch_ctrl),
    FIELD(swsb.pipe),
    FIELD(swsb.dist),
    FIELD(swsb.mode),
    FIELD(swsb.sbid),
    FIELD(swsb.no_acc_sb),
    FIELD(math_fn),
    FIELD(sync_fn),
    FIELD(bfn),
    FIELD(sdepth),
    FIELD(rcount),
    FIELD(jip_b),
    FIELD(uip_b),
    FIELD(send.sfid),
    FIELD(send.eot),
    FIELD(send.desc_reg),
    FIELD(send.exdesc_reg),
    FIELD(send.exbso),
    FIELD(send.fused_serialize),
    FIELD(send.exdesc_sub),
    FIELD(send.src1_len),
    FIELD(send.desc),
    FIELD(send.exdesc),
    FIELD(op),
    OPERAND("dst", dst),
    OPERAND("src0", src[0]),
    OPERAND("src1", src[1]),
    OPERAND("src2", src[2]),
};

const struct inst_field *inst_fields(unsigned *n)
{
    *n = XK_COUNTOF(fields);
    return fields;
}

void inst_field_set(struct xk_inst *i, const struct inst_field *f, uint64_t v)
{
    uint8_t *const at = (uint8_t *)i + f->at_b;

    if (f->is_bool)
        v &= 1;
    for (unsigned k = 0; k < f->n_b; k++)
        at[k] = (uint8_t)(v >> 8 * k);
}

uint64_t inst_field_get(const struct xk_inst *i, const struct inst_field *f)
{
    const uint8_t *const at = (const uint8_t *)i + f->at_b;
    uint64_t v = 0;

    for (unsigned k = 0; k < f->n_b; k++)
        v |= (uint64_t)at[k] << 8 * k;
    return v;
}

static const struct inst_field *find(const char *name, size_t n)
{
    for (unsigned k = 0; k < XK_COUNTOF(fields); k++) {
        if (strlen(fields[k].name) == n && !memcmp(fields[k].name, name, n))
            return &fields[k];
    }
    return NULL;
}

bool inst_patch(struct xk_inst *i, const char *patch)
{
    while (*patch) {
        const size_t n = strcspn(patch, "=");
        const struct inst_field *const f = find(patch, n);
        char *end;

        if (!f || patch[n] != '=')
            return false;
        inst_field_set(i, f, strtoull(patch + n + 1, &end, 0));
        patch = *end == ',' ? end + 1 : end;
        if (*end && *end != ',')
            return false;
    }
    return true;
}
