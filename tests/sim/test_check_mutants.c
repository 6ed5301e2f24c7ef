/* SPDX-License-Identifier: Apache-2.0 */
/* The checkers' score. Kernels of the generator and of Intel's compiler run
 * with all checks but the scoreboard's and must give no finding. Then one thing
 * is broken at a time, mechanically, so that it is harmful by construction:
 *   freed     a buffer behind a pointer in memory is freed               mem
 *   bound     a buffer that is used to its end is one element shorter    mem
 *   guard     the branch, or predicate, that keeps lanes inside is gone  mem
 *   barrier   signal and wait of one barrier are gone                    race
 *   meet      a group's number is zero, so that all write to one place   race
 *   half      only the signal, or only the wait, of a barrier is gone    sync
 *   fence     a fence of SLM before a barrier is gone                    sync
 *   unread    nobody waits for a load before the thread ends pedantic write an
 * instruction that alone writes a register is gone        init A mutant is
 * found if the checker of its row finds it. Some run again with other numbers
 * of host threads, which must not change a letter of what is found. Prints the
 * table and every mutant that was missed; exit 1 if there is one, a false
 * alarm, or such a change. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/traits.h"
#include "tests/runtime/ocl.h"
#include "tests/sim/check_mutants.h"
#include "tests/sim/check_mutants_freed.h"
#include "xekern/simulate.h"
#include "xekern/xekern.h"

#define WRITES_EACH 8  /* mutants of that kind per kernel */
#define COMPARE_EACH 8 /* of a kind: one of so many on other host threads */
#define CHECKS "mem,race,init,sync,pedantic"

enum kind {
    FREED,
    BOUND,
    GUARD,
    BARRIER,
    MEET,
    HALF,
    FENCE,
    UNREAD,
    WRITE,
    N_KINDS
};
enum { MEM, RACE, INIT, SYNC, PEDANTIC, OTHER, N_FOUND };
static const char *const found_names[N_FOUND] = {
    [MEM] = "mem",   [RACE] = "race",         [INIT] = "init",
    [SYNC] = "sync", [PEDANTIC] = "pedantic", [OTHER] = "other"};
/* A kind's name, and the checker that must find it. */
static const struct {
    const char *name;
    unsigned right;
} kinds[N_KINDS] = {
    [FREED] = {"freed", MEM},  [BOUND] = {"bound", MEM},
    [GUARD] = {"guard", MEM},  [BARRIER] = {"barrier", RACE},
    [MEET] = {"meet", RACE},   [HALF] = {"half", SYNC},
    [FENCE] = {"fence", SYNC}, [UNREAD] = {"unread", PEDANTIC},
    [WRITE] = {"write", INIT},
};

static xk_device *dev; /* of the platform in hand */
static struct line lines[MAX_INSTS];
static unsigned found[N_FOUND], n_met; /* races between groups */
static char first_line[700];
static char all_lines[1 << 15];
static int shortened; /* the argument of the last run, or -1 */
static unsigned n_made[N_KINDS], n_hit[N_KINDS], by[N_KINDS][N_FOUND];
static unsigned n_clean, n_alarms, n_missed, n_compared, n_unequal;

static void hear(void *user, const struct xk_simulate_finding *f)
{
    unsigned k = 0;
    (void)user;
    while (k < OTHER && strcmp(found_names[k], f->check))
        k++;
    if (!first_line[0])
        snprintf(first_line, sizeof first_line, "%s", f->line);
    const size_t at = strlen(all_lines);
    snprintf(all_lines + at, sizeof all_lines - at, "%s\n", f->line);
    found[k]++;
    n_met +=
        k == RACE && f->n_parties == 2 &&
        memcmp(f->party[0].group, f->party[1].group, sizeof f->party[0].group);
}

/* What of the code ran the last time, by its offset in units of 8 bytes. */
static bool ran[2 * MAX_INSTS];

static void note(void *user, const struct xk_simulate_inst *i)
{
    (void)user;
    if (i->offset_b / 8 < sizeof ran / sizeof ran[0])
        ran[i->offset_b / 8] = i->executed != 0;
}

static bool has_run(const bool *that_ran, uint32_t at_b)
{
    return at_b / 8 < sizeof ran / sizeof ran[0] && that_ran[at_b / 8];
}

static bool give_buffer(const struct arg *a, uint32_t less_b,
                        struct xk_launch_arg *out)
{
    struct xk_error err;
    if (xk_buffer_create(dev, a->buffer_b - less_b, &out->buffer, &err) < 0)
        return false;
    return xk_buffer_write(out->buffer, 0, a->data, a->buffer_b - less_b,
                           &err) == XK_OK;
}

