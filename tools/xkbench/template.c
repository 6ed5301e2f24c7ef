/* SPDX-License-Identifier: Apache-2.0 */
/* The --perf-template language: text with %[-0+][KMG]symbol%. The modifier says
 * which of the repeated measurements (best, average, worst), then the unit. */
#include <string.h>

#include "tools/problem/option_table.h"
#include "tools/problem/words.h"
#include "tools/xkbench/bench.h"

struct line {
    const struct xk_bench_problem *p;
    const struct xk_bench_result *r;
    char which; /* '-', '0', '+' */
};

static const char *resolved(const struct line *l, enum xk_conv_arg arg,
                            const char *asked)
{
    const char *const tag = l->r->info.tensor[arg].tag;
    if (*tag)
        return tag;
    return *asked ? asked : "any";
}

#define TEXT(name, expression)                                                 \
    static const char *name(const struct line *l)                              \
    {                                                                          \
        return expression;                                                     \
    }
TEXT(text_engine, l->p->engine)
TEXT(text_platform, xk_platform_word(l->p->desc.platform))
TEXT(text_dir, xk_prop_word(l->p->desc.prop))
TEXT(text_dt, l->p->dt)
TEXT(text_stag, resolved(l, XK_ARG_SRC, l->p->desc.src_tag))
TEXT(text_wtag, resolved(l, XK_ARG_WEI, l->p->desc.wei_tag))
TEXT(text_dtag, resolved(l, XK_ARG_DST, l->p->desc.dst_tag))
TEXT(text_attr, l->p->attr)
TEXT(text_impl, l->p ? "xekern:jit" : "")
TEXT(text_name, l->p->name)
TEXT(text_desc, l->p->text)
TEXT(text_prb, l->p->repro)
TEXT(text_ref, l->r->reference ? l->r->reference : "none")
TEXT(text_driver, xk_bench_is_deconv(&l->p->desc) ? "deconv" : "conv")
TEXT(text_alg, l->p->desc.alg == XK_ALG_AUTO ? "auto" : "direct")
TEXT(text_bia_dt, l->r->info.tensor[XK_ARG_BIA].ndims
                      ? xk_type_word(l->r->info.tensor[XK_ARG_BIA].type)
                      : "undef")
TEXT(text_nothing, l->p ? "" : NULL)
TEXT(text_sched, l->r->schedule)
TEXT(text_chash, l->r->code_hash)
TEXT(text_shares, l->r->shares)
TEXT(text_worst, l->r->worst)
TEXT(text_hypotheses, l->r->hypotheses)

static double pick_ns(const struct xk_bench_time *t, char which)
{
    if (which == '-')
        return (double)t->min_ns;
    if (which == '+')
        return (double)t->max_ns;
    return t->n ? (double)t->total_ns / (double)t->n : 0.0;
}

static double tensor_b(const struct line *l, enum xk_conv_arg arg)
{
    return (double)l->r->info.tensor[arg].size_b;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0.0;
}

/* Best and worst are those of the hypotheses that were asked for. */
static double predicted_us(const struct line *l)
{
    return l->which == '-'   ? l->r->best_us
           : l->which == '+' ? l->r->worst_us
                             : l->r->predicted_us;
}

#define NUMBER(name, expression)                                               \
    static double name(const struct line *l)                                   \
    {                                                                          \
        return expression;                                                     \
    }
NUMBER(number_ops, (double)xk_bench_ops(&l->p->desc))
NUMBER(number_time, pick_ns(&l->r->run, l->which) / 1e6)
NUMBER(number_ctime, pick_ns(&l->r->create, l->which) / 1e6)
NUMBER(number_qtime, pick_ns(&l->r->query, l->which) / 1e6)
NUMBER(number_flops, ratio(number_ops(l), number_time(l) / 1e3))
/* The old destination, if a sum reads it; then memory moves it twice. */
static double old_b(const struct line *l)
{
    for (uint32_t k = 0; k < l->p->desc.n_post_ops; k++)
        if (l->p->desc.post_ops[k].kind == XK_POST_SUM)
            return tensor_b(l, XK_ARG_DST);
    return 0;
}

