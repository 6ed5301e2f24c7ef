/* SPDX-License-Identifier: Apache-2.0 */
/* Launches kernels through the library's device interface, as run_kernels.py
 * asks on standard input:
 *   PLATFORM FILE KERNEL GX GY GZ LX LY LZ N      groups, work items per group
 * then N lines `b HEX` (buffer), `v HEX` (value) or `l BYTES` (local memory).
 * Answers `ok` and the buffers as a line of hexadecimal each, or `bad STATUS
 * MESSAGE`. Devices and the last module are kept. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xekern/device.h"

#define MAX_ARGS 32
#define MAX_DEVICES 4

static struct {
    char platform[16];
    xk_device *d;
} devices[MAX_DEVICES];

static struct {
    char path[512];
    xk_device *d;
    xk_module *m;
} last;

struct job {
    char platform[16], path[512], kernel[256];
    uint32_t groups[3], local[3];
    unsigned n;
    struct xk_launch_arg arg[MAX_ARGS];
    uint8_t value[MAX_ARGS][256];
    uint64_t size_b[MAX_ARGS];
};

static xk_device *device_of(const char *platform, struct xk_error *err)
{
    for (unsigned k = 0; k < MAX_DEVICES; k++) {
        if (devices[k].d && strcmp(devices[k].platform, platform) == 0)
            return devices[k].d;
        if (devices[k].d)
            continue;
        snprintf(devices[k].platform, sizeof devices[k].platform, "%s",
                 platform);
        xk_device_create("sim", platform, 1, &devices[k].d, err);
        return devices[k].d;
    }
    return NULL;
}

static uint8_t *read_file(const char *path, size_t *n_b)
{
    FILE *f = fopen(path, "rb");
    uint8_t *p = NULL;
    if (!f)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0) {
        *n_b = (size_t)ftell(f);
        rewind(f);
        p = malloc(*n_b + 1);
        if (p && fread(p, 1, *n_b, f) != *n_b) {
            free(p);
            p = NULL;
        }
    }
    fclose(f);
    return p;
}

static xk_module *module_of(xk_device *d, const char *path,
                            struct xk_error *err)
{
    size_t n_b;
    if (last.m && last.d == d && strcmp(last.path, path) == 0)
        return last.m;
    xk_module_unref(last.m);
    last.m = NULL;
    uint8_t *const file = read_file(path, &n_b);
    if (!file) {
        snprintf(err->message, sizeof err->message, "cannot read the file");
        return NULL;
    }
    xk_module_create(d, file, n_b, &last.m, err);
    free(file);
    last.d = d;
    snprintf(last.path, sizeof last.path, "%s", path);
    return last.m;
}

static unsigned digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

/* Bytes of a line of hexadecimal; *n_b how many. */
static uint8_t *from_hex(const char *s, uint64_t *n_b)
{
    uint8_t *const p = malloc(strlen(s) / 2 + 1);
    *n_b = 0;
    for (; p && s[0] && s[1] && s[0] != '\n'; s += 2)
        p[(*n_b)++] = (uint8_t)(digit(s[0]) << 4 | digit(s[1]));
    return p;
}

static bool read_arg(struct job *j, unsigned k, xk_device *d, const char *line,
                     struct xk_error *err)
{
    struct xk_launch_arg *const a = &j->arg[k];
    *a = (struct xk_launch_arg){.buffer = NULL};
    if (line[0] == 'l') {
        a->size_b = (uint32_t)strtoul(line + 2, NULL, 10);
        return true;
    }
    uint8_t *const data = from_hex(line + 2, &j->size_b[k]);
    bool good = data != NULL;
    if (good && line[0] == 'b') {
        good = xk_buffer_create(d, j->size_b[k], &a->buffer, err) == XK_OK &&
               xk_buffer_write(a->buffer, 0, data, j->size_b[k], err) == XK_OK;
    } else if (good) {
        memcpy(j->value[k], data, j->size_b[k] < 256 ? j->size_b[k] : 256);
        a->value = j->value[k];
        a->size_b = (uint32_t)j->size_b[k];
    }
    free(data);
    return good;
}

static void show_buffer(const struct job *j, unsigned k)
{
    struct xk_error err;
    uint8_t *const p = malloc(j->size_b[k]);
    if (!p || xk_buffer_read(j->arg[k].buffer, 0, p, j->size_b[k], &err) < 0)
        printf("?");
    for (uint64_t i = 0; p && i < j->size_b[k]; i++)
        printf("%02x", p[i]);
    printf("\n");
    free(p);
}

static void answer(const struct job *j, enum xk_status s,
                   const struct xk_error *err)
{
    if (s != XK_OK)
        printf("bad %d %s\n", s, err->message);
    else
        printf("ok\n");
    for (unsigned k = 0; s == XK_OK && k < j->n; k++)
        if (j->arg[k].buffer)
            show_buffer(j, k);
    fflush(stdout);
}

static bool run_job(struct job *j, char **line, size_t *room)
{
    struct xk_error err = {.message = ""};
    xk_device *const d = device_of(j->platform, &err);
    xk_module *const m = d ? module_of(d, j->path, &err) : NULL;
    enum xk_status s = m ? XK_OK : XK_EINVAL;
    for (unsigned k = 0; k < j->n; k++) {
        if (getline(line, room, stdin) < 0)
            return false;
        if (d && !read_arg(j, k, d, *line, &err))
            s = XK_EINVAL;
    }
    if (s == XK_OK)
        s = xk_launch(m, j->kernel, j->groups, j->local, j->n, j->arg, NULL,
                      &err);
    answer(j, s, &err);
    for (unsigned k = 0; k < j->n; k++)
        xk_buffer_unref(j->arg[k].buffer);
    return true;
}

int main(void)
{
    static struct job j;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        memset(&j, 0, sizeof j);
        if (sscanf(line, "%15s %511s %255s %u %u %u %u %u %u %u", j.platform,
                   j.path, j.kernel, &j.groups[0], &j.groups[1], &j.groups[2],
                   &j.local[0], &j.local[1], &j.local[2], &j.n) != 10 ||
            j.n > MAX_ARGS || !run_job(&j, &line, &room))
            break;
    }
    free(line);
    xk_module_unref(last.m);
    for (unsigned k = 0; k < MAX_DEVICES; k++)
        xk_device_unref(devices[k].d);
    return 0;
}
