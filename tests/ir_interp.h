/* SPDX-License-Identifier: Apache-2.0 */
/* Reference executor of IR kernels for tests: runs one hardware thread on byte
 * arrays. It follows the definitions in ir/func.def and ir/stmt.h literally
 * (PIPE by its definition, no copies) and shares no code with passes, codegen
 * or sim. It stops at the first illegal act: an access outside a buffer or a
 * register allocation, a read of registers that nothing wrote, a division by
 * zero, an unbound variable. */
#ifndef XK_TESTS_IR_INTERP_H
#define XK_TESTS_IR_INTERP_H

#include "ir/stmt.h"

#define XK_INTERP_MAX_LANES 64

struct xk_interp_args {
    /* GLOBAL parameters, by parameter index; memory is read and written. */
    struct {
        void *data;
        size_t size_b;
    } buffer[XK_KERNEL_MAX_PARAMS];
    int64_t value[XK_KERNEL_MAX_PARAMS]; /* VALUE parameters (integers) */
    int32_t group[3], thread;
    unsigned grf_b; /* what scattered components are padded to; 0: 32 */
    /* cast of s32 to 64 bits fills with zeros. Addresses that are only right
     * with sign extension come out wrong, in enabled lanes. */
    bool zero_extend;
    bool uninit_ok; /* reading unwritten registers gives 0xa5 bytes */
};

struct xk_interp_report {
    char message[256];                 /* of the fault; "" if there was none */
    uint64_t n_stmts, n_sends, n_mads; /* executed */
    /* Expression nodes evaluated (leaves not counted): a measure of work. */
    uint64_t n_ops;
    uint64_t load_b, store_b; /* bytes moved by enabled lanes */
};

/* XK_EFAULT with report->message if the kernel does something illegal. */
enum xk_status xk_interp_run(xk_ctx *c, const struct xk_kernel *k,
                             const struct xk_interp_args *args,
                             struct xk_interp_report *report);

#endif
