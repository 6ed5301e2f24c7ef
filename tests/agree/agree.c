/* SPDX-License-Identifier: Apache-2.0 */
/* agree [--extreme | --formulas] [--count=N] [--seed=N] [--first=N]
 * [--list | --slow]:
 * what query accepts, create makes, of N random descriptors from the first one
 * on; both refuse the others, with the same sentence; the layouts are the same,
 * of formulas the launches, scratch memory and arguments.
 * A third can be made. Nothing is executed. TAP; --list prints the descriptors
 * instead, as lines of xkbench's --batch; --slow those whose creation takes
 * long, too. --formulas asks about random formulas with long epilogues. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/agree/descriptors.h"
#include "tests/gen/any_formula.h"
#include "xekern/formulas.h"

#define COUNTOF(a) (sizeof(a) / sizeof((a)[0]))
#define SHOWN 20         /* breaches */
#define SLOW_NS 10000000 /* of CPU */
#define TIMES 3          /* that a slow one is made; the least counts */
enum { LINE_B = ANY_FORMULA_SIZE + 300, CHAIN = 6 };

struct run {
    uint64_t seed, first, count;
    bool extreme, formulas, list, show_slow;
    uint64_t made, refused, breaches, slow;
    uint64_t worst_ns;
    char worst[LINE_B];
};

static void breach(struct run *r, const char *line, uint64_t number,
                   const char *what)
{
    if (++r->breaches <= SHOWN)
        printf("# %" PRIu64 ": %s\n#   %s\n", number, line, what);
}

/* What query and create say of one descriptor. */
struct answers {
    enum xk_status query, create;
    struct xk_conv_info info;
    struct xk_error query_err, create_err;
    xk_program *program;
};

static bool same_sentence(const struct answers *a)
{
    return a->query == a->create &&
           !strcmp(a->query_err.message, a->create_err.message);
}

static void judge(struct run *r, const char *line, uint64_t number,
                  const struct answers *a)
{
    char why[1400];
    if (a->query == XK_OK && a->create == XK_OK) {
        r->made++;
        if (!r->formulas &&
            memcmp(&a->info, xk_program_info(a->program), sizeof(a->info)))
            breach(r, line, number, "layouts of query and create differ");
    } else if (a->query != XK_OK && a->create != XK_OK) {
        r->refused++;
        if (same_sentence(a))
            return;
        snprintf(why, sizeof(why), "query: %s; create: %s",
                 a->query_err.message, a->create_err.message);
        breach(r, line, number, why);
    } else {
        const bool create = a->create != XK_OK;
        snprintf(why, sizeof(why), "%s alone refuses: %s",
                 create ? "create" : "query",
                 create ? a->create_err.message : a->query_err.message);
        breach(r, line, number, why);
    }
}

/* The process's CPU time, which other processes do not lengthen much. */
static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* One of the two. */
struct call {
    const struct xk_conv_desc *desc;
    const struct xk_formulas *formulas;
    const struct xk_create_options *options;
};

/* The least CPU time that it took. */
static uint64_t make(const struct call *x, struct answers *a)
{
    uint64_t least_ns = UINT64_MAX;
    for (unsigned n = 0; n < TIMES && least_ns > SLOW_NS; n++) {
        xk_program_unref(a->program);
        const uint64_t start_ns = cpu_ns();
        a->create = x->desc ? xk_conv_create(x->desc, x->options, &a->program,
                                             &a->create_err)
                            : xk_formulas_create(x->formulas, x->options,
                                                 &a->program, &a->create_err);
        const uint64_t ns = cpu_ns() - start_ns;
        least_ns = ns < least_ns ? ns : least_ns;
    }
    return least_ns;
}

static void note_time(struct run *r, const char *line, uint64_t ns)
{
    r->slow += ns > SLOW_NS;
    if (r->show_slow && ns > SLOW_NS)
        printf("# %.3f ms: %s\n", (double)ns * 1e-6, line);
    if (ns <= r->worst_ns)
        return;
    r->worst_ns = ns;
    snprintf(r->worst, sizeof(r->worst), "%s", line);
}

static void ask(struct run *r, uint64_t number)
{
    const struct xk_drawn d = xk_draw(r->seed, number, r->extreme);
    const struct xk_create_options o = {.size = sizeof(o), .flags = d.flags};
    struct answers a = {.info = {.size = sizeof(a.info)}};
    char line[1200];
    if (!xk_drawn_print(&d, line, sizeof(line))) {
        breach(r, "?", number, "a line that is too long");
        return;
    }
    if (r->list) {
        printf("%s\n", line);
        return;
    }
    a.query = xk_conv_query(&d.desc, &a.info, &a.query_err);
    note_time(r, line, make(&(struct call){&d.desc, NULL, &o}, &a));
    judge(r, line, number, &a);
    xk_program_unref(a.program);
}

