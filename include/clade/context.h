/* SPDX-License-Identifier: Apache-2.0 */
/* A context: one OpenCL device with its queue, its capabilities and its built programs. */
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

/* What a device can do, queried and probed once. 0 = absent. */
typedef struct clade_caps {
    uint32_t atomics;         /* CLADE_ATOMICS_C11, _PTX or _RMW: see docs/inside/memory-model.md */
    uint32_t int64_atomics;   /* 1: 64-bit read-modify-write atomics on global memory */
    uint32_t fp64;            /* 1: double */
    uint32_t is_cpu;          /* 1: work-groups run on host threads, their items one by one */
    uint32_t compute_units;   /* work-groups that run at once, at least */
    uint32_t group_size_max;  /* work-items */
    uint32_t subgroup_size;   /* work-items that exchange registers; 0 = no such exchange */
    uint32_t svm_atomics;     /* 1: fine-grained buffer SVM, with atomics that reach the host */
    uint32_t loop_limit;      /* iterations of all loops of a work-item in one launch, after which
                               * the driver silently leaves them; 0 = no such limit */
    uint64_t local_bytes;     /* local memory of a work-group */
    uint64_t alloc_bytes_max; /* the largest buffer, so the largest object */
    uint64_t global_bytes;    /* device memory in all */
    uint64_t reserved[8];     /* zero: see clade/error.h */
} clade_caps;

/* Where to run. Every zero field means the default. The strings and handles need to live only
 * until clade_context_create() returns. */
typedef struct clade_context_params {
    /* "gpu", "cpu", "P:D" (platform and device index as `clade info` shows them), or part of a
     * device's or platform's name, upper and lower case alike. NULL: $CLADE_DEVICE, and when that
     * is unset or empty the first usable GPU, else the first usable CPU, else any device. */
    const char *device;

    /* Or the caller's own: `cl_context` and `cl_device` both, `cl_queue` optional. They are
     * retained, not taken. The queue must be in-order: a program whose own queue is out-of-order
     * leaves it NULL, so that one is created, and orders clade's calls and its own commands by the
     * events of launches (clade/array.h). (The type of the first is spelled out: in C++ no member
     * may take a name that was used as a type before it.) */
    struct _cl_context *cl_context;
    cl_device_id cl_device;    /* with it */
    cl_command_queue cl_queue; /* NULL: one is created */

    /* Colon-separated folders that hold clade's kernels. NULL: $CLADE_KERNEL_PATH, else the
     * folders of the installation or the source tree. */
    const char *kernel_path;

    /* Folder of built programs; "" switches the cache off. NULL: $CLADE_CACHE_DIR, else
     * $XDG_CACHE_HOME/clade, else $HOME/.cache/clade (neither when they are relative). It is used
     * when this user or root owns it and nobody else may write to it. PoCL keeps what it compiles
     * itself, and would compile more for clade: its programs are kept only in a folder that was
     * named, here or by the variable. */
    const char *cache_dir;

    /* 1: create the queue with event profiling. Ignored when `cl_queue` is given. */
    int profiling;

    /* 1: probe no compiler dialect beyond OpenCL C 1.2 (CLADE_ATOMICS_RMW). For tests. */
    int force_rmw_atomics;

    /* Extra compiler options for every program, such as "-cl-opt-disable". NULL:
     * $CLADE_BUILD_OPTIONS, else none. */
    const char *build_options;

    /* A file of kernels compiled ahead of time (clade/archive.h), asked before the cache. One that
     * is missing, damaged or made for something else is no error: it is just of no use. NULL:
     * $CLADE_ARCHIVE, else none; "" means none. */
    const char *archive;

    /* Called for each kernel that a call enqueues, by the thread that makes the call: `data` is
     * on_launch_data, the kernel and its event are borrowed (clRetainEvent() keeps one). With
     * `profiling` the event has the kernel's times when it is done. It calls nothing of clade that
     * uses the context. NULL: none. */
    void (*on_launch)(void *data, cl_kernel kernel, cl_event event);
    void *on_launch_data; /* for on_launch */
    uint64_t reserved[8]; /* zero: see clade/error.h */
} clade_context_params;

