/* SPDX-License-Identifier: Apache-2.0 */
/* Archives: kernels compiled ahead of time, in one file. docs/guide/cladec.md describes the format.
 *
 * An archive holds entries. An entry is machine code from a device's own driver, code from an
 * offline compiler for a target, or, as the last resort, an expanded source: one whose includes are
 * replaced. A context that was given an archive (clade_context_params.archive, $CLADE_ARCHIVE)
 * looks there before it asks its cache or its compiler. The tool `cladec` writes archives. Any
 * program can write them, too. */
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
/* A kernel's source and options as a compiler gets them: opaque. */
typedef struct clade_source clade_source;

/* What an entry's bytes are. */
enum {
    CLADE_ENTRY_SOURCE = 1, /* expanded OpenCL C */
    CLADE_ENTRY_DEVICE = 2, /* the binary of a device's own driver */
    CLADE_ENTRY_TARGET = 3, /* code of an offline compiler, for `target` */
    CLADE_ENTRY_RESULT = 4  /* what clade's probe found out about a device, to save running it */
};

/* One entry. No string is NULL; a string that does not apply is "". */
typedef struct clade_archive_entry {
    uint32_t kind;              /* CLADE_ENTRY_... */
    const char *target;         /* of CLADE_ENTRY_TARGET: "gfx90a", "sm_70", "spirv64" ... */
    const char *platform;       /* of CLADE_ENTRY_DEVICE and _RESULT, as the next three: its name */
    const char *device;         /* the device's name */
    const char *device_version; /* the device's version of OpenCL */
    const char *driver;         /* the driver's version */
    const char *options;        /* all compiler options, clade's own included */
    const char *version;        /* the version of clade that made the entry */
    const char *file;           /* the kernel's file name, as it was given */
    uint64_t source_hash[2];    /* hash of the expanded source without its line marks */
    const void *bytes;          /* the content; NULL: damaged in the file, and not used */
    uint64_t size;              /* how many bytes */
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
 * Read an archive from a file. An entry whose bytes are damaged or cut off is there, but its
 * `bytes` is NULL.
 *
 * @retval CLADE_OK         `*out` is the archive.
 * @retval CLADE_E_ARG      An argument is NULL.
 * @retval CLADE_E_IO       The file cannot be read.
 * @retval CLADE_E_CORRUPT  The file is no archive, has another format, or has a damaged index.
 * @retval CLADE_E_NOMEM    Memory is out.
 *
 * Owner:   the caller; clade_archive_destroy() frees it.
 * Threads: any; one archive is used by one thread at a time.
 * Blocks:  while reading.
 */
CLADE_API CLADE_CHECKED clade_status clade_archive_open(clade_archive **out, const char *path);

/**
 * Free an archive and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the archive; entries borrowed from it end with it.
 * Threads: one.
 * Blocks:  no.
 */
CLADE_API void clade_archive_destroy(clade_archive **archive);

/**
 * Count the entries; 0 for NULL.
 *
 * Owner:   nothing changes hands.
 * Threads: as the archive.
 * Blocks:  no.
 */
CLADE_API size_t clade_archive_count(const clade_archive *archive);

/**
 * Look at the entry number `index`, counted from 0.
 *
 * @return Borrowed from the archive until an entry is added next; NULL when there is no such entry.
 *
 * Owner:   the archive.
 * Threads: as the archive.
 * Blocks:  no.
 */
CLADE_API const clade_archive_entry *clade_archive_at(const clade_archive *archive, size_t index);

/**
 * Add a copy of an entry. It replaces an entry that differs in its bytes alone. An entry without a
 * `version` gets this library's, clade_version().
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
 * Add everything that a context has built or loaded so far, clade's own kernels included: binaries
 * of the device, sources, and what the probe found out.
 *
 * Call it when a program has created its context, its objects and its programs. The archive then
 * has all that the program's next start needs. PoCL compiles a kernel again for each group size it
 * is launched with. There the archive is complete when the kernels have run and the context has no
 * cache (`cache_dir` is "").
 *
 * @retval CLADE_OK      Added. If the driver does not give a binary, only its source is added.
 * @retval CLADE_E_ARG   An argument is NULL.
 * @retval CLADE_E_NOMEM Memory is out.
 *
 * Owner:   nothing changes hands.
 * Threads: as the archive; the context is only read.
 * Blocks:  while drivers give binaries, which may mean that they compile. Other threads that build
 *          programs of the context wait meanwhile.
 */
CLADE_API CLADE_CHECKED clade_status clade_archive_add_context(clade_archive *archive,
                                                               clade_context *context);

/**
 * Add an expanded source, and the code that an offline compiler made of it.
 *
 * @param archive  Where to.
 * @param source   From clade_source_create(); for a target when there is code.
 * @param bytes    The compiler's code; NULL: only the source is added.
 * @param size     How many bytes of code.
 *
 * @retval CLADE_OK       Added.
 * @retval CLADE_E_ARG    An argument is NULL, or there is code but the source is for no target, or
 *                        there is code of 0 bytes.
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
 * Write an archive to a file. The file appears whole or not at all: it is written under another
 * name and renamed.
 *
 * @retval CLADE_OK       Written.
 * @retval CLADE_E_ARG    An argument is NULL, or the archive has more than 1 GiB.
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
 * Write an archive to where contexts find it that name none: the file warm.clar in the cache's
 * folder. What was there is replaced.
 *
 * A context without `archive` and CLADE_ARCHIVE looks there first, then for clade/warm.clar beside
 * the installed library. Folder and file are believed as the cache is: if this user or root owns
 * them and nobody else may write to them.
 *
 * @param archive    The archive.
 * @param cache_dir  As clade_context_params.cache_dir; NULL: what contexts use by default.
 *
 * @retval CLADE_OK       Written.
 * @retval CLADE_E_ARG    The archive is NULL or has more than 1 GiB, or there is no folder: its name
 *                        is empty, or HOME is not set.
 * @retval CLADE_E_IO     The file cannot be written, or would not be believed.
 * @retval CLADE_E_NOMEM  Memory is out.
 *
 * Owner:   nothing changes hands.
 * Threads: as the archive.
 * Blocks:  while writing.
 */
CLADE_API CLADE_CHECKED clade_status clade_archive_keep(const clade_archive *archive,
                                                        const char *cache_dir);

/**
 * Tell whether a context would use an entry for the source and the options that it was made of.
 *
 * @param entry    An entry.
 * @param context  A context.
 * @param reason   Receives the reason if it would not: a short clause, such as "the driver is 3.0,
 *                 not 3.1". May be NULL when `bytes` is 0.
 * @param bytes    The room at `reason`.
 *
 * @return 1: it would. 0: it would not.
 *
 * Owner:   nothing changes hands.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API int clade_archive_fits(const clade_archive_entry *entry, const clade_context *context,
                                 char *reason, size_t bytes);

/* --- what a compiler gets --------------------------------------------------------------------- */

/**
 * Expand a kernel's source as clade_program_build() does: replace its includes. No device is
 * needed.
 *
 * @param out          Receives the source; NULL on failure.
 * @param params       What to expand, as for clade_program_build().
 * @param kernel_path  Folders with clade's kernels, as clade_context_params.kernel_path.
 * @param target       For which target to prepare the options. "sm_70" and its like are NVIDIA's,
 *                     "gfx90a" and its like AMD's, "intel-NAME" is Intel's device NAME, "spirv64"
 *                     any. A dialect may follow each: ":c11", ":ptx" or ":rmw". NULL: the options
 *                     are those of `params` alone.
 *
 * @retval CLADE_OK             `*out` is the source.
 * @retval CLADE_E_ARG          As clade_program_build(), or a file includes itself.
 * @retval CLADE_E_UNSUPPORTED  There is no such target; the message lists the targets.
 * @retval CLADE_E_NOT_FOUND, CLADE_E_CORRUPT, CLADE_E_NOMEM, CLADE_E_IO  As clade_program_build().
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
 * Expand a program's source for a context: the result is what clade_program_build() gives the
 * device's driver.
 *
 * clCreateProgramWithSource() with clade_source_text(), and clBuildProgram() with
 * clade_source_options(), make the same program as clade_program_build(). The options are
 * clade_context_options(), a blank, and those of `params`.
 *
 * @param out      Receives the source; NULL on failure.
 * @param context  For which device; its archive and its kernel folders are used.
 * @param params   What to expand, as for clade_program_build().
 *
 * @retval CLADE_OK  `*out` is the source.
 * @retval CLADE_E_ARG, CLADE_E_NOT_FOUND, CLADE_E_CORRUPT, CLADE_E_NOMEM, CLADE_E_IO  As
 *                   clade_program_build().
 *
 * Owner:   the caller; clade_source_destroy() frees it. It does not need the context any more.
 * Threads: any.
 * Blocks:  while reading files.
 */
CLADE_API CLADE_CHECKED clade_status clade_context_source(clade_source **out,
                                                          clade_context *context,
                                                          const clade_program_params *params);

/**
 * Free a source and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the source.
 * Threads: one.
 * Blocks:  no.
 */
CLADE_API void clade_source_destroy(clade_source **source);

/**
 * The text with all includes replaced. clade_source_options() has the options that its compiler
 * needs. A source for a target has the options for language and dialect first, in the way that
 * clade_program_build() passes them on a device. A source from clade_context_source() has exactly
 * what a build on that device gets.
 *
 * @return Borrowed from `source`.
 *
 * Owner:   the source.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_source_text(const clade_source *source);
/** The compiler options of a source: see clade_source_text(). */
CLADE_API const char *clade_source_options(const clade_source *source);

/**
 * The name of the file number `index` that was read: 0 is the kernel's own, where that is a file.
 * It is for files of dependencies.
 *
 * @return Borrowed from `source`; NULL after the last file.
 *
 * Owner:   the source.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_source_file(const clade_source *source, size_t index);

#ifdef __cplusplus
}
#endif
