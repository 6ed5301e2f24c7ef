/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/corpus/launch_job.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES 4

static struct {
    char platform[16];
    xk_device *d;
} devices[MAX_DEVICES];

static char *line;
static size_t line_b;

xk_device *job_device(const char *platform, struct xk_error *err)
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

bool job_read_file(const char *path, struct corpus_file *out)
{
    FILE *const f = fopen(path, "rb");
    *out = (struct corpus_file){NULL, 0};
    if (f && fseek(f, 0, SEEK_END) == 0) {
        out->n_b = (size_t)ftell(f);
        rewind(f);
        out->data = malloc(out->n_b + 1);
        if (out->data && fread(out->data, 1, out->n_b, f) != out->n_b) {
            free(out->data);
            out->data = NULL;
        }
    }
    if (f)
        fclose(f);
    return out->data;
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

static bool read_arg(struct job *j, unsigned k, FILE *f)
{
    char *hex;
    if (getline(&line, &line_b, f) < 0)
        return false;
    if (line[0] == 'l') {
        j->arg[k].size_b = (uint32_t)strtoul(line + 2, NULL, 10);
        return true;
    }
    hex = line + 2;
    j->is_buffer[k] = line[0] == 'b';
    if (j->is_buffer[k]) {
        j->element_b[k] = (uint32_t)strtoul(hex, &hex, 10);
        hex++;
    }
    j->data[k] = from_hex(hex, &j->size_b[k]);
    if (!j->is_buffer[k])
        j->arg[k] = (struct xk_launch_arg){.value = j->data[k],
                                           .size_b = (uint32_t)j->size_b[k]};
    return j->data[k];
}

bool job_read(struct job *j, FILE *f)
{
    job_fini(j);
    if (getline(&line, &line_b, f) <= 0 ||
        sscanf(line, "%15s %511s %511s %255s %u %u %u %u %u %u %u", j->platform,
               j->path, j->code, j->kernel, &j->groups[0], &j->groups[1],
               &j->groups[2], &j->local[0], &j->local[1], &j->local[2],
               &j->n) != 11 ||
        j->n > MAX_ARGS)
        return false;
    for (unsigned k = 0; k < j->n; k++)
        if (!read_arg(j, k, f))
            return false;
    return true;
}

void job_drop_buffers(struct job *j)
{
    for (unsigned k = 0; k < j->n; k++) {
        xk_buffer_unref(j->arg[k].buffer);
        j->arg[k].buffer = NULL;
    }
}

void job_fini(struct job *j)
{
    job_drop_buffers(j);
    for (unsigned k = 0; k < j->n; k++)
        free(j->data[k]);
    memset(j, 0, sizeof *j);
}

enum xk_status job_make_buffer(struct job *j, unsigned k, xk_device *d,
                               const struct job_room *behind,
                               struct xk_error *err)
{
    const struct job_room r = behind ? *behind : (struct job_room){0};
    const uint64_t n_b = j->size_b[k] - r.less_b;
    const uint32_t room_b = r.room_b;
    uint8_t room[4096];
    if (!j->is_buffer[k])
        return XK_OK;
    enum xk_status s =
        xk_buffer_create(d, n_b + room_b, &j->arg[k].buffer, err);
    if (s == XK_OK)
        s = xk_buffer_write(j->arg[k].buffer, 0, j->data[k], n_b, err);
    memset(room, r.fill, sizeof room);
    if (s == XK_OK && room_b)
        s = xk_buffer_write(j->arg[k].buffer, n_b, room,
                            room_b < sizeof room ? room_b : sizeof room, err);
    return s;
}
