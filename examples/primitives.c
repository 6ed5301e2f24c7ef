/* SPDX-License-Identifier: Apache-2.0 */
/* How a library of primitives uses xekern under its own Level Zero code: a
 * kernel is generated when a convolution is described for the first time, kept,
 * and launched many times from several threads. xekern only makes the kernels;
 * devices, memory and lists are the library's.
 *
 *     cc primitives.c $(pkg-config --cflags --libs xekern) -lze_loader \
 *         -lpthread
 *
 * Without a GPU: xk vgpu -- ./primitives */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <level_zero/ze_api.h>

#include <xekern/device.h>
#include <xekern/xekern.h>

#define N_THREADS 4
#define N_ROUNDS 5
#define ABSENT 77 /* exit code: nothing to run on */

/* A convolution that was described before: its program and the module that the
 * driver made of it. Read only once it is in the list. */
struct primitive {
    struct primitive *next;
    char text[200];
    xk_program *program;
    ze_module_handle_t module;
};

static struct library {
    uint32_t platform; /* enum xk_platform_id */
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list; /* immediate; append returns when it ran */
    pthread_mutex_t list_lock, cache_lock;
    struct primitive *cache;
    unsigned n_made, n_found;
} lib = {.list_lock = PTHREAD_MUTEX_INITIALIZER,
         .cache_lock = PTHREAD_MUTEX_INITIALIZER};

/* Prints what failed and ends: fine for an example, not for a library. */
static void check(enum xk_status status, const struct xk_error *err)
{
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", xk_status_str(status), err->message);
        exit(status == XK_EABSENT ? ABSENT : 1);
    }
}

static void check_ze(ze_result_t result, const char *what)
{
    if (result != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "%s: 0x%x\n", what, (unsigned)result);
        exit(1);
    }
}
#define ZE(call) check_ze(call, #call)

/* What kernels the device wants: xekern knows Intel's devices. */
static uint32_t platform_of_device(void)
{
    static const struct {
        const char *name;
        uint32_t arch;
    } known[] = {
#define XK_PLATFORM_WORD(id, word) {word, XK_PLATFORM_##id},
#include "xekern/words.def"
    };
    struct xk_device_info info = {.size = sizeof info};
    struct xk_error err;
    check(xk_device_query("ze", &info, &err), &err);
    printf("%s: %s\n", info.name, info.platform);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(known[i].name, info.platform))
            return known[i].arch;
    fprintf(stderr, "no kernels for this device\n");
    exit(ABSENT);
}

static void open_library(void)
{
    const ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_command_queue_desc_t queue = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
        .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    uint32_t one = 1;
    lib.platform = platform_of_device();
    ZE(zeInit(0));
    ZE(zeDriverGet(&one, &lib.driver));
    ZE(zeDeviceGet(lib.driver, &one, &lib.device));
    ZE(zeContextCreate(lib.driver, &context, &lib.context));
    ZE(zeCommandListCreateImmediate(lib.context, lib.device, &queue,
                                    &lib.list));
}

/* From the description to something that can be launched. */
static struct primitive *make_primitive(const struct xk_conv_desc *d,
                                        const char *text)
{
    struct primitive *const p = calloc(1, sizeof *p);
    struct xk_error err;
    if (!p) {
        fputs("primitives: no memory\n", stderr);
        exit(1);
    }
    snprintf(p->text, sizeof p->text, "%s", text);
    check(xk_conv_create(d, NULL, &p->program, &err), &err);
    if (xk_program_n_launches(p->program) != 1) {
        /* A library would launch each, with scratch between them. */
        fprintf(stderr, "primitives: %s is a program of several launches\n",
                text);
        exit(1);
    }
    const struct xk_launch_info *const l = xk_program_launch(p->program, 0);
    const ze_module_desc_t module = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                     .format = ZE_MODULE_FORMAT_NATIVE,
                                     .inputSize = l->zebin_b,
                                     .pInputModule = l->zebin};
    ZE(zeModuleCreate(lib.context, lib.device, &module, &p->module, NULL));
    return p;
}

/* The primitive of a description, a new one or the one of before. The canonical
 * text is the key; a library with more data types puts them into its key. */
static const struct primitive *get_primitive(const char *text)
{
    struct xk_conv_desc d = XK_CONV_DESC_INIT;
    struct xk_error err;
    char key[200];
    d.platform = lib.platform;
    d.prop = XK_FWD_D;
    strcpy(d.src_tag, "axb");
    strcpy(d.dst_tag, "axb");
    check(xk_conv_desc_parse(text, &d, NULL, 0, &err), &err);
    xk_conv_desc_print(&d, key, sizeof key);

    pthread_mutex_lock(&lib.cache_lock);
    struct primitive *p = lib.cache;
    while (p && strcmp(p->text, key))
        p = p->next;
    if (p) {
        lib.n_found++;
    } else {
        p = make_primitive(&d, key);
        p->next = lib.cache;
        lib.cache = p;
        lib.n_made++;
    }
    pthread_mutex_unlock(&lib.cache_lock);
    return p;
}

