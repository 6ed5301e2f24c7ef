/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/xk/ir_words.h"

#include <stdlib.h>
#include <string.h>

#include "tools/problem/words.h"
#include "tools/xk/verbs.h"

char *xk_ir_read_text(const char *path, struct xk_error *err)
{
    size_t n;
    char *const bytes = xk_tool_read(path, &n, err);
    if (!bytes)
        return NULL;
    char *const text = memchr(bytes, 0, n) ? NULL : malloc(n + 1);
    if (text) {
        memcpy(text, bytes, n);
        text[n] = 0;
    } else {
        xk_tool_fail(err, XK_EPARSE, "%.200s: is no text", path);
    }
    free(bytes);
    return text;
}

void xk_ir_failed_in(const char *path, enum xk_status st, struct xk_error *err)
{
    const struct xk_error why = *err;
    if (st < 0)
        xk_tool_fail(err, st, "%.150s: %.340s", path, why.message);
}

enum xk_status xk_ir_word_registers(const char *option, const char *value,
                                    uint32_t most, uint32_t *out,
                                    struct xk_error *err)
{
    uint32_t v = 0;
    const char *s = value;
    for (; *s >= '0' && *s <= '9' && v <= most; s++)
        v = v * 10 + (uint32_t)(*s - '0');
    if (s == value || *s || v > most)
        return xk_tool_fail(err, XK_EINVAL,
                            "%s=%.40s: needs a number of registers up to %u",
                            option, value, most);
    *out = v;
    return XK_OK;
}
