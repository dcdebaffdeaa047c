/* SPDX-License-Identifier: Apache-2.0 */
/* A context: one OpenCL device, with a queue, what the device can do, and the programs built for
 * it. Every object lives in a context. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "clade/error.h"
#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A context: opaque. */
typedef struct clade_context clade_context;

/* What a device can do. It is asked and probed once, when the context is created. 0 means no. */
typedef struct clade_caps {
    uint32_t atomics;         /* CLADE_ATOMICS_C11, _PTX or _RMW: see docs/inside/memory-model.md */
    uint32_t int64_atomics;   /* 1: 64-bit read-modify-write atomics on global memory */
    uint32_t fp64;            /* 1: double */
    uint32_t is_cpu;          /* 1: work-groups run on host threads, their items one by one */
    uint32_t compute_units;   /* at least so many work-groups run at once */
    uint32_t group_size_max;  /* work-items in the largest work-group */
    uint32_t subgroup_size;   /* work-items that exchange registers; 0: no such exchange */
    uint32_t svm_atomics;     /* 1: fine-grained buffer SVM, with atomics that reach the host */
    uint32_t loop_limit;      /* iterations that all loops of a work-item may have together in one
                               * launch. After so many the driver ends them and tells nobody. 0: no
                               * such limit */
    uint64_t local_bytes;     /* bytes of local memory of a work-group */
    uint64_t alloc_bytes_max; /* bytes of the largest buffer, and so of the largest object */
    uint64_t global_bytes;    /* bytes of device memory in all */
    uint64_t reserved[8];     /* zero: see clade/error.h */
} clade_caps;

/* Where to run. A zero field means its default. The strings and handles are needed only until
 * clade_context_create() returns. */
typedef struct clade_context_params {
    /* "gpu", "cpu", "P:D" (platform and device index as `clade info` shows them), or a part of the
     * device's or platform's name, in upper or lower case. NULL: what $CLADE_DEVICE says. When that
     * is unset or empty: the first usable GPU, else the first usable CPU, else any device. */
    const char *device;

    /* Or OpenCL handles of your own, in place of `device`: `cl_context` and `cl_device` together,
     * and `cl_queue` if you like. clade retains them. The queue must be in-order. If yours is
     * out-of-order, leave `cl_queue` NULL: clade creates one, and the events of launches
     * (clade/array.h) put clade's calls and your commands in order. (The first type is spelled out,
     * because in C++ no member may have a name that was used as a type before it.) */
    struct _cl_context *cl_context;
    cl_device_id cl_device;    /* a device of it */
    cl_command_queue cl_queue; /* NULL: one is created */

    /* Colon-separated folders with clade's kernels. NULL: what $CLADE_KERNEL_PATH says, else the
     * folders of the installation or the source tree. */
    const char *kernel_path;

    /* The cache: a folder of built programs. "" switches it off. NULL: $CLADE_CACHE_DIR, else
     * $XDG_CACHE_HOME/clade, else $HOME/.cache/clade; the latter two only when they are absolute.
     * The folder is used if this user or root owns it and nobody else may write to it. PoCL has a
     * cache of its own, and would have to compile more for this one. So programs of PoCL are kept
     * only in a folder that was named, here or by $CLADE_CACHE_DIR. */
    const char *cache_dir;

    /* 1: create the queue with event profiling. Ignored when `cl_queue` is given. */
    int profiling;

    /* 1: use the atomics of OpenCL C 1.2 (CLADE_ATOMICS_RMW) and probe for no others. For tests */
    int force_rmw_atomics;

    /* More compiler options for every program, such as "-cl-opt-disable". NULL: what
     * $CLADE_BUILD_OPTIONS says, else none. */
    const char *build_options;

    /* A file of kernels compiled ahead of time (clade/archive.h). It is asked before the cache. It
     * is no error if the file is missing, damaged or made for something else. NULL: what
     * $CLADE_ARCHIVE says, else what `clade warm` left in the folder of the cache, or beside the
     * installed library; without a cache none. "": none. */
    const char *archive;

    /* A function that is called for each kernel that a call enqueues, in the thread of that call.
     * `data` is on_launch_data. The kernel and its event are borrowed; clRetainEvent() keeps the
     * event. With `profiling` the event has the kernel's times when it is done. The function must
     * not call anything of clade that uses the context. It is not called for runs that ask what
     * the device does (of a new context, and a heap's, which asks whether groups may be so
     * large), for what takes a failed append to a semi-linked list back, and by clade/mpi.
     * NULL: none. */
    void (*on_launch)(void *data, cl_kernel kernel, cl_event event);
    void *on_launch_data; /* for on_launch */

    /* A function that is called before a program is compiled, which may take seconds. A program
     * that is in memory, in the archive or in the cache is not compiled. `data` is on_compile_data.
     * `sentence` says what is compiled for which device; it is needed only until the function
     * returns. When the compiler is done, well or not, the function is called again, with NULL.
     * Both calls come in the thread that needs the program. When several threads use the context,
     * several calls may come at once. The function must not call anything of clade that uses the
     * context. PoCL compiles most of a kernel at its first launch; the function is not called for
     * that. NULL: none. */
    void (*on_compile)(void *data, const char *sentence);
    void *on_compile_data; /* for on_compile */
    uint64_t reserved[6];  /* zero: see clade/error.h */
} clade_context_params;

