/* SPDX-License-Identifier: Apache-2.0 */
/* Flips bits of kernels that nobody here wrote and holds what happens against
 * sim/core/known.def. Requests are those of run_kernels.c.
 * usage: flip_bits COUNT SEED: COUNT random bits of each kernel, 0: every bit
 * of every instruction that the launch executes. Each mutant runs with all
 * checkers; it is stopped (a sentence says what cannot be executed), changed
 * (results or findings differ), or the same. Answers wrong PLATFORM KERNEL
 * OFFSET BIT ...   a bit that is unknown and does not stop with its name, or
 * that has no effect and has one (a value that the message does not have may
 * stop) row FORM FIELD VERDICT STOPPED CHANGED SAME     a field with an opcode,
 * or of a message and `end`; `at` means nothing. A kernel whose results differ
 * from run to run is left out: `skip`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/format.h"
#include "isa/message_table.h"
#include "tests/corpus/job_code.h"
#include "tests/sim/flip_part.h"
#include "xekern/simulate.h"

#define LIMIT 200000 /* instructions of a thread */
#define MOST_ROWS 4096

/* What a bit belongs to. */
struct part {
    char form[48], field[48];
    enum xk_known verdict;
    char name[24]; /* that a sentence about an unknown one has */
};

static struct row {
    struct part part;
    unsigned n[N_FLIP_OUTCOMES];
} rows[MOST_ROWS];
static unsigned n_rows;

/* What a launch leaves. */
struct result {
    enum xk_status status;
    char message[1000];
    uint64_t findings; /* hash of their lines */
    uint8_t *out[MAX_ARGS];
};

static struct job_code kernel;
static bool executed[JOB_MOST_INSTS];
static uint64_t heard, seed;
static char stop[1000]; /* the finding that ended the launch */
static unsigned count;

static uint64_t next_random(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return seed >> 33;
}

static void hear(void *user, const struct xk_simulate_finding *f)
{
    (void)user;
    if (flip_says_stop(f->line))
        snprintf(stop, sizeof stop, "%s", f->line);
    for (const char *c = f->line; *c; c++)
        heard = (heard ^ (uint8_t)*c) * UINT64_C(1099511628211);
}

static void see(void *user, const struct xk_simulate_inst *i)
{
    (void)user;
    for (unsigned k = 0; i->executed && k < kernel.n; k++)
        executed[k] |= kernel.inst[k].at_b == i->offset_b;
}

/* -- One launch -- */

static void drop(struct result *r)
{
    for (unsigned k = 0; k < MAX_ARGS; k++)
        free(r->out[k]);
    memset(r, 0, sizeof *r);
}

static void keep_buffers(const struct job *j, struct result *r)
{
    struct xk_error err;
    for (unsigned k = 0; k < j->n; k++) {
        if (!j->arg[k].buffer)
            continue;
        r->out[k] = malloc(j->size_b[k]);
        if (!r->out[k] || xk_buffer_read(j->arg[k].buffer, 0, r->out[k],
                                         j->size_b[k], &err) < 0)
            abort();
    }
}

static void launch(struct job *j, bool look_at, struct result *r)
{
    const struct xk_simulate_opts look = {.checks = "all",
                                          .inst_limit = LIMIT,
                                          .found = hear,
                                          .inst = look_at ? see : NULL};
    struct xk_error err = {.message = ""};
    xk_module *m = NULL;
    xk_device *const d = job_device(j->platform, &err);
    memset(r, 0, sizeof *r);
    heard = UINT64_C(14695981039346656037);
    stop[0] = 0;
    r->status = d ? xk_simulate_configure(d, &look, &err) : XK_EINVAL;
    if (r->status == XK_OK)
        r->status = xk_module_create(d, kernel.file, kernel.file_b, &m, &err);
    for (unsigned k = 0; r->status == XK_OK && k < j->n; k++)
        r->status = job_make_buffer(j, k, d, NULL, &err);
    if (r->status == XK_OK)
        r->status = xk_launch(
            m,
            &(struct xk_launch_desc){sizeof(struct xk_launch_desc), j->kernel,
                                     j->groups, j->local, j->n, j->arg},
            NULL, &err);
    keep_buffers(j, r);
    job_drop_buffers(j);
    xk_module_unref(m);
    r->findings = heard;
    snprintf(r->message, sizeof r->message, "%s", stop[0] ? stop : err.message);
}

static bool differ(const struct job *j, const struct result *a,
                   const struct result *b)
{
    bool yes = a->status != b->status || a->findings != b->findings;
    for (unsigned k = 0; k < j->n; k++)
        yes |= (a->out[k] != NULL) != (b->out[k] != NULL) ||
               (a->out[k] && memcmp(a->out[k], b->out[k], j->size_b[k]) != 0);
    return yes;
}

/* -- What a bit is -- */

static void set_part(struct part *p, const char *form, const char *field,
                     enum xk_known verdict)
{
    snprintf(p->form, sizeof p->form, "%s", form);
    snprintf(p->field, sizeof p->field, "%s", field);
    p->verdict = verdict;
    for (char *c = p->field; *c; c++)
        if (*c == ' ')
            *c = '_';
}

