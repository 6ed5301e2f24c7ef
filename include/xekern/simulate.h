/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator for tools: what it records and checks while it runs, code
 * without a container, and launches that Intel's driver wrote down. It may
 * change until 1.0. */
#ifndef XK_XEKERN_SIMULATE_H
#define XK_XEKERN_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xekern/device.h"
#include "xekern/inspect.h"
#include "xekern/timing.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An instruction of a kernel after a launch. Strings live during the call. */
struct xk_simulate_inst {
    uint32_t offset_b; /* in the kernel's code */
    const char *text;
    const char *opcode;  /* "mad" */
    const char *message; /* sends: in words; "" otherwise */
    uint64_t executed;   /* over all threads */
    uint64_t lanes;      /* channels that were active then, summed */
};
typedef void xk_simulate_inst_fn(void *user,
                                 const struct xk_simulate_inst *inst);

/* An error that hardware would punish. Strings live during the call. */
struct xk_simulate_party {
    uint32_t group[3], thread;
    uint32_t offset_b; /* of the instruction; UINT32_MAX: none */
    const char *text;  /* the instruction; "" if there is none */
};
struct xk_simulate_finding {
    const char *check; /* "mem", "race", "init", "sync", "hazard", "fault" */
    const char *kernel, *why;
    const char *what; /* "memory", "SLM", "scratch", a register's name, or "" */
    uint64_t address; /* of memory, SLM, scratch */
    uint32_t n_b;
    uint32_t n_parties; /* who noticed, and whom it collided with */
    struct xk_simulate_party party[2];
    const char *line; /* all of it as one line of text */
};
typedef void xk_simulate_finding_fn(void *user,
                                    const struct xk_simulate_finding *f);

/* Word k of the checks below, in a fixed order; NULL behind the last one. */
XK_API const char *xk_simulate_check_at(uint32_t k);

/* What is recorded and checked during a launch. If all fields are zero, only a
 * fault of memory is noticed, and it ends the launch. */
struct xk_simulate_opts {
    uint64_t inst_limit; /* per hardware thread; 0 = 2^28 */
    /* Words joined by commas, such as "mem,race"; NULL is "none". A launch with
     * findings ends with XK_EFAULT. */
    const char *checks;
    uint32_t most_findings; /* 0 = 20 */
    uint64_t hazard_seed;   /* 0: worst case; else random legal latencies */
    /* 0: groups start in the order of their numbers, x fastest; else in another
     * order that this draws. Also without checks. */
    uint64_t group_seed;
    bool hazard_strict; /* no guarantee that only compilers rely on */
    xk_simulate_finding_fn *found; /* after the launch; NULL: only the status */
    /* Called for each executed instruction, with the registers that it changed.
     * The launch then uses one host thread. */
    xk_write_fn trace;
    void *trace_user;
    bool trace_one; /* only trace_thread of trace_group */
    uint32_t trace_group[3], trace_thread;
    /* Called after each launch, whether it succeeded or not: once for each
     * instruction of its code, in the order of the offsets. */
    xk_simulate_inst_fn *inst;
    void *user; /* of found, inst and timed */
    /* The machine whose time is predicted (xekern/timing.h); "" is the first
     * one of the platform, NULL predicts nothing. */
    const char *timing;
    uint32_t timing_waves; /* of a core, in detail; 0: some, UINT32_MAX: all */
    xk_timing_fn *timed;   /* after each launch that ended well */
    /* Only the time is wanted. Multiply-adds of floats and of bytes are not
     * computed, and groups that the model does not need are left out, so the
     * output of the launch has no meaning. The time is the same as long as no
     * address and no branch depends on a multiply-add. */
    bool timing_only;
    /* A lower bound of that time, except for the anomalies that docs/timing.md
     * counts. The other cores' groups are left out as well, and all memory is
     * in L2. */
    bool timing_bound;
};

/* Sets what is recorded and checked in later launches of d, a device of engine
 * "sim". What *o points to must live as long as such launches run. NULL turns
 * everything off. */
XK_API enum xk_status xk_simulate_configure(xk_device *d,
                                            const struct xk_simulate_opts *o,
                                            struct xk_error *err);

/* Facts about raw instructions that a container would give. Arguments lie one
 * behind the other, each at a multiple of its size. Pointers have 8 bytes. */
struct xk_simulate_code {
    uint32_t simd, grf_count; /* 0: 16, 128 */
    uint32_t barriers, slm_b, scratch_b;
    uint32_t inline_b; /* of the arguments that arrive in registers */
    bool local_ids;    /* x, y, z before them */
    uint32_t n_args;
    const uint32_t *arg_b; /* bytes of each; 0: a size of local memory */
    const bool *pointers;  /* which of them are; NULL: none */
};
/* A module with one kernel, "code"; the bytes are copied. */
XK_API XK_GIVE enum xk_status
xk_simulate_module(xk_device *d, const void *code, size_t code_b,
                   const struct xk_simulate_code *facts, xk_module **out,
                   struct xk_error *err);

/* Executes captures, which Intel's driver writes in AUB capture mode. The
 * launches run while the capture is read, with the driver's own page tables,
 * state and payload. */
typedef struct xk_capture xk_capture;

struct xk_capture_launch {
    uint64_t start_va; /* of the kernel's first instruction */
    uint32_t groups[3];
    uint32_t local[3]; /* 1, 1, 1 if the hardware makes no ids */
    uint32_t threads_per_group, simd;
    struct xk_launch_stats stats; /* zero before the launch */
};
struct xk_capture_opts {
    const char *platform;  /* NULL: the capture says */
    uint32_t n_threads;    /* of the host; 0 = all cores */
    uint64_t max_memory_b; /* of the captured device; 0 = 16 GiB */
    const struct xk_simulate_opts *look; /* borrowed; may be NULL */
    /* Around each launch; may be NULL. */
    void (*begins)(void *user, const struct xk_capture_launch *l);
    void (*ended)(void *user, const struct xk_capture_launch *l);
    void *user;
};
XK_API XK_GIVE enum xk_status xk_capture_create(const struct xk_capture_opts *o,
                                                xk_capture **out,
                                                struct xk_error *err);
XK_API void xk_capture_destroy(xk_capture *c); /* NULL is fine */
/* Executes the next bytes of the capture, which may be cut anywhere. An error
 * names the packet, the command or the instruction; all later calls fail with
 * it too. */
XK_API enum xk_status xk_capture_feed(xk_capture *c, const void *bytes,
                                      size_t n_b, struct xk_error *err);
/* XK_EPARSE if the capture ends inside a packet. */
XK_API enum xk_status xk_capture_end(xk_capture *c, struct xk_error *err);
/* A name such as "xehpg"; NULL before the capture has named its device. */
XK_API const char *xk_capture_platform(const xk_capture *c);
/* Memory at a virtual address of the context that submitted last; XK_EFAULT
 * where nothing is mapped. */
XK_API enum xk_status xk_capture_read(const xk_capture *c, uint64_t va,
                                      void *dst, uint64_t n_b,
                                      struct xk_error *err);

#ifdef __cplusplus
}
#endif
#endif
