/* SPDX-License-Identifier: Apache-2.0 */
/* peer FILE [FILTER [K/N]]: the lines of FILE that contain FILTER, of those
 * every N-th from the K-th, 1 the first. TAP; ends with 0 if none is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

enum verdict { PASSED, FAILED, ABSENT };

static bool needs_forward(const struct peer_case *c)
{
    return c->dir == PEER_BWD_D || c->dir == PEER_BWD_W;
}

static dnnl_status_t make_both(struct peer_run *forward, struct peer_run *r,
                               const struct peer_case *c,
                               const struct peer_engine *e)
{
    dnnl_status_t s = dnnl_success;
    const struct peer_run *from = NULL;
    if (needs_forward(c)) {
        s = peer_run_make(forward, c, e, true, NULL);
        from = forward;
    }
    return s == dnnl_success ? peer_run_make(r, c, e, false, from) : s;
}

/* The library's primitives of integers where it has them. */
static dnnl_status_t make_reference(struct peer_run *forward,
                                    struct peer_run *r,
                                    const struct peer_case *c,
                                    struct peer_engine *cpu)
{
    cpu->widened = false;
    dnnl_status_t s = make_both(forward, r, c, cpu);
    if (s == dnnl_success)
        return s;
    peer_run_free(forward);
    peer_run_free(r);
    cpu->widened = true;
    return make_both(forward, r, c, cpu);
}

struct result {
    enum verdict verdict;
    char what[256];
    char impl[128];
};

static void name_impl(const struct peer_run *r, char out[128])
{
    const char *name = "none";
    if (r->pd)
        dnnl_primitive_desc_query(r->pd, dnnl_query_impl_info_str, 0, &name);
    snprintf(out, 128, "%s", name);
}

static void run_case(const struct peer_case *c, struct peer_engine *gpu,
                     struct peer_engine *cpu, struct result *res)
{
    struct peer_run gf = {.n = 0}, g = gf, cf = gf, x = gf;
    dnnl_status_t s = make_both(&gf, &g, c, gpu);
    name_impl(&g, res->impl);
    res->verdict = FAILED;
    if (s == dnnl_unimplemented) {
        res->verdict = ABSENT;
        snprintf(res->what, 256, "the GPU engine has none");
    } else if (s != dnnl_success) {
        snprintf(res->what, 256, "the GPU engine says %d", (int)s);
    } else if ((s = make_reference(&cf, &x, c, cpu)) != dnnl_success) {
        snprintf(res->what, 256, "the CPU engine says %d", (int)s);
    } else if (peer_judge(c, &g, &x, res->what)) {
        res->verdict = PASSED;
    }
    peer_run_free(&g);
    peer_run_free(&gf);
    peer_run_free(&x);
    peer_run_free(&cf);
}

static bool open_engine(struct peer_engine *e, dnnl_engine_kind_t kind)
{
    const dnnl_status_t s = dnnl_engine_create(&e->engine, kind, 0);
    return s == dnnl_success &&
           dnnl_stream_create(&e->stream, e->engine,
                              dnnl_stream_default_flags) == dnnl_success;
}

static void tell(unsigned n, const char *line, const struct result *r)
{
    if (r->verdict == ABSENT)
        printf("ok %u - %s # SKIP %s\n", n, line, r->what);
    else
        printf("%sok %u - %s\n# %s\n", r->verdict == PASSED ? "" : "not ", n,
               line, r->impl);
    if (r->verdict == FAILED)
        printf("# %s\n", r->what);
    fflush(stdout);
}

static void run_line(const char *line, struct peer_engine e[2],
                     unsigned count[3])
{
    struct peer_case c;
    struct result r = {.verdict = FAILED};
    const char *const why = peer_case_read(&c, line);
    if (why)
        snprintf(r.what, 256, "%s", why);
    else
        run_case(&c, &e[0], &e[1], &r);
    count[r.verdict]++;
    tell(count[0] + count[1] + count[2], line, &r);
}

static bool is_case(char *line)
{
    line[strcspn(line, "\n")] = 0;
    return line[0] == '-';
}

int main(int argc, char **argv)
{
    struct peer_engine e[2] = {{.is_reference = false}, {.is_reference = true}};
    char line[1024];
    unsigned part = 1, parts = 1, count[3] = {0, 0, 0}, n = 0;
    FILE *const f = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!f || argc > 4 ||
        (argc > 3 && (sscanf(argv[3], "%u/%u", &part, &parts) != 2 || !part ||
                      part > parts))) {
        fprintf(stderr, "usage: peer FILE [FILTER [K/N]]\n");
        return 2;
    }
    if (!open_engine(&e[0], dnnl_gpu) || !open_engine(&e[1], dnnl_cpu)) {
        fprintf(stderr, "peer: no engine\n");
        return 2;
    }
    while (fgets(line, sizeof line, f)) {
        if (!is_case(line) || (argc > 2 && !strstr(line, argv[2])))
            continue;
        if (n++ % parts == part - 1)
            run_line(line, e, count);
    }
    fclose(f);
    printf("1..%u\n# %u passed, %u failed, %u skipped\n",
           count[0] + count[1] + count[2], count[PASSED], count[FAILED],
           count[ABSENT]);
    return count[FAILED] ? 1 : 0;
}
