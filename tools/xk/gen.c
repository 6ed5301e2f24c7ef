/* SPDX-License-Identifier: Apache-2.0 */
/* xk gen: a problem, written as for xkbench, or formulas -> one zebin, the
 * instructions, or what the library says about it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/conv_words.h"
#include "tools/problem/option_table.h"
#include "tools/problem/output.h"
#include "tools/problem/words.h"
#include "tools/xk/ir_words.h"
#include "tools/xk/verbs.h"
#include "xekern/formulas.h"
#include "xekern/inspect.h"

struct gen {
    struct xk_conv_desc desc;
    const char *word[XK_N_CONV_OPTIONS];
    const char *of_conv; /* an option that formulas do not have; NULL: none */
    const char *problem, *output;
    struct xk_formulas formulas;
    const char *formula[XK_MAX_LAUNCHES];
    struct xk_ir_source source;
    const char *from;    /* of IR text; NULL: none */
    const char *of_from; /* an option that only --from has; NULL: none */
    bool assembly, info, help;
};

/* A word each, checked at once; what is known but cannot be said to the library
 * is refused when the problem is read. */
static enum xk_status set_word(void *user, uint32_t option, const char *value,
                               struct xk_error *err)
{
    struct gen *const g = user;
    const enum xk_status st = xk_conv_word_check(option, value, err);
    if (st >= 0 || st == XK_EUNSUPPORTED)
        g->word[option] = *value ? value : xk_conv_options[option].initial;
    if (option != XK_OPT_PLATFORM && option != XK_OPT_DEVICE)
        g->of_conv = xk_conv_options[option].name;
    return st == XK_EUNSUPPORTED ? XK_OK : st;
}

static enum xk_status set_formula(void *user, const char *value,
                                  struct xk_error *err)
{
    struct gen *const g = user;
    if (g->formulas.n == XK_MAX_LAUNCHES)
        return xk_tool_fail(err, XK_EINVAL, "formula=%.200s: more than %d",
                            value, XK_MAX_LAUNCHES);
    g->formula[g->formulas.n++] = value;
    return XK_OK;
}

static enum xk_status set_ir_file(void *user, const char *value,
                                  struct xk_error *err)
{
    (void)err;
    ((struct gen *)user)->from = value;
    return XK_OK;
}

static enum xk_status set_passes(void *user, const char *value,
                                 struct xk_error *err)
{
    (void)err;
    ((struct gen *)user)->of_from = "passes";
    ((struct gen *)user)->source.passes = value;
    return XK_OK;
}

static enum xk_status set_registers(void *user, const char *value,
                                    struct xk_error *err)
{
    struct gen *const g = user;
    g->of_from = "registers";
    const enum xk_status st = xk_ir_word_registers("registers", value, 256,
                                                   &g->source.grf_count, err);
    if (st >= 0 && !g->source.grf_count)
        return xk_tool_fail(err, XK_EINVAL, "registers=0: needs 128 or 256");
    return st;
}

static enum xk_status set_spare(void *user, const char *value,
                                struct xk_error *err)
{
    struct gen *const g = user;
    g->of_from = "spare";
    return xk_ir_word_registers("spare", value, 256, &g->source.spare_grf, err);
}

static enum xk_status set_output(void *user, const char *value,
                                 struct xk_error *err)
{
    (void)err;
    ((struct gen *)user)->output = value;
    return XK_OK;
}

static enum xk_status set_asm(void *user, const char *value,
                              struct xk_error *err)
{
    (void)value;
    (void)err;
    ((struct gen *)user)->assembly = true;
    return XK_OK;
}

static enum xk_status set_info(void *user, const char *value,
                               struct xk_error *err)
{
    (void)value;
    (void)err;
    ((struct gen *)user)->info = true;
    return XK_OK;
}

static enum xk_status set_gen_help(void *user, const char *value,
                                   struct xk_error *err)
{
    (void)value;
    (void)err;
    ((struct gen *)user)->help = true;
    return XK_OK;
}

