/* SPDX-License-Identifier: Apache-2.0 */
/* Every problem of a shape list, launched through the real Level Zero library,
 * which writes down what it would have sent to a device: executed from that,
 * with the driver's page tables, state and payload, the buffers hold the same
 * bytes as after the library's own launch on its simulator. argv[1] is the
 * list. With argv[2] "training" each problem has all directions, and each
 * launch goes on where the one before it left the program's memory. */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/driver/follow.h"
#include "tests/driver/ze.h"
#include "xekern/xekern.h"

#define LINES_MAX 300

static struct ze_driver z;
static struct follow capture;
static xk_device *device;
static char lines[LINES_MAX][256];
static int n_lines;

struct variant {
    uint32_t src, wei, dst, prop;
};
enum { N_VARIANTS = 3 };
static const struct variant forward[N_VARIANTS] = {
    {XK_F32, XK_F32, XK_F32, XK_FWD_B},
    {XK_F16, XK_F16, XK_F16, XK_FWD_B},
    {XK_U8, XK_S8, XK_U8, XK_FWD_B},
};
static const struct variant training[N_VARIANTS] = {
    {XK_F16, XK_F16, XK_F16, XK_FWD_B},
    {XK_F16, XK_F16, XK_F16, XK_BWD_D},
    {XK_F16, XK_F32, XK_F16, XK_BWD_WB},
};
static const struct variant *variants = forward;

/* The program of list entry i at mb=1, variant after variant; relu with bias.
 */
static xk_program *make_program(int i)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err = {0};
    xk_program *p = NULL;
    const int v = i / n_lines;
    i %= n_lines;
    d.prop = variants[v].prop;
    d.src_type = variants[v].src;
    d.wei_type = variants[v].wei;
    d.dst_type = variants[v].dst;
    strcpy(d.src_tag, "any");
    d.n_post_ops = d.prop == XK_FWD_B;
    d.post_ops[0].kind = XK_POST_RELU;
    ck_assert_msg(xk_conv_desc_parse(lines[i], &d, NULL, 0, &err) == XK_OK,
                  "%s: %s", lines[i], err.message);
    d.mb = 1;
    ck_assert_msg(xk_conv_create(&d, NULL, &p, &err) == XK_OK, "%s: %s",
                  lines[i], err.message);
    return p;
}

/* Small numbers of the type, so that sums neither overflow nor vanish. */
static void fill(uint8_t *p, const struct xk_tensor_info *t, uint32_t seed)
{
    static const uint16_t half[8] = {0,      0x3c00, 0xbc00, 0x4000,
                                     0xc000, 0x3800, 0xb800, 0x3400};
    static const float single[8] = {0, 1, -1, 2, -2, 0.5f, -0.5f, 0.25f};
    for (uint64_t at = 0; at + 4 <= t->size_b; at += 4) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t k = seed >> 24;
        const uint32_t bytes = (k & 0x07070707u * (k >> 3)) & 0x07070707u;
        const uint16_t two[2] = {half[k & 7], half[k >> 4 & 7]};
        if (t->type == XK_F32)
            memcpy(p + at, &single[k & 7], 4);
        else if (t->type == XK_F16)
            memcpy(p + at, two, 4);
        else
            memcpy(p + at, &bytes, 4);
    }
}

/* The memory of a program: the caller's tensors, then scratch buffers. */
struct memory {
    uint64_t size_b;
    uint8_t *data;
};
static struct memory all_memory[XK_MAX_LAUNCH_ARGS + XK_MAX_SCRATCH];

static void set_memory(unsigned at, uint64_t size_b)
{
    free(all_memory[at].data);
    all_memory[at] = (struct memory){size_b, calloc(1, size_b)};
    ck_assert_ptr_nonnull(all_memory[at].data);
}

static void memory_init(const xk_program *p)
{
    const struct xk_launch_list *const l = xk_program_launches(p);
    for (uint32_t i = 0; i < l->n_args; i++) {
        const uint32_t number = l->args[i].number;
        const struct xk_tensor_info *const info =
            &xk_program_info(p)->tensor[number];
        set_memory(number, info->size_b);
        fill(all_memory[number].data, info, 77 + number);
    }
    for (uint32_t i = 0; i < l->n_scratch; i++)
        set_memory(XK_MAX_LAUNCH_ARGS + i, l->scratch[i].size_b);
}

/* Launch `number` of a program: what it starts from, the program's memory, and
 * where its results are compared. */