/**
 * Open a device.
 *
 * A device whose driver fails, or that lacks what clade needs, is passed over and the next that
 * fits the description is tried; the reasons are in the error when none is left.
 *
 * @param out     Receives the context; NULL on failure.
 * @param params  May be NULL: all defaults.
 *
 * @retval CLADE_OK            Open.
 * @retval CLADE_E_ARG         Half of a pair of handles is given, the device or the queue is not
 *                             of the context, or the queue is out-of-order.
 * @retval CLADE_E_NOT_FOUND   No OpenCL platform, no device that fits, or no kernel folder.
 * @retval CLADE_E_UNSUPPORTED Devices fit, none is usable; the message has each one's reason.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller, and each object that is made of it: see clade_context_destroy().
 * Threads: any. The context may then be used by several threads: different threads may use
 *          different objects of it at once, one object is used by one thread at a time.
 * Blocks:  while the device is probed (a kernel is compiled, or read from the cache).
 */
CLADE_API CLADE_CHECKED clade_status clade_context_create(clade_context **out,
                                                          const clade_context_params *params);

/**
 * Close a context. Waits for its queue. NULL and pointers to NULL are fine; sets NULL.
 *
 * Every object holds its context, a list the allocator that it borrows, a part of a heap the whole:
 * destroy them in any order. What is held stays as it is until the last holder is destroyed; only
 * `on_launch` is told nothing more from here on. Programs, kernels and archives need no context.
 *
 * Owner:   takes the caller's hold on the context.
 * Threads: one, when no other uses the context or an object of it.
 * Blocks:  until the queue is empty.
 */
CLADE_API void clade_context_destroy(clade_context **context);

/**
 * Wait until everything enqueued on the context's own queue is done.
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
 * What the context's device can do.
 *
 * @return Borrowed from the context.
 *
 * Owner:   the context.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const clade_caps *clade_context_caps(const clade_context *context);

/**
 * The context's OpenCL handles, for mixing clade with OpenCL calls of your own.
 *
 * @return Borrowed from the context; retain what is to live longer.
 *
 * Owner:   the context.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_context clade_context_cl_context(const clade_context *context);
/** The device: see clade_context_cl_context(). */
CLADE_API cl_device_id clade_context_cl_device(const clade_context *context);
/** The queue: see clade_context_cl_context(). */
CLADE_API cl_command_queue clade_context_cl_queue(const clade_context *context);

/**
 * The compiler options with which clade builds for this context: the language, what kernels are
 * told of the device, and clade_context_params.build_options. An object's own options, such as
 * clade_heap_options(), and the caller's come after them. With them a text from
 * clade_context_source() (clade/archive.h) is built by clBuildProgram() alone, from any language.
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
    char name[128];           /* its own */
    char device_version[128]; /* of OpenCL, as the device says */
    char driver_version[128]; /* of its driver */
    uint64_t reserved[8];     /* zero: see clade/error.h */
} clade_device_info;

/* What clade_device_list_create() found. */
typedef struct clade_device_list {
    clade_device_info *devices; /* of all platforms */
    size_t device_count;        /* how many */
    char **skipped;       /* sentences: a platform or device that was passed over, and the reason */
    size_t skipped_count; /* how many */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_device_list;

/**
 * List the devices of all platforms, usable or not; nothing is opened or compiled.
 *
 * @param out  Receives the list; untouched on failure. An empty list is no failure.
 *
 * @retval CLADE_OK       Listed; what could not be read is in `skipped`.
 * @retval CLADE_E_ARG    `out` is NULL.
 * @retval CLADE_E_NOMEM  Memory is out.
 *
 * Owner:   the caller; clade_device_list_free() frees it.
 * Threads: any.
 * Blocks:  while drivers load.
 */
CLADE_API CLADE_CHECKED clade_status clade_device_list_create(clade_device_list *out);

/**
 * Free a list of devices. NULL is fine; the list is then empty.
 *
 * Owner:   takes what the list points to, not the list itself.
 * Threads: one per list.
 * Blocks:  no.
 */
CLADE_API void clade_device_list_free(clade_device_list *list);

#ifdef __cplusplus
}
#endif
