/* SPDX-License-Identifier: Apache-2.0 */
/* What xk run says of its launches. Everything is collected as JSON; the text
 * is printed from it. */
#include <stdlib.h>
#include <string.h>

#include "tools/problem/words.h"
#include "tools/xk/run_verb.h"

enum xk_status xk_run_report_init(struct xk_run_report *r, bool stats,
                                  bool json, FILE *text, struct xk_error *err)
{
    *r = (struct xk_run_report){
        .stats = stats, .json = json, .root = json_array(), .text = text};
    return r->root ? XK_OK
                   : xk_tool_fail(err, XK_ENOMEM, "no memory for the report");
}

void xk_run_report_fini(struct xk_run_report *r)
{
    json_decref(r->root);
    json_decref(r->insts);
    json_decref(r->findings);
    json_decref(r->timing);
    *r = (struct xk_run_report){.root = NULL};
}

static void append_item(json_t **list, json_t *item)
{
    if (!*list)
        *list = json_array();
    json_array_append_new(*list, item);
}

void xk_run_report_inst(void *user, const struct xk_simulate_inst *i)
{
    struct xk_run_report *const r = user;
    append_item(&r->insts, json_pack("{s:I, s:s, s:s, s:s, s:I, s:I}", "offset",
                                     (json_int_t)i->offset_b, "text", i->text,
                                     "opcode", i->opcode, "message", i->message,
                                     "executed", (json_int_t)i->executed,
                                     "lanes", (json_int_t)i->lanes));
}

static json_t *json_of_party(const struct xk_simulate_party *p)
{
    json_t *const o =
        json_pack("{s:[I,I,I], s:I}", "group", (json_int_t)p->group[0],
                  (json_int_t)p->group[1], (json_int_t)p->group[2], "thread",
                  (json_int_t)p->thread);
    if (p->offset_b != UINT32_MAX) {
        json_object_set_new(o, "offset", json_integer(p->offset_b));
        json_object_set_new(o, "instruction", json_string(p->text));
    }
    return o;
}

void xk_run_report_finding(void *user, const struct xk_simulate_finding *f)
{
    struct xk_run_report *const r = user;
    json_t *const parties = json_array();
    char address[24]; /* JSON's integers are signed */
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)f->address);
    r->n_findings++;
    for (uint32_t i = 0; i < f->n_parties && i < 2; i++)
        json_array_append_new(parties, json_of_party(&f->party[i]));
    append_item(&r->findings,
                json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:s}", "check",
                          f->check, "kernel", f->kernel, "why", f->why, "place",
                          f->what, "address", address, "bytes",
                          (json_int_t)f->n_b, "parties", parties, "line",
                          f->line));
}

/* Sums of "executed" by the words under a key. */
static json_t *sums_by(const json_t *insts, const char *key)
{
    json_t *const sums = json_object();
    size_t k;
    const json_t *i;
    json_array_foreach(insts, k, i)
    {
        const char *const word = json_string_value(json_object_get(i, key));
        const json_int_t n = json_integer_value(json_object_get(i, "executed"));
        if (!word || !*word || !n)
            continue;
        const json_int_t old = json_integer_value(json_object_get(sums, word));
        json_object_set_new(sums, word, json_integer(old + n));
    }
    return sums;
}

json_t *xk_run_json_of_stats(const struct xk_launch_stats *s)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "instructions",
                     (json_int_t)s->instructions, "fma", (json_int_t)s->fma,
                     "sends", (json_int_t)s->sends, "syncs",
                     (json_int_t)s->syncs, "groups", (json_int_t)s->groups,
                     "threads", (json_int_t)s->threads, "time_ns",
                     (json_int_t)s->time_ns);
}

static json_t *json_of_triple(const uint32_t v[3])
{
    return json_pack("[I,I,I]", (json_int_t)v[0], (json_int_t)v[1],
                     (json_int_t)v[2]);
}

