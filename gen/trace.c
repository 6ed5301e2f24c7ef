/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/trace.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const stage_names[XK_N_STAGES] = {
    "views",  "schedule", "plan",  "nest", "ir",
    "passes", "asm",      "zebin", "order"};

enum { FOLDER_B = 192 }; /* a problem's folder: a number, its name, two more */

static struct {
    unsigned stages;
    bool verbose, verify, default_dir;
    struct xk_error error;
    char dir[sizeof(((struct xk_trace *)NULL)->dir) - FOLDER_B];
} env;
static pthread_once_t env_once = PTHREAD_ONCE_INIT;
static atomic_uint problem_count;

static void keep(struct xk_error *e, enum xk_status status, const char *fmt,
                 ...) XK_PRINTF(3, 4);

/* Keeps the first error. */
static void keep(struct xk_error *e, enum xk_status status, const char *fmt,
                 ...)
{
    va_list ap;
    if (e->status)
        return;
    e->status = status;
    va_start(ap, fmt);
    vsnprintf(e->message, sizeof(e->message), fmt, ap);
    va_end(ap);
}

static void unknown_stage(const char *name, size_t n)
{
    char words[128] = "all";
    size_t at = strlen(words);
    for (unsigned i = 0; i < XK_N_STAGES && at < sizeof(words); i++)
        at += (size_t)snprintf(words + at, sizeof(words) - at, ", %s",
                               stage_names[i]);
    keep(&env.error, XK_EINVAL, "XK_DUMP: '%.*s' is no stage: %s", (int)n, name,
         words);
}

/* "views,asm" or "all". */
static unsigned parse_stages(const char *list)
{
    unsigned bits = 0;
    while (*list) {
        const size_t n = strcspn(list, ",");
        unsigned hit = 0;
        for (unsigned i = 0; i < XK_N_STAGES; i++)
            if (strlen(stage_names[i]) == n &&
                strncmp(stage_names[i], list, n) == 0)
                hit = 1u << i;
        if (n == 3 && strncmp(list, "all", 3) == 0)
            hit = (1u << XK_N_STAGES) - 1;
        if (!hit)
            unknown_stage(list, n < 40 ? n : 40);
        bits |= hit;
        list += n + (list[n] == ',');
    }
    return bits;
}

/* "1", or "0", as nothing at all. */
static bool says_yes(const char *variable)
{
    const char *const value = secure_getenv(variable);
    if (!value || !*value || !strcmp(value, "0"))
        return false;
    if (strcmp(value, "1") != 0)
        keep(&env.error, XK_EINVAL, "%s: '%.40s' is neither 1 nor 0", variable,
             value);
    return true;
}

/* What does not fit is no other directory: then nothing is dumped. */
static void read_dir(void)
{
    const char *const given = secure_getenv("XK_DUMP_DIR");
    env.default_dir = !given || !*given;
    if (!env.default_dir && !env.stages && !env.error.status)
        fprintf(stderr, "XK_DUMP_DIR: nothing is written without XK_DUMP, "
                        "which names the stages or all\n");
    const char *const dir = env.default_dir ? "xk_dump" : given;
    if (strlen(dir) < sizeof(env.dir)) {
        strcpy(env.dir, dir);
        return;
    }
    if (env.stages)
        keep(&env.error, XK_EINVAL, "XK_DUMP_DIR: longer than %zu bytes",
             sizeof(env.dir) - 1);
    env.stages = 0;
}

static void read_env(void)
{
    const char *const dump = secure_getenv("XK_DUMP");
    env.verbose = says_yes("XK_VERBOSE");
    env.verify = says_yes("XK_VERIFY");
    env.stages = dump ? parse_stages(dump) : 0;
    read_dir();
}

void xk_trace_init(struct xk_trace *t, const struct xk_create_options *o,
                   const char *name)
{
    pthread_once(&env_once, read_env);
    memset(t, 0, sizeof(*t));
    t->verbose = env.verbose;
    t->verify = env.verify;
    t->wanted = env.stages;
    if (!o || !o->dump)
        t->error = env.error;
    if (o && o->dump) {
        t->dump = o->dump;
        t->dump_user = o->dump_user;
        t->wanted = (1u << XK_N_STAGES) - 1;
    }
    snprintf(t->name, sizeof(t->name), "%s", name);
    for (char *p = t->name; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_')
            *p = '-';
}

void xk_trace_set_launch(struct xk_trace *t, unsigned launch)
{
    t->launch = launch;
}

bool xk_trace_wants(const struct xk_trace *t, enum xk_stage_id s)
{
    return t->wanted >> s & 1;
}

static void make_dir(struct xk_trace *t)
{
    const unsigned n = atomic_fetch_add(&problem_count, 1);
    if (!n && env.default_dir)
        fprintf(stderr,
                "XK_DUMP: writes below %s; XK_DUMP_DIR names another folder\n",
                env.dir);
    mkdir(env.dir, 0777); /* may exist; put_file tells what matters */
    snprintf(t->dir, sizeof(t->dir), "%s/%03u-%s", env.dir, n, t->name);
    mkdir(t->dir, 0777);
}

static void put_file(struct xk_trace *t, enum xk_stage_id s, const void *data,
                     size_t n_b)
{
    char path[PATH_MAX], launch[16] = "";
    if (!t->dir[0])
        make_dir(t);
    if (t->launch)
        snprintf(launch, sizeof(launch), "-%u", t->launch);
    snprintf(path, sizeof(path), "%s/%02u-%s%s.%s", t->dir, (unsigned)s + 1,
             stage_names[s], launch, s == XK_STAGE_ZEBIN ? "bin" : "txt");
    errno = 0;
    FILE *const f = fopen(path, "wb");
    const bool ok = f && fwrite(data, 1, n_b, f) == n_b;
    const int why = errno;
    if (f && fclose(f) == 0 && ok)
        return;
    if (f)
        remove(path); /* no half of a file stays */
    keep(&t->error, XK_EIO, "XK_DUMP: %.300s: cannot be written: %s", path,
         strerror(why ? why : errno));
}

void xk_trace_put(struct xk_trace *t, enum xk_stage_id s, const void *data,
                  size_t n_b)
{
    if (!xk_trace_wants(t, s))
        return;
    if (t->dump)
        t->dump(t->dump_user, stage_names[s], data, n_b);
    else
        put_file(t, s, data, n_b);
}

void xk_trace_line(const struct xk_trace *t, const char *fmt, ...)
{
    char line[1024];
    if (!t->verbose)
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    fprintf(stderr, "%s\n", line);
}
