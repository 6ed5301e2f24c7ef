/* SPDX-License-Identifier: Apache-2.0 */
/* The device interface through Intel's Level Zero and OpenCL, on a virtual
 * device that a thread of this process serves: what it says of itself, copies,
 * launches one after another, in flight and from several threads, and refusals.
 * Expected values are computed here in plain loops. */
#include <pthread.h>
#include <string.h>

#include "tests/container/make_zebin.h"
#include "tests/runtime/virtual.h"
#include "tests/tap.h"
#include "xekern/xekern.h"

/* nhwc, 3x3 with a border of zeros */
enum { IC = 16, OC = 32, SIZE = 8, N_SRC = SIZE * SIZE * IC };
enum { N_WEI = OC * 9 * IC, N_DST = SIZE * SIZE * OC };
#define TEXT "mb1ic16ih8oc32oh8kh3ph1"

static const char *const engines[] = {"ze", "ocl"};
enum { N_ENGINES = 2, N_THREADS = 4, N_ROUNDS = 6, N_FLYING = 5 };

static xk_program *program;
static const struct xk_launch_info *info;
static xk_device *dev;
static xk_module *mod;
static struct xk_error err;
static float wei[OC][3][3][IC];

#define GOOD(call)                                                             \
    do {                                                                       \
        struct xk_error e_;                                                    \
        struct xk_error *const err_ = &e_;                                     \
        ck_assert_msg((call) == XK_OK, "%s: %s", #call, e_.message);           \
    } while (0)
#define SAYS(word)                                                             \
    ck_assert_msg(strstr(err.message, word) != NULL, "'%s' is not in '%s'",    \
                  word, err.message)

static void generate(void)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    d.prop = XK_FWD_D;
    strcpy(d.src_tag, "axb");
    strcpy(d.wei_tag, "acdb");
    strcpy(d.dst_tag, "axb");
    GOOD(xk_conv_desc_parse(TEXT, &d, NULL, 0, err_));
    GOOD(xk_conv_create(&d, NULL, &program, err_));
    info = xk_program_launch(program, 0);
    for (int i = 0; i < N_WEI; i++)
        (&wei[0][0][0][0])[i] = (float)(i * 7 % 11 - 5);
}

static void open_device(int k)
{
    GOOD(xk_device_create(engines[k], NULL, 0, &dev, err_));
    GOOD(xk_module_create(dev, info->zebin, info->zebin_b, &mod, err_));
}

/* The device goes first: the module holds it. */
static void close_device(void)
{
    xk_device_unref(dev);
    xk_module_unref(mod);
}

/* One convolution's memory on the device. */
struct tensors {
    xk_buffer *src, *wei, *dst;
    struct xk_launch_arg arg[XK_MAX_LAUNCH_ARGS];
};

static void make_tensors(struct tensors *t)
{
    memset(t, 0, sizeof *t);
    GOOD(xk_buffer_create(dev, N_SRC * sizeof(float), &t->src, err_));
    GOOD(xk_buffer_create(dev, sizeof wei, &t->wei, err_));
    GOOD(xk_buffer_create(dev, N_DST * sizeof(float), &t->dst, err_));
    GOOD(xk_buffer_write(t->wei, 0, wei, sizeof wei, err_));
    for (uint32_t i = 0; i < info->n_args; i++)
        t->arg[i].buffer = info->args[i].tensor == XK_ARG_SRC   ? t->src
                           : info->args[i].tensor == XK_ARG_WEI ? t->wei
                                                                : t->dst;
}

static void drop_tensors(struct tensors *t)
{
    xk_buffer_unref(t->src);
    xk_buffer_unref(t->wei);
    xk_buffer_unref(t->dst);
}

static float src_value(int seed, int i)
{
    return (float)((i * 13 + seed * 31) % 17 - 8);
}

static void write_src(struct tensors *t, int seed)
{
    float v[N_SRC];
    for (int i = 0; i < N_SRC; i++)
        v[i] = src_value(seed, i);
    GOOD(xk_buffer_write(t->src, 0, v, sizeof v, err_));
}