static double rhs_b(const struct line *l)
{
    double n_b = 0;
    for (uint32_t k = 0; k < l->p->desc.n_post_ops; k++)
        n_b += (double)l->r->info.rhs[k].size_b;
    return n_b;
}

NUMBER(number_ibytes, tensor_b(l, XK_ARG_SRC) + tensor_b(l, XK_ARG_WEI) +
                          tensor_b(l, XK_ARG_BIA) + rhs_b(l) + old_b(l))
NUMBER(number_obytes, tensor_b(l, XK_ARG_DST))
NUMBER(number_iobytes, number_ibytes(l) + number_obytes(l))
NUMBER(number_bw, ratio(number_iobytes(l), number_time(l) / 1e3))
NUMBER(number_code, (double)l->r->code_b)
NUMBER(number_peak, (double)l->r->peak_b)
NUMBER(number_instr, (double)l->r->stats.instructions)
NUMBER(number_fma, (double)l->r->stats.fma)
NUMBER(number_sends, (double)l->r->stats.sends)
NUMBER(number_xipf, ratio(number_instr(l), number_fma(l)))
NUMBER(number_sinstr, (double)l->r->static_instructions)
NUMBER(number_sipf,
       ratio((double)l->r->static_instructions, (double)l->r->static_fma))
NUMBER(number_ipf,
       ratio((double)l->r->loop.instructions, (double)l->r->loop.fma))
NUMBER(number_spf, ratio((double)l->r->loop.syncs, (double)l->r->loop.fma))
NUMBER(number_grf, (double)l->r->peak_grf)
NUMBER(number_threads, (double)l->r->threads_per_group)
NUMBER(number_groups, (double)l->r->groups)
NUMBER(number_ptime, predicted_us(l) / 1e3)
NUMBER(number_cycles, l->r->predicted_cycles)
NUMBER(number_freq, ratio(number_cycles(l), predicted_us(l) / 1e6))
NUMBER(number_idx, (double)l->r->number)
NUMBER(number_mb, (double)l->p->desc.mb)

/* The least possible time for the problem's operations and tensors over the
 * predicted time. A stride may leave out a part of a tensor, which then does
 * not count. The lines touched have what is read and written once. */
static double number_eff(const struct line *l)
{
    const double io_b = number_iobytes(l);
    const double touched_b = l->r->touched_b + old_b(l);
    const double work_s = ratio(number_ops(l) / 2, l->r->peak_fmas);
    const double memory_s =
        ratio(io_b < touched_b ? io_b : touched_b, l->r->memory_rate);
    return ratio(work_s > memory_s ? work_s : memory_s, predicted_us(l) / 1e6);
}

/* The same for the operations alone. It equals eff if the operations are the
 * limit. */
static double number_opeff(const struct line *l)
{
    return ratio(ratio(number_ops(l) / 2, l->r->peak_fmas),
                 predicted_us(l) / 1e6);
}