static void message_part(const struct xk_inst *i, unsigned bit, struct part *p)
{
    struct xk_msg m;
    xk_msg_decode(kernel.p, i, &m);
    const char *const form = m.kind == XK_MSG_UNKNOWN || m.kind == XK_MSG_OTHER
                                 ? "message"
                                 : xk_msg_kind_name((enum xk_msg_kind)m.kind);
    const unsigned at = xk_msg_part_at(kernel.p, i, bit);
    if (m.kind == XK_MSG_OTHER)
        set_part(p, form, "sampler_bits", XK_KNOWN_ACTS);
    else
        set_part(p, form, flip_part_name(at), flip_part_verdict(at));
    snprintf(p->name, sizeof p->name, "bit %u of", bit);
}

static void part_of(const struct job_inst *l, unsigned bit, struct part *p)
{
    const struct xk_inst *const i = &l->in;
    const char *const op = xk_opcode_name((enum xk_opcode)i->op);
    unsigned at = 0;
    const unsigned id =
        xk_inst_field_at(kernel.p, kernel.code + l->at_b, l->n_b, bit, &at);
    if (id == XK_FLD_S_DESC) {
        message_part(i, at, p);
        return;
    }
    set_part(p, op, flip_field_name(id),
             flip_field_verdict((enum xk_opcode)i->op, id));
    if (id == XK_N_FIELDS)
        snprintf(p->name, sizeof p->name, "bit %u (", bit);
    else
        snprintf(p->name, sizeof p->name, "%s", flip_field_name(id));
}

/* -- One bit -- */

static void note(const struct part *p, enum flip_outcome o)
{
    unsigned k = 0;
    while (k < n_rows && (strcmp(rows[k].part.form, p->form) ||
                          strcmp(rows[k].part.field, p->field)))
        k++;
    if (k == MOST_ROWS)
        abort();
    if (k == n_rows)
        rows[n_rows++] = (struct row){.part = *p};
    rows[k].n[o]++;
}

static void flip(struct job *j, const struct result *base, unsigned n,
                 unsigned bit)
{
    const struct job_inst *const l = &kernel.inst[n];
    uint8_t *const at = kernel.code + l->at_b + bit / 8;
    struct part p;
    struct result r;
    part_of(l, bit, &p);
    *at ^= (uint8_t)(1u << bit % 8);
    launch(j, false, &r);
    *at ^= (uint8_t)(1u << bit % 8);
    const enum flip_outcome o =
        flip_outcome_of(r.status == XK_OK, r.message, !differ(j, base, &r));
    const bool wrong =
        p.verdict == XK_KNOWN_UNKNOWN
            ? o != FLIP_STOPPED || !strstr(r.message, p.name)
            : p.verdict == XK_KNOWN_NO_EFFECT && o == FLIP_CHANGED;
    if (wrong || p.verdict == XK_KNOWN_NOT_LISTED)
        printf("wrong %s %s 0x%x bit %u %s %s: %s %s\n", j->platform, j->kernel,
               l->at_b, bit, p.form, p.field,
               o == FLIP_STOPPED   ? "stopped:"
               : o == FLIP_CHANGED ? "changed:"
                                   : "the same",
               r.message);
    note(&p, o);
    drop(&r);
}

static void flip_all(struct job *j, const struct result *base)
{
    for (unsigned n = 0; n < kernel.n; n++)
        for (unsigned bit = 0; executed[n] && bit < 8 * kernel.inst[n].n_b;
             bit++)
            flip(j, base, n, bit);
}

static void flip_some(struct job *j, const struct result *base)
{
    for (unsigned k = 0; k < count; k++) {
        unsigned n = (unsigned)(next_random() % kernel.n);
        while (!executed[n])
            n = (n + 1) % kernel.n;
        flip(j, base, n, (unsigned)(next_random() % (8 * kernel.inst[n].n_b)));
    }
}

static void one(struct job *j)
{
    struct result base = {0}, again = {0};
    n_rows = 0;
    printf("at 0\n"); /* an answer within launch.py's limit */
    fflush(stdout);
    memset(executed, 0, sizeof executed);
    if (job_code_read(&kernel, j)) {
        job_code_decode(&kernel);
        launch(j, true, &base);
        launch(j, false, &again);
        if (base.status != XK_OK || differ(j, &base, &again))
            printf("skip %s %s: %s\n", j->platform, j->kernel, base.message);
        else if (count)
            flip_some(j, &base);
        else
            flip_all(j, &base);
        drop(&base);
        drop(&again);
    }
    for (unsigned k = 0; k < n_rows; k++)
        printf("row %s %s %u %u %u %u\n", rows[k].part.form, rows[k].part.field,
               rows[k].part.verdict, rows[k].n[FLIP_STOPPED],
               rows[k].n[FLIP_CHANGED], rows[k].n[FLIP_SAME]);
    printf("end\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static struct job j;
    if (argc != 3) {
        fprintf(stderr, "usage: flip_bits COUNT SEED\n");
        return 2;
    }
    count = (unsigned)strtoul(argv[1], NULL, 10);
    seed = strtoull(argv[2], NULL, 10);
    while (job_read(&j, stdin))
        one(&j);
    job_fini(&j);
    job_code_fini(&kernel);
    return 0;
}