static float expected(int seed, int y, int x, int oc)
{
    float sum = 0;
    for (int ky = 0; ky < 3; ky++)
        for (int kx = 0; kx < 3; kx++) {
            const int iy = y + ky - 1, ix = x + kx - 1;
            if (iy < 0 || iy >= SIZE || ix < 0 || ix >= SIZE)
                continue;
            for (int ic = 0; ic < IC; ic++)
                sum += src_value(seed, (iy * SIZE + ix) * IC + ic) *
                       wei[oc][ky][kx][ic];
        }
    return sum;
}

/* Elements of dst that are not what they should be. */
static int n_wrong(struct tensors *t, int seed)
{
    static _Thread_local float got[SIZE][SIZE][OC];
    int wrong = 0;
    if (xk_buffer_read(t->dst, 0, got, sizeof got, NULL) != XK_OK)
        return -1;
    for (int i = 0; i < N_DST; i++) {
        const int oc = i % OC, x = i / OC % SIZE, y = i / OC / SIZE;
        wrong += got[y][x][oc] != expected(seed, y, x, oc);
    }
    return wrong;
}

START_TEST(a_device_says_what_it_is)
{
    struct xk_device_info i = {.size = sizeof i};
    char far[16];
    uint32_t n = 0;
    GOOD(xk_device_count(engines[_i], &n, err_));
    ck_assert_uint_eq(n, 1);
    GOOD(xk_device_query(engines[_i], &i, err_));
    ck_assert_str_eq(i.platform, "xehpg");
    ck_assert_uint_eq(i.device_id, 0x56a0);
    ck_assert_uint_eq(i.n_units, 8 * 4 * 16);
    ck_assert_uint_eq(i.threads_per_unit, 8);
    ck_assert(*i.name && *i.driver && i.memory_b && i.max_buffer_b);
    snprintf(far, sizeof far, "%s:1", engines[_i]);
    ck_assert_int_eq(xk_device_query(far, &i, &err), XK_EABSENT);
    SAYS("no device 1");
    ck_assert_int_eq(xk_device_create(engines[_i], "xehpc", 0, &dev, &err),
                     XK_EINVAL);
    SAYS("is xehpg, not xehpc");
    GOOD(xk_device_create(engines[_i], "xehpg", 0, &dev, err_));
    i = (struct xk_device_info){.size = 40}; /* of an older caller */
    GOOD(xk_device_get_info(dev, &i, err_));
    ck_assert(i.device_id == 0x56a0 && i.size == 40 && !*i.driver);
    xk_device_unref(dev);
}
END_TEST

START_TEST(buffers_keep_bytes)
{
    static uint8_t in[100001], back[sizeof in];
    xk_buffer *b;
    GOOD(xk_device_create(engines[_i], NULL, 0, &dev, err_));
    GOOD(xk_buffer_create(dev, sizeof in, &b, err_));
    for (unsigned i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * 7 + i / 251);
    GOOD(xk_buffer_write(b, 0, in, sizeof in, err_));
    GOOD(xk_buffer_write(b, 777, in, 4099, err_));
    memcpy(back, in, sizeof in);
    memcpy(back + 777, in, 4099);
    memcpy(in, back, sizeof in);
    memset(back, 0, sizeof back);
    GOOD(xk_buffer_read(b, 0, back, 50001, err_));
    GOOD(xk_buffer_read(b, 50001, back + 50001, 50000, err_));
    ck_assert(!memcmp(in, back, sizeof in));
    GOOD(xk_buffer_read(b, 5, back, 0, err_));
    ck_assert_int_eq(xk_buffer_read(b, 50002, back, 50000, &err), XK_EINVAL);
    xk_buffer_unref(b);
    xk_device_unref(dev);
}
END_TEST

START_TEST(sources_change_between_launches)
{
    struct tensors t;
    open_device(_i);
    make_tensors(&t);
    for (int round = 0; round < N_ROUNDS; round++) {
        struct xk_launch_stats s = {0};
        write_src(&t, round);
        GOOD(xk_launch(mod,
                       &(struct xk_launch_desc){
                           sizeof(struct xk_launch_desc), info->kernel,
                           info->groups, info->local, info->n_args, t.arg},
                       &s, err_));
        ck_assert_int_eq(n_wrong(&t, round), 0);
        ck_assert_uint_eq(s.groups, (uint64_t)info->groups[0] *
                                        info->groups[1] * info->groups[2]);
        ck_assert(s.device_ns > 0 && s.time_ns > 0);
    }
    drop_tensors(&t);
    close_device();
}
END_TEST