/* Runs it with argument `shorter` short of an element, -1: none. Fills found.
 */
static void run(const struct subject *s, int shorter)
{
    struct xk_launch_arg arg[MAX_ARGS] = {{0}};
    struct xk_error err = {.message = ""};
    xk_module *m = NULL;
    bool good = true;
    memset(found, 0, sizeof found);
    n_met = 0;
    first_line[0] = all_lines[0] = 0;
    shortened = shorter;
    for (unsigned i = 0; i < s->n_args && good; i++) {
        const struct arg *const a = &s->arg[i];
        if (a->buffer_b)
            good =
                give_buffer(a, (int)i == shorter ? a->element_b : 0, &arg[i]);
        else
            arg[i] =
                (struct xk_launch_arg){.value = a->data, .size_b = a->size_b};
    }
    if (good && xk_module_create(dev, s->file, s->file_b, &m, &err) == XK_OK &&
        xk_launch(m,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                           s->kernel, s->groups, s->local,
                                           s->n_args, arg},
                  NULL, &err) < 0 &&
        !first_line[0]) {
        found[OTHER]++;
        snprintf(first_line, sizeof first_line, "%s", err.message);
    }
    if (!m) {
        found[OTHER]++;
        snprintf(first_line, sizeof first_line, "no module: %s", err.message);
    }
    xk_module_unref(m);
    for (unsigned i = 0; i < s->n_args; i++)
        xk_buffer_unref(arg[i].buffer);
}

static xk_device *make_device(const struct xk_platform *p, unsigned n_threads)
{
    static const struct xk_simulate_opts look = {
        .checks = CHECKS, .inst_limit = 1000000, .found = hear, .inst = note};
    struct xk_error err = {.message = ""};
    xk_device *d = NULL;
    if (xk_device_create("sim", p->name, n_threads, &d, &err) == XK_OK &&
        xk_simulate_configure(d, &look, &err) == XK_OK)
        return d;
    printf("# %s: %s\n", p->name, err.message);
    xk_device_unref(d);
    return NULL;
}

/* Runs the mutant in hand on new devices, where addresses are the same. */
static void compare_hosts(const struct subject *s, enum kind k)
{
    static const unsigned n_threads[] = {1, 2, 5};
    static char one[sizeof all_lines];
    xk_device *const kept = dev;
    for (unsigned i = 0; i < sizeof n_threads / sizeof n_threads[0]; i++) {
        dev = make_device(s->platform, n_threads[i]);
        if (dev)
            run(s, shortened);
        if (i == 0)
            memcpy(one, all_lines, sizeof one);
        if (!dev || strcmp(one, all_lines)) {
            n_unequal++;
            printf("# %s, %s: with %u host threads\n%snot\n%s", s->name,
                   kinds[k].name, n_threads[i], all_lines, one);
        }
        xk_device_unref(dev);
    }
    n_compared++;
    dev = kept;
}

/* Where a wait is gone, races may fill the list of findings before the next
 * signal tells that it is the second one. A block's load may go on behind its
 * buffer in the cache line, and then what comes of the last element is told. */
static bool is_missed(enum kind k)
{
    if (k == HALF && found[RACE])
        return false;
    if (k == BOUND && found[PEDANTIC])
        return !found[INIT];
    return !found[kinds[k].right] || (k == MEET && !n_met);
}

static void judge(const struct subject *s, enum kind k, uint32_t at_b,
                  const char *what)
{
    n_made[k]++;
    for (unsigned c = 0; c < N_FOUND; c++)
        by[k][c] += found[c] != 0;
    if (!is_missed(k)) {
        n_hit[k]++;
        if (n_made[k] % COMPARE_EACH == 1 && s->groups[0] > 1)
            compare_hosts(s, k);
        return;
    }
    n_missed++;
    printf("# missed: %s, %s: 0x%x %s; found: %s\n", s->name, kinds[k].name,
           at_b, what, first_line[0] ? first_line : "nothing");
}

/* -- Mutants -- */

static void bounds(const struct subject *s)
{
    for (unsigned i = 0; i < s->n_args; i++)
        if (s->arg[i].full) {
            run(s, (int)i);
            judge(s, BOUND, i, "argument");
        }
}

