/* SPDX-License-Identifier: Apache-2.0 */
/* Breaks kernels of the corpus so that they leave their buffers, one thing at a
 * time, and says whether the checkers notice. Requests are those of
 * run_kernels.c. Kinds:
 *   short   a buffer is one element shorter than the kernel was promised
 *   limit   the constant of an integer comparison is one more, or one less
 *   offset  the constant of an integer addition or shift is larger
 *   mask    a message is sent without its predicate, or an offset is not
 *           replaced by the one that means "nothing"
 *   guard   a branch with a predicate is gone
 * Whether a mutant is harmful is not asked of the checkers: it runs without
 * them on buffers with room behind them, once with each of two patterns there.
 * If the room changes, or the results differ, or it goes on beyond the room, it
 * used what is behind the end. Then it runs with the checkers on buffers of the
 * true size. Answers `score KIND MADE HARMFUL FOUND MORE` for each kind, MORE
 * being findings of mutants that the two patterns did not show, `missed ...`
 * for each harmful one that was not found, and `end`. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/format.h"
#include "tests/corpus/job_code.h"
#include "xekern/simulate.h"

#define ROOM_B 4096u
#define LIMIT 20000 /* instructions of a thread; most kernels need fewer */
#define NOTHING 0xfffe0000u /* offsets from here on are outside any surface */
#define EACH 6              /* mutants of a kind in a kernel */

enum kind { SHORT, LIMIT_, OFFSET, MASK, GUARD, N_KINDS };
static const char *const kind_names[N_KINDS] = {"short", "limit", "offset",
                                                "mask", "guard"};

static struct score {
    unsigned made, harmful, found, more;
} score[N_KINDS];

static struct job_code kernel;

static unsigned n_mem;

static void hear(void *user, const struct xk_simulate_finding *f)
{
    (void)user;
    /* fault: outside the register file, which nothing survives */
    n_mem += strcmp(f->check, "mem") == 0 || strcmp(f->check, "fault") == 0 ||
             strcmp(f->check, "pedantic") == 0; /* within the cache line */
}

/* -- Code -- */

/* False if it does not fit where the old one was. */
static bool put(const struct job_inst *l, const struct xk_inst *in)
{
    struct xk_inst copy = *in;
    struct xk_error err;
    size_t used_b = 0;
    uint8_t out[XK_INST_B];
    copy.compacted = l->n_b == 8;
    copy.compact_as = 0;
    if (xk_inst_encode_as_marked(kernel.p, &copy, out, &used_b, &err) !=
            XK_OK ||
        used_b != l->n_b)
        return false;
    memcpy(kernel.code + l->at_b, out, used_b);
    return true;
}

/* -- One mutant -- */

/* A mutant on a device: argument k's buffer is short_b shorter. */
struct mutant {
    xk_device *d;
    xk_module *m;
    unsigned k;
    uint32_t short_b;
};

/* Launches the job on buffers of their size, with room filled with `pattern`
 * behind, or none and checkers if it is negative. */
static enum xk_status run(struct job *j, const struct mutant *x, int pattern,
                          struct xk_error *err)
{
    const struct xk_simulate_opts look = {.checks = pattern < 0 ? "mem,pedantic"
                                                                : "none",
                                          .inst_limit = LIMIT,
                                          .found = hear};
    enum xk_status s = xk_simulate_configure(x->d, &look, err);
    n_mem = 0;
    for (unsigned i = 0; s == XK_OK && i < j->n; i++)
        s = job_make_buffer(j, i, x->d,
                            &(struct job_room){i == x->k ? x->short_b : 0,
                                               pattern < 0 ? 0 : ROOM_B,
                                               pattern},
                            err);
    return s != XK_OK ? s
                      : xk_launch(x->m,
                                  &(struct xk_launch_desc){
                                      sizeof(struct xk_launch_desc), j->kernel,
                                      j->groups, j->local, j->n, j->arg},
                                  NULL, err);
}

