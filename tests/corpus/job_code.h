/* SPDX-License-Identifier: Apache-2.0 */
/* The code of a launch_job.h request inside its container, so that a test can
 * change it and launch what comes of that. */
#ifndef XK_TESTS_CORPUS_JOB_CODE_H
#define XK_TESTS_CORPUS_JOB_CODE_H

#include "isa/isa.h"
#include "tests/corpus/launch_job.h"

#define JOB_MOST_INSTS 4096

struct job_code {
    uint8_t *file; /* the container, private */
    uint8_t *code; /* the kernel's instructions in it */
    size_t file_b, code_b;
    const struct xk_platform *p;
    unsigned n;
    struct job_inst {
        struct xk_inst in;
        uint32_t at_b, n_b;
    } inst[JOB_MOST_INSTS];
};

/* In place of what *c held (all zero at first). False if it cannot be read. */
bool job_code_read(struct job_code *c, const struct job *j);
/* Fills n and inst, up to the first bytes that are no instruction. */
void job_code_decode(struct job_code *c);
void job_code_fini(struct job_code *c);

#endif