/* Whether create made what query announced. */
static bool is_announced(const struct xk_formulas_info *info,
                         const xk_program *program)
{
    const struct xk_launch_list *const l = xk_program_launches(program);
    return l->n_launches == info->n_launches &&
           l->scratch_b == info->scratch_b &&
           l->scratch_align_b == info->scratch_align_b &&
           l->n_args == info->n_args &&
           !memcmp(l->args, info->args, l->n_args * sizeof(*l->args));
}

/* A formula, and perhaps more operations behind it, slow ones. */
static void draw_formula(uint64_t seed, char *out)
{
    static const char *const kinds[] = {
        "gelu_erf", "gelu_tanh", "tanh",   "mish",        "logistic",
        "exp",      "log",       "round",  "soft_relu:2", "elu:0.5",
        "swish:2",  "pow:2:0.5", "relu:0", "sum:0.5",     "clip:-1:1"};
    unsigned state = (unsigned)seed;
    any_formula((unsigned)seed, out);
    if (rand_r(&state) % 3)
        return;
    for (int n = 1 + rand_r(&state) % CHAIN; n; n--)
        sprintf(strchr(out, 0), " -> %s",
                kinds[(unsigned)rand_r(&state) % COUNTOF(kinds)]);
}

static void ask_formula(struct run *r, uint64_t number)
{
    char text[LINE_B];
    const char *const one = text;
    const struct xk_formulas f = {sizeof f, XK_PLATFORM_XEHPG, 1, &one};
    const struct xk_create_options o = {
        .size = sizeof(o), .flags = number % 5 == 4 ? XK_CREATE_A64 : 0};
    struct xk_formulas_info info = {.size = sizeof(info)};
    struct answers a = {0};
    draw_formula(r->seed * 1000003 + number, text);
    if (r->list) {
        printf("%s\n", text);
        return;
    }
    a.query = xk_formulas_query(&f, &info, &a.query_err);
    note_time(r, text, make(&(struct call){NULL, &f, &o}, &a));
    judge(r, text, number, &a);
    if (a.program && !is_announced(&info, a.program))
        breach(r, text, number, "launches, scratch memory or arguments differ");
    xk_program_unref(a.program);
}

static bool number_of(const char *word, const char *option, uint64_t *out)
{
    const size_t n = strlen(option);
    char *end;
    if (strncmp(word, option, n) != 0)
        return false;
    *out = strtoull(word + n, &end, 10);
    return word[n] && !*end;
}

static bool options(struct run *r, int n, char **words)
{
    for (int i = 1; i < n; i++) {
        const char *const w = words[i];
        if (!strcmp(w, "--extreme"))
            r->extreme = true;
        else if (!strcmp(w, "--formulas"))
            r->formulas = true;
        else if (!strcmp(w, "--list"))
            r->list = true;
        else if (!strcmp(w, "--slow"))
            r->show_slow = true;
        else if (!number_of(w, "--count=", &r->count) &&
                 !number_of(w, "--seed=", &r->seed) &&
                 !number_of(w, "--first=", &r->first))
            return false;
    }
    return !(r->extreme && r->formulas) && !(r->list && r->show_slow);
}

int main(int argc, char **argv)
{
    struct run r = {.seed = 27, .count = 300};
    if (!options(&r, argc, argv)) {
        fprintf(stderr, "usage: agree [--extreme | --formulas] [--list | "
                        "--slow] [--count=N] [--seed=N] [--first=N]\n");
        return 2;
    }
    for (uint64_t i = 0; i < r.count; i++)
        (r.formulas ? ask_formula : ask)(&r, r.first + i);
    if (r.list)
        return 0;
    printf("# seed %" PRIu64 ", %" PRIu64 " creations above %.0f ms of CPU, "
           "the least of %d runs, longest %.3f ms: %s\n",
           r.seed, r.slow, SLOW_NS * 1e-6, TIMES, (double)r.worst_ns * 1e-6,
           r.worst);
    printf("%sok 1 - query and create agree about %" PRIu64 " %s: %" PRIu64
           " made, %" PRIu64 " refused, %" PRIu64 " breaches\n",
           r.breaches ? "not " : "", r.count,
           r.formulas  ? "formulas"
           : r.extreme ? "extreme descriptors"
                       : "random descriptors",
           r.made, r.refused, r.breaches);
    printf("%sok 2 - a third can be made\n1..2\n",
           3 * r.made >= r.count ? "" : "not ");
    return 0;
}
