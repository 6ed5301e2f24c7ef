/* SPDX-License-Identifier: Apache-2.0 */
/* The checkers' score. Kernels of the generator and of Intel's compiler run
 * with all checks but the scoreboard's and must give no finding. Then one thing
 * is broken at a time, mechanically, so that it is harmful by construction:
 *   freed     a buffer behind a pointer in memory is freed            mem
 *   bound     a buffer that is used to its end is one element shorter    mem
 *   guard     the branch, or predicate, that keeps lanes inside is gone  mem
 *   barrier   signal and wait of one barrier are gone                    race
 *   half      only the signal, or only the wait, of a barrier is gone    sync
 *   fence     a fence of SLM before a barrier is gone                    sync
 *   unread    nobody waits for a load before the thread ends             sync
 *   write     an instruction that alone writes a register is gone        init
 * A mutant is found if the checker of its row finds it. Prints the table and
 * every mutant that was missed; exit 1 if there is one, or a false alarm. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container/zebin_read.h"
#include "isa/message.h"
#include "tests/runtime/ocl.h"
#include "tests/sim/check_mutants_freed.h"
#include "xekern/simulate.h"
#include "xekern/xekern.h"

#define MAX_ARGS 8
#define MAX_INSTS 4096
#define WRITES_EACH 8 /* mutants of that kind per kernel */
#define CHECKS "mem,race,init,sync"

enum kind { FREED, BOUND, GUARD, BARRIER, HALF, FENCE, UNREAD, WRITE, N_KINDS };
static const char *const kind_names[N_KINDS] = {
    "freed", "bound", "guard", "barrier", "half", "fence", "unread", "write"};
enum { MEM, RACE, INIT, SYNC, OTHER, N_FOUND };
static const char *const found_names[N_FOUND] = {"mem", "race", "init", "sync",
                                                 "other"};
static const unsigned right[N_KINDS] = {MEM,  MEM,  MEM,  RACE, SYNC,
                                        SYNC, SYNC, INIT};

struct arg {
    uint32_t buffer_b; /* 0: a value, or local memory */
    uint32_t element_b;
    bool full; /* used to its last element */
    const uint8_t *data; /* of the buffer, or of the value; NULL: local */
    uint32_t size_b;
};

struct subject {
    char name[160];
    uint8_t *file; /* the container, private */
    size_t file_b, code_at, code_b;
    const char *kernel;
    uint32_t groups[3], local[3];
    unsigned n_args;
    struct arg arg[MAX_ARGS];
    bool guarded; /* its first goto keeps lanes inside of buffers */
};

struct line {
    struct xk_inst in;
    struct xk_msg msg;
    uint32_t at_b, n_b;
};

static const struct xk_platform *platform;
static xk_device *dev;
static unsigned found[N_FOUND];
static char first_line[700];
static unsigned n_made[N_KINDS], n_hit[N_KINDS], by[N_KINDS][N_FOUND];
static unsigned n_clean, n_alarms, n_missed;

