/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/driver/follow.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE_B (1u << 20)

static void count(void *user, const struct xk_replay_launch *l)
{
    struct follow *const f = user;
    f->n_launches++;
    f->last = *l;
}

const char *follow_open(struct follow *f, const struct xk_simulate_opts *look)
{
    const struct xk_replay_config config = {
        .launched = count, .user = f, .look = look};
    *f = (struct follow){.folder = "/tmp/xk-capture-XXXXXX"};
    if (!mkdtemp(f->folder))
        return "no temporary directory";
    snprintf(f->path, sizeof f->path, "%s/all.aub", f->folder);
    f->c = xk_ctx_create(NULL);
    if (!f->c || xk_replay_create(f->c, &config, &f->replay) < 0)
        return "no memory for a replay";
    return NULL;
}

/* What has been read need not stay on the disk. */
static void forget(const struct follow *f, uint64_t from_b, uint64_t n_b)
{
    const int fd = open(f->path, O_WRONLY);
    if (fd < 0)
        return;
    if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from_b,
                  (off_t)n_b) != 0)
        (void)fd; /* only larger then */
    close(fd);
}

const char *follow_on(struct follow *f)
{
    const uint64_t from_b = f->n_read_b;
    char *const piece = malloc(PIECE_B);
    size_t n;
    if (!f->file)
        f->file = fopen(f->path, "rb");
    if (!f->file || !piece) {
        free(piece);
        return "the driver wrote no capture";
    }
    clearerr(f->file);
    while ((n = fread(piece, 1, PIECE_B, f->file)) > 0) {
        f->n_read_b += n;
        if (xk_replay_feed(f->replay, piece, n) < 0)
            break;
    }
    free(piece);
    forget(f, from_b, f->n_read_b - from_b);
    return xk_ctx_status(f->c) == XK_OK ? NULL : f->c->error.message;
}

void follow_close(struct follow *f)
{
    if (f->file)
        fclose(f->file);
    xk_replay_destroy(f->replay);
    xk_ctx_destroy(f->c);
    unlink(f->path);
    rmdir(f->folder);
    *f = (struct follow){.file = NULL};
}
