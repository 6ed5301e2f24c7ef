/* SPDX-License-Identifier: Apache-2.0 */
/* xk asm: text in the vendor assembler's syntax to machine code. */
#include <stdlib.h>
#include <string.h>

#include "tools/problem/output.h"
#include "tools/problem/words.h"
#include "tools/xk/request.h"
#include "tools/xk/verbs.h"

static const struct xk_tool_option options[] = {
    {"platform", 'p', "PLATFORM", "{}; must be given", xk_request_platform,
     .words = xk_words_of_platforms},
    {"output", 'o', "FILE", "writes the code; - is stdout", xk_request_output},
    {"compact", 'c', NULL, "the 64-bit form wherever there is one",
     xk_request_compact},
    {"json", 0, NULL, "no code: how many bytes, or the error", xk_request_json},
    {"help", 'h', NULL, "this text", xk_request_help},
};

/* With --json an error is an answer, and the exit code still 1. */
static int tell_json(const struct xk_request *r, size_t code_b,
                     struct xk_error *err)
{
    struct xk_error late = {0};
    json_t *const root =
        err->status < 0
            ? json_pack("{s:s, s:s}", "status", xk_status_str(err->status),
                        "error", err->message)
            : json_pack("{s:s, s:i}", "status", "XK_OK", "code_bytes",
                        (int)code_b);
    struct xk_request out = *r;
    out.output = NULL;
    if (xk_request_write_json(&out, root, &late) < 0 && err->status >= 0)
        *err = late;
    return err->status < 0;
}

static int assemble(const struct xk_request *r, struct xk_error *err)
{
    size_t code_b = 0;
    void *code = NULL;
    char words[120];
    struct xk_asm_text source = {.platform = r->platform,
                                 .file = strcmp(r->input[0], "-") ? r->input[0]
                                                                  : "stdin"};
    if (!r->platform) {
        xk_words_of_platforms(words, sizeof words);
        xk_tool_fail(err, XK_EINVAL, "-p must be given: one of %s", words);
        return 2;
    }
    if (!r->output && !r->json) {
        xk_tool_fail(err, XK_EINVAL, "-o FILE must be given");
        return 2;
    }
    char *const text = xk_tool_read(r->input[0], &source.n_b, err);
    if (!text)
        return 1;
    source.text = text;
    if (xk_assemble(&source, r->compact, &code, &code_b, err) >= 0 && !code_b)
        xk_tool_fail(err, XK_EPARSE, "%.200s: has no instruction", source.file);
    if (err->status >= 0 && r->output)
        xk_tool_output_write("output", r->output, code, code_b, err);
    const int exit_code = r->json ? tell_json(r, code_b, err) : 0;
    free(code);
    free(text);
    return exit_code;
}

int xk_verb_asm(int n, const char *const *args)
{
    static const struct xk_request_verb verb = {
        .name = "asm",
        .usage = "usage: xk asm -p PLATFORM FILE -o OUT\n"
                 "Assembles instructions, in the syntax that iga64 reads, to "
                 "raw code.\n\n",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .n_inputs = 1,
        .run = assemble};
    return xk_request_main(&verb, n, args);
}
