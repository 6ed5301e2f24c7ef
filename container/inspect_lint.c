/* SPDX-License-Identifier: Apache-2.0 */
/* The validator over a kernel of a file. */
#include "container/inspect_file.h"
#include "isa/workaround.h"

struct lint {
    const xk_inspect *f;
    xk_lint_fn *fn;
    void *user;
    struct xk_inst *inst; /* the decoded instructions, in order */
    uint32_t *offset_b;
    unsigned n;
    struct xk_str text;
};

static void report_violation(void *user, unsigned at,
                             const struct xk_isa_violation *v)
{
    struct lint *const l = user;
    const struct xk_print_opts opts = {.ldst = false};
    const bool known = at < l->n; /* else it is about the whole program */
    xk_str_clear(&l->text);
    if (known)
        xk_inst_print_as(l->f->file.platform, &l->inst[at], &opts, &l->text);
    l->fn(l->user,
          &(struct xk_lint_finding){.rule = v->rule,
                                    .why = v->why,
                                    .source = v->source,
                                    .text = xk_str_get(&l->text),
                                    .offset_b = known ? l->offset_b[at] : 0});
}

static void report_decode(struct lint *l, const struct xk_code_step *s)
{
    l->fn(l->user,
          &(struct xk_lint_finding){.rule = "DECODE",
                                    .why = s->error.message,
                                    .source = "the platform's encoding tables",
                                    .text = "",
                                    .offset_b = (uint32_t)s->at_b});
}

/* Decodes all of the code and returns the number of places that do not
 * decode. */
static unsigned read_code(struct lint *l, const struct xk_zkernel *k)
{
    struct xk_code_step step;
    unsigned n_bad = 0;
    for (size_t at = 0;
         xk_code_next(l->f->file.platform, k->code, k->code_b, &at, &step);) {
        if (!step.good) {
            report_decode(l, &step);
            n_bad++;
            continue;
        }
        l->offset_b[l->n] = (uint32_t)step.at_b;
        l->inst[l->n++] = step.inst;
    }
    return n_bad;
}

/* The number of bytes behind the last instruction; only a zebin gives it. */
static uint64_t tail_of(const struct lint *l, const struct xk_zkernel *z)
{
    if (!l->n || l->f->file.kind != XK_CONTAINER_ZEBIN)
        return XK_INST_B;
    const bool half = l->inst[l->n - 1].compacted;
    return z->code_b - l->offset_b[l->n - 1] -
           (half ? XK_INST_B / 2 : XK_INST_B);
}

/* Rules about several instructions are skipped if some do not decode. */
static void judge_kernel(struct lint *l, const struct xk_zkernel *z,
                         unsigned n_bad)
{
    const struct xk_platform *const p = l->f->file.platform;
    if (!n_bad) {
        xk_program_validate(p, l->inst, l->n, report_violation, l);
        xk_wa_validate(&(struct xk_wa_program){.device = l->f->device,
                                               .p = p,
                                               .inst = l->inst,
                                               .n = l->n,
                                               .tail_b = tail_of(l, z),
                                               .grf_count = z->grf_count},
                       report_violation, l);
        return;
    }
    for (unsigned at = 0; at < l->n; at++) {
        struct xk_isa_violation v[16];
        const unsigned n = xk_inst_validate(p, &l->inst[at], v, XK_COUNTOF(v));
        for (unsigned k = 0; k < n && k < XK_COUNTOF(v); k++)
            report_violation(l, at, &v[k]);
    }
}

/* The rows of a device that is not in isa/product.def are not known. */
static enum xk_status refuse_device(const xk_inspect *f, struct xk_error *err)
{
    const struct xk_told_device told = xk_inspect_told(f);
    const uint32_t ip = told.ip_version;

    if (ip)
        xk_fail(f->c, XK_EUNSUPPORTED,
                "device: IP version %u.%u.%u is unknown; name one", ip >> 22,
                ip >> 14 & 255, ip & 63);
    else
        xk_fail(f->c, XK_EUNSUPPORTED,
                "device: revision %u of family %u is unknown; name one",
                told.revision, told.family);
    return xk_inspect_end(f, err);
}

enum xk_status xk_inspect_lint(const xk_inspect *f, uint32_t kernel,
                               xk_lint_fn *fn, void *user, struct xk_error *err)
{
    if (!f->device_is_known)
        return refuse_device(f, err);
    const struct xk_zkernel *const k = xk_inspect_get(f, kernel);
    struct lint l = {.f = f, .fn = fn, .user = user};
    const size_t most = k ? k->code_b / (XK_INST_B / 2) + 1 : 1;
    xk_str_init(&l.text, &f->c->alloc);
    l.inst = xk_calloc(f->c, most, sizeof *l.inst);
    l.offset_b = xk_calloc(f->c, most, sizeof *l.offset_b);
    if (k && l.inst && l.offset_b)
        judge_kernel(&l, k, read_code(&l, k));
    xk_str_fini(&l.text);
    xk_free(f->c, l.inst);
    xk_free(f->c, l.offset_b);
    return xk_inspect_end(f, err);
}
