/* SPDX-License-Identifier: Apache-2.0 */
/* Archives: kernels compiled ahead of time, in one file. docs/guide/cladec.md describes the format.
 *
 * An archive holds entries: machine code that a device's own driver made, code that an offline
 * compiler made for a target, and expanded sources as the last resort. A context that was given an
 * archive (clade_context_params.archive, $CLADE_ARCHIVE) looks there before its cache and before
 * its compiler. The tool `cladec` writes archives, and so may any program. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "clade/context.h"
#include "clade/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An archive: opaque. */
typedef struct clade_archive clade_archive;
/* A source as a compiler gets it: opaque. */
typedef struct clade_source clade_source;

/* What an entry's bytes are. */
enum {
    CLADE_ENTRY_SOURCE = 1, /* expanded OpenCL C */
    CLADE_ENTRY_DEVICE = 2, /* the binary of a device's own driver */
    CLADE_ENTRY_TARGET = 3, /* an offline compiler's code: see `target` */
    CLADE_ENTRY_RESULT = 4  /* what clade's probe computed on a device: it need not run again */
};

/* One entry. No string is NULL; "" where it does not apply. */
typedef struct clade_archive_entry {
    uint32_t kind;              /* CLADE_ENTRY_... */
    const char *target;         /* "gfx90a", "sm_70", "spirv64", ...; of CLADE_ENTRY_TARGET */
    const char *platform;       /* these four: of CLADE_ENTRY_DEVICE and _RESULT */
    const char *device;         /* the device's name */
    const char *device_version; /* its OpenCL version */
    const char *driver;         /* its driver's version */
    const char *options;        /* all compiler options, clade's own included */
    const char *version;        /* clade's, that made it */
    const char *file;           /* the kernel's file name, as it was given */
    uint64_t source_hash[2];    /* of the expanded source without its line marks */
    const void *bytes;          /* NULL: damaged in the file, not to be used */
    uint64_t size;              /* of `bytes` */
    uint64_t reserved[4];       /* zero: see clade/error.h */
} clade_archive_entry;

/**
 * Make an empty archive in memory.
 *
 * @retval CLADE_OK       `*out` is the archive.
 * @retval CLADE_E_ARG    `out` is NULL.
 * @retval CLADE_E_NOMEM  Memory is out.
 *
 * Owner:   the caller; clade_archive_destroy() frees it.
 * Threads: any; one archive is used by one thread at a time.
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_archive_create(clade_archive **out);

/**
 * Read an archive's file. Entries whose bytes are damaged or cut off are there, with `bytes` NULL.
 *
 * @retval CLADE_OK         `*out` is the archive.
 * @retval CLADE_E_ARG      An argument is NULL.
 * @retval CLADE_E_IO       The file cannot be read.
 * @retval CLADE_E_CORRUPT  It is no archive, or one of another format, or its index is damaged.
 * @retval CLADE_E_NOMEM    Memory is out.
 *
 * Owner:   the caller; clade_archive_destroy() frees it.
 * Threads: any; one archive is used by one thread at a time.
 * Blocks:  while reading.
 */
CLADE_API CLADE_CHECKED clade_status clade_archive_open(clade_archive **out, const char *path);

/**
 * Free an archive. NULL and pointers to NULL are fine; sets NULL.
 *
 * Owner:   takes the archive; entries that were asked of it end with it.
 * Threads: one.
 * Blocks:  no.
 */
CLADE_API void clade_archive_destroy(clade_archive **archive);

/**
 * How many entries there are; 0 for NULL.
 *
 * Owner:   nothing changes hands.
 * Threads: as the archive.
 * Blocks:  no.
 */
CLADE_API size_t clade_archive_count(const clade_archive *archive);

/**
 * The entry at `index`, from 0.
 *
 * @return Borrowed from the archive until the next add; NULL when there is none.
 *
 * Owner:   the archive.
 * Threads: as the archive.
 * Blocks:  no.
 */
CLADE_API const clade_archive_entry *clade_archive_at(const clade_archive *archive, size_t index);

/**
 * Add a copy of an entry. One that is equal but for its bytes is replaced; `version` is kept.
 *
 * @retval CLADE_OK       Added.
 * @retval CLADE_E_ARG    An argument is NULL, the kind is unknown, or it has no bytes.
 * @retval CLADE_E_NOMEM  Memory is out.
 *
 * Owner:   what `entry` points to stays the caller's.
 * Threads: as the archive.
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_archive_add(clade_archive *archive,
                                                       const clade_archive_entry *entry);

/**
 * Add everything that a context has built or loaded so far, clade's own kernels included: the
 * device's binaries, the sources, and what the probe of its dialect computed. A program that opens
 * its context, makes its objects and programs and calls this has an archive with all that its next
 * start needs. On PoCL, which compiles kernels again for the group sizes they are launched with,
 * that holds when the kernels have run and the context keeps no cache (`cache_dir` is "").
 *
 * @retval CLADE_OK      Added. A binary that the driver does not give is left out, not its source.
 * @retval CLADE_E_ARG   An argument is NULL.
 * @retval CLADE_E_NOMEM Memory is out.
 *
 * Owner:   nothing changes hands.
 * Threads: as the archive; the context is only read.
 * Blocks:  while drivers give binaries, for which some compile; other threads that build programs
 *          of the context wait meanwhile.
 */
