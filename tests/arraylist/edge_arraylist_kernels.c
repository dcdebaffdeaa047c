/* SPDX-License-Identifier: Apache-2.0 */
/* The array list's kernels by groups of one item and of several (-DGROUP=), on lanes, launched as
 * the host does: appends of all counts up to the capacity and beyond it, of elements of one word
 * and of several, with an allocator that has a block for each segment or refuses; then reads from
 * every place. A model knows each word, the segments and their sizes. */
#include "host/device.h"

static uint take_block(void *kma, size_t bytes);
static void give_block(void *kma, uint ref);
#define CLADE_ARRAYLIST_MALLOC(kma, bytes) take_block((kma), (bytes))
#define CLADE_ARRAYLIST_FREE(kma, ref)     give_block((kma), (ref))
#undef __kernel
#define __kernel static
#include "kernels/arraylist.cl"

#include "edges/kernels.h"

/* Segments of 2, 2, 4, 8, 16 and 32 elements. */
enum {
    SHIFT = 1,
    CAPACITY = 40,
    SEGMENTS = 6,
    MOST_WORDS = 3,
    UNITS = 200,
    FIRST = 2,
    GUARD = 0x5a5a5a5a
};

static struct memory {
    union {
        clade_kma_head head;
        char room[(sizeof(clade_kma_head) + 15) / 16 * 16];
    } kma;
    uint units[UNITS * 4];
} * memory;
static clade_arraylist_head *list;
static uint used, blocks,
    sizes[SEGMENTS]; /* units, blocks that may still be had, bytes of those had */
static bool is_last; /* the next block is at the end of 64 GiB */
static uint made, held[CAPACITY * MOST_WORDS], size;
static struct call {
    uint count, from, *elements;
    ulong words;
} call;

AS_KERNEL(reserve, clade_arraylist_reserve(list, &memory->kma.head, call.count))
AS_KERNEL(write_all,
          clade_arraylist_write(list, &memory->kma.head, call.elements, FIRST, call.words))
AS_KERNEL(read_all, clade_arraylist_read(list, &memory->kma.head, call.from, call.elements, FIRST,
                                         call.words))

/* A unit that nobody may write lies behind each block. */
static uint take_block(void *kma, size_t bytes)
{
    const uint at = used;
    (void)kma;
    if (is_last)
        return CLADE_ARRAYLIST_MAKING;
    if (blocks == 0 || made == SEGMENTS)
        return CLADE_NIL;
    blocks--;
    sizes[made++] = (uint)bytes;
    used += (uint)(bytes + 15) / 16 + 1u;
    if (used > UNITS)
        exit(2);
    return (uint)(offsetof(struct memory, units) / 16) + 1u + at;
}

static void give_block(void *kma, uint ref)
{
    (void)kma;
    expect(is_last && ref == CLADE_ARRAYLIST_MAKING, "a block that was given back", ref, 0);
    is_last = false;
}

static void make(uint words, uint blocks_there)
{
    memory = room(sizeof *memory);
    memory->kma.head.object.shape = CLADE_KMA_OBJECT_SHAPE(0u);
    list = room(sizeof *list);
    list->object.shape = CLADE_ARRAYLIST_SHAPE;
    list->object.first_error = list->object.first_error_item = 0;
    list->words = words;
    list->shift = SHIFT;
    list->capacity = CAPACITY;
    list->size = 0;
    for (uint i = 0; i < CLADE_ARRAYLIST_SEGMENTS; i++)
        list->segments[i] = CLADE_NIL;
    blocks = blocks_there;
    used = made = size = 0;
}

static void open_call(uint count)
{
    call.count = count;
    call.words = (ulong)count * list->words;
    call.elements = room((FIRST + call.words) * 4);
}