static void guards(const struct subject *s, unsigned n, const uint8_t *saved)
{
    for (unsigned i = 0; s->guarded && i < n; i++) {
        if (lines[i].in.op != XK_OPC_GOTO || !lines[i].in.pred)
            continue;
        remove_inst(s, &lines[i]);
        run(s, -1);
        judge(s, GUARD, lines[i].at_b, text_of(s, &lines[i]));
        restore(s, saved);
        return;
    }
}

static void one(const struct subject *s, enum kind k, unsigned i,
                const uint8_t *saved)
{
    remove_inst(s, &lines[i]);
    run(s, -1);
    judge(s, k, lines[i].at_b, text_of(s, &lines[i]));
    restore(s, saved);
}

static bool is_jump(const struct xk_inst *in)
{
    return xk_inst_is_branch(in) && in->op != XK_OPC_JOIN;
}

/* A way back that begins before line w. */
static bool goes_back(unsigned i, unsigned w)
{
    for (; i < w; i++)
        if (is_jump(&lines[i].in) && lines[i].in.jip_b < 0)
            return true;
    return false;
}

/* A way that leads from before line i, or from between, to between i and w, or
 * from between to behind: a loop that is entered in the middle. */
static bool is_entered(unsigned i, unsigned w, unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        const struct xk_inst *const in = &lines[k].in;
        const int64_t to = (int64_t)lines[k].at_b + in->jip_b;
        const bool lands = to > lines[i].at_b && to <= lines[w].at_b;
        if (is_jump(in) && in->jip_b > 0 && (lands || (k > i && k < w)))
            return true;
    }
    return false;
}

/* The n-th signal belongs to the n-th wait in all these kernels, except that of
 * a signal before a way back to waits there are two, and that a loop may be
 * entered between them. */
static void barriers(const struct subject *s, unsigned n, const uint8_t *saved)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned w = i;
        if (!is_signal(&lines[i]))
            continue;
        while (w < n && !is_wait(&lines[w]))
            w++;
        if (w == n)
            break;
        one(s, HALF, i, saved);
        one(s, HALF, w, saved);
        if (goes_back(i, w) || is_entered(i, w, n))
            continue;
        remove_inst(s, &lines[i]);
        remove_inst(s, &lines[w]);
        run(s, -1);
        judge(s, BARRIER, lines[i].at_b, text_of(s, &lines[i]));
        restore(s, saved);
    }
}

/* Groups that differ along an axis do the work of the first one. */
static void meet(const struct subject *s, unsigned n, const uint8_t *saved)
{
    for (unsigned axis = 0; axis < 3; axis++) {
        if (s->groups[axis] > 1 && forget_group(s, lines, n, axis)) {
            run(s, -1);
            judge(s, MEET, axis, "axis");
        }
        restore(s, saved);
    }
}

/* The last one before a signal. */
/* Those that a barrier follows; before the end compilers fence, too. */
static void fences(const struct subject *s, unsigned n, const uint8_t *saved)
{
    unsigned last = n;
    while (last > 0 && !is_signal(&lines[last - 1]))
        last--;
    for (unsigned i = 0; i < last; i++)
        if (is_slm_fence(&lines[i]))
            one(s, FENCE, i, saved);
}

static bool overlap(struct xk_footprint a, struct xk_footprint b)
{
    return a.first_b < b.end_b && b.first_b < a.end_b;
}

/* Nobody else writes any of it, and somebody who is executed reads it: a loop
 * that loads ahead may end before. */
static bool writes_alone(const struct subject *s, unsigned i, unsigned n,
                         const bool *in_use)
{
    const struct xk_footprint me =
        xk_inst_footprint(s->platform, &lines[i].in, -1);
    bool read = false;
    if (me.first_b == me.end_b || me.first_b < 16u * s->platform->grf_b)
        return false; /* the payload */
    for (unsigned k = 0; k < n; k++) {
        for (int o = -1; o < 3; o++) {
            const struct xk_footprint f =
                xk_inst_footprint(s->platform, &lines[k].in, o);
            if (!overlap(me, f))
                continue;
            if (o == -1 && k != i)
                return false;
            if (o >= 0 && k != i)
                read |= has_run(in_use, lines[k].at_b);
        }
    }
    return read;
}

static bool removable(const struct line *l)
{
    if (xk_inst_is_send(&l->in))
        return is_load(l);
    return l->in.op != XK_OPC_NOP && l->in.op != XK_OPC_SYNC &&
           !xk_inst_is_branch(&l->in) && !l->in.cond;
}