/* Memory that both sides see, every element with the same value. */
static float *make_tensor(const struct xk_tensor_info *t, float value)
{
    const ze_device_mem_alloc_desc_t device = {
        .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {
        .stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *at = NULL;
    pthread_mutex_lock(&lib.list_lock);
    ZE(zeMemAllocShared(lib.context, &device, &host, t->size_b, 4096,
                        lib.device, &at));
    pthread_mutex_unlock(&lib.list_lock);
    for (uint64_t i = 0; i < t->size_b / sizeof(float); i++)
        ((float *)at)[i] = value;
    return at;
}

static void drop_tensor(float *at)
{
    pthread_mutex_lock(&lib.list_lock);
    ZE(zeMemFree(lib.context, at));
    pthread_mutex_unlock(&lib.list_lock);
}

/* A kernel object holds arguments, so each thread has its own; the list is
 * shared, and Level Zero lets one thread at a time append. */
static void execute(const struct primitive *p, float *const tensor[])
{
    const struct xk_launch_info *const l = xk_program_launch(p->program, 0);
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                   .pKernelName = l->kernel};
    const ze_group_count_t groups = {l->groups[0], l->groups[1], l->groups[2]};
    ze_kernel_handle_t kernel;
    pthread_mutex_lock(&lib.list_lock);
    ZE(zeKernelCreate(p->module, &desc, &kernel));
    ZE(zeKernelSetGroupSize(kernel, l->local[0], l->local[1], l->local[2]));
    for (uint32_t i = 0; i < l->n_args; i++)
        ZE(zeKernelSetArgumentValue(kernel, i, sizeof(void *),
                                    &tensor[l->args[i].tensor]));
    ZE(zeCommandListAppendLaunchKernel(lib.list, kernel, &groups, NULL, 0,
                                       NULL));
    ZE(zeKernelDestroy(kernel));
    pthread_mutex_unlock(&lib.list_lock);
}

/* 3x3 with a border of one: the corner sees 4 points, the middle 9; of each all
 * input channels. */
static int is_right(const struct xk_tensor_info *dst, int64_t ic, float each,
                    const float *at)
{
    const int64_t oc = dst->dims[1], width = dst->dims[3];
    const float *const middle = at + (width + 1) * oc; /* row 1, column 1 */
    const float point = (float)ic * each;
    return at[0] == 4 * point && middle[oc - 1] == 9 * point;
}

static int run_once(const char *text, float value)
{
    const struct primitive *const p = get_primitive(text);
    const struct xk_conv_info *const info = xk_program_info(p->program);
    const struct xk_tensor_info *const t = info->tensor;
    float *tensor[XK_N_CONV_ARGS] = {
        [XK_ARG_SRC] = make_tensor(&t[XK_ARG_SRC], value),
        [XK_ARG_WEI] = make_tensor(&t[XK_ARG_WEI], 2),
        [XK_ARG_DST] = make_tensor(&t[XK_ARG_DST], -1)};
    execute(p, tensor);
    const int right = is_right(&t[XK_ARG_DST], t[XK_ARG_SRC].dims[1], 2 * value,
                               tensor[XK_ARG_DST]);
    for (int i = 0; i < XK_N_CONV_ARGS; i++)
        if (tensor[i])
            drop_tensor(tensor[i]);
    return right;
}

static void *work(void *user)
{
    static const char *const texts[] = {"mb1ic16ih8oc32oh8kh3ph1",
                                        "mb1ic32ih6oc16oh6kh3ph1",
                                        "mb1ic16ih12oc16oh12kh3ph1"};
    int *const n_right = user; /* in: the thread's number */
    const int thread = *n_right;
    *n_right = 0;
    for (int round = 0; round < N_ROUNDS; round++)
        for (int k = 0; k < 3; k++)
            *n_right += run_once(texts[(k + thread) % 3],
                                 (float)(1 + thread + N_THREADS * round));
    return NULL;
}

static void close_library(void)
{
    while (lib.cache) {
        struct primitive *const p = lib.cache;
        lib.cache = p->next;
        ZE(zeModuleDestroy(p->module));
        xk_program_unref(p->program);
        free(p);
    }
    ZE(zeCommandListDestroy(lib.list));
    ZE(zeContextDestroy(lib.context));
}

int main(void)
{
    pthread_t thread[N_THREADS];
    int n_right[N_THREADS], sum = 0;
    open_library();
    for (int i = 0; i < N_THREADS; i++) {
        n_right[i] = i;
        if (pthread_create(&thread[i], NULL, work, &n_right[i]))
            return 1;
    }
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(thread[i], NULL);
        sum += n_right[i];
    }
    printf("%d of %d launches right, %u kernels made, %u found\n", sum,
           N_THREADS * N_ROUNDS * 3, lib.n_made, lib.n_found);
    const int good = sum == N_THREADS * N_ROUNDS * 3 && lib.n_made == 3 &&
                     lib.n_made + lib.n_found == (unsigned)sum;
    close_library();
    return good ? 0 : 1;
}