CLADE_API CLADE_CHECKED clade_status clade_archive_add_context(clade_archive *archive,
                                                               clade_context *context);

/**
 * Add an expanded source, and what an offline compiler made of it.
 *
 * @param source  From clade_source_create(), for a target.
 * @param bytes   The compiler's code, or NULL: only the source is added.
 *
 * @retval CLADE_OK       Added.
 * @retval CLADE_E_ARG    An argument is NULL, or there is code for no target, or of no bytes.
 * @retval CLADE_E_NOMEM  Memory is out.
 *
 * Owner:   nothing changes hands.
 * Threads: as the archive.
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_archive_add_source(clade_archive *archive,
                                                              const clade_source *source,
                                                              const void *bytes, size_t size);

/**
 * Write an archive to a file, which appears as a whole (by rename) or not at all.
 *
 * @retval CLADE_OK       Written.
 * @retval CLADE_E_ARG    An argument is NULL.
 * @retval CLADE_E_IO     The file cannot be written; the message says why.
 * @retval CLADE_E_NOMEM  Memory is out.
 *
 * Owner:   nothing changes hands.
 * Threads: as the archive.
 * Blocks:  while writing.
 */
CLADE_API CLADE_CHECKED clade_status clade_archive_write(const clade_archive *archive,
                                                         const char *path);

/**
 * Would this context use this entry for the source and the options it was made of? The reason
 * why not is a short clause, such as "the driver is 3.0, not 3.1".
 *
 * @param reason  Receives the clause; may be NULL when `bytes` is 0.
 *
 * @return 1 or 0.
 *
 * Owner:   nothing changes hands.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API int clade_archive_fits(const clade_archive_entry *entry, const clade_context *context,
                                 char *reason, size_t bytes);

/* --- what a compiler is given ---------------------------------------------------------------- */

/**
 * Expand a kernel's source, as clade_program_build() does, without any device.
 *
 * @param params       As for clade_program_build().
 * @param kernel_path  Folders of clade's kernels, as clade_context_params.kernel_path.
 * @param target       NULL; or whose options to prepare: "sm_70" and so on, "gfx90a" and so on,
 *                     "spirv64", or any of these with a dialect appended: "spirv64:rmw" (":c11",
 *                     ":ptx"); "intel-NAME" for Intel's device NAME.
 *
 * @retval CLADE_OK             Expanded.
 * @retval CLADE_E_ARG          As clade_program_build(), or an include cycle.
 * @retval CLADE_E_UNSUPPORTED  There is no such target; the message lists those that are.
 * @retval CLADE_E_NOT_FOUND, CLADE_E_NOMEM, CLADE_E_IO  As clade_program_build().
 *
 * Owner:   the caller; clade_source_destroy() frees it.
 * Threads: any.
 * Blocks:  while reading files.
 */
CLADE_API CLADE_CHECKED clade_status clade_source_create(clade_source **out,
                                                         const clade_program_params *params,
                                                         const char *kernel_path,
                                                         const char *target);

/**
 * Expand a program's source for a context: what clade_program_build() gives the device's driver.
 * clCreateProgramWithSource() with clade_source_text(), then clBuildProgram() with
 * clade_source_options(), make the program that clade_program_build() makes. The options are
 * clade_context_options(), and after a blank those of `params`.
 *
 * @param context  For which device; its archive and kernel folders are used.
 *
 * @retval CLADE_OK  Expanded.
 * @retval CLADE_E_ARG, CLADE_E_NOT_FOUND, CLADE_E_NOMEM, CLADE_E_IO  As clade_program_build().
 *
 * Owner:   the caller; clade_source_destroy() frees it. It does not need the context any more.
 * Threads: any.
 * Blocks:  while reading files.
 */
CLADE_API CLADE_CHECKED clade_status clade_context_source(clade_source **out,
                                                          clade_context *context,
                                                          const clade_program_params *params);

/** Free a source. NULL and pointers to NULL are fine; sets NULL.
 *
 * Owner:   takes the source.
 * Threads: one.
 * Blocks:  no.
 */
CLADE_API void clade_source_destroy(clade_source **source);

/**
 * The text with all includes replaced, and the options that its compiler must be given: with a
 * target, the language and the dialect first, as clade_program_build() passes them on a device. Of
 * clade_context_source(): exactly what a build on that device is given.
 *
 * @return Borrowed from `source`.
 *
 * Owner:   the source.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_source_text(const clade_source *source);
/** The options: see clade_source_text(). */
CLADE_API const char *clade_source_options(const clade_source *source);

/**
 * The files that were read, the kernel's own first: for dependency files. NULL past the last.
 *
 * @return Borrowed from `source`.
 *
 * Owner:   the source.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_source_file(const clade_source *source, size_t index);

#ifdef __cplusplus
}
#endif
