/* SPDX-License-Identifier: Apache-2.0 */
/* A program of three launches for clients that launch it through an API of
 * their own: P = A * B, Q = P * C, R = Q * D, of small whole numbers. P and Q
 * are scratch. */
#ifndef XK_TESTS_DRIVER_CHAIN_H
#define XK_TESTS_DRIVER_CHAIN_H

#include "xekern/formulas.h"

/* The program's arguments by number: four to read, and R. */
enum { CHAIN_R = 4, CHAIN_ARGS };

/* For a platform by its name. XK_EUNSUPPORTED: the library has no kernels for
 * it. */
enum xk_status chain_make(const char *platform, xk_program **p,
                          struct xk_error *err);
/* The bytes of an argument, zeros of R; to be freed. */
float *chain_data(const xk_program *p, uint32_t number);
/* How many elements of R are wrong. */
int chain_wrong(const float *r);

#endif