static json_t *json_of_launch(struct xk_run_report *r,
                              const struct xk_run_launch *l)
{
    json_t *const o =
        json_pack("{s:s, s:s, s:o, s:o}", "kernel", l->kernel, "platform",
                  l->platform, "groups", json_of_triple(l->groups), "stats",
                  xk_run_json_of_stats(l->stats));
    if (l->simd)
        json_object_set_new(o, "simd", json_integer((json_int_t)l->simd));
    if (l->local)
        json_object_set_new(o, "local", json_of_triple(l->local));
    if (l->error)
        json_object_set_new(o, "error", json_string(l->error));
    json_object_set_new(o, "findings",
                        r->findings ? r->findings : json_array());
    r->findings = NULL;
    if (r->timing)
        json_object_set_new(o, "timing", r->timing);
    r->timing = NULL;
    if (r->insts) {
        json_object_set_new(o, "opcodes", sums_by(r->insts, "opcode"));
        json_object_set_new(o, "messages", sums_by(r->insts, "message"));
        json_object_set_new(o, "instructions", r->insts);
        r->insts = NULL;
    }
    return o;
}

struct sum {
    const char *what;
    json_int_t n;
};

static int most_first(const void *a, const void *b)
{
    const struct sum *const x = a, *const y = b;
    if (x->n != y->n)
        return x->n < y->n ? 1 : -1;
    return strcmp(x->what, y->what);
}

static void print_sums(FILE *out, const char *title, json_t *sums)
{
    const size_t n = json_object_size(sums);
    struct sum *const list = calloc(n ? n : 1, sizeof *list);
    const char *key;
    json_t *v;
    size_t k = 0;
    if (!list || !n) {
        free(list);
        return;
    }
    json_object_foreach(sums, key, v)
    {
        list[k++] = (struct sum){key, json_integer_value(v)};
    }
    qsort(list, n, sizeof *list, most_first);
    fprintf(out, "  %s\n", title);
    for (k = 0; k < n; k++)
        fprintf(out, "%14lld  %s\n", (long long)list[k].n, list[k].what);
    free(list);
}

static void print_insts(FILE *out, const json_t *insts)
{
    size_t k;
    const json_t *i;
    fprintf(out, "  instructions: executed, lanes, offset, text\n");
    json_array_foreach(insts, k, i)
    {
        fprintf(out, "%14lld %14lld  0x%04llx  %s\n",
                (long long)json_integer_value(json_object_get(i, "executed")),
                (long long)json_integer_value(json_object_get(i, "lanes")),
                (long long)json_integer_value(json_object_get(i, "offset")),
                json_string_value(json_object_get(i, "text")));
    }
}

static void print_launch(FILE *out, const json_t *o,
                         const struct xk_run_launch *l)
{
    const struct xk_launch_stats *const s = l->stats;
    size_t k;
    const json_t *f;
    fprintf(out, "%s for %s: %u x %u x %u groups", l->kernel, l->platform,
            l->groups[0], l->groups[1], l->groups[2]);
    if (l->local)
        fprintf(out, " of %u x %u x %u", l->local[0], l->local[1], l->local[2]);
    fprintf(out,
            ", %llu thread%s: %llu instruction%s, %llu fma, %llu send%s, "
            "%llu sync%s, %.3f ms\n",
            (unsigned long long)s->threads, xk_tool_s(s->threads),
            (unsigned long long)s->instructions, xk_tool_s(s->instructions),
            (unsigned long long)s->fma, (unsigned long long)s->sends,
            xk_tool_s(s->sends), (unsigned long long)s->syncs,
            xk_tool_s(s->syncs), (double)s->time_ns * 1e-6);
    json_array_foreach(json_object_get(o, "findings"), k, f)
        fprintf(out, "%s\n", json_string_value(json_object_get(f, "line")));
    if (json_object_get(o, "timing"))
        xk_run_timing_print(out, json_object_get(o, "timing"));
    if (!json_object_get(o, "instructions"))
        return;
    print_sums(out, "opcodes", json_object_get(o, "opcodes"));
    print_sums(out, "messages", json_object_get(o, "messages"));
    print_insts(out, json_object_get(o, "instructions"));
}

void xk_run_report_launch(struct xk_run_report *r,
                          const struct xk_run_launch *l)
{
    json_t *const o = json_of_launch(r, l);
    if (!r->json)
        print_launch(r->text, o, l);
    if (r->json)
        json_array_append_new(r->root, o);
    else
        json_decref(o);
}
