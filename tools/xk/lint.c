/* SPDX-License-Identifier: Apache-2.0 */
/* xk lint: the hardware rules that a kernel breaks, and where each is
 * written. */
#include <stdlib.h>

#include "tools/problem/words.h"
#include "tools/xk/request.h"
#include "tools/xk/verbs.h"

static enum xk_status set_lint_device(void *user, const char *value,
                                      struct xk_error *err)
{
    char word[XK_TAG_MAX];
    if (!*value)
        return xk_tool_fail(err, XK_EINVAL,
                            "device=: no device; without the option lint "
                            "judges for the file's");
    ((struct xk_request *)user)->device = value;
    return xk_word_device("device", value, word, err);
}

static const struct xk_tool_option options[] = {
    {"platform", 'p', "PLATFORM", "raw code is for this one: {}",
     xk_request_platform, .words = xk_words_of_platforms},
    {"device", 0, "DEVICE",
     "judges for this product or stepping instead of the file's: {}",
     set_lint_device, .words = xk_words_of_devices},
    {"kernel", 'k', "NAME", "only this kernel", xk_request_kernel},
    {"json", 0, NULL, "a list of findings", xk_request_json},
    {"output", 'o', "FILE", "writes the result there; - (default) is stdout",
     xk_request_output},
    {"help", 'h', NULL, "this text", xk_request_help},
};

struct report {
    const char *kernel;
    FILE *text;
    json_t *json;
    unsigned n;
    bool told[3]; /* kernels with 128, 256, an unknown number of registers */
};

static void add_text(void *user, const struct xk_lint_finding *f)
{
    struct report *const r = user;
    r->n++;
    fprintf(r->text, "%s+0x%04x: %s\n    %s\n    %s\n    source: %s\n",
            r->kernel, f->offset_b, f->rule, f->text, f->why, f->source);
}

static void add_json(void *user, const struct xk_lint_finding *f)
{
    struct report *const r = user;
    r->n++;
    json_array_append_new(r->json,
                          json_pack("{s:s, s:i, s:s, s:s, s:s, s:s}", "kernel",
                                    r->kernel, "offset", (int)f->offset_b,
                                    "rule", f->rule, "instruction", f->text,
                                    "why", f->why, "source", f->source));
}

static void note_registers(struct report *r, uint32_t grf_count)
{
    r->told[grf_count == 128 ? 0 : grf_count == 256 ? 1 : 2] = true;
}

/* "0 findings in 2 kernels for xehpg (DG2-G11 B1; 128, 256 registers)" */
static void print_totals(const struct report *r, const xk_inspect *f,
                         unsigned n_kernels)
{
    static const char *const registers[] = {"128", "256", "unknown"};
    fprintf(r->text, "%u finding%s in %u kernel%s for %s (%s", r->n,
            xk_tool_s(r->n), n_kernels, xk_tool_s(n_kernels),
            xk_inspect_platform(f), xk_inspect_device(f));
    for (unsigned k = 0, n = 0; k < 3; k++)
        if (r->told[k])
            fprintf(r->text, "%s %s", n++ ? "," : ";", registers[k]);
    fprintf(r->text, "%s)\n", n_kernels ? " registers" : "");
}

static enum xk_status run_all(const struct xk_request *r, const xk_inspect *f,
                              struct report *report, struct xk_error *err)
{
    struct xk_kernel_facts facts;
    enum xk_status st = xk_request_check_kernel(r, f, err);
    unsigned n_kernels = 0;
    for (uint32_t k = 0; k < xk_inspect_n_kernels(f) && st >= 0; k++) {
        if (!xk_request_wants(r, f, k, &facts))
            continue;
        report->kernel = facts.name;
        n_kernels++;
        note_registers(report, facts.grf_count);
        st = xk_inspect_lint(f, k, r->json ? add_json : add_text, report, err);
    }
    if (!r->json)
        print_totals(report, f, n_kernels);
    return st;
}

static enum xk_status lint_file(const struct xk_request *r, const xk_inspect *f,
                                struct report *report, struct xk_error *err)
{
    char *text = NULL;
    size_t text_b = 0;
    report->json = json_array();
    report->text = open_memstream(&text, &text_b);
    if (!report->text || !report->json)
        return xk_tool_fail(err, XK_ENOMEM, "no memory for the report");
    enum xk_status st = run_all(r, f, report, err);
    fclose(report->text);
    if (st >= 0 && r->json)
        st = xk_request_write_json(r, json_incref(report->json), err);
    else if (st >= 0)
        st = xk_request_write(r, text, text_b, err);
    json_decref(report->json);
    free(text);
    return st;
}

static int lint(const struct xk_request *r, struct xk_error *err)
{
    struct xk_request_file in;
    struct report report = {.n = 0};
    if (xk_request_open(r, 0, &in, err) < 0)
        return 1;
    if (!r->device || xk_inspect_judge_for(in.f, r->device, err) >= 0)
        lint_file(r, in.f, &report, err);
    xk_request_close(&in);
    return report.n ? 1 : 0;
}

int xk_verb_lint(int n, const char *const *args)
{
    static const struct xk_request_verb verb = {
        .name = "lint",
        .usage = "usage: xk lint [OPTION]... FILE\n"
                 "Checks every instruction against the rules of the hardware: "
                 "the rule's name, the\ninstruction, what is demanded, and "
                 "where that is written. Exit 1: findings.\n\n",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .n_inputs = 1,
        .run = lint};
    return xk_request_main(&verb, n, args);
}
