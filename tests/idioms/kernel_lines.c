/* SPDX-License-Identifier: Apache-2.0 */
/* describe: reads lines SIDE <tab> PLATFORM <tab> FILE on stdin, and for every
 * kernel of a file (a container or raw code) prints
 *   kernel <tab> SIDE <tab> PLATFORM <tab> hash of its code <tab> instructions
 * and its idioms, SITUATION <tab> TEXT, each once. What stands behind the last
 * EOT is no code. A file or an instruction that cannot be read is an error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctx.h"
#include "container/kernel_file.h"
#include "tests/idioms/idioms.h"

enum { N_SLOTS = 1 << 13 };

/* The lines of a kernel that were printed, by hash. */
struct printed {
    uint64_t slot[N_SLOTS];
    unsigned n;
};

static uint64_t hash_of(uint64_t h, const void *p, size_t n_b)
{
    const uint8_t *const b = p;

    for (size_t k = 0; k < n_b; k++)
        h = (h ^ b[k]) * UINT64_C(0x100000001b3);
    return h;
}

static void print_once(void *user, const char *situation, const char *text)
{
    struct printed *const p = user;
    const uint64_t h = hash_of(hash_of(UINT64_C(0xcbf29ce484222325), situation,
                                       strlen(situation)),
                               text, strlen(text)) |
                       1;
    unsigned at = (unsigned)(h >> 40) % N_SLOTS;

    while (p->slot[at] && p->slot[at] != h)
        at = (at + 1) % N_SLOTS;
    if (p->slot[at])
        return;
    p->slot[at] = h;
    if (++p->n > N_SLOTS / 2)
        abort(); /* a larger table, please */
    printf("%s\t%s\n", situation, text);
}

/* Decodes up to the last EOT. */
static bool decode(struct kernel *k, const uint8_t *code, size_t n_b)
{
    const size_t max = n_b / 8 + 1;
    struct xk_error err = {.message = ""};
    unsigned n = 0;

    k->inst = calloc(max, sizeof(*k->inst));
    k->msg = calloc(max, sizeof(*k->msg));
    k->n = 0;
    for (size_t at = 0, used; at < n_b; at += used) {
        if (xk_inst_decode(k->p, code + at, n_b - at, &k->inst[n], &used,
                           &err) < 0)
            break; /* good if it stands behind the end */
        if (xk_inst_is_send(&k->inst[n]))
            xk_msg_decode(k->p, &k->inst[n], &k->msg[n]);
        if (xk_inst_is_send(&k->inst[n++]) && k->inst[n - 1].send.eot)
            k->n = n;
    }
    if (!k->n)
        fprintf(stderr, "no end of thread: %s\n", err.message);
    return k->n > 0;
}

static bool describe(const struct xk_platform *p, const char *side,
                     const uint8_t *code, size_t n_b)
{
    struct printed *const printed = calloc(1, sizeof(*printed));
    struct lines l = {.take = print_once, .user = printed};
    struct kernel k = {.p = p};
    const bool good = decode(&k, code, n_b);

    xk_str_init(&l.text, NULL);
    if (good) {
        printf("kernel\t%s\t%s\t%016llx\t%u\n", side, p->name,
               (unsigned long long)hash_of(UINT64_C(0xcbf29ce484222325), code,
                                           n_b),
               k.n);
        tell_begin(&k, &l);
        tell_end(&k, &l);
        tell_barriers(&k, &l);
        tell_instructions(&k, &l);
        tell_messages(&k, &l);
    }
    xk_str_fini(&l.text);
    free(k.inst);
    free(k.msg);
    free(printed);
    return good;
}

static uint8_t *read_file(const char *path, size_t *n_b)
{
    FILE *const f = fopen(path, "rb");
    uint8_t *data = NULL;
    long size;

    if (f && !fseek(f, 0, SEEK_END) && (size = ftell(f)) > 0) {
        rewind(f);
        data = malloc((size_t)size);
        *n_b = data ? fread(data, 1, (size_t)size, f) : 0;
    }
    if (f)
        fclose(f);
    return data;
}

static bool take_file(const char *side, const char *platform, const char *path)
{
    size_t n_b = 0;
    uint8_t *const file = read_file(path, &n_b);
    xk_ctx *const c = xk_ctx_create(&xk_alloc_default);
    struct xk_kernel_file f;
    bool good =
        file && c && xk_kernel_file_open(c, file, n_b, platform, &f) == XK_OK;

    if (!good) {
        fprintf(stderr, "%s: cannot be read\n", path);
    } else {
        for (uint32_t n = 0; n < f.z.n_kernels; n++)
            if (!describe(f.platform, side, f.z.kernels[n].code,
                          f.z.kernels[n].code_b)) {
                fprintf(stderr, "%s: %s\n", path, f.z.kernels[n].name);
                good = false;
            }
        xk_kernel_file_fini(c, &f);
    }
    if (c)
        xk_ctx_destroy(c);
    free(file);
    return good;
}

int main(void)
{
    char line[4096];
    bool good = true;

    while (fgets(line, sizeof(line), stdin)) {
        char *save = NULL;
        const char *const side = strtok_r(line, "\t\n", &save);
        const char *const platform = strtok_r(NULL, "\t\n", &save);
        const char *const path = strtok_r(NULL, "\t\n", &save);
        good &= side && platform && path && take_file(side, platform, path);
    }
    return !good;
}