/* What is before the end into *kept; true if the room behind is as it was. */
static bool room_is_whole(struct job *j, unsigned k, uint32_t short_b,
                          int pattern, uint8_t **kept)
{
    bool whole = true;
    for (unsigned i = 0; i < j->n; i++) {
        const uint64_t n_b = j->size_b[i] - (i == k ? short_b : 0);
        struct xk_error err;
        kept[i] = NULL;
        if (!j->arg[i].buffer)
            continue;
        uint8_t *const p = malloc(n_b + ROOM_B);
        if (!p ||
            xk_buffer_read(j->arg[i].buffer, 0, p, n_b + ROOM_B, &err) != XK_OK)
            abort();
        for (uint64_t b = 0; b < ROOM_B; b++)
            whole &= p[n_b + b] == (uint8_t)pattern;
        kept[i] = p;
    }
    return whole;
}

static bool differ(const struct job *j, uint8_t *const *a, uint8_t *const *b,
                   unsigned k, uint32_t short_b)
{
    bool yes = false;
    for (unsigned i = 0; i < j->n; i++)
        if (a[i] && b[i])
            yes |=
                memcmp(a[i], b[i], j->size_b[i] - (i == k ? short_b : 0)) != 0;
    return yes;
}

static void drop(uint8_t **kept)
{
    for (unsigned i = 0; i < MAX_ARGS; i++)
        free(kept[i]);
}

/* A third run tells a mutant that stores an address, which differs from run to
 * run, from one that depends on the room.
 * -1: it does not end, or is no kernel any more. */
static int is_harmful(struct job *j, const struct mutant *x)
{
    const unsigned k = x->k;
    const uint32_t short_b = x->short_b;
    uint8_t *kept[3][MAX_ARGS] = {{0}};
    static const int patterns[] = {0x11, 0xee, 0x11};
    bool harm = false, ends = true, changed = false;
    struct xk_error err = {.message = ""};
    for (unsigned r = 0; ends && (r < 2 || (r == 2 && changed)); r++) {
        const enum xk_status s = run(j, x, patterns[r], &err);
        if (s == XK_OK)
            harm |= !room_is_whole(j, k, short_b, patterns[r], kept[r]);
        job_drop_buffers(j);
        ends &= s == XK_OK ||
                (s == XK_EFAULT && !strstr(err.message, "instruction limit"));
        harm |= s != XK_OK;
        if (r == 1)
            changed = differ(j, kept[0], kept[1], k, short_b);
    }
    harm |= changed && !differ(j, kept[0], kept[2], k, short_b);
    for (unsigned r = 0; r < 3; r++)
        drop(kept[r]);
    return ends ? harm : -1;
}

static void count(const struct job *j, enum kind kind, bool harm, uint32_t at_b,
                  const char *why)
{
    score[kind].made++;
    score[kind].harmful += harm;
    score[kind].found += harm && n_mem;
    score[kind].more += !harm && n_mem;
    if (harm && !n_mem)
        printf("missed %s %s %s 0x%x: %s\n", j->platform, j->kernel,
               kind_names[kind], at_b, why);
}

/* False if the code as it is now is no kernel, or does not end. */
static bool judge(struct job *j, enum kind kind, unsigned k, uint32_t short_b,
                  uint32_t at_b)
{
    struct xk_error err = {.message = ""};
    xk_device *const d = job_device(j->platform, &err);
    xk_module *m = NULL;
    int harm = -1;
    if (d && xk_module_create(d, kernel.file, kernel.file_b, &m, &err) == XK_OK)
        harm = is_harmful(j, &(struct mutant){d, m, k, short_b});
    if (harm >= 0 && kind != N_KINDS) {
        run(j, &(struct mutant){d, m, k, short_b}, -1, &err);
        job_drop_buffers(j);
        count(j, kind, harm, at_b, err.message);
    }
    xk_module_unref(m);
    return harm == 0;
}

/* -- Kinds -- */

static void shorten(struct job *j)
{
    for (unsigned i = 0; i < j->n; i++)
        if (j->is_buffer[i] && j->size_b[i] > 2 * j->element_b[i])
            judge(j, SHORT, i, j->element_b[i], i);
}