/* Buffers are given back while the launches may still run; all are waited for
 * from the last to the first, one by nobody. */
START_TEST(launches_in_flight)
{
    struct tensors t[N_FLYING];
    xk_pending *p[N_FLYING];
    open_device(_i);
    for (int k = 0; k < N_FLYING; k++) {
        make_tensors(&t[k]);
        write_src(&t[k], k);
    }
    for (int k = 0; k < N_FLYING; k++) {
        GOOD(xk_launch_start(
            mod,
            &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                     info->kernel, info->groups, info->local,
                                     info->n_args, t[k].arg},
            &p[k], err_));
        xk_buffer_unref(t[k].src);
        xk_buffer_unref(t[k].wei);
    }
    for (int k = N_FLYING - 1; k > 0; k--) {
        struct xk_launch_stats s = {0}, again = {0};
        GOOD(xk_pending_wait(p[k], &s, err_));
        GOOD(xk_pending_wait(p[k], &again, err_));
        ck_assert(s.device_ns > 0 && again.device_ns == s.device_ns);
    }
    for (int k = 0; k < N_FLYING; k++)
        xk_pending_unref(p[k]);
    for (int k = 0; k < N_FLYING; k++) {
        ck_assert_int_eq(n_wrong(&t[k], k), 0);
        xk_buffer_unref(t[k].dst);
    }
    close_device();
}
END_TEST

struct worker {
    pthread_t thread;
    struct tensors t;
    int seed, bad;
};

static void *work(void *user)
{
    struct worker *const w = user;
    for (int k = 0; k < N_ROUNDS; k++) {
        w->bad +=
            xk_launch(mod,
                      &(struct xk_launch_desc){
                          sizeof(struct xk_launch_desc), info->kernel,
                          info->groups, info->local, info->n_args, w->t.arg},
                      NULL, NULL) != XK_OK;
        w->bad += n_wrong(&w->t, w->seed) != 0;
    }
    return NULL;
}

START_TEST(several_threads_share_a_module)
{
    struct worker w[N_THREADS] = {0};
    open_device(_i);
    for (int k = 0; k < N_THREADS; k++) {
        w[k].seed = k;
        make_tensors(&w[k].t);
        write_src(&w[k].t, k);
    }
    for (int k = 0; k < N_THREADS; k++)
        ck_assert_int_eq(pthread_create(&w[k].thread, NULL, work, &w[k]), 0);
    for (int k = 0; k < N_THREADS; k++) {
        pthread_join(w[k].thread, NULL);
        ck_assert_msg(!w[k].bad, "thread %d: %d bad rounds", k, w[k].bad);
        drop_tensors(&w[k].t);
    }
    close_device();
}
END_TEST

/* What is wrong, and words of the answer: Level Zero's and OpenCL's. */
static enum xk_status launch_as(const char *kernel, uint32_t local,
                                unsigned n_args, uint32_t value_b)
{
    const uint32_t one[3] = {1, 1, 1}, size[3] = {local, 1, 1};
    struct xk_launch_arg a[8] = {{0}};
    static const uint8_t value[8];
    struct tensors t;
    make_tensors(&t);
    memcpy(a, t.arg, sizeof a);
    if (value_b)
        a[0] = (struct xk_launch_arg){.value = value, .size_b = value_b};
    const enum xk_status s =
        xk_launch(mod,
                  &(struct xk_launch_desc){sizeof(struct xk_launch_desc),
                                           kernel, one, size, n_args, a},
                  NULL, &err);
    drop_tensors(&t);
    return s;
}

static const struct {
    const char *kernel; /* NULL: ours */
    uint32_t local, n_args, value_b;
    const char *words[N_ENGINES];
} refused[] = {
    {"nobody",
     0,
     3,
     0,
     {"zeKernelCreate nobody: ZE_RESULT_ERROR_INVALID_KERNEL_NAME",
      "clCreateKernel nobody: CL_INVALID_KERNEL_NAME (-46)"}},
    {NULL,
     7,
     3,
     0,
     {"zeKernelSetGroupSize xk_conv: "
      "ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION (0x78000013)",
      "clEnqueueNDRangeKernel xk_conv: CL_INVALID_WORK_GROUP_SIZE (-54)"}},
    {NULL, 0, 1, 0, {"wants 3 arguments, 1", "wants 3 arguments, 1"}},
    {NULL,
     0,
     3,
     4,
     {"zeKernelSetArgumentValue xk_conv argument 0: ZE_RESULT_ERROR_INVALID",
      "clSetKernelArg xk_conv argument 0: CL_INVALID_ARG_SIZE (-51)"}},
};