struct trial {
    const char *line;
    const xk_program *program;
    const struct xk_launch_info *l;
    uint64_t size_b[XK_MAX_LAUNCH_ARGS];
    uint8_t *data[XK_MAX_LAUNCH_ARGS]; /* before the launch */
    uint8_t *want[XK_MAX_LAUNCH_ARGS]; /* after our own */
    uint32_t times;
};

static void trial_init(struct trial *t, const char *line, const xk_program *p,
                       uint32_t number)
{
    *t = (struct trial){
        .line = line, .program = p, .l = xk_program_launch(p, number)};
    for (uint32_t i = 0; i < t->l->n_args; i++) {
        const struct xk_launch_arg_info *const a = &t->l->args[i];
        const bool scratch = a->binding == XK_BIND_SCRATCH;
        ck_assert(scratch || a->binding == XK_BIND_TENSOR);
        const struct memory *const m =
            &all_memory[a->number + (scratch ? XK_MAX_LAUNCH_ARGS : 0)];
        t->size_b[i] = m->size_b;
        t->data[i] = m->data;
        t->want[i] = malloc(m->size_b);
        ck_assert_ptr_nonnull(t->want[i]);
    }
}

/* The memory is what the launch left. */
static void trial_fini(struct trial *t)
{
    for (uint32_t i = 0; i < t->l->n_args; i++) {
        memcpy(t->data[i], t->want[i], t->size_b[i]);
        free(t->want[i]);
    }
}

/* The library's own launch on its simulator. */
static void run_ours(struct trial *t)
{
    struct xk_launch_arg args[XK_MAX_LAUNCH_ARGS] = {{0}};
    struct xk_error err = {0};
    xk_module *m = NULL;
    for (uint32_t i = 0; i < t->l->n_args; i++)
        ck_assert_msg(
            !xk_buffer_create(device, t->size_b[i], &args[i].buffer, &err) &&
                !xk_buffer_write(args[i].buffer, 0, t->data[i], t->size_b[i],
                                 &err),
            "%s: %s", t->line, err.message);
    ck_assert_msg(
        !xk_module_create(device, t->l->zebin, t->l->zebin_b, &m, &err) &&
            !xk_launch(m,
                       &(struct xk_launch_desc){
                           sizeof(struct xk_launch_desc), t->l->kernel,
                           t->l->groups, t->l->local, t->l->n_args, args},
                       NULL, &err),
        "%s: %s", t->line, err.message);
    for (uint32_t i = 0; i < t->l->n_args; i++) {
        xk_buffer_read(args[i].buffer, 0, t->want[i], t->size_b[i], &err);
        xk_buffer_unref(args[i].buffer);
    }
    xk_module_unref(m);
}

static uint64_t first_difference(const uint8_t *a, const uint8_t *b,
                                 uint64_t n_b)
{
    uint64_t at = 0;
    while (at < n_b && a[at] == b[at])
        at++;
    return at;
}

/* While the driver's buffers live: executes what it wrote, and compares. */
static void replay(void *user, void *const *memory)
{
    const struct trial *const t = user;
    const unsigned before = capture.n_launches;
    const char *const wrong = follow_on(&capture);
    ck_assert_msg(!wrong, "%s: %s", t->line, wrong);
    ck_assert_msg(capture.n_launches == before + t->times,
                  "%s: %u launches in the capture", t->line,
                  capture.n_launches - before);
    for (uint32_t i = 0; i < t->l->n_args; i++) {
        uint8_t *const got = malloc(t->size_b[i]);
        ck_assert_ptr_nonnull(got);
        ck_assert_msg(!xk_replay_read(capture.replay, (uintptr_t)memory[i], got,
                                      t->size_b[i]),
                      "%s: %s", t->line, capture.c->error.message);
        const uint64_t at = first_difference(got, t->want[i], t->size_b[i]);
        ck_assert_msg(at == t->size_b[i],
                      "%s: %s is 0x%02x instead of 0x%02x at 0x%llx of 0x%llx",
                      t->line, t->l->args[i].name, got[at], t->want[i][at],
                      (unsigned long long)at, (unsigned long long)t->size_b[i]);
        free(got);
    }
}

