/* SPDX-License-Identifier: Apache-2.0 */
/* The host's view of an allocator whose device functions run on threads (host_kma.c): a file of its
 * own, since the shared headers mean something else there. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kma/kma.h"

#include "kma/host_kma.h"

/* Head and room for all; the bookkeeping behind the head is garbage, as a new buffer's is. */
static void *fill_memory(char *memory, const clade_kma_head *constants)
{
    const clade_kma_head head = cladei_kma_first_head(constants);
    const uint32_t pages = head.pages;
    if (memory && head.first_page < pages) {
        memset(memory, 0xa5, (size_t)head.first_page * CLADE_KMA_PAGE_BYTES);
        memcpy(memory, &head, sizeof head);
        clade_object_head *object = &((clade_kma_head *)memory)->object;
        object->kind = CLADE_KMA_KIND;
        object->layout_version = CLADE_OBJECT_LAYOUT_VERSION;
        object->bytes_low = pages * CLADE_KMA_PAGE_BYTES;
        object->bytes_high = (uint32_t)((uint64_t)pages * CLADE_KMA_PAGE_BYTES >> 32);
    }
    return memory;
}

static void *new_memory_of(const clade_kma_head *constants)
{
    return fill_memory(
        aligned_alloc(CLADE_KMA_PAGE_BYTES, (size_t)constants->pages * CLADE_KMA_PAGE_BYTES),
        constants);
}

static void *new_memory(uint32_t pages, const clade_caps *caps, int debug)
{
    clade_kma_head constants;
    cladei_kma_lay_out(&constants, pages, caps, debug, 0);
    return new_memory_of(&constants);
}

void *host_kma_new(uint32_t pages, uint32_t units, int debug)
{
    return new_memory(pages, &(clade_caps) { .compute_units = units, .is_cpu = 1 }, debug);
}

void *host_kma_new_nowhere(uint32_t pages, uint32_t units, int debug)
{
    clade_kma_head constants;
    void *memory = mmap(NULL, (size_t)pages * CLADE_KMA_PAGE_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    cladei_kma_lay_out(&constants, pages, &(clade_caps) { .compute_units = units, .is_cpu = 1 },
                       debug, 0);
    return fill_memory(memory, &constants);
}

void host_kma_end_nowhere(void *memory, uint32_t pages)
{
    munmap(memory, (size_t)pages * CLADE_KMA_PAGE_BYTES);
}

void *host_kma_new_as_on_gpus(uint32_t pages, uint32_t units)
{
    return new_memory(pages, &(clade_caps) { .compute_units = units }, 0);
}

void *host_kma_new_with_own_hints(uint32_t pages)
{
    const struct cladei_kma_most most = {
        .slots = 2, .parts = 5, .feeds = 1, .own = 8, .own_large = 5
    };
    clade_kma_head constants;
    cladei_kma_lay_out(&constants, pages, &(clade_caps) { .is_cpu = 1 }, 0, 0);
    cladei_kma_lay_out_for(&constants, most, 0);
    return new_memory_of(&constants);
}

uint32_t host_kma_usable_pages(uint64_t bytes)
{
    return (uint32_t)(cladei_kma_usable_bytes(bytes) / CLADE_KMA_PAGE_BYTES);
}

uint32_t host_kma_bookkeeping_words(const void *memory)
{
    return ((const clade_kma_head *)memory)->first_page * (CLADE_KMA_PAGE_BYTES / 4);
}

void host_kma_clear(void *memory)
{
    const clade_kma_head *head = memory;
    uint32_t *words = memory;
    memset(words + sizeof *head / 4, 0,
           (host_kma_bookkeeping_words(memory) - sizeof *head / 4) * 4);
    memset(words + head->cells_at, 0xff, (size_t)head->pages * 32 * 4);
    cladei_kma_first_tree(head, words + head->tree_at +
                                    CLADE_KMA_PAGE_TREE(head->debug) * head->tree_words);
}

const char *host_kma_verify(void *memory, const uint32_t *live, uint64_t count)
{
    struct cladei_kma_image image = { .words = memory };
    memcpy(&image.head, memory, sizeof image.head);
    return cladei_kma_verify(&image, live, count) == CLADE_OK ? NULL : clade_error_last()->message;
}

bool host_kma_has_short_group(const void *memory)
{
    const clade_kma_head *head = memory;
    for (uint32_t page = head->first_page; page < head->pages; page++)
        if (CLADE_KMA_INFO_CELLS(((const uint32_t *)memory)[head->info_at + page]) % 32 != 0)
            return true;
    return false;
}

uint32_t host_kma_bad_frees(const void *memory)
{
    return ((const clade_kma_head *)memory)->bad_frees;
}

uint32_t host_kma_fault(const void *memory)
{
    return ((const clade_kma_head *)memory)->fault;
}

/* Free cells of the superblock at `page`. */
static uint32_t free_cells(const uint32_t *words, const clade_kma_head *head, uint32_t page)
{
    const uint32_t cells = CLADE_KMA_INFO_CELLS(words[head->info_at + page]);
    const uint32_t whole = words[head->whole_at + page];
    uint32_t count = 0;
    for (uint32_t g = 0; g * 32 < cells; g++) {
        const uint32_t exist = clade_kma_group_cells(cells, g);
        const uint32_t taken = whole >> g & 1 ? 0 : words[head->cells_at + page * 32 + g];
        count += (uint32_t)__builtin_popcount(exist & ~taken);
    }
    return count;
}

/* Cells of this class and of larger ones, and pages. */
uint64_t host_kma_room(const void *memory, uint32_t class_)
{
    const clade_kma_head *head = memory;
    const uint32_t *words = memory;
    uint64_t room = 0;
    for (uint32_t page = head->first_page; page < head->pages;) {
        const uint32_t info = words[head->info_at + page];
        if (info == 0)
            room++, page++;
        else if (info == CLADE_KMA_BIG)
            page += words[head->home_at + page];
        else {
            room += CLADE_KMA_INFO_KIND(info) - 1 >= class_ ? free_cells(words, head, page) : 0;
            page += CLADE_KMA_INFO_PAGES(info);
        }
    }
    return room;
}

/* Runs of free pages; superblocks without a live cell count as free. */
uint64_t host_kma_room_of_pages(const void *memory, uint32_t pages)
{
    const clade_kma_head *head = memory;
    const uint32_t *words = memory;
    uint64_t room = 0;
    uint32_t run = 0;
    for (uint32_t page = head->first_page; page < head->pages;) {
        const uint32_t info = words[head->info_at + page];
        const bool empty = info != 0 && info != CLADE_KMA_BIG &&
                           free_cells(words, head, page) == CLADE_KMA_INFO_CELLS(info);
        if (info == 0 || empty)
            run += info == 0 ? 1 : CLADE_KMA_INFO_PAGES(info);
        else
            room += run / pages, run = 0;
        page += info == 0               ? 1
                : info == CLADE_KMA_BIG ? words[head->home_at + page]
                                        : CLADE_KMA_INFO_PAGES(info);
    }
    return room + run / pages;
}

const char *host_kma_adopt(void *memory, uint32_t pages, int debug)
{
    struct cladei_kma_image image = { .words = memory };
    const uint64_t bytes = (uint64_t)pages * CLADE_KMA_PAGE_BYTES;
    memcpy(&image.head, memory, sizeof image.head);
    if (!cladei_kma_head_is_sound(&image.head, bytes, debug))
        return "the head is wrong";
    return cladei_kma_adopt(&image, bytes, debug) == CLADE_OK ? NULL : clade_error_last()->message;
}