static void hear(void *user, const struct xk_simulate_finding *f)
{
    unsigned k = 0;
    (void)user;
    while (k < OTHER && strcmp(found_names[k], f->check))
        k++;
    if (!first_line[0])
        snprintf(first_line, sizeof first_line, "%s", f->line);
    found[k]++;
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

/* Runs it with argument `shorter` short of an element, -1: none. Fills found. */
static void run(const struct subject *s, int shorter)
{
    struct xk_launch_arg arg[MAX_ARGS] = {{0}};
    struct xk_error err = {.message = ""};
    xk_module *m = NULL;
    bool good = true;
    memset(found, 0, sizeof found);
    first_line[0] = 0;
    for (unsigned i = 0; i < s->n_args && good; i++) {
        const struct arg *const a = &s->arg[i];
        if (a->buffer_b)
            good = give_buffer(a, (int)i == shorter ? a->element_b : 0,
                               &arg[i]);
        else
            arg[i] = (struct xk_launch_arg){.value = a->data,
                                            .size_b = a->size_b};
    }
    if (good && xk_module_create(dev, s->file, s->file_b, &m, &err) == XK_OK &&
        xk_launch(m, s->kernel, s->groups, s->local, s->n_args, arg, NULL,
                  &err) < 0 &&
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

static void judge(const struct subject *s, enum kind k, uint32_t at_b,
                  const char *what)
{
    n_made[k]++;
    for (unsigned c = 0; c < N_FOUND; c++)
        by[k][c] += found[c] != 0;
    if (found[right[k]]) {
        n_hit[k]++;
        return;
    }
    n_missed++;
    printf("# missed: %s, %s: 0x%x %s; found: %s\n", s->name, kind_names[k],
           at_b, what, first_line[0] ? first_line : "nothing");
}

/* -- Code -- */

static struct line lines[MAX_INSTS];

static unsigned read_code(const struct subject *s)
{
    unsigned n = 0;
    const uint8_t *const code = s->file + s->code_at;
    for (uint32_t at = 0; at < s->code_b && n < MAX_INSTS;) {
        struct xk_error err;
        size_t used_b = 0;
        if (xk_inst_decode(platform, code + at, s->code_b - at, &lines[n].in,
                           &used_b, &err) < 0)
            break;
        lines[n].at_b = at;
        lines[n].n_b = (uint32_t)used_b;
        xk_msg_decode(platform, &lines[n].in, &lines[n].msg);
        at += (uint32_t)used_b;
        n++;
    }
    return n;
}

static void write_inst(const struct subject *s, const struct line *l,
                       const struct xk_inst *in)
{
    struct xk_inst copy = *in;
    struct xk_error err = {.message = ""};
    size_t used_b;
    copy.compacted = l->n_b == 8;
    copy.compact_as = 0;
    if (xk_inst_encode_as_marked(platform, &copy,
                                 s->file + s->code_at + l->at_b, &used_b,
                                 &err) < 0)
        printf("# cannot write: %s\n", err.message);
}

/* A wait for what the instruction would have waited for, and no more. */
static void remove_inst(const struct subject *s, const struct line *l)
{
    struct xk_inst nop = {.op = XK_OPC_NOP, .exec = 1};
    if (l->n_b == 8) {
        nop = (struct xk_inst){.op = XK_OPC_SYNC,
                               .exec = 1,
                               .no_mask = true,
                               .sync_fn = XK_SYNC_NOP};
        nop.src[0].file = XK_FILE_ARF;
        nop.src[0].arf = XK_ARF_NULL;
        nop.dst.file = XK_FILE_ARF;
        nop.dst.arf = XK_ARF_NULL;
    }
    write_inst(s, l, &nop);
}

static void restore(const struct subject *s, const uint8_t *saved)
{
    memcpy(s->file + s->code_at, saved, s->code_b);
}

static const char *text_of(const struct line *l)
{
    static char out[160];
    struct xk_str t;
    xk_str_init(&t, &xk_alloc_default);
    xk_inst_print(platform, &l->in, &t);
    snprintf(out, sizeof out, "%.150s", xk_str_get(&t));
    xk_str_fini(&t);
    return out;
}

static bool is_send(const struct line *l)
{
    return l->in.op == XK_OPC_SEND || l->in.op == XK_OPC_SENDC;
}

static bool is_wait(const struct line *l)
{
    return l->in.op == XK_OPC_SYNC && l->in.sync_fn == XK_SYNC_BAR;
}

static bool is_signal(const struct line *l)
{
    return is_send(l) && l->msg.op == XK_MOP_BARRIER;
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
        judge(s, GUARD, lines[i].at_b, text_of(&lines[i]));
        restore(s, saved);
        return;
    }
}

static void one(const struct subject *s, enum kind k, unsigned i,
                const uint8_t *saved)
{
    remove_inst(s, &lines[i]);
    run(s, -1);
    judge(s, k, lines[i].at_b, text_of(&lines[i]));
    restore(s, saved);
}

/* The n-th signal belongs to the n-th wait in all these kernels. */
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
        remove_inst(s, &lines[i]);
        remove_inst(s, &lines[w]);
        run(s, -1);
        judge(s, BARRIER, lines[i].at_b, text_of(&lines[i]));
        restore(s, saved);
    }
}

