/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as OpenCL's textbooks have them, with answers that are known or that
 * the host calculates otherwise. argv: everyday.cl, then names of programs; no
 * name stands for all. Run by xk vgpu, with its checkers on. TAP.
 */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void must(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    printf("Bail out! %s: %d\n", what, status);
    exit(1);
}

/* The same numbers everywhere (Marsaglia's xorshift). */
static uint32_t next_number(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void open_device(const char *path)
{
    static char text[16384];
    const char *const source = text;
    cl_platform_id platform;
    cl_int st = 0;
    FILE *const f = fopen(path, "r");
    if (!f || !fread(text, 1, sizeof text - 1, f))
        must(-1, path);
    fclose(f);
    must(clGetPlatformIDs(1, &platform, NULL), "platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL),
         "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &st);
    must(st, "context");
    queue = clCreateCommandQueue(context, device, 0, &st);
    must(st, "queue");
    program = clCreateProgramWithSource(context, 1, (const char **)&source,
                                        NULL, &st);
    must(st, "program");
    must(clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL),
         "build");
}

static cl_mem buffer_of(const void *data, size_t n_b)
{
    cl_int st = 0;
    const cl_mem b =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n_b,
                       (void *)data, &st);
    must(st, "buffer");
    return b;
}

static void read_back(cl_mem b, void *data, size_t n_b)
{
    must(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, n_b, data, 0, NULL, NULL),
         "read");
    clReleaseMemObject(b);
}

/* An argument: a value, or room in local memory where value is NULL. */
struct arg {
    size_t size_b;
    const void *value;
};
#define ARG(x)                                                                 \
    {                                                                          \
        sizeof(x), &(x)                                                        \
    }
#define N_ARGS 4

static void launch(const char *name, const struct arg arg[N_ARGS],
                   const size_t items[2], const size_t group[2])
{
    cl_int st = 0;
    const cl_kernel k = clCreateKernel(program, name, &st);
    must(st, name);
    for (cl_uint i = 0; i < N_ARGS && arg[i].size_b; i++)
        must(clSetKernelArg(k, i, arg[i].size_b, arg[i].value), name);
    must(clEnqueueNDRangeKernel(queue, k, 2, NULL, items, group, 0, NULL, NULL),
         name);
    clReleaseKernel(k);
}

/* 20 groups, of which the last has items beyond the end. */
static bool prefix_sum(void)
{
    enum { N = 5000, GROUP = 256, GROUPS = (N + GROUP - 1) / GROUP };
    static cl_uint in[N], out[N], zero[GROUP];
    const cl_uint n = N, n_groups = GROUPS;
    uint32_t seed = 1, sum = 0;
    bool good = true;
    for (int i = 0; i < N; i++)
        in[i] = next_number(&seed) % 1000;
    const cl_mem a = buffer_of(in, sizeof in), b = buffer_of(zero, sizeof zero),
                 c = buffer_of(zero, sizeof zero);
    const struct arg l = {GROUP * sizeof(cl_uint), NULL};
    const size_t all[2] = {(size_t)GROUPS * GROUP, 1}, group[2] = {GROUP, 1};
    launch("scan", (struct arg[N_ARGS]){ARG(a), ARG(b), ARG(n), l}, all, group);
    launch("scan", (struct arg[N_ARGS]){ARG(b), ARG(c), ARG(n_groups), l},
           group, group);
    launch("add_before", (struct arg[N_ARGS]){ARG(a), ARG(b), ARG(n)}, all,
           group);
    read_back(a, out, sizeof out);
    for (int i = 0; i < N; i++) {
        sum += in[i];
        good = good && out[i] == sum;
    }
    clReleaseMemObject(b);
    clReleaseMemObject(c);
    return good;
}

static bool histogram(void)
{
    enum { N = 10000 };
    static cl_uchar in[N];
    static cl_uint want[256], bins[256];
    const cl_uint n = N;
    uint32_t seed = 2;
    for (int i = 0; i < N; i++) {
        const uint32_t x = next_number(&seed);
        in[i] = (cl_uchar)(x & x >> 8); /* some values are frequent */
        want[in[i]]++;
    }
    const cl_mem a = buffer_of(in, sizeof in), b = buffer_of(bins, sizeof bins);
    launch("histogram",
           (struct arg[N_ARGS]){
               ARG(a), ARG(b), ARG(n), {256 * sizeof(cl_uint), NULL}},
           (size_t[2]){1024, 1}, (size_t[2]){128, 1});
    read_back(b, bins, sizeof bins);
    clReleaseMemObject(a);
    return !memcmp(bins, want, sizeof want);
}