static void check(const char *when)
{
    uint n = 0;
    expect(list->size == size, when, list->size, size);
    for (uint i = 0; i < SEGMENTS; i++)
        n += list->segments[i] != CLADE_NIL;
    expect(n == made && list->segments[SEGMENTS] == CLADE_NIL, "segments", n, made);
    for (uint i = 0, at = 0; i < made; at += (sizes[i++] + 15) / 16 + 1u) {
        expect(list->segments[i] == at + 1u + offsetof(struct memory, units) / 16,
               "a segment's block", i, at);
        expect(sizes[i] == clade_arraylist_elements(SHIFT, i) * list->words * 4u,
               "a segment's size", i, sizes[i]);
        for (uint w = sizes[i] / 4u; w < ((sizes[i] + 15) / 16 + 1u) * 4u; w++)
            expect(memory->units[at * 4u + w] == GUARD, "written behind a segment", i, w);
    }
    for (uint i = 0; i < size * list->words; i++)
        expect(((const uint *)clade_arraylist_at_wi(list, &memory->kma.head,
                                                    i / list->words))[i % list->words] == held[i],
               when, i, held[i]);
}

/* Segments that `elements` need. */
static uint needed(uint elements)
{
    uint n = 0;
    while (n < SEGMENTS && clade_arraylist_first(SHIFT, n) < elements)
        n++;
    return n;
}

static void append(uint count)
{
    const bool is_there = count <= CAPACITY - size,
               fits = is_there && needed(size + count) <= made + blocks;
    const uint wanted = fits ? needed(size + count) : is_there ? made + blocks : made;
    const uint made_then = wanted > made ? wanted : made;
    open_call(count);
    for (uint i = 0; i < call.words; i++)
        call.elements[FIRST + i] = draw(1u << 24);
    shim_launch(reserve, NULL, 1, 1, 1);
    expect(list->base == (fits ? size : CLADE_ARRAYLIST_REFUSED), "a place for all", list->base,
           count);
    expect(made == made_then, "segments made", made, made_then);
    check("between an append's launches");
    launch(write_all, call.words);
    for (uint i = 0; i < call.words && fits; i++)
        held[size * list->words + i] = call.elements[FIRST + i];
    size += fits ? count : 0;
    check("after an append");
    expect((int)list->object.first_error == (fits ? 0 : CLADE_E_FULL), "the first error",
           list->object.first_error, count);
    list->object.first_error = 0;
    free(call.elements);
}

static void read_from(uint from, uint count)
{
    open_call(count);
    call.from = from;
    launch(read_all, call.words);
    for (uint i = 0; i < call.words; i++)
        expect(call.elements[FIRST + i] == held[from * list->words + i], "a word that was read", i,
               from);
    expect(call.elements[FIRST - 1] == GUARD, "before the array", from, count);
    free(call.elements);
}

static void all(uint words, uint blocks_there, uint most)
{
    make(words, blocks_there);
    for (uint tries = 0; tries < 60 && size < CAPACITY; tries++) {
        append(1 + draw(most));
        for (uint i = 0; i < 3 && size > 0; i++) {
            const uint from = draw(size);
            read_from(from, 1 + draw(size - from));
        }
    }
    append(CAPACITY - size + 1);
    if (size < CAPACITY && blocks_there < SEGMENTS) {
        const uint last = clade_arraylist_first(SHIFT, blocks_there);
        if (size < last)
            append(last - size);
        append(1);  /* the allocator refuses */
        blocks = 1; /* a refusal is no end */
        append(1);
    }
    for (uint from = 0; from < size; from++)
        read_from(from, size - from);
    expect(list->reserved0[0] == GUARD && list->reserved1[0] == GUARD, "written between words", 0,
           0);
    free(list);
    free(memory);
}

/* A block whose ref is the mark of a segment that is being made is given back: the list is full,
 * and the next append asks again. */
static void refuse_the_last_cells(void)
{
    make(1, 0);
    is_last = true;
    append(1);
    expect(!is_last, "the block is given back", 0, 0);
    blocks = 1;
    append(1);
    is_last = true;
    blocks = 0;
    append(2);
    expect(!is_last, "the block is given back", 1, 0);
    free(list);
    free(memory);
}

int main(void)
{
    setbuf(stdout, NULL);
    random_state = shim_seed();
    refuse_the_last_cells();
    for (uint words = 1; words <= MOST_WORDS; words += 2) {
        all(words, SEGMENTS, 3);
        all(words, SEGMENTS, CAPACITY);
        for (uint i = 0; i < SEGMENTS; i++)
            all(words, i, 7);
    }
    printf("the array list's kernels: %u wrong\n", wrong);
    return wrong != 0;
}
