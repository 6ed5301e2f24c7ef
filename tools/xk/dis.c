/* SPDX-License-Identifier: Apache-2.0 */
/* xk dis: the instructions of a zebin, of a compiler's older container, or of
 * raw code with -p PLATFORM. */
#include <stdlib.h>

#include "tools/problem/words.h"
#include "tools/xk/request.h"
#include "tools/xk/verbs.h"

static const struct xk_tool_option options[] = {
    {"platform", 'p', "PLATFORM", "raw code is for this one: {}",
     xk_request_platform, .words = xk_words_of_platforms},
    {"kernel", 'k', "NAME", "only this kernel", xk_request_kernel},
    {"messages", 'm', NULL, "sends spelled out as loads and stores",
     xk_request_messages},
    {"numeric", 'n', NULL, "branch targets as byte offsets, no labels",
     xk_request_numeric},
    {"offsets", 0, NULL, "the byte offset behind each instruction",
     xk_request_offsets},
    {"json", 0, NULL, "a list of kernels with their instructions",
     xk_request_json},
    {"output", 'o', "FILE", "writes the result there; - (default) is stdout",
     xk_request_output},
    {"help", 'h', NULL, "this text", xk_request_help},
};

static enum xk_status print_kernel(const struct xk_request *r,
                                   const xk_inspect *f, uint32_t k,
                                   const struct xk_kernel_facts *facts,
                                   FILE *out, struct xk_error *err)
{
    const struct xk_text_opts opts = {
        .messages = r->messages, .numeric = r->numeric, .offsets = r->offsets};
    if (facts->simd)
        fprintf(out, "// kernel %s, %s, SIMD%u, %u registers\n", facts->name,
                xk_inspect_platform(f), facts->simd, facts->grf_count);
    return xk_inspect_text(f, k, &opts, xk_tool_print, out, err);
}

static enum xk_status print_text(const struct xk_request *r,
                                 const xk_inspect *f, struct xk_error *err)
{
    struct xk_kernel_facts facts;
    enum xk_status st = XK_OK;
    char *text = NULL;
    size_t text_b = 0;
    FILE *const memory = open_memstream(&text, &text_b);
    if (!memory)
        return xk_tool_fail(err, XK_ENOMEM, "no memory for the text");
    for (uint32_t k = 0; k < xk_inspect_n_kernels(f) && st >= 0; k++)
        if (xk_request_wants(r, f, k, &facts))
            st = print_kernel(r, f, k, &facts, memory, err);
    fclose(memory);
    /* What could be read is shown also when some of it could not. */
    struct xk_error late = {0};
    if (xk_request_write(r, text, text_b, &late) < 0 && st >= 0) {
        *err = late;
        st = late.status;
    }
    free(text);
    return st;
}

static void add_inst(void *user, const struct xk_inst_facts *i)
{
    json_t *const o = json_pack("{s:i, s:i}", "offset", (int)i->offset_b,
                                "bytes", (int)i->size_b);
    if (i->error) {
        json_object_set_new(o, "error", json_string(i->error));
    } else {
        json_object_set_new(o, "opcode", json_string(i->opcode));
        json_object_set_new(o, "text", json_string(i->text));
        if (*i->pipe)
            json_object_set_new(o, "pipe", json_string(i->pipe));
        if (*i->message)
            json_object_set_new(o, "message", json_string(i->message));
    }
    json_array_append_new(user, o);
}

static json_t *json_of_kernel(const xk_inspect *f, uint32_t k,
                              const struct xk_kernel_facts *facts,
                              struct xk_error *err)
{
    json_t *const list = json_array();
    if (xk_inspect_each(f, k, add_inst, list, err) < 0) {
        json_decref(list);
        return NULL;
    }
    json_t *const o = json_pack("{s:s, s:s}", "kernel", facts->name, "platform",
                                xk_inspect_platform(f));
    /* Raw code does not say it. */
    if (facts->simd)
        json_object_set_new(o, "simd", json_integer(facts->simd));
    if (facts->grf_count)
        json_object_set_new(o, "grf_count", json_integer(facts->grf_count));
    json_object_set_new(o, "code_bytes",
                        json_integer((json_int_t)facts->code_b));
    json_object_set_new(o, "instructions", list);
    return o;
}

static enum xk_status print_json(const struct xk_request *r,
                                 const xk_inspect *f, struct xk_error *err)
{
    struct xk_kernel_facts facts;
    json_t *const root = json_array();
    for (uint32_t k = 0; k < xk_inspect_n_kernels(f); k++)
        if (xk_request_wants(r, f, k, &facts))
            json_array_append_new(root, json_of_kernel(f, k, &facts, err));
    return xk_request_write_json(r, root, err);
}

static int disassemble(const struct xk_request *r, struct xk_error *err)
{
    struct xk_request_file in;
    if (xk_request_open(r, 0, &in, err) < 0)
        return 1;
    if (xk_request_check_kernel(r, in.f, err) >= 0) {
        if (r->json)
            print_json(r, in.f, err);
        else
            print_text(r, in.f, err);
    }
    xk_request_close(&in);
    return 0;
}

int xk_verb_dis(int n, const char *const *args)
{
    static const struct xk_request_verb verb = {
        .name = "dis",
        .usage = "usage: xk dis [OPTION]... FILE\n"
                 "Prints the instructions of a zebin, of a compiler's older "
                 "container, or of raw\ncode. The text assembles back with xk "
                 "asm.\n\n",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .n_inputs = 1,
        .run = disassemble};
    return xk_request_main(&verb, n, args);
}