static const struct symbol {
    const char *name;
    const char *(*text)(const struct line *l);
    double (*number)(const struct line *l);
    const char *help;
    bool predicted; /* by the timing model: unknown where it was not asked */
} symbols[] = {
    {"prb", text_prb, NULL, "the options and the problem, to be pasted"},
    {"desc", text_desc, NULL, "the problem"},
    {"DESC", text_desc, NULL, "the same"},
    {"name", text_name, NULL, "the problem's name"},
    {"engine", text_engine, NULL, "what ran it"},
    {"platform", text_platform, NULL, "what it was made for"},
    {"dir", text_dir, NULL, "direction"},
    {"dt", text_dt, NULL, "data types"},
    {"cfg", text_dt, NULL, "the same"},
    {"stag", text_stag, NULL, "layout of the source"},
    {"wtag", text_wtag, NULL, "of the weights"},
    {"dtag", text_dtag, NULL, "of the destination"},
    {"attr", text_attr, NULL, "scale and post-ops"},
    {"impl", text_impl, NULL, "who made the kernel"},
    {"ref", text_ref, NULL,
     "mode C: whose convolution the result was compared with: library "
     "(oneDNN's on the CPU) or own"},
    {"driver", text_driver, NULL, "conv or deconv"},
    {"idx", NULL, number_idx, "the problem's number in this run, from 0"},
    {"sdt", text_dt, NULL, "data types"},
    {"bia_dt", text_bia_dt, NULL, "the bias's type, or undef"},
    {"alg", text_alg, NULL, "the algorithm"},
    {"mb", NULL, number_mb, "the minibatch"},
    {"sched", text_sched, NULL, "the schedule"},
    {"ops", NULL, number_ops, "operations, two for a multiply-add"},
    {"ibytes", NULL, number_ibytes,
     "bytes of source, weights, bias, post-ops' right-hand sides, a sum's old "
     "destination"},
    {"obytes", NULL, number_obytes, "bytes of the destination"},
    {"iobytes", NULL, number_iobytes, "both"},
    {"time", NULL, number_time,
     "ms by the driver's timestamps; engine sim: the host's, for the "
     "simulation"},
    {"ctime", NULL, number_ctime, "ms to create the program"},
    {"qtime", NULL, number_qtime, "ms of the query before it"},
    {"cptime", NULL, number_ctime, "ms to create the program"},
    {"cpdtime", NULL, number_qtime, "ms of the query before it"},
    {"flops", NULL, number_flops, "operations a second of %time%"},
    {"bw", NULL, number_bw, "bytes a second of %time%"},
    {"code", NULL, number_code, "bytes of code"},
    {"chash", text_chash, NULL, "a hash of the code"},
    {"peak", NULL, number_peak, "bytes of memory while the program is created"},
    {"sinstr", NULL, number_sinstr, "instructions in the code"},
    {"sipf", NULL, number_sipf, "those for each FMA instruction in it"},
    {"instr", NULL, number_instr, "instructions executed (engine sim)"},
    {"fma", NULL, number_fma, "FMA instructions executed"},
    {"sends", NULL, number_sends, "messages sent"},
    {"xipf", NULL, number_xipf,
     "executed instructions for each FMA instruction"},
    {"ipf", NULL, number_ipf,
     "the same in the innermost loop with 80 % of the FMAs (else of all code)"},
    {"spf", NULL, number_spf, "syncs for each FMA instruction of that loop"},
    {"grf", NULL, number_grf, "most registers in use at a time"},
    {"threads", NULL, number_threads, "of a group"},
    {"groups", NULL, number_groups, "of all launches"},
    {"ptime", NULL, number_ptime,
     "ms predicted (engine sim, mode P); best and worst: of --timing=:all",
     true},
    {"cycles", NULL, number_cycles, "cycles predicted", true},
    {"clocks", NULL, number_cycles, "the same", true},
    {"freq", NULL, number_freq, "predicted cycles a second", true},
    {"eff", NULL, number_eff,
     "part of the machine's limit for the problem's operations or tensors",
     true},
    {"opeff", NULL, number_opeff, "part of its limit for operations", true},
    {"worst", text_worst, NULL,
     "the value of --timing=:all with which the last launch takes longest"},
    {"hypotheses", text_hypotheses, NULL, "all of them, with their us"},
    {"shares", text_shares, NULL, "where the last launch's cycles went"},
#define NOTHING(name)                                                          \
    {                                                                          \
        name, text_nothing, NULL, "nothing, as benchdnn's"                     \
    }
    NOTHING("ctx-init"),
    NOTHING("ctx-exe"),
    NOTHING("ddt"),
    NOTHING("tag"),
    NOTHING("group"),
    NOTHING("axis"),
    NOTHING("prop"),
    NOTHING("stat_tag"),
};

void xk_bench_template_help(FILE *out)
{
    fputs(
        "\nSymbols of --perf-template. Before a name may stand which of "
        "several "
        "times is\nmeant (- best, 0 average, + worst) and a unit (K, M, G), as "
        "in %-time%, %Gops%.\n",
        out);
    for (size_t i = 0; i < XK_COUNTOF(symbols); i++)
        fprintf(out, "  %%%s%%%*s %s\n", symbols[i].name,
                10 - (int)strlen(symbols[i].name), "", symbols[i].help);
}

