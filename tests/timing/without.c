/* SPDX-License-Identifier: Apache-2.0 */
/* The generator without what isa/workaround.def demands, to see what it costs:
 * XK_WITHOUT is `workarounds` or nothing. Linked with --wrap of what answers
 * for them. What it makes is not for hardware. */
#include <stdlib.h>
#include <string.h>

#include "codegen/sb.h"
#include "isa/workaround.h"

bool __real_xk_wa_applies(enum xk_wa id, const struct xk_wa_device *d);
bool __wrap_xk_wa_applies(enum xk_wa id, const struct xk_wa_device *d);
const struct xk_sb_caps *__real_xk_sb_caps_get(const struct xk_platform *p);
const struct xk_sb_caps *__wrap_xk_sb_caps_get(const struct xk_platform *p);

static bool without_workarounds(void)
{
    const char *const said = getenv("XK_WITHOUT");
    return said && !strcmp(said, "workarounds");
}

bool __wrap_xk_wa_applies(enum xk_wa id, const struct xk_wa_device *d)
{
    return !without_workarounds() && __real_xk_wa_applies(id, d);
}

/* slm_war, a0_war. */
const struct xk_sb_caps *__wrap_xk_sb_caps_get(const struct xk_platform *p)
{
    static _Thread_local struct xk_sb_caps less;
    const struct xk_sb_caps *const caps = __real_xk_sb_caps_get(p);
    if (!caps || !without_workarounds())
        return caps;
    less = *caps;
    less.slm_read_drains = less.a0_drains = false;
    return &less;
}