static bool transpose(void)
{
    enum { X = 75, Y = 53 };
    static cl_uint in[Y][X], out[X][Y];
    const cl_uint nx = X, ny = Y;
    bool good = true;
    for (cl_uint i = 0; i < X * Y; i++)
        in[i / X][i % X] = i * i;
    const cl_mem a = buffer_of(in, sizeof in), b = buffer_of(out, sizeof out);
    launch("transpose", (struct arg[N_ARGS]){ARG(a), ARG(b), ARG(nx), ARG(ny)},
           (size_t[2]){80, 64}, (size_t[2]){16, 16});
    read_back(b, out, sizeof out);
    for (int i = 0; i < X * Y; i++)
        good = good && out[i % X][i / X] == in[i / X][i % X];
    clReleaseMemObject(a);
    return good;
}

static bool locked(void)
{
    enum { GROUPS = 100 };
    cl_uint n[2] = {0};
    const cl_uint zero = 0;
    const cl_mem a = buffer_of(&zero, sizeof zero), b = buffer_of(n, sizeof n);
    launch("count_locked", (struct arg[N_ARGS]){ARG(a), ARG(b)},
           (size_t[2]){GROUPS * 16, 1}, (size_t[2]){16, 1});
    read_back(b, n, sizeof n);
    clReleaseMemObject(a);
    return n[0] == GROUPS && n[1] == GROUPS * (GROUPS + 1) / 2;
}

/* Groups of 96, the last one of 24: sub-groups that are not full. */
static bool reduction(void)
{
    enum { N = 3000 };
    static cl_int in[N];
    cl_int want[4] = {0, INT32_MAX, INT32_MIN, N}, out[4];
    uint32_t seed = 3;
    memcpy(out, want, sizeof out);
    out[3] = 0;
    for (int i = 0; i < N; i++) {
        in[i] = (cl_int)(next_number(&seed) % 200001) - 100000;
        want[0] += in[i];
        want[1] = in[i] < want[1] ? in[i] : want[1];
        want[2] = in[i] > want[2] ? in[i] : want[2];
    }
    const cl_mem a = buffer_of(in, sizeof in), b = buffer_of(out, sizeof out);
    launch("reduce", (struct arg[N_ARGS]){ARG(a), ARG(b)}, (size_t[2]){N, 1},
           (size_t[2]){96, 1});
    read_back(b, out, sizeof out);
    clReleaseMemObject(a);
    return !memcmp(out, want, sizeof out);
}

static int compare_uints(const void *a, const void *b)
{
    const cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;
    return (x > y) - (x < y);
}

static bool bitonic_sort(void)
{
    enum { N = 512, GROUPS = 3 };
    static cl_uint a[GROUPS][N], want[GROUPS][N];
    uint32_t seed = 4;
    for (int i = 0; i < GROUPS * N; i++)
        a[i / N][i % N] = next_number(&seed) >> i % 32;
    memcpy(want, a, sizeof a);
    for (int g = 0; g < GROUPS; g++)
        qsort(want[g], N, sizeof want[g][0], compare_uints);
    const cl_mem b = buffer_of(a, sizeof a);
    launch("bitonic_sort",
           (struct arg[N_ARGS]){ARG(b), {N * sizeof(cl_uint), NULL}},
           (size_t[2]){GROUPS * N / 2, 1}, (size_t[2]){N / 2, 1});
    read_back(b, a, sizeof a);
    return !memcmp(a, want, sizeof a);
}

/* 8 queens have 92 solutions, 7 have 40, 6 have 4 (OEIS, A000170). */
static bool queens(void)
{
    static const cl_uint known[] = {4, 40, 92};
    for (cl_int n = 6; n <= 8; n++) {
        const size_t items[2] = {(size_t)(n * n), 1};
        const size_t group[2] = {(size_t)n, 1};
        cl_uint found = 0;
        const cl_mem a = buffer_of(&found, sizeof found);
        launch("queens", (struct arg[N_ARGS]){ARG(a), ARG(n)}, items, group);
        read_back(a, &found, sizeof found);
        if (found != known[n - 6])
            return false;
    }
    return true;
}

/* The CRC's check value is that of the digits 1 to 9; that of no byte is 0, and
 * that of "1" stands in tables, too. */
