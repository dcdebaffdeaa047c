/* SPDX-License-Identifier: Apache-2.0 */
/* The last error of each thread. Fixed buffers for the sentence, so that reporting a failure
 * cannot itself fail; the build log is on the heap and simply missing when memory is out. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "clade/version.h"

enum { MESSAGE_BYTES = 1024 };

struct thread_error {
    clade_error error;
    char message[MESSAGE_BYTES];
    char *log;
};

static _Thread_local struct thread_error *last;
static pthread_key_t last_key;
static pthread_once_t last_once = PTHREAD_ONCE_INIT;
static bool has_key;
static const clade_error no_error = { .message = "", .log = "" };
static const clade_error no_memory = { .status = CLADE_E_NOMEM,
                                       .message = "host memory is out",
                                       .log = "" };

/* Of this thread. When it ends others' destructors may still fail: they get a new one. */
static void free_error(void *pointer)
{
    struct thread_error *error = pointer;
    last = NULL;
    free(error->log);
    free(error);
}

/* A key only for its destructor: thread-local storage alone would leak when a thread ends. Without
 * one, when the process has no key left, it does. */
static void make_key(void)
{
    has_key = pthread_key_create(&last_key, free_error) == 0;
}

/* Threads that end run the key's destructor; the one that ends the process, or calls dlclose(),
 * does not. After dlclose() there is no destructor to run any more: what other threads have is lost
 * then. */
__attribute__((destructor)) static void end_errors(void)
{
    if (last)
        free_error(last);
    if (has_key)
        pthread_key_delete(last_key);
    has_key = false;
}

static struct thread_error *thread_error(void)
{
    if (!last) {
        pthread_once(&last_once, make_key);
        last = calloc(1, sizeof *last);
        if (last && has_key)
            pthread_setspecific(last_key, last);
    }
    return last;
}

static _Thread_local bool out_of_memory;

/* Names of files come from anywhere: what is in them neither ends the line nor steers a terminal.
 */
static void keep_to_one_line(char *message)
{
    for (; *message; message++)
        if ((unsigned char)*message < ' ' || *message == 127)
            *message = '?';
}

static clade_status set_error(clade_status status, cl_int code, const char *log, const char *format,
                              va_list arguments)
{
    struct thread_error *error = thread_error();
    out_of_memory = error == NULL;
    if (!error)
        return status;
    free(error->log);
    error->log = log && *log ? cladei_strdup(log) : NULL;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    keep_to_one_line(error->message);
    error->error = (clade_error) {
        .status = status,
        .cl_code = code,
        .message = error->message,
        .log = error->log ? error->log : "",
    };
    return status;
}

clade_status cladei_fail(clade_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_error(status, 0, NULL, format, arguments);
    va_end(arguments);
    return status;
}

clade_status cladei_fail_build(cl_int code, const char *log, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_error(CLADE_E_BUILD, code, log, format, arguments);
    va_end(arguments);
    return CLADE_E_BUILD;
}

static clade_status fail_with_code(clade_status status, cl_int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_error(status, code, NULL, format, arguments);
    va_end(arguments);
    return status;
}

clade_status cladei_fail_cl(cl_int code, const char *call)
{
    clade_status status = code == CL_OUT_OF_HOST_MEMORY ? CLADE_E_NOMEM : CLADE_E_DEVICE;
    int length = (int)strcspn(call, "(");
    return fail_with_code(status, code, "%.*s failed: %s (%d)", length, call, cladei_cl_name(code),
                          code);
}

clade_status clade_error_set(clade_status status, int cl_code, const char *message)
{
    char copy[MESSAGE_BYTES]; /* it may be the last failure's own */
    snprintf(copy, sizeof copy, "%s", message ? message : "");
    return fail_with_code(status, cl_code, "%s", copy);
}

const clade_error *clade_error_last(void)
{
    if (last)
        return &last->error;
    return out_of_memory ? &no_memory : &no_error;
}

const char *clade_status_name(clade_status status)
{
    static const char *const names[CLADE_STATUS_COUNT] = {
        "CLADE_OK",        "CLADE_E_ARG",         "CLADE_E_NOMEM",
        "CLADE_E_DEVICE",  "CLADE_E_UNSUPPORTED", "CLADE_E_NOT_FOUND",
        "CLADE_E_BUILD",   "CLADE_E_FULL",        "CLADE_E_BUSY",
        "CLADE_E_CORRUPT", "CLADE_E_IO",
    };
    return status <= 0 && status > -CLADE_STATUS_COUNT ? names[-status] : "unknown status";
}

#define VERSION_TEXT_(a, b, c) #a "." #b "." #c
#define VERSION_TEXT(a, b, c)  VERSION_TEXT_(a, b, c)

const char *clade_version(void)
{
    return VERSION_TEXT(CLADE_VERSION_MAJOR, CLADE_VERSION_MINOR, CLADE_VERSION_PATCH);
}