/* The launch `times` times in one list; indirect: its groups from memory. */
static void try_launch(struct trial *t, uint32_t times, bool indirect)
{
    t->times = times;
    run_ours(t);
    struct ze_job job = {.zebin = t->l->zebin,
                         .zebin_b = t->l->zebin_b,
                         .kernel = t->l->kernel,
                         .n_args = t->l->n_args,
                         .times = times,
                         .indirect = indirect,
                         .launched = replay,
                         .user = t};
    memcpy(job.groups, t->l->groups, sizeof job.groups);
    memcpy(job.local, t->l->local, sizeof job.local);
    for (uint32_t k = 0; k < t->l->n_args; k++) {
        job.size_b[k] = t->size_b[k];
        job.data[k] = t->data[k];
    }
    ze_result_t result;
    const char *const failed = ze_run(&z, &job, &result);
    ck_assert_msg(!failed, "%s: 0x%x from %s", t->line, (unsigned)result,
                  failed);
}

/* Launches of all programs so far. */
static unsigned launched;

static void try_program(int i, uint32_t times, bool indirect)
{
    xk_program *const p = make_program(i);
    memory_init(p);
    for (uint32_t k = 0; k < xk_program_n_launches(p); k++, launched++) {
        struct trial t;
        trial_init(&t, lines[i % n_lines], p, k);
        try_launch(&t, times, indirect);
        trial_fini(&t);
    }
    xk_program_unref(p);
}

START_TEST(captured_launch_gives_the_bytes_of_our_own)
{
    try_program(_i, 1, false);
}
END_TEST

START_TEST(a_list_of_launches_is_executed_one_after_the_other)
{
    try_program(_i, 3, false);
}
END_TEST

START_TEST(an_indirect_launch_takes_its_groups_from_memory)
{
    try_program(_i, 2, true);
}
END_TEST

/* Gradients are programs of several. */
START_TEST(there_were_more_launches_than_programs)
{
    ck_assert_uint_gt(launched, N_VARIANTS * (unsigned)n_lines + 4);
}
END_TEST

static Suite *suite(void)
{
    Suite *const s = suite_create("capture");
    TCase *const t = tcase_create("aub");
    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, captured_launch_gives_the_bytes_of_our_own, 0,
                        N_VARIANTS * n_lines);
    if (variants == training)
        tcase_add_test(t, there_were_more_launches_than_programs);
    tcase_add_loop_test(t, a_list_of_launches_is_executed_one_after_the_other,
                        n_lines - 1, n_lines + 1);
    tcase_add_loop_test(t, an_indirect_launch_takes_its_groups_from_memory,
                        n_lines - 1, n_lines + 1);
    suite_add_tcase(s, t);
    return s;
}

static bool read_list(const char *path)
{
    FILE *const f = path ? fopen(path, "r") : NULL;
    while (f && n_lines < LINES_MAX &&
           fgets(lines[n_lines], sizeof lines[0], f)) {
        lines[n_lines][strcspn(lines[n_lines], " \r\n")] = 0;
        n_lines += !strncmp(lines[n_lines], "g1m", 3);
    }
    if (f)
        fclose(f);
    return n_lines > 0;
}

static const char *open_all(void)
{
    struct xk_error err = {0};
    const char *const wrong = follow_open(&capture, NULL);
    /* A page that moves between system and local memory keeps its number,
     * although that bank has given the number away: this driver's captures of
     * long runs with local memory contradict themselves. */
    static const char *const keys[][2] = {{"EnableLocalMemory", "0"}};
    const struct ze_setup dg2 = {.product = "dg2",
                                 .hardware = "8x4x16",
                                 .capture = capture.path,
                                 .keys = keys,
                                 .n_keys = 1};
    if (wrong)
        return wrong;
    if (xk_device_create("sim", "xehpg", 0, &device, &err) < 0)
        return "no simulator";
    return ze_open_as(&z, &dg2);
}

int main(int argc, char **argv)
{
    const bool known = argc == 2 || (argc == 3 && !strcmp(argv[2], "training"));
    if (argc == 3)
        variants = training;
    if (!known || !read_list(argv[1])) {
        fputs("usage: test_capture LIST [training]\n", stderr);
        return 2;
    }
    const char *const absent = open_all();
    if (absent) {
        printf("1..0 # SKIP %s\n", absent);
        follow_close(&capture);
        return 0;
    }
    SRunner *const r = srunner_create(suite());
    srunner_set_fork_status(r, CK_NOFORK);
    srunner_set_tap(r, "-");
    srunner_run_all(r, CK_SILENT);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    ze_close(&z);
    follow_close(&capture);
    xk_device_unref(device);
    return failed ? 1 : 0;
}
