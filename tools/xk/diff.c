/* SPDX-License-Identifier: Apache-2.0 */
/* xk diff: two kernels side by side, in figures. */
#include <stdlib.h>
#include <string.h>

#include "tools/problem/words.h"
#include "tools/xk/request.h"
#include "tools/xk/verbs.h"

static const struct xk_tool_option options[] = {
    {"platform", 'p', "PLATFORM", "raw code is for this one: {}",
     xk_request_platform, .words = xk_words_of_platforms},
    {"kernel", 'k', "NAME", "this kernel of both files", xk_request_kernel},
    {"json", 0, NULL, "as JSON", xk_request_json},
    {"output", 'o', "FILE", "writes the result there; - (default) is stdout",
     xk_request_output},
    {"help", 'h', NULL, "this text", xk_request_help},
};

struct side {
    struct xk_kernel_facts facts;
    struct xk_kernel_stats stats;
};

/* Rows of the table: a title, and the member that both sides have. */
#define FACT(member)                                                           \
    offsetof(struct side, member), sizeof(((struct side *)0)->member)
static const struct row {
    const char *text;
    size_t at, size_b;
} rows[] = {
    {"code bytes", FACT(stats.code_b)},
    {"instructions", FACT(stats.n_inst)},
    {"compacted", FACT(stats.n_compacted)},
    {"undecoded", FACT(stats.n_undecoded)},
    {"fma", FACT(stats.n_fma)},
    {"sends", FACT(stats.n_send)},
    {"syncs", FACT(stats.n_sync)},
    {"branches", FACT(stats.n_branch)},
    {"loops", FACT(stats.n_loops)},
    {"registers used", FACT(stats.grf_used)},
    {"highest register + 1", FACT(stats.grf_top)},
    {"SIMD", FACT(facts.simd)},
    {"registers per thread", FACT(facts.grf_count)},
    {"slm bytes", FACT(facts.slm_b)},
    {"scratch bytes", FACT(facts.scratch_b)},
    {"barriers", FACT(facts.barriers)},
};

static unsigned long value(const struct side *s, const struct row *row)
{
    const char *const at = (const char *)s + row->at;
    size_t wide;
    uint32_t narrow;
    if (row->size_b == sizeof wide)
        return memcpy(&wide, at, sizeof wide), (unsigned long)wide;
    return memcpy(&narrow, at, sizeof narrow), narrow;
}

static uint32_t count_of(const struct xk_count *list, uint32_t n,
                         const char *what)
{
    for (uint32_t k = 0; k < n; k++)
        if (!strcmp(list[k].what, what))
            return list[k].n;
    return 0;
}

/* Called for each name of either list, a's order first. */
typedef void (*pair_fn)(void *user, const char *what, uint32_t a, uint32_t b);

static void each_pair(const struct xk_count *a, uint32_t n_a,
                      const struct xk_count *b, uint32_t n_b, pair_fn fn,
                      void *user)
{
    for (uint32_t k = 0; k < n_a; k++)
        fn(user, a[k].what, a[k].n, count_of(b, n_b, a[k].what));
    for (uint32_t k = 0; k < n_b; k++)
        if (!count_of(a, n_a, b[k].what))
            fn(user, b[k].what, 0, b[k].n);
}

static void print_row(FILE *out, const char *what, unsigned long a,
                      unsigned long b)
{
    fprintf(out, "  %-44s %9lu %9lu", what, a, b);
    if (a != b)
        fprintf(out, " %+9ld", (long)b - (long)a);
    fputc('\n', out);
}

static void print_pair(void *user, const char *what, uint32_t a, uint32_t b)
{
    print_row(user, what, a, b);
}

static void print_loop(FILE *out, const char *name,
                       const struct xk_kernel_stats *s, uint32_t k)
{
    if (k >= s->n_loops) {
        fprintf(out, "    %s: none\n", name);
        return;
    }
    const struct xk_loop_facts *const l = &s->loop[k];
    fprintf(out,
            "    %s: 0x%04x..0x%04x depth %u: %u instruction%s, %u fma, %u "
            "send%s, %u sync%s\n",
            name, l->head_b, l->tail_b, l->depth, l->n_inst,
            xk_tool_s(l->n_inst), l->n_fma, l->n_send, xk_tool_s(l->n_send),
            l->n_sync, xk_tool_s(l->n_sync));
}

static void print_diff(FILE *out, const struct side *a, const struct side *b)
{
    fprintf(out, "A: %s\nB: %s\n", a->facts.name, b->facts.name);
    fprintf(out, "  %-44s %9s %9s %9s\n", "", "A", "B", "B-A");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        print_row(out, rows[k].text, value(a, &rows[k]), value(b, &rows[k]));
    fputs("instruction mix\n", out);
    each_pair(a->stats.opcode, a->stats.n_opcodes, b->stats.opcode,
              b->stats.n_opcodes, print_pair, out);
    fputs("messages\n", out);
    each_pair(a->stats.message, a->stats.n_messages, b->stats.message,
              b->stats.n_messages, print_pair, out);
    for (uint32_t k = 0; k < a->stats.n_loops || k < b->stats.n_loops; k++) {
        fprintf(out, "loop %u\n", k + 1);
        print_loop(out, "A", &a->stats, k);
        print_loop(out, "B", &b->stats, k);
    }
}

