/* SPDX-License-Identifier: Apache-2.0 */
/* Talk with the emulator: a socket, and memory that both map. */
#include "amd/amd.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int connection = -1;
static unsigned char *memory;

static void end(const char *why)
{
    fprintf(stderr, "tests/amd: %s\n", why);
    abort();
}

void amd_next(const char *name, void *function_pointer)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        end(name);
    memcpy(function_pointer, &found, sizeof found);
}

cl_int amd_give(const void *value, size_t bytes, size_t room, void *out, size_t *out_bytes)
{
    if (out_bytes)
        *out_bytes = bytes;
    if (out && room < bytes)
        return CL_INVALID_VALUE;
    if (out)
        memcpy(out, value, bytes);
    return CL_SUCCESS;
}

size_t amd_wave(void)
{
    const char *wave = getenv("CLADE_AMD_WAVE");
    return wave ? strtoul(wave, NULL, 10) : 32;
}

static void send_all(const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t sent = send(connection, at, size, MSG_NOSIGNAL);
        if (sent <= 0)
            end("the emulator does not listen");
        at += sent;
        size -= (size_t)sent;
    }
}

static void receive_all(void *bytes, size_t size)
{
    char *at = bytes;
    while (size > 0) {
        ssize_t got = recv(connection, at, size, 0);
        if (got <= 0)
            end("the emulator ended");
        at += got;
        size -= (size_t)got;
    }
}

static char *exchange(const char *text, size_t length)
{
    uint32_t size = (uint32_t)length;
    send_all(&size, sizeof size);
    send_all(text, length);
    receive_all(&size, sizeof size);
    char *answer = calloc(1, (size_t)size + 1);
    if (!answer)
        end("host memory is out");
    receive_all(answer, size);
    return answer;
}

static void share_memory(void)
{
    char text[96];
    int file = memfd_create("clade-amd", 0);
    if (file < 0 || ftruncate(file, (off_t)SHARED_BYTES) != 0)
        end("no memory to share");
    memory = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        end("no memory to share");
    int length =
        snprintf(text, sizeof text, "memory /proc/%d/fd/%d %zu", (int)getpid(), file, SHARED_BYTES);
    char *answer = exchange(text, (size_t)length);
    if (strncmp(answer, "ok", 2) != 0)
        end(answer);
    free(answer);
}

static void begin(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *path = getenv("CLADE_AMD_SOCKET");
    if (!path || strlen(path) >= sizeof address.sun_path)
        end("CLADE_AMD_SOCKET names no socket: start programs by tests/amd/run");
    strcpy(address.sun_path, path);
    connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) != 0)
        end("nobody listens at CLADE_AMD_SOCKET");
    share_memory();
}

char *amd_ask(const char *text, size_t length)
{
    pthread_mutex_lock(&mutex);
    if (connection < 0)
        begin();
    char *answer = exchange(text, length);
    pthread_mutex_unlock(&mutex);
    return answer;
}

unsigned char *amd_memory(void)
{
    pthread_mutex_lock(&mutex);
    if (connection < 0)
        begin();
    pthread_mutex_unlock(&mutex);
    return memory;
}
