/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the library share and users do not see. */
#pragma once

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: works on 1.2 drivers too */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clade/archive.h"
#include "clade/array.h"
#include "clade/context.h"
#include "clade/error.h"
#include "clade/program.h"
#include "clade/shared/cells.h"
#include "clade/shared/object.h"
#include "clade/shared/types.h"

#include "text.h"

/* --- errors (error.c) ---------------------------------------------------------------------- */

/* Both set this thread's error and return `status`; fail_cl returns CLADE_E_DEVICE, and
 * CLADE_E_NOMEM for OpenCL's own out-of-host-memory. */
clade_status cladei_fail(clade_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
clade_status cladei_fail_cl(cl_int code, const char *call);
/* The compiler refused: message from `format`, log copied. */
clade_status cladei_fail_build(cl_int code, const char *log, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *cladei_cl_name(cl_int code);

/* The shape of every fallible function: `clade_status status = CLADE_OK;` and one label `fail`
 * that releases what is not handed out, in reverse order. */
#define CLADE_REQUIRE(condition, code, ...)            \
    do {                                               \
        if (!(condition)) {                            \
            status = cladei_fail((code), __VA_ARGS__); \
            goto fail;                                 \
        }                                              \
    } while (0)

#define CLADE_TRY(call)         \
    do {                        \
        status = (call);        \
        if (status != CLADE_OK) \
            goto fail;          \
    } while (0)

#define CLADE_CL(call)                                \
    do {                                              \
        cl_int cl_code_ = (call);                     \
        if (cl_code_ != CL_SUCCESS) {                 \
            status = cladei_fail_cl(cl_code_, #call); \
            goto fail;                                \
        }                                             \
    } while (0)

/* For OpenCL calls that return an object and write their code through a last argument. */
#define CLADE_CL_CODE(code, call)                  \
    do {                                           \
        if ((code) != CL_SUCCESS) {                \
            status = cladei_fail_cl((code), call); \
            goto fail;                             \
        }                                          \
    } while (0)

#define CLADE_NO_MEMORY(pointer) \
    CLADE_REQUIRE((pointer) != NULL, CLADE_E_NOMEM, "host memory is out")

/* --- devices (device.c, caps.c) ------------------------------------------------------------ */

/* The devices that fit a description, best first. Fails when nothing fits. */
clade_status cladei_device_select(const clade_device_list *list, const char *description,
                                  size_t **order, size_t *count);
clade_status cladei_device_describe(cl_device_id id, clade_device_info *info);

/* What queries tell; `atomics` is left to the probe. */
clade_status cladei_caps_query(cl_device_id device, clade_caps *caps);
/* Chooses caps->atomics and the language version: builds and runs a small kernel. */
clade_status cladei_caps_probe(clade_context *context, bool rmw_only);
/* Whether groups of one item are the fastest. */
bool cladei_prefers_one_item(const clade_context *context);

/* --- context (context.c) ------------------------------------------------------------------- */

/* A thing that others borrow lives until its caller and all borrowers have let go of it. The word
 * counts the borrowers; it is one below 0 when nobody is left. Host threads hold and let go at
 * once: who lets go releases what it did with the thing, and the last one acquires that of all. */
static inline void cladei_hold(uint32_t *borrowers)
{
    __atomic_fetch_add(borrowers, 1, __ATOMIC_RELAXED);
}

/* Whether that was the last one, who frees it. */
static inline bool cladei_let_go(uint32_t *borrowers)
{
    return __atomic_fetch_sub(borrowers, 1, __ATOMIC_ACQ_REL) == 0;
}

struct cladei_built;

struct clade_context {
    uint32_t borrowers; /* objects */
    cl_context cl;
    cl_device_id device;
    cl_command_queue queue;
    clade_device_info info;
    clade_caps caps;
    char language[16];      /* value of -cl-std */
    char *kernel_path;      /* folders, colon-separated */
    char *cache_dir;        /* NULL: no cache on disk */
    bool keeps_binaries;    /* built programs go to the cache, not just results */
    char *build_options;    /* never NULL */
    clade_archive *archive; /* NULL: none; constant once opened */
    pthread_mutex_t mutex;  /* guards `built` */
    void (*on_launch)(void *data, cl_kernel kernel, cl_event event); /* NULL: none */
    void *on_launch_data;
    bool reduces; /* sub-groups reduce in one instruction: NVIDIA from 8.0 on */
    struct cladei_built *built;
};

/* What clade_context_destroy() does last, for the caller and for each object. */
void cladei_context_let_go(clade_context *context);

/* --- programs (expand.c, buildlog.c, source.c, archive.c, cache.c, program.c) ---------------- */

struct cladei_expansion {
    struct cladei_text source;
    char **files; /* every file that was read, once each, in order */
    size_t file_count;
    uint64_t hash[2]; /* of the text without line marks */
    bool lost;        /* after a failure: `file` itself is not found anywhere */
};

/* Replace the includes of `source` (or of `file` when source is NULL). */
clade_status cladei_expand(struct cladei_expansion *out, const char *source, const char *name,
                           const char *file, const char *include_path, const char *kernel_path);
void cladei_expansion_free(struct cladei_expansion *expansion);

/* What a device's headers are told, and the language: from queries and the probe, or for a target
 * that is not here (source.c). */
void cladei_add_options(struct cladei_text *options, const clade_caps *caps, const char *platform,
                        const char *language, const char *build_options, const char *extra);

/* A compiler's log with its lines' true origin, to be freed; NULL when memory is out. */
char *cladei_log_translate(const char *log, const char *source);

/* Built programs on disk. A load that finds nothing usable is no failure: *bytes is then NULL. */
clade_status cladei_cache_load(const char *dir, const char *key, void **bytes, size_t *size);
/* The binary inside an entry's bytes, or NULL when anything does not fit. */
const char *cladei_cache_binary(const char *file, size_t size, const char *key, size_t *bytes);
void cladei_cache_store(const char *dir, const char *key, const void *bytes, size_t size);
/* $CLADE_CACHE_DIR, XDG's folder, or NULL in *out for "no cache". */
clade_status cladei_cache_dir(char **out, const char *wanted);

#define CLADEI_ARCHIVE_MAGIC "CLADEAR"
/* A context's archive: NULL in *out when there is none, or none of use. */
clade_status cladei_archive_find_file(clade_archive **out, const char *wanted);
/* The next entry of a kind from *at on that this context may use for this source and these
 * options. */
const clade_archive_entry *cladei_archive_next(const clade_archive *archive,
                                               const clade_context *context, uint32_t kind,
                                               const char *options, const uint64_t hash[2],
                                               size_t *at);
/* The source of a kernel file by its name, when there is exactly one of that name. */
clade_status cladei_archive_expansion(struct cladei_expansion *out, const clade_archive *archive,
                                      const char *file);
/* The places of an entry's strings, so that each thing done to all of them is one loop. */
enum { CLADEI_TEXTS = 8, CLADEI_TEXT_FILE = 7 };
void cladei_archive_texts(clade_archive_entry *entry, const char **places[CLADEI_TEXTS]);
/* The parts of archive_file.c: entries from bytes that stay where they are, and back to bytes. */
clade_status cladei_archive_parse(clade_archive *archive, const char *bytes, size_t size,
                                  const char *path);
clade_status cladei_archive_append(clade_archive *archive, const clade_archive_entry *entry,
                                   void *owned);

struct cladei_archived {
    clade_archive_entry entry;
    void *owned; /* what the entry points to, when it was added; NULL when it lies in `bytes` */
};
struct clade_archive {
    char *bytes; /* the file that was read, or NULL */
    struct cladei_archived *entries;
    size_t count;
};

/* What a context built, or found out by running it, for archives. */
struct cladei_built {
    struct cladei_built *next;
    char *key;          /* everything the build depends on, and the source at its end */
    char *options;      /* inside key's allocation */
    char *name;         /* likewise */
    const char *source; /* inside key */
    uint64_t hash[2];
    cl_program cl;      /* NULL: what was kept is a result */
    const void *result; /* of static storage */
    size_t result_bytes;
};
/* A built program's binary, to be freed; NULL when the driver gives none. */
void *cladei_program_binary(cl_program program, size_t *size);

/* Build one of clade's own kernel files with the given defines. */
clade_status cladei_program_build_own(clade_program **out, clade_context *context, const char *file,
                                      const char *options);
/* The same without options, for a program that runs once: it is neither kept nor remembered. */
clade_status cladei_program_build_passing(clade_program **out, clade_context *context,
                                          const char *file);
void cladei_program_forget_all(clade_context *context);

/* Did `file`'s kernels, built as now on this device, compute `result` before? From the archive or
 * the cache; a result that is not there is no failure. And: they just did. */
clade_status cladei_result_find(bool *found, clade_context *context, const char *file,
                                const void *result, size_t size);
clade_status cladei_result_keep(clade_context *context, const char *file, const void *result,
                                size_t size);

/* --- files and folders (file.c, outfile.c, kernel_path.c) ---------------------------------- */

/* The environment, but not of a program that has more rights than who started it. */
const char *cladei_getenv(const char *name);
/* How a file is read: only when it is a regular one, of `most` bytes at most. One that does not
 * begin with `magic` is read for its first bytes alone, for its parser to refuse. */
struct cladei_reading {
    const char *magic; /* NULL: any */
    uint64_t most;
};
#define CLADEI_ARCHIVE_MOST ((uint64_t)1 << 30) /* of archives and of the cache's files */
#define CLADEI_SOURCE_MOST  ((uint64_t)1 << 26)
clade_status cladei_file_read(const char *path, const struct cladei_reading *how, char **bytes,
                              size_t *size);
/* The same of a file that is open; `path` is for messages. */
clade_status cladei_file_read_open(int descriptor, const char *path,
                                   const struct cladei_reading *how, char **bytes, size_t *size);
/* This user or root owns the open file or folder, and nobody else may write to it. */
bool cladei_is_ours(int descriptor);
bool cladei_file_exists(const char *path);
/* Which file a path leads to: the same for every spelling; inode 0 when there is none. */
struct cladei_file_id {
    uint64_t device, inode;
};
struct cladei_file_id cladei_file_id(const char *path);
/* Whole or not at all; `how` is of outfile.h. */
clade_status cladei_file_write(const char *path, unsigned how, const void *head, size_t head_size,
                               const void *body, size_t body_size);
/* Those that are not there get `mode`. */
clade_status cladei_make_folders(const char *path, unsigned mode);
/* Where clade's kernels are when nobody says otherwise. */
clade_status cladei_kernel_path(char **out, const char *wanted);
char *cladei_strdup(const char *text);

/* --- arrays and launches (launch.c) -------------------------------------------------------- */

/* One array argument of a call, as a buffer that a kernel can take. */
struct cladei_view {
    cl_mem mem;     /* NULL: the argument was not given */
    cl_ulong first; /* the first element's index in `mem` */
    void *host;     /* read back to here by cladei_view_finish(), or NULL */
    size_t bytes;
    bool owned;
    const void *from;         /* host memory that is to be written to `mem`, */
    struct cladei_view *next; /* and the next view of which this is so */
};

enum cladei_direction { CLADEI_IN, CLADEI_OUT };

/* One call's stretch of work on a queue. */
struct cladei_run {
    clade_context *context;
    cl_command_queue queue;
    cl_event *event;
    const cl_event *wait; /* the launch's wait list, until the first command */
    cl_uint wait_count;
    bool is_started; /* something of the call may be in the queue */
    bool blocking;   /* some argument lies in host memory */
    struct cladei_view *inputs; /* what is written there before the first command */
};

static inline bool cladei_is_given(clade_array array)
{
    return array.host || array.mem;
}

/* Whether calls may use a queue that the caller brought: E_ARG with a sentence when it is of
 * another context or device, or out-of-order. */
clade_status cladei_queue_check(cl_command_queue queue, cl_context context, cl_device_id device);
/* All that the call does to its object goes through run->queue, after the launch's wait list. Here
 * nothing is enqueued: a call that is refused for its arrays leaves nothing behind that waits. */
clade_status cladei_run_begin(struct cladei_run *run, clade_context *context,
                              const clade_launch *launch);
/* Comes before each command: the wait list goes before the first, then what arrays in host memory
 * hold. The functions here that take a run call it, and so must who uses run->queue; but not before
 * all arrays are open. */
clade_status cladei_run_start(struct cladei_run *run);
/* Whether an array can be opened, which is looked at again then. */
clade_status cladei_array_check(const struct cladei_run *run, clade_array array, uint64_t count,
                                size_t element_bytes, const char *name);
/* `name` is the parameter's, for messages. An array that is not given becomes an empty view. The
 * view stays where it is until the run has started. */
clade_status cladei_view_open(struct cladei_view *view, struct cladei_run *run, clade_array array,
                              uint64_t count, size_t element_bytes, enum cladei_direction direction,
                              const char *name);
clade_status cladei_view_finish(struct cladei_view *view, struct cladei_run *run);
void cladei_view_close(struct cladei_view *view);
clade_status cladei_run_end(struct cladei_run *run);
/* Enqueue a one-dimensional kernel of `groups` work-groups. */
clade_status cladei_run_kernel(struct cladei_run *run, cl_kernel kernel, size_t groups,
                               size_t group_size);

/* Set kernel arguments by position. */
struct cladei_arg {
    size_t size;
    const void *value;
};
clade_status cladei_set_args(cl_kernel kernel, const struct cladei_arg *args, size_t count);
#define CLADEI_ARG(variable)          \
    {                                 \
        sizeof(variable), &(variable) \
    }
#define CLADEI_LOCAL(bytes) \
    {                       \
        (bytes), NULL       \
    }
#define CLADEI_SET_ARGS(kernel, ...)                                       \
    cladei_set_args((kernel), (const struct cladei_arg[]) { __VA_ARGS__ }, \
                    sizeof((const struct cladei_arg[]) { __VA_ARGS__ }) /  \
                        sizeof(struct cladei_arg))

/* Memory that is kept between runs and grows; its content is a run's own. */
struct cladei_scratch {
    cl_mem mem;
    uint64_t bytes;
};
/* At least `bytes`, 16 at the least. */
clade_status cladei_scratch_reserve(struct cladei_scratch *scratch, clade_context *context,
                                    uint64_t bytes);

/* --- objects (object.c) -------------------------------------------------------------------- */

/* What all structures have: one buffer with a clade_object_head. Where `mem` is there, the object
 * holds its context. */
struct cladei_object {
    clade_context *context;
    cl_mem mem;
    uint64_t bytes;
    clade_u32 kind;
    clade_u32 shape; /* CLADE_SHAPE() */
};

/* Allocate the buffer and write its head; E_ARG with the limit when it is too large. */
clade_status cladei_object_create(struct cladei_object *object, clade_context *context,
                                  clade_u32 kind, clade_u32 shape, uint64_t bytes,
                                  const char *what);
/* Such a head, of an object whose kind, shape and size are known. */
clade_object_head cladei_object_head(const struct cladei_object *object);
/* Whether a head, from the buffer or from a file, is this object's. */
bool cladei_object_is_its_head(const struct cladei_object *object, const clade_object_head *head);
void cladei_object_destroy(struct cladei_object *object);
/* Both wait, in the context's queue: for calls that take no launch. */
clade_status cladei_object_read(const struct cladei_object *object, uint64_t offset, void *to,
                                size_t bytes);
clade_status cladei_object_write(const struct cladei_object *object, uint64_t offset,
                                 const void *from, size_t bytes);
/* In a call's own queue: a read that waits; and a write that does not, whose source is copied. */
clade_status cladei_run_read(struct cladei_run *run, const struct cladei_object *object,
                             uint64_t offset, void *to, size_t bytes);
clade_status cladei_run_write(struct cladei_run *run, const struct cladei_object *object,
                              uint64_t offset, const void *from, size_t bytes);
/* Wait for the context's queue, then release kernels, program and buffer: how an object ends. None
 * of them needs to be there. */
void cladei_object_close(struct cladei_object *object, clade_program **program,
                         const cl_kernel *kernels, size_t count);
/* Of one of clade's own files the kernels `names`, with CLADE_SG_REDUX besides `options`; the
 * caller releases what is made, on failure too. */
struct cladei_kernel_name {
    cl_kernel *out;
    const char *name;
};
clade_status cladei_kernels_make(clade_context *context, const char *file, const char *options,
                                 const struct cladei_kernel_name *names, size_t count);
/* The structure's own words of its head: what follows the object's in `head` of `bytes` bytes. */
clade_status cladei_object_write_own(const struct cladei_object *object, const void *head,
                                     size_t bytes);
/* Read and clear the error that kernels left in the head, and of which item. *first is CLADE_OK
 * when there is none; `item` may be NULL. In the call's queue, or the context's: `run` is NULL. */
clade_status cladei_object_take_error(const struct cladei_object *object, struct cladei_run *run,
                                      clade_status *first, clade_u32 *item);
/* The number of a host's call, from 1 on, that kernels leave in the word at `offset` for later
 * kernels of the same call. Before numbers begin anew the word is cleared: it may hold the one of a
 * call 2^32 - 1 calls ago. */
clade_status cladei_object_next_turn(const struct cladei_object *object, struct cladei_run *run,
                                     size_t offset, cl_uint *turn);
/* A saved object: `params` as the structure needs them to make an equal one, then the first
 * `payload` bytes of the buffer, all under a checksum. */
clade_status cladei_object_save(const struct cladei_object *object, const char *path,
                                const void *params, uint32_t params_bytes, uint64_t payload);
/* The same with bytes that the caller has read, and made fit for a file. */
clade_status cladei_object_save_bytes(const struct cladei_object *object, const char *path,
                                      const void *params, uint32_t params_bytes, const char *bytes,
                                      uint64_t payload);
struct cladei_saved {
    char *bytes; /* the whole file; owned */
    size_t size;
    const void *params;
    void *payload; /* may be mended; aligned to 4 bytes, and to 8 as the parameters are */
    uint64_t payload_bytes;
};
/* A file that is larger than any object of the context is not read. */
clade_status cladei_saved_open(struct cladei_saved *saved, const clade_context *context,
                               const char *path, clade_u32 kind, uint32_t params_bytes);
/* The same on bytes that are in `saved` already; `path` is for messages. */
clade_status cladei_saved_parse(struct cladei_saved *saved, const char *path, clade_u32 kind,
                                uint32_t params_bytes);
/* Its parameters make an object of `bytes`: so large is the payload. To be asked before the object
 * is made, which may be far larger than the file. */
clade_status cladei_saved_fits(const struct cladei_saved *saved, uint64_t bytes, const char *path);
/* Its payload begins with the head of an object of this kind and shape. */
clade_status cladei_saved_is_of(const struct cladei_saved *saved,
                                const struct cladei_object *object, const char *path);
/* Write it to an object made with its parameters; it must be as large, and of the object's kind
 * and shape. */
clade_status cladei_saved_restore(const struct cladei_saved *saved,
                                  const struct cladei_object *object, const char *path);
void cladei_saved_close(struct cladei_saved *saved);

/* --- pools of cells (cells.c) --------------------------------------------------------------- */

/* The array of free cells of an object, and how the object's copy is asked about a cell. */
struct cladei_free_array {
    const uint32_t *entries;
    uint32_t count, capacity;
    const clade_cells_stripe *stripes;
    bool (*is_free)(const void *image, clade_ref cell); /* its words say so */
    bool (*meet)(void *image, clade_ref cell); /* notes it; false: it is in use, or was met */
};
/* Entries that were not handed out are free cells, each there once. */
clade_status cladei_free_array_check(const struct cladei_free_array *array, void *image);
