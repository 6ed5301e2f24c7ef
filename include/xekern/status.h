/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes and the error record shared by all public headers. */
#ifndef XK_XEKERN_STATUS_H
#define XK_XEKERN_STATUS_H

#if defined(__GNUC__)
#define XK_API __attribute__((visibility("default")))
#define XK_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define XK_API
#define XK_PRINTF(f, a)
#endif

/* Ownership notes for readers (docs/design.md); they expand to nothing. */
#define XK_GIVE
#define XK_TAKE
#define XK_KEEP

#ifdef __cplusplus
extern "C" {
#endif

/* 0 is success, every error is negative. New codes are appended only. */
enum xk_status {
    XK_OK = 0,
    XK_EINVAL = -1,       /* an argument or a field is wrong by itself */
    XK_EUNSUPPORTED = -2, /* well formed, but not implemented: says why */
    XK_ENOMEM = -3,       /* the allocator returned NULL */
    XK_ENOFIT = -4,       /* plan or registers do not fit: try another */
    XK_EPARSE = -5,       /* text or bytes do not follow their grammar */
    XK_EIO = -6,          /* a file could not be read or written */
    XK_EABSENT = -7,      /* the device or library is not on this machine */
    XK_EDEVICE = -8,      /* the device refused or failed */
    XK_EFAULT = -9,       /* simulated kernel did something illegal */
    XK_EINTERNAL = -10,   /* an error of this library, with what was violated */
};

/* Room for one sentence: what is wrong, with the field and the value. */
struct xk_error {
    enum xk_status status;
    char message[500];
};

/* The name of a code, as "XK_EINVAL"; never NULL. */
XK_API const char *xk_status_str(enum xk_status status);

#ifdef __cplusplus
}
#endif
#endif
