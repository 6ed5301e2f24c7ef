/* SPDX-License-Identifier: Apache-2.0 */
/* asm_tool, for tests/isa/test_asm.py: assembles what standard input names, a
 * line a job: PLATFORM TEXT-FILE OUTPUT. Writes a line a job: "ok", or the
 * words of the refusal. With an output "-" nothing is written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm.h"
#include "isa/format.h"
#include "tests/isa/iga.h"
#include "tests/isa/random_inst.h"

static bool write_file(const char *path, const uint8_t *code, size_t n_b)
{
    FILE *const f = fopen(path, "wb");
    const bool ok = f && fwrite(code, 1, n_b, f) == n_b;

    return f && fclose(f) == 0 && ok;
}

static void assemble(xk_ctx *c, const char *platform, const char *form,
                     const char *in, const char *out)
{
    const struct xk_platform *const p = xk_platform_find(platform);
    struct xk_asm_source source = {.file = "t.asm"};
    size_t code_b;
    uint8_t *code = NULL;
    char *const text = iga_read_file(in, &source.n_b);

    source.text = text;
    xk_ctx_clear(c);
    if (!p || !text)
        printf("asm_tool: no platform %s or no file %s\n", platform, in);
    else if (xk_assemble_text(c, p, &source, !strcmp(form, "compact"), &code,
                              &code_b) < 0)
        printf("%s\n", c->error.message);
    else if (!write_file(out, code, code_b))
        printf("asm_tool: cannot write %s\n", out);
    else
        printf("ok\n");
    xk_free(c, code);
    free(text);
}

static int random_code(const struct xk_platform *p, unsigned count,
                       const char *path)
{
    struct rng r = {rng_seed()};
    uint8_t *const code = calloc(count, XK_INST_B);
    struct xk_error err = {0};
    struct xk_inst i;
    int status = 1;

    for (unsigned k = 0; code && k < count; k++) {
        random_inst(p, &r, random_opcode(p, &r), &i);
        random_targets(&r, &i, k, count);
        if (xk_inst_encode(p, &i, code + (size_t)k * XK_INST_B, &err) < 0) {
            fprintf(stderr, "asm_tool: %s\n", err.message);
            goto out;
        }
    }
    status = !code || !write_file(path, code, (size_t)count * XK_INST_B);
out:
    free(code);
    return status;
}

static int run_jobs(void)
{
    char line[3000], platform[16], form[16], in[1400], out[1400];
    xk_ctx *const c = xk_ctx_create(NULL);

    if (!c)
        return 2;
    while (fgets(line, sizeof(line), stdin)) {
        if (sscanf(line, "%15s %15s %1399s %1399s", platform, form, in, out) !=
            4)
            return 2;
        assemble(c, platform, form, in, out);
    }
    xk_ctx_destroy(c);
    return 0;
}

int main(int argc, char **argv)
{
    const struct xk_platform *const p =
        argc == 4 ? xk_platform_find(argv[1]) : NULL;

    if (argc == 1)
        return run_jobs();
    return p ? random_code(p, (unsigned)atoi(argv[2]), argv[3]) : 2;
}
