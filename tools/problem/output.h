/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a tool writes, and its standard output. A file gets its name
 * only when all of it is on the disk. Until then it is a temporary file in the
 * same folder; a signal that ends the tool removes it, except SIGKILL. Devices
 * and pipes are written directly. */
#ifndef XK_TOOLS_PROBLEM_OUTPUT_H
#define XK_TOOLS_PROBLEM_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "xekern/status.h"

struct xk_tool_output {
    FILE *f;           /* NULL: not open */
    const char *field; /* for messages; the caller's */
    const char *path;  /* as the user wrote it; the caller's */
    char *target;      /* with symbolic links resolved; NULL: stdout */
    char *temporary;   /* NULL: written directly */
};

/* "-" is standard output. On failure nothing is open. */
enum xk_status xk_tool_output_open(struct xk_tool_output *o, const char *field,
                                   const char *path, struct xk_error *err);
/* Puts the file on the disk under its name. A file that cannot be written
 * whole is removed. Does nothing if o is not open. */
enum xk_status xk_tool_output_commit(struct xk_tool_output *o,
                                     struct xk_error *err);
/* Removes what was written. Does nothing if o is not open. */
void xk_tool_output_drop(struct xk_tool_output *o);

/* Opens, writes, commits. */
enum xk_status xk_tool_output_write(const char *field, const char *path,
                                    const void *bytes, size_t n_b,
                                    struct xk_error *err);

/* A file that the command line names. */
struct xk_tool_file_use {
    const char *field; /* of the option or argument */
    const char *path;  /* NULL: not given */
    bool written;
};
/* Refuses an output that is also another output or an input. */
enum xk_status xk_tool_files_distinct(const struct xk_tool_file_use *use,
                                      size_t n, struct xk_error *err);

/* Whether a file is in a folder, or deeper; false if either does not exist. */
bool xk_tool_is_below(const char *path, const char *folder);

/* Called first in main. If the caller closed a standard stream, the next file
 * that is opened must not take its place. */
void xk_tool_standard_begin(void);
/* Called last in main. Returns the exit code: 1 instead of 0 if standard output
 * could not be written. */
int xk_tool_standard_end(const char *tool, int code);

#endif