static bool crc32(void)
{
    static const char text[] = "123456789";
    cl_uint crc[10];
    memset(crc, 0xff, sizeof crc);
    const cl_mem a = buffer_of(text, 9), b = buffer_of(crc, sizeof crc);
    launch("crc32", (struct arg[N_ARGS]){ARG(a), ARG(b)}, (size_t[2]){10, 1},
           (size_t[2]){10, 1});
    read_back(b, crc, sizeof crc);
    clReleaseMemObject(a);
    return crc[0] == 0 && crc[1] == 0x83dcefb7 && crc[9] == 0xcbf43926;
}

/* The largest prime below 2^32: each power is 1 (Fermat's little theorem). */
static bool fermat(void)
{
    enum { N = 100 };
    static cl_ulong out[N];
    const cl_ulong p = 4294967291;
    const cl_mem a = buffer_of(out, sizeof out);
    bool good = true;
    launch("fermat", (struct arg[N_ARGS]){ARG(a), ARG(p)}, (size_t[2]){N, 1},
           (size_t[2]){25, 1});
    read_back(a, out, sizeof out);
    for (int i = 0; i < N; i++)
        good = good && out[i] == 1;
    return good;
}

enum { BOX_X = 37, BOX_Y = 29 };

/* The sum of nine neighbours that box() makes of one part. */
static cl_uint box_sum(cl_uchar in[BOX_Y][BOX_X][4], int at_y, int at_x, int c)
{
    cl_uint sum = 0;
    for (int y = at_y - 1; y <= at_y + 1; y++)
        for (int x = at_x - 1; x <= at_x + 1; x++)
            sum += in[y < 0       ? 0
                      : y < BOX_Y ? y
                                  : BOX_Y - 1][x < 0       ? 0
                                               : x < BOX_X ? x
                                                           : BOX_X - 1][c];
    return sum;
}

static cl_mem image_of(cl_channel_type type, void *data)
{
    const cl_image_format format = {CL_RGBA, type};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = BOX_X,
                                .image_height = BOX_Y};
    cl_int st = 0;
    const cl_mem image = clCreateImage(
        context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), &format,
        &desc, data, &st);
    must(st, "image");
    return image;
}

static bool box(void)
{
    static cl_uchar in[BOX_Y][BOX_X][4];
    static cl_ushort out[BOX_Y][BOX_X][4];
    uint32_t seed = 5;
    bool good = true;
    for (int i = 0; i < BOX_Y * BOX_X * 4; i++)
        in[i / (4 * BOX_X)][i / 4 % BOX_X][i % 4] =
            (cl_uchar)next_number(&seed);
    const cl_mem a = image_of(CL_UNSIGNED_INT8, in);
    const cl_mem b = image_of(CL_UNSIGNED_INT16, NULL);
    launch("box", (struct arg[N_ARGS]){ARG(a), ARG(b)},
           (size_t[2]){BOX_X, BOX_Y}, NULL);
    must(clEnqueueReadImage(queue, b, CL_TRUE, (size_t[3]){0},
                            (size_t[3]){BOX_X, BOX_Y, 1}, 0, 0, out, 0, NULL,
                            NULL),
         "read image");
    for (int i = 0; i < BOX_Y * BOX_X * 4; i++) {
        const int y = i / (4 * BOX_X), x = i / 4 % BOX_X, c = i % 4;
        good = good && out[y][x][c] == box_sum(in, y, x, c);
    }
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    return good;
}

static const struct {
    const char *name;
    bool (*run)(void);
    bool images;
} programs[] = {
    {"prefix_sum", prefix_sum, false}, {"histogram", histogram, false},
    {"transpose", transpose, false},   {"locked", locked, false},
    {"reduction", reduction, false},   {"bitonic_sort", bitonic_sort, false},
    {"queens", queens, false},         {"crc32", crc32, false},
    {"fermat", fermat, false},         {"box", box, true},
};

static bool is_named(const char *name, char **argv)
{
    for (; *argv; argv++)
        if (!strcmp(name, *argv))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    unsigned n = 0, bad = 0;
    cl_bool images = CL_FALSE;
    if (argc < 2) {
        fputs("usage: everyday everyday.cl [PROGRAM]...\n", stderr);
        return 2;
    }
    open_device(argv[1]);
    must(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images,
                         &images, NULL),
         "images");
    for (unsigned i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        if (argc > 2 && !is_named(programs[i].name, argv + 2))
            continue;
        n++;
        if (programs[i].images && !images) {
            printf("ok %u - %s # SKIP the device has no images\n", n,
                   programs[i].name);
            continue;
        }
        const bool good = programs[i].run();
        bad += !good;
        printf("%s %u - %s\n", good ? "ok" : "not ok", n, programs[i].name);
    }
    printf("1..%u\n", n);
    return bad || !n ? 1 : 0;
}