static void writes(const struct subject *s, unsigned n, const uint8_t *saved)
{
    static bool in_use[sizeof ran / sizeof ran[0]];
    unsigned made = 0;
    run(s, -1);
    memcpy(in_use, ran, sizeof ran);
    for (unsigned i = 0; i < n && made < WRITES_EACH; i++)
        if (removable(&lines[i]) && has_run(in_use, lines[i].at_b) &&
            writes_alone(s, i, n, in_use)) {
            one(s, WRITE, i, saved);
            made++;
        }
}

/* Every wait for the result of the last load before the end. */
static void unread(const struct subject *s, unsigned n, const uint8_t *saved)
{
    for (unsigned i = n; i-- > 0;) {
        const struct xk_swsb *const sw = &lines[i].in.swsb;
        if (!is_load(&lines[i]) || sw->mode != XK_SBID_SET)
            continue;
        for (unsigned k = i + 1; k < n; k++) {
            struct xk_inst in = lines[k].in;
            if (in.op == XK_OPC_SYNC && in.sync_fn == XK_SYNC_ALLWR)
                remove_inst(s, &lines[k]); /* waits for several */
            if (in.swsb.mode == XK_SBID_NONE || in.swsb.sbid != sw->sbid)
                continue;
            if (in.swsb.mode == XK_SBID_SET) {
                restore(s, saved);
                return;
            }
            in.swsb.mode = XK_SBID_NONE;
            in.swsb.sbid = 0;
            if (lines[k].n_b == 16)
                write_inst(s, &lines[k], &in);
            else
                remove_inst(s, &lines[k]);
        }
        run(s, -1);
        judge(s, UNREAD, lines[i].at_b, text_of(s, &lines[i]));
        restore(s, saved);
        return;
    }
}

static void subject(const struct subject *s)
{
    uint8_t *const saved = malloc(s->code_b);
    const unsigned n = read_code(s, lines);
    if (!saved)
        return;
    memcpy(saved, s->file + s->code_at, s->code_b);
    run(s, -1);
    n_clean++;
    if (first_line[0]) {
        n_alarms++;
        printf("# false alarm: %s: %s\n", s->name, first_line);
    }
    bounds(s);
    guards(s, n, saved);
    barriers(s, n, saved);
    meet(s, n, saved);
    fences(s, n, saved);
    writes(s, n, saved);
    unread(s, n, saved);
    free(saved);
}

static void all_freed(const struct xk_platform *p)
{
    struct freed_score f = {0};
    freed_buffers(XK_FREED_CL, p, &f);
    n_made[FREED] += f.made;
    n_hit[FREED] += f.found;
    by[FREED][MEM] += f.found;
    n_missed += f.made - f.found;
    n_clean += f.clean;
    n_alarms += f.alarms;
}

static void table(void)
{
    unsigned made = 0, hit = 0;
    printf("%-8s %-6s %6s %6s  |", "broken", "by", "made", "found");
    for (unsigned c = 0; c < N_FOUND; c++)
        printf(" %6s", found_names[c]);
    printf("\n");
    for (unsigned k = 0; k < N_KINDS; k++) {
        if (!n_made[k])
            continue;
        printf("%-8s %-6s %6u %6u  |", kinds[k].name,
               found_names[kinds[k].right], n_made[k], n_hit[k]);
        for (unsigned c = 0; c < N_FOUND; c++)
            printf(" %6u", by[k][c]);
        printf("\n");
        printf("score: %s %s %u %u %u 0\n", kinds[k].name,
               found_names[kinds[k].right], n_made[k], n_made[k], n_hit[k]);
        made += n_made[k];
        hit += n_hit[k];
    }
    printf("%u of %u mutants found, %u clean kernels, %u false alarms\n", hit,
           made, n_clean, n_alarms);
    printf("%u of %u mutants with 1, 2 and 5 host threads told otherwise\n",
           n_unequal, n_compared);
}

int main(void)
{
    static const uint8_t platforms[] = {XK_PLATFORM_XELP, XK_PLATFORM_XEHPG,
                                        XK_PLATFORM_XEHPC};
    const bool compiler = ocl_available();
    for (unsigned i = 0; i < sizeof platforms; i++) {
        const struct xk_platform *const p =
            xk_platform_get((enum xk_platform_id)platforms[i]);
        dev = make_device(p, 2);
        if (!dev)
            return 1;
        if (p->id == XK_PLATFORM_XEHPG)
            n_alarms += all_generated(subject);
        if (compiler) {
            n_alarms += all_compiled(p, subject);
            all_freed(p);
        }
        xk_device_unref(dev);
    }
    table();
    return n_missed || n_alarms || n_unequal ? 1 : 0;
}
