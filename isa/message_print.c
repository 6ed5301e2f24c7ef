/* SPDX-License-Identifier: Apache-2.0 */
/* A message in plain words, one line, for dumps. Not the assembler's syntax:
 * it also says what that leaves to the reader.
 *
 *   op.port[.data][.addr][.l1.l3] [space] [words...]  src0:N src1:N dst:N
 *   data   d32, d8u32, d16u32h; x4: vector; t: packed; v: vnni; .xz components
 *   addr   a16, a32, a64
 *   space  flat, stateless, slm, scratch+64, bti[3], bindless, ss[a0.2],
 *          bss[0x800]
 *   words  simd16 (old ports), kind's own name in parentheses, header, return,
 *          high, last_use, slots_high ... */
#include "isa/message_table.h"

static void put_data(const struct xk_msg *m, struct xk_str *out)
{
    const bool block2d = xk_msg_is_block2d(m);

    if (!m->data_b)
        return;
    xk_str_printf(out, ".d%u", m->data_b * 8);
    if (m->reg_b != m->data_b)
        xk_str_printf(out, "u%u%s", m->reg_b * 8, m->data_high ? "h" : "");
    if (m->cmask) {
        xk_str_putc(out, '.');
        for (unsigned k = 0; k < 4; k++) {
            if (m->cmask >> k & 1)
                xk_str_putc(out, "xyzw"[k]);
        }
    } else if (m->vec > 1 || (m->transpose && !block2d)) {
        xk_str_printf(out, "x%u", m->vec);
    }
    xk_str_puts(out, m->transpose ? "t" : "");
    xk_str_puts(out, m->vnni ? "v" : "");
}

static void put_surface_index(const struct xk_msg *m, const char *name,
                              struct xk_str *out)
{
    if (m->surf_reg)
        xk_str_printf(out, " %s[a0.%u]", name, m->surf_sub);
    else if (m->surf_imm)
        xk_str_printf(out, " %s[0x%x]", name, (unsigned)m->surf_off);
    else
        xk_str_printf(out, " %s[%u]", name, m->bti);
}

static void put_space(const struct xk_msg *m, struct xk_str *out)
{
    switch ((enum xk_msg_space)m->space) {
    case XK_MSPACE_NONE:
        return;
    case XK_MSPACE_FLAT:
        xk_str_puts(out, " flat");
        break;
    case XK_MSPACE_STATELESS:
        xk_str_puts(out, " stateless");
        break;
    case XK_MSPACE_SLM:
        xk_str_puts(out, " slm");
        return;
    case XK_MSPACE_SCRATCH:
        xk_str_printf(out, " scratch+%u", (unsigned)m->scratch_b);
        return;
    case XK_MSPACE_SURFACE:
        if (m->addr_type == XK_LSC_BSS)
            put_surface_index(m, "bss", out);
        else if (m->addr_type == XK_LSC_SS)
            put_surface_index(m, "ss", out);
        else if (m->bti == XK_BTI_BINDLESS && !xk_msg_is_lsc(m->sfid))
            put_surface_index(m, "bindless", out);
        else
            put_surface_index(m, "bti", out);
        return;
    }
    if (m->bti == XK_BTI_STATELESS_NC)
        xk_str_puts(out, " incoherent");
}

static void put_fence(const struct xk_msg *m, struct xk_str *out)
{
    if (xk_msg_is_lsc(m->sfid)) {
        xk_str_printf(out, ".%s.%s", xk_msg_fence_flush_name(m->fence_flush),
                      xk_msg_fence_scope_name(m->fence_scope));
        if (m->cache)
            xk_str_printf(out, " cache %u", m->cache);
        return;
    }
    xk_str_puts(out, m->bti == XK_BTI_SLM ? " slm" : " global");
    if (m->flush_l1)
        xk_str_puts(out, " flush_l1");
    if (m->flush_l3)
        xk_str_printf(out, " flush_l3=0x%x", m->flush_l3);
    if (m->commit)
        xk_str_puts(out, " commit");
}

static void put_words(const struct xk_msg *m, struct xk_str *out)
{
    const struct {
        bool on;
        const char *text;
    } words[] = {
        {m->data_high && m->reg_b != 4, " high"},
        {m->header, " header"},
        {m->returns, " return"},
        {m->last_use, " last_use"},
        {m->slot_high, " slots_high"},
        {m->active_only, " active"},
        {m->channel_dw, " dword_channels"},
    };
    const char *const name = xk_msg_row(m->kind)->name;

    if (m->simd && !xk_msg_is_lsc(m->sfid))
        xk_str_printf(out, " simd%u", m->simd);
    if (*name)
        xk_str_printf(out, " (%s)", name);
    for (unsigned k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
        if (words[k].on)
            xk_str_puts(out, words[k].text);
    }
    if (m->sub)
        xk_str_printf(out, " sub %u", m->sub);
}

static void put_lengths(const struct xk_msg *m, struct xk_str *out)
{
    xk_str_printf(out, " src0:%u ", m->src0_grf);
    if (m->unknown_src1)
        xk_str_puts(out, "src1:a0");
    else
        xk_str_printf(out, "src1:%u", m->src1_grf);
    xk_str_printf(out, " dst:%u", m->dst_grf);
}

void xk_msg_print(const struct xk_platform *p, const struct xk_msg *m,
                  struct xk_str *out)
{
    (void)p;
    if (!xk_msg_row(m->kind) || m->kind == XK_MSG_OTHER) {
        xk_str_printf(out, "%s.%s",
                      m->kind == XK_MSG_OTHER ? "other" : "unknown",
                      xk_msg_sfid_name(m->sfid));
        put_lengths(m, out);
        return;
    }
    if (m->op == XK_MOP_LOAD && xk_msg_is_lsc(m->sfid) && !m->dst_grf)
        xk_str_puts(out, "prefetch");
    else
        xk_str_puts(out, xk_msg_op_name(m->op));
    xk_str_printf(out, ".%s", xk_msg_sfid_name(m->sfid));
    if (m->op == XK_MOP_FENCE) {
        put_fence(m, out);
    } else {
        put_data(m, out);
        if (m->addr_b)
            xk_str_printf(out, ".a%u", m->addr_b * 8);
        if (m->l1 || m->l3)
            xk_str_printf(out, ".%s.%s", xk_msg_cache_name(m->l1),
                          xk_msg_cache_name(m->l3));
        put_space(m, out);
    }
    put_words(m, out);
    put_lengths(m, out);
}
