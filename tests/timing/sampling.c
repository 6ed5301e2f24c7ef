/* SPDX-License-Identifier: Apache-2.0 */
/* sampling LIST MB WAVES [MACHINE]: the f16 problems of a benchdnn list on the
 * timing model, all groups of the core in detail and then WAVES of them: both
 * predictions, the error told and the true one, as a table for docs/timing.md.
 * Checks that every cycle has a cause, of every kernel. Exit 1: causes do not
 * sum to 100 %, or more than a tenth of the problems are further off than
 * told. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xekern/simulate.h"
#include "xekern/xekern.h"

struct answer {
    double us, told_us; /* the error, not relative */
    double waves;
    unsigned kernels, wrong;
    bool sampled;
};

static void take(void *user, const struct xk_timing *t)
{
    struct answer *const a = user;
    double all = 0;
    a->kernels++;
    if (t->error) {
        fprintf(stderr, "%s: %s\n", t->kernel, t->error);
        a->wrong++;
        return;
    }
    for (uint32_t k = 0; k < t->n_shares; k++)
        all += t->share[k].share;
    if (fabs(all - 1) > 1e-9) {
        fprintf(stderr, "%s: causes sum to %.6f\n", t->kernel, all);
        a->wrong++;
    }
    a->us += t->time_us;
    a->told_us += t->time_us * t->sampling_error;
    a->waves = t->waves > a->waves ? t->waves : a->waves;
    a->sampled |= t->sampled;
}

static void must(int status, const struct xk_error *err)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

static void launch_all(xk_device *d, const xk_program *p, xk_buffer **buf)
{
    struct xk_error err = {.message = ""};
    for (uint32_t i = 0; i < xk_program_n_launches(p); i++) {
        const struct xk_launch_info *const l = xk_program_launch(p, i);
        struct xk_launch_arg args[XK_MAX_LAUNCH_ARGS] = {{0}};
        xk_module *m;
        for (unsigned k = 0; k < l->n_args; k++)
            args[k].buffer = buf[l->args[k].tensor];
        must(xk_module_create(d, l->zebin, l->zebin_b, &m, &err), &err);
        must(xk_launch(m,
                       &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                                l->kernel, l->groups, l->local,
                                                l->n_args, args},
                       NULL, &err),
             &err);
        xk_module_unref(m);
    }
}

/* On zeros: the model does not look at values. */
static struct answer predict(const xk_program *p, const char *platform,
                             const char *machine, uint32_t waves)
{
    struct answer a = {0};
    const struct xk_simulate_opts look = {
        .timing = machine, .timing_waves = waves, .timed = take, .user = &a};
    xk_device *d;
    xk_buffer *buf[XK_N_CONV_ARGS] = {0};
    struct xk_error err = {.message = ""};
    must(xk_device_create("sim", platform, 0, &d, &err), &err);
    must(xk_simulate_configure(d, &look, &err), &err);
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++) {
        const struct xk_tensor_info *const t = &xk_program_info(p)->tensor[i];
        if (t->ndims)
            must(xk_buffer_create(d, t->size_b, &buf[i], &err), &err);
    }
    launch_all(d, p, buf);
    for (unsigned i = 0; i < XK_N_CONV_ARGS; i++)
        xk_buffer_unref(buf[i]);
    xk_device_unref(d);
    return a;
}

/* What is counted over the list. */
struct count {
    unsigned problems, sampled, beyond, kernels, wrong;
    double worst;
};

static void one(const char *line, uint32_t mb, uint32_t waves,
                const char *machine, struct count *n)
{
    struct xk_conv_desc desc = XK_CONV_DESC_INIT;
    struct xk_error err = {.message = ""};
    char name[80] = "";
    xk_program *p = NULL;
    must(xk_conv_desc_parse(line, &desc, name, sizeof name, &err), &err);
    desc.platform = XK_PLATFORM_XEHPG;
    desc.src_type = desc.wei_type = desc.dst_type = XK_F16;
    desc.mb = mb;
    must(xk_conv_create(&desc, NULL, &p, &err), &err);
    const struct answer all = predict(p, "xehpg", machine, UINT32_MAX);
    const struct answer some = predict(p, "xehpg", machine, waves);
    xk_program_unref(p);
    n->problems++;
    n->kernels += all.kernels + some.kernels;
    n->wrong += all.wrong + some.wrong;
    if (!some.sampled)
        return;
    /* both of what is predicted from the sample */
    const double error = 1 - all.us / some.us, told = some.told_us / some.us;
    n->sampled++;
    n->beyond += fabs(error) > told;
    n->worst = fabs(error) > fabs(n->worst) ? error : n->worst;
    printf("| %s | %.1f | %.1f | %.1f | %.1f %% | %+.1f %% |\n", name,
           all.waves, all.us, some.us, 100 * told, 100 * error);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char line[400];
    struct count n = {0};
    FILE *const f = argc > 3 ? fopen(argv[1], "r") : NULL;
    if (!f) {
        fprintf(stderr, "usage: sampling LIST MB WAVES [MACHINE]\n");
        return 2;
    }
    printf("| problem, f16 mb=%s | waves | whole, us | of %s, us | told | true "
           "|\n|---|--:|--:|--:|--:|--:|\n",
           argv[2], argv[3]);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "#\r\n")] = '\0';
        if (*line)
            one(line, (uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]),
                argc > 4 ? argv[4] : "", &n);
    }
    fclose(f);
    printf("\n%u problems, %u sampled, worst %+.1f %%, %u further off than "
           "told; %u kernels, %u whose causes do not sum to 100 %%\n",
           n.problems, n.sampled, 100 * n.worst, n.beyond, n.kernels, n.wrong);
    return n.wrong || 10 * n.beyond > n.sampled;
}