/**
 * Create a context: open a device.
 *
 * Devices that fit the description are tried in turn. One whose driver fails, or that lacks what
 * clade needs, is passed over. When none is left, the error has the reason for each.
 *
 * @param out     Receives the context; NULL on failure.
 * @param params  Where to run; NULL: all defaults.
 *
 * @retval CLADE_OK            `*out` is the context.
 * @retval CLADE_E_ARG         One of `cl_context` and `cl_device` is missing, the device or the
 *                             queue does not belong to the context, or the queue is out-of-order.
 * @retval CLADE_E_NOT_FOUND   There is no OpenCL platform, no device that fits, or no kernel
 *                             folder.
 * @retval CLADE_E_UNSUPPORTED Devices fit, but none is usable; the message has the reasons.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM, CLADE_E_IO  As named.
 *
 * Owner:   the caller, and each object made in it: see clade_context_destroy().
 * Threads: any. Several threads may use the context, each with objects of its own. One object is
 *          used by one thread at a time.
 * Blocks:  while the device is probed (a kernel is compiled, or read from the cache).
 */
CLADE_API CLADE_CHECKED clade_status clade_context_create(clade_context **out,
                                                          const clade_context_params *params);

/**
 * Close a context and set the handle to NULL. The call waits for the context's queue. NULL and a
 * pointer to NULL are fine.
 *
 * Things may be destroyed in any order. An object holds its context, a list holds the allocator
 * that it borrows, and a part of a heap holds the whole. What is held lives until the last holder
 * is destroyed. But `on_launch` and `on_compile` are not called any more after this call.
 * Programs, kernels and archives need no context.
 *
 * Owner:   takes the caller's hold on the context.
 * Threads: one, when no other uses the context or an object of it.
 * Blocks:  until the queue is empty.
 */
CLADE_API void clade_context_destroy(clade_context **context);

/**
 * Wait until everything enqueued on the context's own queue is done. On PoCL, whose threads sleep
 * between commands, the host first looks for up to 0.2 ms whether the last kernel of the library's
 * calls is done, since to be woken takes as long as many a kernel. Kernels of several groups are
 * not looked at.
 *
 * @retval CLADE_OK        Done.
 * @retval CLADE_E_ARG     `context` is NULL.
 * @retval CLADE_E_DEVICE  The queue reports an error.
 *
 * Owner:   nothing changes hands.
 * Threads: any.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_finish(clade_context *context);

/**
 * Tell what the context's device can do.
 *
 * @return Borrowed from the context.
 *
 * Owner:   the context.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const clade_caps *clade_context_caps(const clade_context *context);

/**
 * The context's OpenCL context, for OpenCL calls of your own beside clade's.
 *
 * @return Borrowed from the context; retain it if it must live longer.
 *
 * Owner:   the context.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_context clade_context_cl_context(const clade_context *context);
/** The OpenCL device: see clade_context_cl_context(). */
CLADE_API cl_device_id clade_context_cl_device(const clade_context *context);
/** The OpenCL queue: see clade_context_cl_context(). */
CLADE_API cl_command_queue clade_context_cl_queue(const clade_context *context);

/**
 * The compiler options with which clade builds programs for this context: the language, facts of
 * the device, and clade_context_params.build_options. Options of an object, such as
 * clade_heap_options(), and your own come after them. A text from clade_context_source()
 * (clade/archive.h) can be built with them by clBuildProgram(), from any language.
 *
 * @return Borrowed from the context; the same until it is destroyed. "" for NULL.
 *
 * Owner:   the context.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_context_options(const clade_context *context);

/* One device as the OpenCL loader lists it. */
typedef struct clade_device_info {
    uint32_t platform_index;  /* P of "P:D" */
    uint32_t device_index;    /* D of "P:D" */
    cl_device_id id;          /* OpenCL's handle */
    cl_device_type type;      /* CL_DEVICE_TYPE_... */
    char platform[128];       /* its platform's name */
    char name[128];           /* its own name */
    char device_version[128]; /* the version of OpenCL, as the device says it */
    char driver_version[128]; /* the version of its driver */
    uint64_t reserved[8];     /* zero: see clade/error.h */
} clade_device_info;

/* What clade_device_list_create() found. */
typedef struct clade_device_list {
    clade_device_info *devices; /* of all platforms */
    size_t device_count;        /* how many */
    char **skipped;       /* sentences: which platform or device was passed over, and why */
    size_t skipped_count; /* how many */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_device_list;

/**
 * List the devices of all platforms, usable or not. Nothing is opened or compiled.
 *
 * @param out  Receives the list, which may be empty; untouched on failure.
 *
 * @retval CLADE_OK       `*out` is the list; `skipped` tells what could not be read.
 * @retval CLADE_E_ARG    `out` is NULL.
 * @retval CLADE_E_NOMEM  Memory is out.
 *
 * Owner:   the caller; clade_device_list_free() frees it.
 * Threads: any.
 * Blocks:  while drivers load.
 */
CLADE_API CLADE_CHECKED clade_status clade_device_list_create(clade_device_list *out);

/**
 * Free a list of devices, and leave it empty. NULL is fine.
 *
 * Owner:   takes what the list points to; the struct itself stays the caller's.
 * Threads: one per list.
 * Blocks:  no.
 */
CLADE_API void clade_device_list_free(clade_device_list *list);

#ifdef __cplusplus
}
#endif