START_TEST(launches_that_the_driver_refuses)
{
    open_device(_i);
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        ck_assert_int_eq(
            launch_as(refused[k].kernel ? refused[k].kernel : info->kernel,
                      refused[k].local ? refused[k].local : info->local[0],
                      refused[k].n_args, refused[k].value_b),
            XK_EINVAL);
        SAYS(refused[k].words[_i]);
    }
    close_device();
}
END_TEST

/* One of another product, and one that is no module. */
START_TEST(modules_that_the_driver_refuses)
{
    static const char *const words[N_ENGINES][2] = {
        {"zeModuleCreate: ZE_RESULT_ERROR_", "build log"},
        {"clCreateProgramWithBinary: CL_INVALID_BINARY", ""}};
    size_t n_b;
    uint8_t *const other =
        make_zebin(&(struct zebin_parts){.family = 1271}, &n_b);
    GOOD(xk_device_create(engines[_i], NULL, 0, &dev, err_));
    mod = (xk_module *)1;
    ck_assert_int_eq(xk_module_create(dev, other, n_b, &mod, &err), XK_EDEVICE);
    ck_assert_ptr_null(mod);
    printf("# %s\n", err.message);
    SAYS(words[_i][0]);
    SAYS(words[_i][1]);
    ck_assert_int_eq(xk_module_create(dev, "no zebin", 8, &mod, &err),
                     XK_EDEVICE);
    SAYS(words[_i][0]);
    free(other);
    xk_device_unref(dev);
}
END_TEST

START_TEST(more_memory_than_there_is)
{
    static const char *const words[N_ENGINES] = {
        "zeMemAllocDevice: ZE_RESULT_ERROR_", "CL_DEVICE_GLOBAL_MEM_SIZE"};
    xk_buffer *b;
    GOOD(xk_device_create(engines[_i], NULL, 0, &dev, err_));
    ck_assert_int_lt(xk_buffer_create(dev, UINT64_C(1) << 46, &b, &err), 0);
    ck_assert(err.status == XK_ENOMEM || err.status == XK_EUNSUPPORTED);
    SAYS(words[_i]);
    SAYS("70368744177664 bytes");
    /* Above 4 GiB, where a driver must be asked in a special way. */
    GOOD(xk_buffer_create(dev, (UINT64_C(4) << 30) + 4096, &b, err_));
    xk_buffer_unref(b);
    xk_device_unref(dev);
}
END_TEST

static bool has(const char *engine)
{
    uint32_t n;
    const bool there = xk_device_count(engine, &n, &err) == XK_OK;
    if (!there)
        printf("1..0 # SKIP %s\n", err.message);
    return there;
}

int main(void)
{
    if (!virtual_open("xehpg") || !has("ze") || !has("ocl"))
        return 77;
    Suite *const s = suite_create("engines");
    TCase *const t = tcase_create("engines");
    tcase_set_timeout(t, 120);
    tcase_add_unchecked_fixture(t, generate, NULL);
    tcase_add_loop_test(t, a_device_says_what_it_is, 0, N_ENGINES);
    tcase_add_loop_test(t, buffers_keep_bytes, 0, N_ENGINES);
    tcase_add_loop_test(t, sources_change_between_launches, 0, N_ENGINES);
    tcase_add_loop_test(t, launches_in_flight, 0, N_ENGINES);
    tcase_add_loop_test(t, several_threads_share_a_module, 0, N_ENGINES);
    tcase_add_loop_test(t, launches_that_the_driver_refuses, 0, N_ENGINES);
    tcase_add_loop_test(t, modules_that_the_driver_refuses, 0, N_ENGINES);
    tcase_add_loop_test(t, more_memory_than_there_is, 0, N_ENGINES);
    suite_add_tcase(s, t);
    return xk_tap_run(s);
}
