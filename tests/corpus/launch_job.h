/* SPDX-License-Identifier: Apache-2.0 */
/* A launch as tests/corpus/launch.py asks for it, on a stream:
 *   PLATFORM FILE CODE KERNEL GX GY GZ LX LY LZ N  groups, items per group
 * CODE is a file with the kernel's instructions; then N lines
 * `b ELEMENT_BYTES HEX` (buffer), `v HEX` (value) or `l BYTES` (local memory).
 */
#ifndef XK_TESTS_CORPUS_LAUNCH_JOB_H
#define XK_TESTS_CORPUS_LAUNCH_JOB_H

#include <stdio.h>

#include "tests/corpus/corpus.h"
#include "xekern/device.h"

#define MAX_ARGS 32

struct job {
    char platform[16], path[512], code[512], kernel[256];
    uint32_t groups[3], local[3];
    unsigned n;
    struct xk_launch_arg arg[MAX_ARGS]; /* buffers are made when it runs */
    bool is_buffer[MAX_ARGS];
    uint8_t *data[MAX_ARGS]; /* of a buffer or a value; NULL: local memory */
    uint64_t size_b[MAX_ARGS];
    uint32_t element_b[MAX_ARGS];
};

/* The next request, in place of what *j held; false at the end. */
bool job_read(struct job *j, FILE *f);
void job_fini(struct job *j);
/* A simulated device of the platform, one for each, kept. */
xk_device *job_device(const char *platform, struct xk_error *err);
/* A buffer less_b shorter than the request said, with room_b bytes of `fill`
 * behind. */
struct job_room {
    uint32_t less_b, room_b;
    int fill;
};
/* Makes argument k's buffer, if it is one; room NULL: of its size. */
enum xk_status job_make_buffer(struct job *j, unsigned k, xk_device *d,
                               const struct job_room *room,
                               struct xk_error *err);
void job_drop_buffers(struct job *j);
/* All of a file; the caller frees data. */
bool job_read_file(const char *path, struct corpus_file *out);

#endif