static void add_pair(void *user, const char *what, uint32_t a, uint32_t b)
{
    json_object_set_new(user, what, json_pack("[i,i]", (int)a, (int)b));
}

static json_t *json_of_loops(const struct xk_kernel_stats *s)
{
    json_t *const list = json_array();
    for (uint32_t k = 0; k < s->n_loops; k++) {
        const struct xk_loop_facts *const l = &s->loop[k];
        json_array_append_new(
            list, json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "head",
                            (int)l->head_b, "tail", (int)l->tail_b, "depth",
                            (int)l->depth, "instructions", (int)l->n_inst,
                            "fma", (int)l->n_fma, "sends", (int)l->n_send,
                            "syncs", (int)l->n_sync));
    }
    return list;
}

static json_t *json_of_diff(const struct side *a, const struct side *b)
{
    json_t *const mix = json_object(), *const sends = json_object();
    json_t *const figures = json_object();
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        json_object_set_new(figures, rows[k].text,
                            json_pack("[I,I]", (json_int_t)value(a, &rows[k]),
                                      (json_int_t)value(b, &rows[k])));
    each_pair(a->stats.opcode, a->stats.n_opcodes, b->stats.opcode,
              b->stats.n_opcodes, add_pair, mix);
    each_pair(a->stats.message, a->stats.n_messages, b->stats.message,
              b->stats.n_messages, add_pair, sends);
    return json_pack("{s:[s,s], s:o, s:o, s:o, s:[o,o]}", "kernels",
                     a->facts.name, b->facts.name, "figures", figures,
                     "opcodes", mix, "messages", sends, "loops",
                     json_of_loops(&a->stats), json_of_loops(&b->stats));
}

/* The kernel of the other file to compare with: that of the same name, or the
 * only one if both files have one. */
static bool find_partner(const xk_inspect *a, const xk_inspect *b,
                         const char *name, uint32_t *k)
{
    struct xk_kernel_facts facts;
    const uint32_t n = xk_inspect_n_kernels(b);
    for (*k = 0; *k < n; ++*k)
        if (xk_inspect_kernel(b, *k, &facts, NULL) >= 0 &&
            !strcmp(facts.name, name))
            return true;
    *k = 0;
    return n == 1 && xk_inspect_n_kernels(a) == 1;
}

struct output {
    FILE *text;
    json_t *json;
    unsigned n;
};

static enum xk_status compare(const struct xk_request *r,
                              xk_inspect *const f[2], uint32_t k,
                              struct output *out, struct xk_error *err)
{
    struct side a, b;
    uint32_t other;
    if (!xk_request_wants(r, f[0], k, &a.facts))
        return XK_OK;
    if (!find_partner(f[0], f[1], a.facts.name, &other)) {
        fprintf(out->text, "A: %s\nB: none\n", a.facts.name);
        return XK_OK;
    }
    enum xk_status st = xk_inspect_kernel(f[1], other, &b.facts, err);
    if (st >= 0)
        st = xk_inspect_stats(f[0], k, &a.stats, err);
    if (st >= 0)
        st = xk_inspect_stats(f[1], other, &b.stats, err);
    if (st < 0)
        return st;
    out->n++;
    print_diff(out->text, &a, &b);
    json_array_append_new(out->json, json_of_diff(&a, &b));
    return XK_OK;
}

static enum xk_status compare_all(const struct xk_request *r,
                                  xk_inspect *const f[2], struct xk_error *err)
{
    char *text = NULL;
    size_t text_b = 0;
    struct output out = {open_memstream(&text, &text_b), json_array(), 0};
    if (!out.text || !out.json)
        return xk_tool_fail(err, XK_ENOMEM, "no memory for the report");
    enum xk_status st = xk_request_check_kernel(r, f[0], err);
    for (uint32_t k = 0; k < xk_inspect_n_kernels(f[0]) && st >= 0; k++)
        st = compare(r, f, k, &out, err);
    fclose(out.text);
    if (st >= 0 && !out.n)
        st = xk_tool_fail(err, XK_EINVAL,
                          "kernel: the files have none of the same name");
    if (st >= 0)
        st = r->json ? xk_request_write_json(r, json_incref(out.json), err)
                     : xk_request_write(r, text, text_b, err);
    json_decref(out.json);
    free(text);
    return st;
}

static int diff(const struct xk_request *r, struct xk_error *err)
{
    struct xk_request_file a, b;
    if (xk_request_open(r, 0, &a, err) < 0)
        return 1;
    if (xk_request_open(r, 1, &b, err) >= 0) {
        compare_all(r, (xk_inspect *[]){a.f, b.f}, err);
        xk_request_close(&b);
    }
    xk_request_close(&a);
    return 0;
}

int xk_verb_diff(int n, const char *const *args)
{
    static const struct xk_request_verb verb = {
        .name = "diff",
        .usage = "usage: xk diff [OPTION]... A B\n"
                 "Sets two kernels side by side: sizes, instruction mix, "
                 "registers, messages, loops.\nKernels of the same name are "
                 "compared, or the only one of each file.\n\n",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .n_inputs = 2,
        .run = diff};
    return xk_request_main(&verb, n, args);
}
