/* SPDX-License-Identifier: Apache-2.0 */
/* xk run --timing: the model's answer as JSON, and as text printed from it. */
#include "tools/xk/run_verb.h"

static json_t *real(double x)
{
    return json_real(x);
}

static void set_number(json_t *o, const char *key, uint64_t n)
{
    json_object_set_new(o, key, json_integer((json_int_t)n));
}

static json_t *json_of_loop(const struct xk_timing_loop *l)
{
    return json_pack("{s:b, s:I, s:I, s:I, s:f, s:f, s:f, s:f}", "whole",
                     (int)l->whole, "from", (json_int_t)l->from_b, "to",
                     (json_int_t)l->to_b, "fmas", (json_int_t)l->fmas,
                     "instructions", l->instructions, "slm_bytes", l->slm_b,
                     "global_bytes", l->global_b, "exposed_cycles",
                     l->exposed_cyc);
}

static json_t *json_of_insts(const struct xk_timing *t)
{
    json_t *const list = json_array();
    for (uint32_t k = 0; k < t->n_insts; k++) {
        const struct xk_timing_inst *const i = &t->inst[k];
        json_array_append_new(
            list,
            json_pack("{s:I, s:I, s:f, s:f, s:s, s:s}", "offset",
                      (json_int_t)i->offset_b, "executed",
                      (json_int_t)i->executed, "waited", i->waited, "exposed",
                      i->exposed, "cause", i->cause, "text", i->text));
    }
    return list;
}

static json_t *json_of_shares(const struct xk_timing *t)
{
    json_t *const o = json_object();
    for (uint32_t k = 0; k < t->n_shares; k++)
        json_object_set_new(o, t->share[k].cause, real(t->share[k].share));
    return o;
}

static void set_occupancy(json_t *o, const struct xk_timing *t)
{
    set_number(o, "groups", t->groups);
    set_number(o, "groups_modelled", t->groups_modelled);
    set_number(o, "cores", t->cores);
    set_number(o, "cores_busy", t->cores_busy);
    set_number(o, "groups_resident", t->groups_resident);
    set_number(o, "threads_resident", t->threads_resident);
    json_object_set_new(o, "occupancy", real(t->occupancy));
    json_object_set_new(o, "waves", real(t->waves));
    json_object_set_new(o, "tail", real(t->tail));
    json_object_set_new(o, "sampled", json_boolean(t->sampled));
    json_object_set_new(o, "sampling_error", real(t->sampling_error));
}

static void set_traffic(json_t *o, const struct xk_timing *t)
{
    set_number(o, "instructions", t->instructions);
    set_number(o, "slm_bytes", t->slm_b);
    set_number(o, "global_bytes", t->global_b);
    set_number(o, "l2_bytes", t->l2_b);
    set_number(o, "dram_bytes", t->dram_b);
    set_number(o, "slm_conflict_cycles", t->slm_conflict_cyc);
    json_object_set_new(o, "port_busy", real(t->port_busy));
    json_object_set_new(o, "l2_busy", real(t->l2_busy));
    json_object_set_new(o, "dram_busy", real(t->dram_busy));
    json_object_set_new(o, "model_s", real(t->model_s));
}

/* Only where it was asked for. */
static void set_interval(json_t *o, const struct xk_timing *t)
{
    if (!t->n_alternatives)
        return;
    json_t *const list = json_array();
    for (uint32_t k = 0; k < t->n_alternatives; k++) {
        const struct xk_timing_alternative *const a = &t->alternative[k];
        json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:f}",
                                              "hypothesis", a->hypothesis,
                                              "value", a->value, "time_us",
                                              a->time_us, "cycles", a->cycles));
    }
    json_object_set_new(o, "best_us", real(t->best_us));
    json_object_set_new(o, "worst_us", real(t->worst_us));
    json_object_set_new(o, "alternatives", list);
}

static json_t *json_of_timing(const struct xk_timing *t)
{
    json_t *const o = json_object();
    json_object_set_new(o, "product", json_string(t->product));
    if (t->error) {
        json_object_set_new(o, "error", json_string(t->error));
        return o;
    }
    json_object_set_new(o, "time_us", real(t->time_us));
    json_object_set_new(o, "cycles", real(t->cycles));
    json_object_set_new(o, "clock_mhz", real(t->clock_mhz));
    json_object_set_new(o, "driver_mhz", real(t->driver_mhz));
    json_object_set_new(o, "values", json_string(t->values));
    set_interval(o, t);
    json_object_set_new(o, "efficiency", real(t->efficiency));
    json_object_set_new(o, "arithmetic_us", real(t->arithmetic_us));
    json_object_set_new(o, "memory_us", real(t->memory_us));
    json_object_set_new(o, "memory_bytes", real(t->memory_b));
    json_object_set_new(o, "fma", json_string(t->fma));
    set_number(o, "fmas", t->fmas);
    json_object_set_new(o, "peak_fmas", real(t->peak_fmas));
    set_occupancy(o, t);
    set_traffic(o, t);
    json_object_set_new(o, "shares", json_of_shares(t));
    json_object_set_new(o, "loop", json_of_loop(&t->loop));
    json_object_set_new(o, "instruction", json_of_insts(t));
    return o;
}

void xk_run_report_timing(void *user, const struct xk_timing *t)
{
    struct xk_run_report *const r = user;
    json_decref(r->timing);
    r->timing = json_of_timing(t);
}

/* ---- text ---- */

