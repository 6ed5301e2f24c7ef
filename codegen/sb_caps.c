/* SPDX-License-Identifier: Apache-2.0 */
/* The scoreboard's platform table. Sources: isa.md 5.1 (what can be encoded),
 * 5.2 (pipes), 5.3 and the vendor compiler's list of what its scoreboard pass
 * works around (HWCaps.inc: hasA0WARHWissue, hasSLMWARIssue, PVCSendWARWA). */
#include "codegen/sb.h"

#define BIT(k) (1u << (k))

static const struct xk_sb_caps caps[] = {
    [XK_PLATFORM_XELP] =
        {
            .n_pipes = 1,
            .name = {XK_PIPE_NONE},
            .all = XK_PIPE_NONE,
            .send_pipes = BIT(XK_PIPE_NONE),
            .arf_interlocked = true,
        },
    [XK_PLATFORM_XEHPG] =
        {
            .n_pipes = 3,
            .name = {XK_PIPE_FLOAT, XK_PIPE_INT, XK_PIPE_LONG},
            .all = XK_PIPE_ALL,
            .send_pipes = BIT(XK_PIPE_ALL),
            .a0_drains = true,
            .slm_read_drains = true,
        },
    [XK_PLATFORM_XEHPC] =
        {
            .n_pipes = 4,
            .name = {XK_PIPE_FLOAT, XK_PIPE_INT, XK_PIPE_LONG, XK_PIPE_MATH},
            .all = XK_PIPE_ALL,
            .send_pipes =
                BIT(XK_PIPE_ALL) | BIT(XK_PIPE_FLOAT) | BIT(XK_PIPE_INT),
            .src_joins = true,
            .all_joins_dst = true,
            .bytes_merge = true,
            .a0_drains = true,
            .slm_read_drains = true,
            .payload_by_dst = true,
        },
};

const struct xk_sb_caps *xk_sb_caps_get(const struct xk_platform *p)
{
    const unsigned n = sizeof caps / sizeof caps[0];
    return p->id < n && caps[p->id].n_pipes ? &caps[p->id] : NULL;
}
