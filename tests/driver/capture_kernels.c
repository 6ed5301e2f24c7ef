/* SPDX-License-Identifier: Apache-2.0 */
/* capture_kernels PLATFORM [opencl] [KEY=VALUE]...: launches kernels as
 * run_kernels of tests/corpus does and is asked in the same words, but through
 * the real Level Zero library, or OpenCL's, which writes down what it would
 * have sent to a device, and executes that. Answers `ok 0` and the buffers,
 * `bad STATUS MESSAGE`, and `skip REASON` once if there is no driver. A launch
 * that fails is the last one. The keys are the driver's. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef XK_HAVE_CL
#include "tests/driver/cl.h"
#endif
#include "tests/driver/follow.h"
#include "tests/driver/ze.h"
#include "xekern/status.h"

struct request {
    char platform[16], path[512], kernel[256];
    struct ze_job job;
    void *file;
    uint8_t *bytes[ZE_ARGS_MAX];
    const char *wrong; /* of the replay */
};

static struct ze_driver z;
static bool through_cl;
#ifdef XK_HAVE_CL
static struct cl_driver cl;
#endif
static struct follow capture;

static void *read_file(const char *path, size_t *n_b)
{
    FILE *const f = fopen(path, "rb");
    uint8_t *p = NULL;
    long end = -1;
    if (f && !fseek(f, 0, SEEK_END))
        end = ftell(f);
    if (end > 0 && !fseek(f, 0, SEEK_SET))
        p = malloc((size_t)end);
    *n_b = p ? fread(p, 1, (size_t)end, f) : 0;
    if (f)
        fclose(f);
    return p;
}

static unsigned digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

/* `b ELEMENT HEX`, `v HEX` or `l BYTES` */
static bool read_arg(struct request *r, uint32_t k, const char *line)
{
    struct ze_job *const j = &r->job;
    uint64_t n = 0;
    if (line[0] == 'l') {
        j->is_local[k] = true;
        j->size_b[k] = strtoull(line + 2, NULL, 10);
        return true;
    }
    uint8_t *const p = r->bytes[k] = malloc(strlen(line) / 2 + 1);
    if (!p)
        return false;
    const char *const hex = line[0] == 'b' ? strchr(line + 2, ' ') : line + 1;
    for (const char *s = hex ? hex + 1 : ""; s[0] && s[0] != '\n' && s[1];
         s += 2)
        p[n++] = (uint8_t)(digit(s[0]) << 4 | digit(s[1]));
    j->size_b[k] = n;
    *(line[0] == 'b' ? &j->data[k] : &j->value[k]) = p;
    return true;
}

static bool read_request(struct request *r)
{
    struct ze_job *const j = &r->job;
    char *line = NULL;
    size_t cap = 0;
    *r = (struct request){.wrong = NULL};
    bool good =
        getline(&line, &cap, stdin) > 0 &&
        sscanf(line, "%15s %511s %*s %255s %u %u %u %u %u %u %u", r->platform,
               r->path, r->kernel, &j->groups[0], &j->groups[1], &j->groups[2],
               &j->local[0], &j->local[1], &j->local[2], &j->n_args) == 10 &&
        j->n_args <= ZE_ARGS_MAX;
    for (uint32_t k = 0; good && k < j->n_args; k++)
        good = getline(&line, &cap, stdin) > 1 && read_arg(r, k, line);
    free(line);
    j->kernel = r->kernel;
    if (good)
        j->zebin = r->file = read_file(r->path, &j->zebin_b);
    return good && r->file;
}

static void free_request(struct request *r)
{
    for (uint32_t k = 0; k < ZE_ARGS_MAX; k++)
        free(r->bytes[k]);
    free(r->file);
}

/* The buffers as the replay leaves them. */
static void replay(void *user, void *const *memory)
{
    struct request *const r = user;
    const unsigned before = capture.n_launches;
    r->wrong = follow_on(&capture);
    if (!r->wrong && capture.n_launches != before + 1)
        r->wrong = "the capture has not one launch";
    for (uint32_t k = 0; k < r->job.n_args && !r->wrong; k++)
        if (r->job.data[k] &&
            xk_replay_read(capture.replay, (uintptr_t)memory[k], r->bytes[k],
                           r->job.size_b[k]) < 0)
            r->wrong = capture.c->error.message;
}

static void answer(const struct request *r)
{
    printf("ok 0\n");
    for (uint32_t k = 0; k < r->job.n_args; k++) {
        if (!r->job.data[k])
            continue;
        for (uint64_t i = 0; i < r->job.size_b[k]; i++)
            printf("%02x", r->bytes[k][i]);
        printf("\n");
    }
    fflush(stdout);
}

/* NULL, or the call that failed with *result. */
static const char *launch(const struct ze_job *job, int *result)
{
    ze_result_t ze_result = ZE_RESULT_SUCCESS;
#ifdef XK_HAVE_CL
    if (through_cl)
        return cl_run(&cl, job, result);
#endif
    const char *const failed = ze_run(&z, job, &ze_result);
    *result = (int)ze_result;
    return failed;
}

static const char *open_driver(const struct ze_setup *setup)
{
#ifdef XK_HAVE_CL
    if (through_cl)
        return cl_open_as(&cl, setup);
#endif
    return through_cl ? "the OpenCL headers are not installed"
                      : ze_open_as(&z, setup);
}

static void close_driver(void)
{
#ifdef XK_HAVE_CL
    if (through_cl)
        cl_close(&cl);
#endif
    if (!through_cl)
        ze_close(&z);
}

/* False after a failure. */
static bool serve(struct request *r)
{
    int result = 0;
    r->job.any_n_args = true;
    r->job.launched = replay;
    r->job.user = r;
    const char *const failed = launch(&r->job, &result);
    if (!failed && !r->wrong) {
        answer(r);
        return true;
    }
    if (failed)
        printf("bad XK_EIO driver: 0x%x from %s\n", (unsigned)result, failed);
    else
        printf("bad %s %s\n", xk_status_str(xk_ctx_status(capture.c)),
               r->wrong);
    fflush(stdout);
    return false;
}

int main(int argc, char **argv)
{
    static const char *const keys[][2] = {{"EnableLocalMemory", "0"}};
    const bool pvc = argc > 1 && !strcmp(argv[1], "xehpc");
    const char *absent = follow_open(&capture, NULL);
    const struct ze_setup setup = {.product = pvc ? "pvc" : "dg2",
                                   .hardware = pvc ? "8x8x8" : "8x4x16",
                                   .capture = capture.path,
                                   .keys = keys,
                                   .n_keys = 1};
    for (int i = 2; i < argc; i++)
        if (!strcmp(argv[i], "opencl"))
            through_cl = true;
        else if (putenv(argv[i]))
            absent = "no environment";
    if (!absent)
        absent = open_driver(&setup);
    if (absent) {
        printf("skip %s\n", absent);
        follow_close(&capture);
        return 77;
    }
    struct request r;
    bool good = true;
    while (good && read_request(&r)) {
        good = serve(&r);
        free_request(&r);
    }
    close_driver();
    follow_close(&capture);
    return good ? 0 : 1;
}