static const struct xk_tool_option options[] = {
#define XK_CONV_OPTION(id, name, initial, fields, read, known, help)           \
    {name,                                                                     \
     XK_OPT_##id == XK_OPT_PLATFORM ? 'p' : 0,                                 \
     "WORD",                                                                   \
     help,                                                                     \
     .words = known,                                                           \
     .set_row = set_word,                                                      \
     .row = XK_OPT_##id},
#include "tools/problem/conv_option.def"
#undef XK_CONV_OPTION
    {"formula", 0, "TEXT",
     "a contraction instead of a problem, such as 'A: f16[64,32]; B: "
     "f16[32,16]; C[m,n] += A[m,k] * B[k,n]'; each is a launch of the program",
     set_formula, true, .many = true},
    {"from", 0, "FILE",
     "a kernel as IR text (docs/ir.md) instead of a problem; - is stdin",
     set_ir_file},
    {"passes", 0, "LIST",
     "with --from: passes in front of the others, such as 'split(m=8) "
     "pipe(ra ahead=1)' (docs/passes.md)",
     set_passes},
    {"registers", 0, "N", "with --from: of a thread, 128 (default) or 256",
     set_registers},
    {"spare", 0, "N",
     "with --from: registers that passes may keep values in (default 32)",
     set_spare},
    {"output", 'o', "FILE", "write the zebin; - is stdout", set_output},
    {"asm", 0, NULL, "print the instructions", set_asm},
    {"info", 0, NULL,
     "print the launch, its resources and the schedule (default)", set_info},
    {"help", 'h', NULL, "this text", set_gen_help},
};

static void print_gen_help(FILE *out)
{
    fputs("usage: xk gen [OPTION]... PROBLEM\n"
          "       xk gen [OPTION]... --formula TEXT [--formula TEXT]...\n"
          "       xk gen [OPTION]... --from=FILE.ir [--passes=LIST]\n"
          "Generates the kernel of a convolution, for example\n"
          "  xk gen --dir=FWD_D -o conv.zebin ic64ih56oc64oh56kh3ph1mb1\n"
          "or of contractions; later ones may read what earlier ones "
          "make.\n\n",
          out);
    xk_tool_option_help(options, sizeof options / sizeof options[0], out);
}

static enum xk_status set_gen_problem(void *user, const char *value,
                                      struct xk_error *err)
{
    struct gen *const g = user;
    if (g->problem)
        return xk_tool_fail(err, XK_EINVAL, "%.200s: second problem", value);
    g->problem = value;
    return XK_OK;
}

/* --from excludes problems and formulas. Its own options need it. */
static enum xk_status check_from(const struct gen *g, struct xk_error *err)
{
    if (!g->from && g->of_from)
        return xk_tool_fail(err, XK_EINVAL, "%s: does nothing without --from",
                            g->of_from);
    if (g->from && (g->problem || g->formulas.n || g->of_conv))
        return xk_tool_fail(err, XK_EINVAL,
                            "%.200s: stands beside --from, which says it all",
                            g->problem      ? g->problem
                            : g->formulas.n ? "formula"
                                            : g->of_conv);
    return XK_OK;
}

/* The IR text is often a dump that was edited; the next dump has its names. */
static enum xk_status check_gen_files(const struct gen *g, struct xk_error *err)
{
    const struct xk_tool_file_use use[] = {{"output", g->output, true},
                                           {"an input", g->from, false}};
    const char *const dump = getenv("XK_DUMP"), *dir = getenv("XK_DUMP_DIR");
    dir = dir && *dir ? dir : "xk_dump";
    if (g->from && dump && *dump && xk_tool_is_below(g->from, dir))
        return xk_tool_fail(err, XK_EINVAL,
                            "from=%.200s: lies below %.200s, where XK_DUMP "
                            "would overwrite it",
                            g->from, dir);
    return xk_tool_files_distinct(use, sizeof use / sizeof use[0], err);
}

/* The options and the one problem; options hold wherever they stand. */
static enum xk_status read_gen_arguments(struct gen *g, int n,
                                         const char *const *args,
                                         struct xk_error *err)
{
    const struct xk_tool_syntax syntax = {
        options, sizeof options / sizeof options[0], set_gen_problem};
    enum xk_status st = xk_tool_arguments(&syntax, n, args, g, err);
    if (st < 0 || g->help)
        return st;
    st = check_from(g, err);
    if (st < 0)
        return st;
    if (!g->problem && !g->formulas.n && !g->from)
        return xk_tool_fail(err, XK_EINVAL, "no problem given");
    if (g->problem && g->formulas.n)
        return xk_tool_fail(err, XK_EINVAL,
                            "%.200s: there are formulas instead of a problem",
                            g->problem);
    if (g->of_conv && g->formulas.n)
        return xk_tool_fail(err, XK_EINVAL,
                            "%s: does nothing with --formula, which says it "
                            "itself",
                            g->of_conv);
    if (g->output && !strcmp(g->output, "-") && (g->info || g->assembly))
        return xk_tool_fail(err, XK_EINVAL,
                            "output=-: the zebin and the text of %s would both "
                            "go to standard output",
                            g->info ? "--info" : "--asm");
    g->info = g->info || (!g->output && !g->assembly);
    return check_gen_files(g, err);
}

/* Platform and device are the words that formulas and IR share with problems.
 */
static enum xk_status read_target(const struct gen *g, uint32_t *platform,
                                  const char **device, struct xk_error *err)
{
    const char *const word = g->word[XK_OPT_PLATFORM];
    *platform = g->desc.platform;
    *device = g->word[XK_OPT_DEVICE];
    return *word ? xk_word_platform("platform", word, platform, err) : XK_OK;
}

static enum xk_status read_formulas(struct gen *g, struct xk_error *err)
{
    struct xk_formulas_info info = {.size = sizeof info};
    g->formulas.size = sizeof g->formulas;
    g->formulas.text = g->formula;
    if (read_target(g, &g->formulas.platform, &g->formulas.device, err) < 0)
        return err->status;
    return xk_formulas_query(&g->formulas, &info, err);
}

/* The text, to be freed by who calls generate_program(). */
static enum xk_status read_from(struct gen *g, struct xk_error *err)
{
    g->source.size = sizeof g->source;
    if (read_target(g, &g->source.platform, &g->source.device, err) < 0)
        return err->status;
    g->source.text = xk_ir_read_text(g->from, err);
    return g->source.text ? XK_OK : err->status;
}

static enum xk_status read_problem(struct gen *g, struct xk_error *err)
{
    struct xk_conv_request r;
    if (g->from)
        return read_from(g, err);
    if (g->formulas.n)
        return read_formulas(g, err);
    char *const name = malloc(strlen(g->problem) + 1);
    const enum xk_status st =
        name ? xk_conv_request_read(g->problem, g->word, &r, name, err)
             : xk_tool_fail(err, XK_ENOMEM, "no memory");
    free(name);
    if (st >= 0)
        g->desc = r.desc;
    return st;
}

static const char *const arg_names[XK_N_CONV_ARGS] = {
#define XK_ARG_WORD(id, word) [XK_ARG_##id] = word,
#include "xekern/words.def"
};

static void print_tensor_info(const char *name, const struct xk_tensor_info *t)
{
    if (!t->ndims)
        return;
    printf("tensor %s: %s %s, %" PRIu64 " bytes, dims", name,
           xk_type_word(t->type), t->tag, t->size_b);
    for (uint32_t d = 0; d < t->ndims; d++)
        printf(" %" PRId64, t->dims[d]);
    putchar('\n');
}

static void print_tensors(const struct xk_conv_info *info)
{
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        print_tensor_info(arg_names[i], &info->tensor[i]);
    for (int i = 0; i < XK_MAX_POST_OPS; i++) {
        char name[16];
        snprintf(name, sizeof name, "rhs%d", i);
        print_tensor_info(name, &info->rhs[i]);
    }
    for (int i = 0; i < XK_N_CONV_ARGS; i++) {
        char name[16];
        snprintf(name, sizeof name, "scale_%s", arg_names[i]);
        print_tensor_info(name, &info->scale[i]);
        snprintf(name, sizeof name, "zero_%s", arg_names[i]);
        print_tensor_info(name, &info->zero_point[i]);
    }
}

/* The formulas with all that follows, and what the program takes. */
static enum xk_status print_formulas(const struct gen *g, const xk_program *p,
                                     struct xk_error *err)
{
    const struct xk_launch_list *const l = xk_program_launches(p);
    char text[2000];
    size_t n;
    for (uint32_t i = 0; i < g->formulas.n; i++) {
        if (xk_formula_complete(g->formula[i], text, sizeof text, &n, err) < 0)
            return err->status;
        printf("formula %s%s\n", text, n < sizeof text ? "" : "...");
    }
    for (uint32_t i = 0; i < l->n_args; i++)
        printf("tensor %s: %" PRIu64 " bytes, %s\n", l->args[i].name,
               l->args[i].size_b, l->args[i].written ? "written" : "read");
    if (l->scratch_b)
        printf("scratch %" PRIu64 " bytes at a multiple of %" PRIu32 "\n",
               l->scratch_b, l->scratch_align_b);
    return XK_OK;
}

static void print_gen_launch(const struct xk_launch_info *l)
{
    printf("kernel %s: %zu bytes of code in %zu of zebin\n", l->kernel,
           l->code_b, l->zebin_b);
    printf("groups %" PRIu32 " %" PRIu32 " %" PRIu32 ", local %" PRIu32
           " %" PRIu32 " %" PRIu32 ", threads per group %" PRIu32 "\n",
           l->groups[0], l->groups[1], l->groups[2], l->local[0], l->local[1],
           l->local[2], l->threads_per_group);
    printf("simd %" PRIu32 ", registers %" PRIu32 ", slm %" PRIu32
           " bytes, barriers %" PRIu32 "\n",
           l->simd, l->grf_count, l->slm_b, l->barriers);
    printf("instructions %" PRIu32 ", of which fma %" PRIu32 "\n",
           l->static_instructions, l->static_fma);
    printf("arguments");
    for (uint32_t i = 0; i < l->n_args; i++)
        printf(" %s", l->args[i].name);
    printf("\nschedule %s\n", l->schedule ? l->schedule : "");
}

/* A comment tells the kernels of a program apart. */
static enum xk_status print_asm(const xk_program *p, uint32_t i,
                                const char *platform, struct xk_error *err)
{
    const struct xk_launch_info *const l = xk_program_launch(p, i);
    if (xk_program_n_launches(p) > 1)
        printf("// kernel %s\n", l->kernel);
    return xk_disassemble(platform, l->code, l->code_b, xk_tool_print, stdout,
                          err);
}

static enum xk_status put_out(const struct gen *g, const xk_program *p,
                              struct xk_error *err)
{
    const struct xk_launch_info *const first = xk_program_launch(p, 0);
    const uint32_t platform = g->from         ? g->source.platform
                              : g->formulas.n ? g->formulas.platform
                                              : g->desc.platform;
    enum xk_status st = XK_OK;
    if (g->info && g->formulas.n)
        st = print_formulas(g, p, err);
    else if (g->info && !g->from)
        print_tensors(xk_program_info(p));
    for (uint32_t i = 0; i < xk_program_n_launches(p) && st >= 0; i++) {
        if (g->info)
            print_gen_launch(xk_program_launch(p, i));
        if (g->assembly)
            st = print_asm(p, i, xk_platform_word(platform), err);
    }
    if (g->output && st >= 0 && !first)
        st = xk_tool_fail(err, XK_EUNSUPPORTED,
                          "output=%s: a program without launches has no file",
                          g->output);
    else if (g->output && st >= 0)
        st = xk_tool_output_write("output", g->output, first->zebin,
                                  first->zebin_b, err);
    return st;
}

static enum xk_status generate_program(const struct gen *g,
                                       struct xk_error *err)
{
    xk_program *p = NULL;
    enum xk_status st = g->from ? xk_ir_create(&g->source, NULL, &p, err)
                        : g->formulas.n
                            ? xk_formulas_create(&g->formulas, NULL, &p, err)
                            : xk_conv_create(&g->desc, NULL, &p, err);
    if (st >= 0)
        st = put_out(g, p, err);
    xk_program_unref(p);
    return st;
}

int xk_verb_gen(int n, const char *const *args)
{
    struct gen g = {.desc = XK_CONV_DESC_INIT, .source = {.spare_grf = 32}};
    struct xk_error err = {0};
    for (int i = 0; i < XK_N_CONV_OPTIONS; i++)
        g.word[i] = xk_conv_options[i].initial;
    if (read_gen_arguments(&g, n, args, &err) < 0) {
        if (xk_verb_misused("gen", &err, n))
            print_gen_help(stderr);
        return 2;
    }
    if (g.help) {
        print_gen_help(stdout);
        return 0;
    }
    enum xk_status st = read_problem(&g, &err);
    if (st >= 0)
        st = generate_program(&g, &err);
    if (g.source.text)
        xk_ir_failed_in(g.from, st, &err);
    free((char *)g.source.text);
    if (st < 0) {
        xk_conv_name_options(&err);
        fprintf(stderr, "xk gen: %s: %s\n", xk_status_str(st), err.message);
    }
    return st < 0 ? 1 : 0;
}