/* What stands between two percent signs. */
struct use {
    const struct symbol *symbol;
    char which;
    double unit;
};

static bool read_use(const char *text, size_t n, struct use *out)
{
    *out = (struct use){.which = '0', .unit = 1.0};
    if (n && strchr("-0+", text[0])) {
        out->which = text[0];
        text++, n--;
    }
    const char *const units = "KMG";
    const char *const u = n ? strchr(units, text[0]) : NULL;
    if (u && *u) {
        for (const char *k = units; k <= u; k++)
            out->unit *= 1e3;
        text++, n--;
    }
    for (size_t i = 0; i < XK_COUNTOF(symbols); i++)
        if (strlen(symbols[i].name) == n && !memcmp(symbols[i].name, text, n)) {
            out->symbol = &symbols[i];
            return true;
        }
    return false;
}

const char *xk_bench_template_text(const char *text)
{
    if (!strcmp(text, "def"))
        return "perf,%engine%,%impl%,%name%,%prb%,%Gops%,%-ctime%,%0ctime%,"
               "%code%,%sipf%,%xipf%,%ptime%,%cycles%,%eff%";
    if (!strcmp(text, "csv"))
        return "%engine%,%platform%,%impl%,%dir%,%dt%,%stag%,%wtag%,%dtag%,%"
               "attr%,"
               "%name%,%desc%,%Gops%,%-time%,%0time%,%-ctime%,%0ctime%,"
               "%-qtime%,%code%,%peak%,%threads%,%groups%,%instr%,%fma%,"
               "%sends%,%sipf%,%xipf%,%ptime%,%cycles%,%eff%";
    return text;
}

static const char *symbol_at(uint32_t k)
{
    return k < XK_COUNTOF(symbols) ? symbols[k].name : NULL;
}

static enum xk_status no_symbol(const char *name, size_t n,
                                struct xk_error *err)
{
    char known[900];
    xk_tool_join_words(symbol_at, known, sizeof known);
    return xk_tool_fail(err, XK_EINVAL, "perf-template: %%%.*s%% is none of %s",
                        n > 80 ? 80 : (int)n, name, known);
}

enum xk_status xk_bench_template_check(const char *text, struct xk_error *err)
{
    text = xk_bench_template_text(text);
    for (const char *at = text; (at = strchr(at, '%'));) {
        const char *const close = strchr(at + 1, '%');
        if (!close)
            return xk_tool_fail(err, XK_EINVAL, "perf-template=%.200s: lone %%",
                                text);
        struct use use;
        const size_t n = (size_t)(close - at - 1);
        if (!read_use(at + 1, n, &use))
            return no_symbol(at + 1, n, err);
        at = close + 1;
    }
    return XK_OK;
}

/* Counts in full, the rest with six digits. */
static void print_number(double x, FILE *out)
{
    if (x >= 0 && x < 1e15 && x == (double)(uint64_t)x)
        fprintf(out, "%.0f", x);
    else
        fprintf(out, "%.6g", x);
}

static void print_use(const struct use *use, struct line *l, FILE *out)
{
    l->which = use->which;
    if (use->symbol->text)
        fputs(use->symbol->text(l), out);
    else if (!use->symbol->predicted || l->r->predicted_cycles > 0)
        print_number(use->symbol->number(l) / use->unit, out);
}

void xk_bench_template_print(const char *text, const struct xk_bench_problem *p,
                             const struct xk_bench_result *r, FILE *out)
{
    struct line l = {.p = p, .r = r};
    for (text = xk_bench_template_text(text); *text;) {
        const size_t plain = strcspn(text, "%");
        fprintf(out, "%.*s", (int)plain, text);
        text += plain;
        const char *const close = *text ? strchr(text + 1, '%') : NULL;
        if (!close)
            break;
        struct use use;
        if (read_use(text + 1, (size_t)(close - text - 1), &use))
            print_use(&use, &l, out);
        text = close + 1;
    }
    fputc('\n', out);
}
