/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: bytes as instructions of a platform (chosen by the first byte).
 * What decodes must encode to the same bytes, and can be printed, judged and
 * measured; what does not must say why. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b);

static void demand(int yes)
{
    if (!yes)
        abort();
}

static void use(const struct xk_platform *p, const struct xk_inst *i)
{
    struct xk_isa_violation v[8];
    const struct xk_print_opts ldst = {.ldst = true};
    struct xk_str text;
    xk_str_init(&text, NULL);
    xk_inst_print(p, i, &text);
    xk_inst_print_as(p, i, &ldst, &text);
    demand(text.failed || text.len > 0);
    xk_str_fini(&text);
    xk_inst_validate(p, i, v, 8);
    xk_inst_pipe(p, i);
    for (int k = -1; k < 3; k++)
        xk_inst_footprint(p, i, k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b)
{
    if (n_b < 1)
        return 0;
    const struct xk_platform *const p =
        xk_platform_get((enum xk_platform_id)(XK_PLATFORM_XELP + data[0] % 3));
    for (size_t at = 1; at < n_b;) {
        struct xk_inst i;
        struct xk_error err = {XK_OK, ""};
        uint8_t again[XK_INST_B];
        size_t used_b = 0, again_b = 0;
        if (xk_inst_decode(p, data + at, n_b - at, &i, &used_b, &err) < 0) {
            demand(err.message[0] != 0);
        } else {
            demand(xk_inst_encode_as_marked(p, &i, again, &again_b, &err) ==
                   XK_OK);
            demand(again_b == used_b && !memcmp(again, data + at, used_b));
            use(p, &i);
        }
        if (!used_b)
            break;
        at += used_b;
    }
    return 0;
}
