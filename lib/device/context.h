/* SPDX-License-Identifier: Apache-2.0 */
/* What a context is. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "clade/archive.h"
#include "clade/context.h"

struct cladei_built;

struct clade_context {
    uint32_t borrowers; /* objects */
    cl_context cl;
    cl_device_id device;
    bool holds_device; /* it is the caller's */
    cl_command_queue queue;
    bool finish_forgets; /* see device/queue.h */
    bool sleeps_early;   /* see device/wait.h */
    cl_event last;       /* of the kernel that cladei_wait() looks at, or NULL. Any thread swaps it
                          * for another, and has what was there */
    bool is_wide;        /* kernels of several groups came since that wait. Any thread, relaxed: who
                          * misses it looks, or does not look, once more */
    clade_device_info info;
    clade_caps caps;
    char language[16];      /* value of -cl-std */
    char *kernel_path;      /* folders, colon-separated */
    char *cache_dir;        /* NULL: no cache on disk */
    bool keeps_binaries;    /* built programs go to the cache, not just results */
    char *build_options;    /* never NULL */
    char *options;          /* clade_context_options(); NULL until the device was probed */
    clade_archive *archive; /* NULL: none; constant once opened */
    pthread_mutex_t mutex;  /* guards `built` */
    void (*on_launch)(void *data, cl_kernel kernel, cl_event event); /* NULL: none */
    void *on_launch_data;
    void (*on_compile)(void *data, const char *sentence); /* NULL: none */
    void *on_compile_data;
    bool reduces; /* sub-groups reduce in one instruction: NVIDIA from 8.0 on */
    struct cladei_built *built;
};

/* Whether groups of one item are the fastest. */
bool cladei_prefers_one_item(const clade_context *context);