static bool is_slm_fence(const struct line *l)
{
    return is_send(l) && l->msg.op == XK_MOP_FENCE &&
           (l->in.send.sfid == XK_SFID_SLM || l->in.send.sfid == XK_SFID_DC0);
}

/* The last one before a signal. */
static void fences(const struct subject *s, unsigned n, const uint8_t *saved)
{
    for (unsigned i = 0; i < n; i++)
        if (is_slm_fence(&lines[i]))
            one(s, FENCE, i, saved);
}

static bool overlap(struct xk_footprint a, struct xk_footprint b)
{
    return a.first_b < b.end_b && b.first_b < a.end_b;
}

/* Nobody else writes any of it, and somebody who is executed reads it: a loop
 * that loads ahead may end before. */
static bool writes_alone(unsigned i, unsigned n, const bool *in_use)
{
    const struct xk_footprint me = xk_inst_footprint(platform, &lines[i].in, -1);
    bool read = false;
    if (me.first_b == me.end_b || me.first_b < 16u * platform->grf_b)
        return false; /* the payload */
    for (unsigned k = 0; k < n; k++) {
        for (int o = -1; o < 3; o++) {
            const struct xk_footprint f =
                xk_inst_footprint(platform, &lines[k].in, o);
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
    if (is_send(l))
        return xk_msg_op_class(l->msg.op) == XK_MCLASS_LOAD;
    return l->in.op != XK_OPC_NOP &&
           (l->in.op < XK_OPC_SYNC || l->in.op > XK_OPC_JOIN) && !l->in.cond;
}

static void writes(const struct subject *s, unsigned n, const uint8_t *saved)
{
    static bool in_use[sizeof ran / sizeof ran[0]];
    unsigned made = 0;
    run(s, -1);
    memcpy(in_use, ran, sizeof ran);
    for (unsigned i = 0; i < n && made < WRITES_EACH; i++)
        if (removable(&lines[i]) && has_run(in_use, lines[i].at_b) &&
            writes_alone(i, n, in_use)) {
            one(s, WRITE, i, saved);
            made++;
        }
}

/* Every wait for the result of the last load before the end. */
static void unread(const struct subject *s, unsigned n, const uint8_t *saved)
{
    for (unsigned i = n; i-- > 0;) {
        const struct xk_swsb *const sw = &lines[i].in.swsb;
        if (!is_send(&lines[i]) ||
            xk_msg_op_class(lines[i].msg.op) != XK_MCLASS_LOAD ||
            sw->mode != XK_SBID_SET)
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
        judge(s, UNREAD, lines[i].at_b, text_of(&lines[i]));
        restore(s, saved);
        return;
    }
}

static void subject(const struct subject *s)
{
    uint8_t *const saved = malloc(s->code_b);
    const unsigned n = read_code(s);
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
    fences(s, n, saved);
    writes(s, n, saved);
    unread(s, n, saved);
    free(saved);
}

/* -- Kernels -- */

static uint8_t *noise(uint32_t n_b)
{
    uint8_t *const p = malloc(n_b + 4u);
    uint32_t x = n_b;
    for (uint32_t i = 0; p && i < n_b; i++) {
        x = x * 1664525u + 1013904223u;
        p[i] = (uint8_t)(x >> 28);
    }
    return p;
}

/* Where the kernel is in its container. */
static bool find_code(struct subject *s)
{
    struct xk_zebin z;
    xk_ctx *const c = xk_ctx_create(&xk_alloc_default);
    bool good = c && xk_zebin_read(c, s->file, s->file_b, &z) == XK_OK;
    for (uint32_t i = 0; good && i < z.n_kernels; i++)
        if (!strcmp(z.kernels[i].name, s->kernel)) {
            s->code_at = (size_t)(z.kernels[i].code - s->file);
            s->code_b = z.kernels[i].code_b;
        }
    if (good)
        xk_zebin_fini(c, &z);
    xk_ctx_destroy(c);
    return good && s->code_b;
}

/* No padding: every byte is an element that is used. */
static bool is_dense(const struct xk_tensor_info *t, uint32_t e_b)
{
    uint64_t n = e_b;
    for (uint32_t i = 0; i < t->ndims; i++)
        n *= (uint64_t)t->dims[i];
    return n == t->size_b;
}

static void generated(const char *text, uint32_t src, uint32_t wei,
                      uint32_t dst)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err = {.message = ""};
    xk_program *p = NULL;
    struct subject s = {.n_args = 0};
    d.prop = XK_FWD_D;
    d.src_type = src;
    d.wei_type = wei;
    d.dst_type = dst;
    if (xk_conv_desc_parse(text, &d, NULL, 0, &err) < 0 ||
        xk_conv_create(&d, NULL, &p, &err) < 0) {
        printf("# %s: %s\n", text, err.message);
        n_alarms++;
        return;
    }
    const struct xk_launch_info *const l = xk_program_launch(p, 0);
    snprintf(s.name, sizeof s.name, "%s type %u", text, src);
    s.file = malloc(l->zebin_b);
    s.file_b = l->zebin_b;
    s.kernel = l->kernel;
    memcpy(s.groups, l->groups, sizeof s.groups);
    memcpy(s.local, l->local, sizeof s.local);
    memcpy(s.file, l->zebin, l->zebin_b);
    if (!find_code(&s))
        n_alarms++;
    s.n_args = l->n_args;
    for (unsigned i = 0; i < l->n_args; i++) {
        const struct xk_tensor_info *const t =
            &xk_program_info(p)->tensor[l->args[i].tensor];
        const uint32_t e_b = t->type == XK_F16 ? 2
                             : t->type == XK_F32 || t->type == XK_S32 ? 4
                                                                      : 1;
        s.arg[i] = (struct arg){.buffer_b = (uint32_t)t->size_b,
                                .element_b = e_b,
                                .full = is_dense(t, e_b),
                                .data = noise((uint32_t)t->size_b)};
    }
    subject(&s);
    for (unsigned i = 0; i < s.n_args; i++)
        free((void *)(uintptr_t)s.arg[i].data);
    free(s.file);
    xk_program_unref(p);
}

static void all_generated(void)
{
    /* Unit stride, so that every element of every tensor is used. */
    static const char *const problems[] = {
        "mb1ic16oc32ih8oh8kh1",        "mb1ic32oc32ih7oh7kh3ph1",
        "mb2ic64oc48ih5oh5kh3ph1",     "mb1ic17oc19ih6oh6kh3ph1",
        "mb1ic8oc24ih9iw5oh9ow5kh1kw1", "mb2ic3oc16ih12oh12kh5ph2",
        "mb1ic64oc32ih9oh9kh3ph1",
    };
    static const uint32_t types[][3] = {{XK_F32, XK_F32, XK_F32},
                                        {XK_F16, XK_F16, XK_F16},
                                        {XK_U8, XK_S8, XK_U8}};
    for (unsigned k = 0; k < sizeof types / sizeof types[0]; k++)
        for (unsigned i = 0; i < sizeof problems / sizeof problems[0]; i++)
            generated(problems[i], types[k][0], types[k][1], types[k][2]);
}

struct compiled {
    const char *file, *kernel;
    uint32_t groups[3], local[3];
    unsigned n_args;
    struct arg arg[MAX_ARGS];
    bool guarded;
};

static const int32_t n_items = 200;
static const float factor = 2.0f;
static const int32_t n_long = 3001;

#define BUF(b, e, f)                                                           \
    {                                                                          \
        .buffer_b = (b), .element_b = (e), .full = (f)                         \
    }
#define VAL(v)                                                                 \
    {                                                                          \
        .data = (const uint8_t *)&(v), .size_b = sizeof(v)                     \
    }
#define LOCAL(n)                                                               \
    {                                                                          \
        .size_b = (n)                                                          \
    }

static const struct compiled kernels[] = {
    {"memory", "reduce", {4, 1, 1}, {128, 1, 1}, 4,
     {BUF(16, 4, true), BUF(12004, 4, true), LOCAL(512), VAL(n_long)}, false},
    {"memory", "transpose", {3, 2, 1}, {16, 16, 1}, 2,
     {BUF(6144, 4, true), BUF(6144, 4, true)}, false},
    {"memory", "local_atomics", {2, 1, 1}, {100, 1, 1}, 2,
     {BUF(64, 4, true), BUF(800, 4, true)}, false},
    {"memory", "bytes", {2, 1, 1}, {100, 1, 1}, 3,
     {BUF(200, 1, true), BUF(400, 2, true), BUF(201, 1, true)}, false},
    {"memory", "ids", {2, 2, 2}, {4, 4, 2}, 1, {BUF(1024, 4, true)}, false},
    {"arith", "saxpy", {2, 1, 1}, {128, 1, 1}, 4,
     {BUF(800, 4, true), BUF(800, 4, true), VAL(factor), VAL(n_items)}, true},
};

static void compile(const struct compiled *k, const char *device, unsigned simd)
{
    struct subject s = {.kernel = k->kernel,
                        .n_args = k->n_args,
                        .guarded = k->guarded};
    char path[500];
    snprintf(path, sizeof path, "%s/%s.cl", XK_OPENCL_DIR, k->file);
    snprintf(s.name, sizeof s.name, "%s for %s simd %u", k->kernel, device,
             simd);
    memcpy(s.groups, k->groups, sizeof s.groups);
    memcpy(s.local, k->local, sizeof s.local);
    memcpy(s.arg, k->arg, sizeof s.arg);
    s.file = ocl_compile(path, device, simd, &s.file_b);
    if (!s.file || !find_code(&s)) {
        printf("# %s: not compiled\n", s.name);
        n_alarms++;
        free(s.file);
        return;
    }
    for (unsigned i = 0; i < s.n_args; i++)
        if (s.arg[i].buffer_b)
            s.arg[i].data = noise(s.arg[i].buffer_b);
    subject(&s);
    for (unsigned i = 0; i < s.n_args; i++)
        if (s.arg[i].buffer_b)
            free((void *)(uintptr_t)s.arg[i].data);
    free(s.file);
}

static void all_compiled(void)
{
    for (unsigned i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        compile(&kernels[i], "acm-g10", 0);
        compile(&kernels[i], "dg2", 0);
        compile(&kernels[i], "acm-g10", 8);
    }
}

static void all_freed(void)
{
    struct freed_score f = {0};
    freed_buffers(XK_FREED_CL, 8, &f);
    freed_buffers(XK_FREED_CL, 16, &f);
    n_made[FREED] = f.made;
    n_hit[FREED] = by[FREED][MEM] = f.found;
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
        printf("%-8s %-6s %6u %6u  |", kind_names[k], found_names[right[k]],
               n_made[k], n_hit[k]);
        for (unsigned c = 0; c < N_FOUND; c++)
            printf(" %6u", by[k][c]);
        printf("\n");
        printf("score: %s %s %u %u %u 0\n", kind_names[k],
               found_names[right[k]], n_made[k], n_made[k], n_hit[k]);
        made += n_made[k];
        hit += n_hit[k];
    }
    printf("%u of %u mutants found, %u clean kernels, %u false alarms\n", hit,
           made, n_clean, n_alarms);
}

int main(void)
{
    const struct xk_simulate_opts look = {
        .checks = CHECKS, .inst_limit = 1000000, .found = hear, .inst = note};
    struct xk_error err = {.message = ""};
    platform = xk_platform_get(XK_PLATFORM_XEHPG);
    if (xk_device_create("sim", "xehpg", 2, &dev, &err) < 0 ||
        xk_simulate_configure(dev, &look, &err) < 0) {
        printf("%s\n", err.message);
        return 1;
    }
    all_generated();
    if (ocl_available()) {
        all_compiled();
        all_freed();
    }
    table();
    xk_device_unref(dev);
    return n_missed || n_alarms ? 1 : 0;
}