static bool is_integer(const struct xk_operand *o)
{
    return o->type <= XK_RT_Q;
}

static bool shift_limit(struct xk_inst *i, bool up)
{
    if (i->op != XK_OPC_CMP || i->src[1].file != XK_FILE_IMM ||
        !is_integer(&i->src[1]))
        return false;
    i->src[1].imm += up ? 1 : UINT64_MAX;
    return true;
}

static bool shift_offset(struct xk_inst *i, bool up)
{
    const unsigned last = xk_inst_n_srcs(i) - 1;
    if ((i->op != XK_OPC_ADD && i->op != XK_OPC_SHL && i->op != XK_OPC_ADD3) ||
        i->src[last].file != XK_FILE_IMM || !is_integer(&i->src[last]))
        return false;
    i->src[last].imm += i->op == XK_OPC_SHL ? 1 : up ? 64 : 4;
    return i->op != XK_OPC_SHL || up;
}

/* (f) sel offset, nothing becomes a mov of the offset. */
static bool drop_nothing(struct xk_inst *i)
{
    if (i->op != XK_OPC_SEL || !i->pred)
        return false;
    for (unsigned k = 0; k < 2; k++)
        if (i->src[k].file == XK_FILE_IMM &&
            (uint32_t)i->src[k].imm >= NOTHING) {
            i->op = XK_OPC_MOV;
            i->src[0] = i->src[1 - k];
            memset(&i->src[1], 0, sizeof i->src[1]);
            i->pred = XK_PRED_NONE;
            i->pred_inv = false;
            return true;
        }
    return false;
}

static bool drop_mask(struct xk_inst *i, bool up)
{
    if (up && drop_nothing(i))
        return true;
    if (!up || !xk_inst_is_send(i) || !i->pred)
        return false;
    i->pred = XK_PRED_NONE;
    i->pred_inv = false;
    return true;
}

static bool drop_guard(struct xk_inst *i, bool up)
{
    if (!up || !i->pred || i->compacted ||
        (i->op != XK_OPC_GOTO && i->op != XK_OPC_IF && i->op != XK_OPC_WHILE &&
         i->op != XK_OPC_BREAK))
        return false;
    *i = (struct xk_inst){.op = XK_OPC_NOP, .exec = 1};
    return true;
}

static bool (*const changes[N_KINDS])(struct xk_inst *i, bool up) = {
    [LIMIT_] = shift_limit,
    [OFFSET] = shift_offset,
    [MASK] = drop_mask,
    [GUARD] = drop_guard,
};

static void mutate(struct job *j, enum kind kind)
{
    unsigned made = 0;
    for (unsigned k = 0; k < kernel.n && made < EACH; k++)
        for (unsigned up = 0; up < 2; up++) {
            struct xk_inst in = kernel.inst[k].in;
            uint8_t old[XK_INST_B];
            memcpy(old, kernel.code + kernel.inst[k].at_b, kernel.inst[k].n_b);
            if (!changes[kind](&in, up) || !put(&kernel.inst[k], &in))
                continue;
            judge(j, kind, MAX_ARGS, 0, kernel.inst[k].at_b);
            memcpy(kernel.code + kernel.inst[k].at_b, old, kernel.inst[k].n_b);
            made++;
        }
}

static void one(struct job *j)
{
    memset(score, 0, sizeof score);
    if (job_code_read(&kernel, j) && judge(j, N_KINDS, MAX_ARGS, 0, 0)) {
        job_code_decode(&kernel);
        shorten(j);
        for (unsigned k = LIMIT_; k < N_KINDS; k++)
            mutate(j, (enum kind)k);
    }
    for (unsigned k = 0; k < N_KINDS; k++)
        if (score[k].made)
            printf("score %s %u %u %u %u\n", kind_names[k], score[k].made,
                   score[k].harmful, score[k].found, score[k].more);
    printf("end\n");
    fflush(stdout);
}

int main(void)
{
    static struct job j;
    while (job_read(&j, stdin))
        one(&j);
    job_fini(&j);
    job_code_fini(&kernel);
    return 0;
}
