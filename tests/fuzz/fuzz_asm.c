/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer: text as a program of a platform (chosen by the first byte). What
 * assembles must disassemble to text that assembles to the same bytes; what
 * does not must say why. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm.h"
#include "isa/disasm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b);

static void demand(int yes)
{
    if (!yes)
        abort();
}

static void again(xk_ctx *c, const struct xk_platform *p, const uint8_t *code,
                  size_t code_b)
{
    const struct xk_disasm_opts show = {.ldst = false};
    struct xk_str text;
    uint8_t *second = NULL;
    size_t second_b = 0;
    xk_str_init(&text, &c->alloc);
    demand(xk_disassemble_code(c, p, code, code_b, &show, &text) == 0);
    demand(xk_ctx_status(c) == XK_OK);
    const struct xk_asm_source source = {xk_str_get(&text), text.len, "again"};
    demand(xk_assemble_text(c, p, &source, false, &second, &second_b) == XK_OK);
    demand(second_b == code_b && !memcmp(code, second, code_b));
    xk_free(c, second);
    xk_str_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_b)
{
    if (n_b < 1)
        return 0;
    const struct xk_platform *const p =
        xk_platform_get((enum xk_platform_id)(XK_PLATFORM_XELP + data[0] % 3));
    const struct xk_asm_source source = {(const char *)data + 1, n_b - 1,
                                         "fuzz"};
    xk_ctx *const c = xk_ctx_create(NULL);
    uint8_t *code = NULL;
    size_t code_b = 0;
    if (xk_assemble_text(c, p, &source, data[0] & 64, &code, &code_b) ==
        XK_OK) {
        if (code_b)
            again(c, p, code, code_b);
        xk_free(c, code);
    } else {
        demand(c->error.message[0] != 0);
    }
    xk_ctx_destroy(c);
    return 0;
}
