/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the arguments of a launch into cross-thread data, as .ze_info says. */
#ifndef XK_RUNTIME_ARGS_H
#define XK_RUNTIME_ARGS_H

#include "container/zebin_read.h"
#include "runtime/engine.h"

/* The device addresses of a launch's buffers and of the module's data. */
struct xk_args_places {
    uint64_t (*va_of)(const xk_buffer *b);
    uint64_t data_va[2]; /* of the module's constants and variables */
    uint64_t data_b[2];  /* their sizes */
};

/* Writes k->cross_thread_b bytes. *slm_b becomes the size of shared local
 * memory: the kernel's own and that of its arguments. */
enum xk_status xk_args_marshal(const struct xk_zkernel *k,
                               const struct xk_launch_desc *a,
                               const struct xk_args_places *places,
                               uint8_t *out, uint32_t *slm_b,
                               struct xk_error *err);

/* The kernel's surfaces and their number: first those of the binding table,
 * then those of bindless arguments, in the order of k->args. The arguments must
 * have been marshalled. */
unsigned xk_args_n_bound(const struct xk_zkernel *k);
void xk_args_bind(const struct xk_zkernel *k, const struct xk_launch_desc *a,
                  const struct xk_args_places *places,
                  struct xk_sim_bound *out);

#endif
