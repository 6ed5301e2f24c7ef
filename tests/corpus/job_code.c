/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/corpus/job_code.h"

#include <stdlib.h>
#include <string.h>

bool job_code_read(struct job_code *c, const struct job *j)
{
    struct corpus_file file = {0}, code = {0};
    if (!job_read_file(j->path, &file) || !job_read_file(j->code, &code))
        return false;
    free(c->file);
    c->file = file.data;
    c->file_b = file.n_b;
    c->code = memmem(file.data, file.n_b, code.data, code.n_b);
    c->code_b = code.n_b;
    c->p = xk_platform_find(j->platform);
    free(code.data);
    return c->code && c->p;
}

void job_code_decode(struct job_code *c)
{
    c->n = 0;
    for (uint32_t at = 0; at < c->code_b && c->n < JOB_MOST_INSTS;) {
        struct job_inst *const l = &c->inst[c->n];
        struct xk_error err;
        size_t used_b = 0;
        if (xk_inst_decode(c->p, c->code + at, c->code_b - at, &l->in, &used_b,
                           &err) != XK_OK)
            break;
        l->at_b = at;
        l->n_b = (uint32_t)used_b;
        at += l->n_b;
        c->n++;
    }
}

void job_code_fini(struct job_code *c)
{
    free(c->file);
    c->file = NULL;
}
