/* SPDX-License-Identifier: Apache-2.0 */
#include "isa/message_sampler.h"
#include "isa/format.h"

static const struct {
    uint8_t op;
    const char *name;
} names[] = {
    {XK_SMP_SAMPLE, "sample"},     {XK_SMP_SAMPLE_L, "sample_l"},
    {XK_SMP_SAMPLE_D, "sample_d"}, {XK_SMP_LD, "ld"},
    {XK_SMP_RESINFO, "resinfo"},   {XK_SMP_SAMPLE_LZ, "sample_lz"},
    {XK_SMP_LD_LZ, "ld_lz"},       {XK_SMP_FLUSH, "flush"},
};

/* desc[31], [29]: modes of 16-bit coordinates and of other generations */
#define OTHER_BITS 0xa0000000u

bool xk_sampler_decode(const struct xk_inst *i, struct xk_sampler_msg *m)
{
    static const uint8_t widths[4] = {0, 8, 16, 0};
    const struct xk_send_info *const s = &i->send;
    const uint32_t d = s->desc;
    if (!xk_inst_is_send(i) || s->sfid != XK_SFID_SMPL || s->desc_reg)
        return false;
    *m = (struct xk_sampler_msg){.op = d >> 12 & 0x1f,
                                 .simd = widths[d >> 17 & 3],
                                 .bti = (uint8_t)d,
                                 .sampler = d >> 8 & 15,
                                 .header = d >> 19 & 1,
                                 .half = d >> 30 & 1,
                                 .other = d & OTHER_BITS,
                                 .dst_grf = d >> 20 & 31,
                                 .src0_grf = d >> 25 & 15,
                                 .src1_grf = s->src1_len};
    return true;
}

const char *xk_sampler_op_name(unsigned op)
{
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k].op == op)
            return names[k].name;
    return "";
}
