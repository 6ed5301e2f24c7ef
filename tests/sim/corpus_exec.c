/* SPDX-License-Identifier: Apache-2.0 */
/* corpus_exec CACHE [-v]: every instruction of the compiled corpus must have a
 * way to be executed; those that have none are listed, by platform and form. -v
 * also prints how often each opcode occurs. Exit 0, or 1. */
#include <stdio.h>
#include <string.h>

#include "sim/exec/select.h"
#include "sim/core/known.h"
#include "tests/corpus/corpus.h"

#define MAX_MISSING 200

struct tally {
    unsigned executed[XK_N_OPCODES], insts, kernels, undecoded;
    char missing[MAX_MISSING][120];
    unsigned n_missing;
};

static bool has_no_way(const struct xk_sim_inst *e)
{
    return e->fn == xk_sim_exec_unsupported || e->fn == xk_sim_exec_not_known;
}

/* Register numbers differ, the form does not. */
static void text_of(const struct xk_platform *p, const struct xk_inst *i,
                    char *out, size_t out_b)
{
    struct xk_str s;
    size_t n = 0;
    xk_str_init(&s, &xk_alloc_default);
    xk_inst_print(p, i, &s);
    const char *t = xk_str_get(&s);
    n = (size_t)snprintf(out, out_b, "%s ", p->name);
    for (; *t && *t != '{' && n + 1 < out_b; t++)
        if (t[0] != 'r' || t[1] < '0' || t[1] > '9') {
            out[n++] = *t;
        } else {
            out[n++] = 'r';
            while (t[1] >= '0' && t[1] <= '9')
                t++;
        }
    out[n] = 0;
    xk_str_fini(&s);
}

static void note_missing(struct tally *y, const struct xk_platform *p,
                         const struct xk_inst *i)
{
    char text[120];
    text_of(p, i, text, sizeof(text));
    for (unsigned k = 0; k < y->n_missing; k++)
        if (!strcmp(text, y->missing[k]))
            return;
    if (y->n_missing == MAX_MISSING)
        return;
    memcpy(y->missing[y->n_missing++], text, sizeof(text));
}

static void look_at(struct tally *y, const struct xk_sim_kernel *k)
{
    y->kernels++;
    for (uint32_t n = 0; n + 1 < k->n; n++) {
        const struct xk_sim_inst *const e = &k->inst[n];
        if (e->fn == xk_sim_exec_undecodable) {
            y->undecoded++;
            continue;
        }
        if (e->in.op == XK_OPC_ILLEGAL) /* behind the end */
            continue;
        y->insts++;
        if (has_no_way(e))
            note_missing(y, k->platform, &e->in);
        else
            y->executed[e->in.op]++;
    }
}

static bool take_kernel(struct tally *y, const struct corpus_kernel *c)
{
    struct xk_error err = {.status = XK_OK};
    const struct xk_zkernel z = {.name = "corpus",
                                 .simd = 16,
                                 .grf_count = 256,
                                 .code = c->bin.data,
                                 .code_b = c->bin.n_b};
    xk_sim_kernel *k;
    if (xk_sim_kernel_create(NULL, c->p, &z, &k, &err) < 0) {
        printf("# %s on %s: %s\n", c->name, c->p->name, err.message);
        return false;
    }
    look_at(y, k);
    xk_sim_kernel_destroy(k);
    return true;
}

static void report(const struct tally *y, bool opcodes)
{
    for (unsigned op = 0; opcodes && op < XK_N_OPCODES; op++)
        printf("# %-8s %u\n", xk_opcode_name((enum xk_opcode)op),
               y->executed[op]);
    for (unsigned k = 0; k < y->n_missing; k++)
        printf("# not executed: %s\n", y->missing[k]);
    printf("# %u kernels, %u instructions, %u forms not executed, %u not "
           "decoded\n",
           y->kernels, y->insts, y->n_missing, y->undecoded);
}

int main(int argc, char **argv)
{
    static struct tally y;
    struct corpus c;
    bool good = true;
    if (argc < 2) {
        fprintf(stderr, "usage: corpus_exec CACHE [-v]\n");
        return 2;
    }
    if (!corpus_read(argv[1], &c))
        return 1;
    for (unsigned n = 0; n < c.n; n++)
        good &= take_kernel(&y, &c.kernel[n]);
    report(&y, argc > 2 && !strcmp(argv[2], "-v"));
    corpus_fini(&c);
    return good && !y.n_missing && !y.undecoded && y.insts ? 0 : 1;
}