static double number_of(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

static const char *word_of(const json_t *o, const char *key)
{
    const char *const s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

/* "gather=component 1.42x": those that are 1 % and more off. */
static void print_interval(FILE *out, const json_t *o)
{
    const double nominal = number_of(o, "time_us");
    size_t k;
    const json_t *a;
    if (!json_object_get(o, "alternatives"))
        return;
    fprintf(out, "  interval: best %.2f us (%.2f), worst %.2f us (%.2f);",
            number_of(o, "best_us"), number_of(o, "best_us") / nominal,
            number_of(o, "worst_us"), number_of(o, "worst_us") / nominal);
    json_array_foreach(json_object_get(o, "alternatives"), k, a)
    {
        const double ratio = number_of(a, "time_us") / nominal;
        if (ratio > 1.01 || ratio < 0.99)
            fprintf(out, " %s=%s %.2f", word_of(a, "hypothesis"),
                    word_of(a, "value"), ratio);
    }
    fprintf(out, "\n");
}

static void print_head(FILE *out, const json_t *o)
{
    const bool slower = number_of(o, "clock_mhz") < number_of(o, "driver_mhz");
    fprintf(out,
            "  timing for %s%s%s: %.2f us, %.0f cycles at %.0f MHz%s; "
            "efficiency %.3f of %.2f us arithmetic (%s, %.3f G multiply-adds), "
            "%.2f us memory (%.3f MB)\n",
            word_of(o, "product"), *word_of(o, "values") ? ":" : "",
            word_of(o, "values"), number_of(o, "time_us"),
            number_of(o, "cycles"), number_of(o, "clock_mhz"),
            slower ? " (XMX)" : "", number_of(o, "efficiency"),
            number_of(o, "arithmetic_us"), word_of(o, "fma"),
            number_of(o, "fmas") * 1e-9, number_of(o, "memory_us"),
            number_of(o, "memory_bytes") * 1e-6);
    fprintf(out,
            "  on %.0f of %.0f cores, %.0f groups (%.0f threads) at a time, "
            "%.0f %% occupied, %.2f waves, tail %.1f %%; %.0f of %.0f groups "
            "modelled",
            number_of(o, "cores_busy"), number_of(o, "cores"),
            number_of(o, "groups_resident"), number_of(o, "threads_resident"),
            100 * number_of(o, "occupancy"), number_of(o, "waves"),
            100 * number_of(o, "tail"), number_of(o, "groups_modelled"),
            number_of(o, "groups"));
    if (json_is_true(json_object_get(o, "sampled")))
        fprintf(out, ", sampling error about %.1f %%",
                100 * number_of(o, "sampling_error"));
    fprintf(out, "\n");
}

static void print_shares(FILE *out, json_t *shares)
{
    const char *key;
    json_t *v;
    fprintf(out, "  cycles:");
    json_object_foreach(shares, key, v)
    {
        fprintf(out, " %s %.1f %%", key, 100 * json_number_value(v));
    }
    fprintf(out, "\n");
}

static void print_timed_loop(FILE *out, const json_t *o)
{
    const json_t *const l = json_object_get(o, "loop");
    if (json_is_true(json_object_get(l, "whole")))
        fprintf(out, "  whole kernel");
    else
        fprintf(out, "  loop 0x%04llx..0x%04llx",
                (unsigned long long)number_of(l, "from"),
                (unsigned long long)number_of(l, "to"));
    fprintf(out,
            ", for each of %.0f %s: %.2f instructions, %.1f bytes of SLM, "
            "%.1f bytes of memory, %.2f cycles exposed\n",
            number_of(l, "fmas"), word_of(o, "fma"),
            number_of(l, "instructions"), number_of(l, "slm_bytes"),
            number_of(l, "global_bytes"), number_of(l, "exposed_cycles"));
}

static void print_traffic(FILE *out, const json_t *o)
{
    fprintf(out,
            "  core: SLM %.0f B, messages %.0f B, L2 %.0f B, DRAM %.0f B, "
            "conflicts %.0f cycles; busy: port %.1f %%, L2 %.1f %%, DRAM "
            "%.1f %%\n"
            "  model: %.0f instructions in %.3f s\n",
            number_of(o, "slm_bytes"), number_of(o, "global_bytes"),
            number_of(o, "l2_bytes"), number_of(o, "dram_bytes"),
            number_of(o, "slm_conflict_cycles"),
            100 * number_of(o, "port_busy"), 100 * number_of(o, "l2_busy"),
            100 * number_of(o, "dram_busy"), number_of(o, "instructions"),
            number_of(o, "model_s"));
}

void xk_run_timing_print(FILE *out, json_t *o)
{
    size_t k;
    const json_t *i;
    if (json_object_get(o, "error")) {
        fprintf(out, "  timing for %s: %s\n", word_of(o, "product"),
                word_of(o, "error"));
        return;
    }
    print_head(out, o);
    print_interval(out, o);
    print_shares(out, json_object_get(o, "shares"));
    print_timed_loop(out, o);
    print_traffic(out, o);
    fprintf(out, "  executed, cycles waited and exposed each time, mostly for, "
                 "offset, text\n");
    json_array_foreach(json_object_get(o, "instruction"), k, i)
    {
        fprintf(out, "%10.0f %9.2f %9.2f %-9s 0x%04llx  %s\n",
                number_of(i, "executed"), number_of(i, "waited"),
                number_of(i, "exposed"), word_of(i, "cause"),
                (unsigned long long)number_of(i, "offset"), word_of(i, "text"));
    }
}
