// SPDX-License-Identifier: Apache-2.0
#include "baseline/count.h"

#include <algorithm>
#include <cctype>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/* A table of a map's entries in which many keys are looked for at once: each one's place is asked
 * for, then each one's entry, and only then it is read. One look-up after the other waits for
 * memory several times, each time alone. */
template <typename Map> class Lookups
{
  public:
    using Entry = typename Map::value_type;

    void build(Map &map)
    {
        size_t size = 16;
        while (size < 2 * map.size())
            size *= 2;
        slots.resize(size);
        mask = size - 1;
        Entry *batch[BASELINE_TOKENS_MOST];
        size_t n = 0;
        /* By buckets, which are read at once; along the map's list each entry waits for the one
         * before. */
        for (size_t b = 0; b < map.bucket_count(); b++)
            for (auto at = map.begin(b); at != map.end(b); ++at) {
                batch[n++] = &*at;
                if (n == BASELINE_TOKENS_MOST)
                    place(batch, n), n = 0;
            }
        place(batch, n);
    }

    /* The entries of `n` keys, or NULL. */
    void find(const typename Map::key_type *keys, size_t n, Entry **found)
    {
        uint64_t hashes[BASELINE_TOKENS_MOST];
        for (size_t i = 0; i < n; i++) {
            hashes[i] = hash_of(keys[i]);
            __builtin_prefetch(&slots[hashes[i] & mask]);
        }
        for (size_t i = 0; i < n; i++)
            __builtin_prefetch(slots[next(hashes[i] & mask, hashes[i])].entry);
        for (size_t i = 0; i < n; i++) {
            size_t at = next(hashes[i] & mask, hashes[i]);
            while (slots[at].entry && slots[at].entry->first != keys[i])
                at = next((at + 1) & mask, hashes[i]);
            found[i] = slots[at].entry;
        }
    }

    bool is_built() const
    {
        return !slots.empty();
    }

  private:
    struct Slot {
        uint64_t hash;
        Entry *entry; /* nullptr: none */
    };
    std::vector<Slot> slots;
    size_t mask = 0;

    /* std::hash of a number is the number. */
    static uint64_t hash_of(const typename Map::key_type &key)
    {
        const uint64_t mixed = std::hash<typename Map::key_type>()(key) * 0x9e3779b97f4a7c15u;
        return mixed ^ mixed >> 32;
    }

    /* The first slot from `at` on that has this hash, or nothing. */
    size_t next(size_t at, uint64_t hash) const
    {
        while (slots[at].entry && slots[at].hash != hash)
            at = (at + 1) & mask;
        return at;
    }

    void place(Entry *const *batch, size_t n)
    {
        uint64_t hashes[BASELINE_TOKENS_MOST];
        for (size_t i = 0; i < n; i++) {
            hashes[i] = hash_of(batch[i]->first);
            __builtin_prefetch(&slots[hashes[i] & mask], 1);
        }
        for (size_t i = 0; i < n; i++) {
            size_t at = hashes[i] & mask;
            while (slots[at].entry)
                at = (at + 1) & mask;
            slots[at] = { hashes[i], batch[i] };
        }
    }
};

using Words = std::unordered_map<std::string_view, uint64_t>;
using Kmers = std::unordered_map<uint64_t, uint64_t>;

struct baseline_count {
    std::string text; /* in small letters */
    Words words;
    Kmers kmers;
    Lookups<Words> word_lookups; /* made by the first look */
    Lookups<Kmers> kmer_lookups;
    unsigned k;
    bool is_canonical;
};

static bool in_word(unsigned char c)
{
    return c > 127 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

static void count_words(baseline_count *count, const char *text, size_t bytes)
{
    std::string &all = count->text;
    all.assign(text, bytes);
    for (char &c : all)
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
    for (size_t at = 0; at < bytes;) {
        size_t end = at;
        while (end < bytes && in_word((unsigned char)all[end]))
            end++;
        if (end > at)
            count->words[std::string_view(all).substr(at, end - at)]++;
        at = end + 1;
    }
}

/* The bits of a base; 4: another letter. */
static unsigned bits_of(char letter)
{
    switch (letter) {
    case 'A':
    case 'a':
        return 0;
    case 'C':
    case 'c':
        return 1;
    case 'G':
    case 'g':
        return 2;
    case 'T':
    case 't':
        return 3;
    default:
        return 4;
    }
}

static uint64_t reversed(uint64_t kmer, unsigned k)
{
    uint64_t other = 0;
    for (unsigned i = 0; i < k; i++, kmer >>= 2)
        other = other << 2 | (3 - (kmer & 3));
    return other;
}

static uint64_t chosen(const baseline_count *count, uint64_t kmer)
{
    return count->is_canonical ? std::min(kmer, reversed(kmer, count->k)) : kmer;
}

static void count_kmers(baseline_count *count, std::string_view sequence)
{
    const unsigned k = count->k;
    const uint64_t mask = ~(uint64_t)0 >> (64 - 2 * k);
    uint64_t kmer = 0;
    unsigned run = 0;
    for (char letter : sequence) {
        const unsigned base = bits_of(letter);
        run = base < 4 ? run + 1 : 0;
        kmer = (kmer << 2 | (base & 3)) & mask;
        if (run >= k)
            count->kmers[chosen(count, kmer)]++;
    }
}

/* FASTA, FASTQ, or a sequence a line. */
static void count_sequences(baseline_count *count, std::string_view text)
{
    const char kind = text.empty() ? 0 : text[0];
    std::string sequence;
    size_t line = 0;
    for (size_t at = 0; at < text.size(); line++) {
        const size_t end = std::min(text.find('\n', at), text.size());
        std::string_view part = text.substr(at, end - at);
        at = end + 1;
        if (!part.empty() && part.back() == '\r')
            part.remove_suffix(1);
        const bool is_head = kind == '>' && !part.empty() && (part[0] == '>' || part[0] == ';');
        if (kind != '>' || is_head) {
            count_kmers(count, sequence);
            sequence.clear();
        }
        if (!is_head && (kind != '@' || line % 4 == 1))
            sequence += part;
    }
    count_kmers(count, sequence);
}

struct baseline_count *baseline_count_run(const char *text, size_t bytes, unsigned k,
                                          bool is_canonical)
{
    baseline_count *count = new (std::nothrow) baseline_count;
    if (!count)
        return nullptr;
    count->k = k;
    count->is_canonical = is_canonical;
    try {
        if (k == 0)
            count_words(count, text, bytes);
        else
            count_sequences(count, std::string_view(text, bytes));
    } catch (const std::bad_alloc &) {
        delete count;
        return nullptr;
    }
    return count;
}

void baseline_count_destroy(struct baseline_count *count)
{
    delete count;
}

uint64_t baseline_count_distinct(const struct baseline_count *count)
{
    return count->k == 0 ? count->words.size() : count->kmers.size();
}

/* A count that was asked for is 0 from then on. */
template <typename Map> static uint64_t count_wrong(Map &map, Lookups<Map> &lookups,
                                                    const typename Map::key_type *keys,
                                                    const struct baseline_token *tokens, size_t n)
{
    typename Map::value_type *found[BASELINE_TOKENS_MOST];
    uint64_t wrong = 0;
    if (!lookups.is_built())
        lookups.build(map);
    lookups.find(keys, n, found);
    for (size_t i = 0; i < n; i++) {
        const bool is_right =
            found[i] && found[i]->second > 0 && found[i]->second == tokens[i].count;
        if (found[i])
            found[i]->second = 0;
        wrong += is_right ? 0 : 1;
    }
    return wrong;
}

uint64_t baseline_count_wrong(struct baseline_count *count, const struct baseline_token *tokens,
                              size_t n)
{
    std::string_view words[BASELINE_TOKENS_MOST];
    uint64_t kmers[BASELINE_TOKENS_MOST] = {};
    for (size_t i = 0; i < n; i++) {
        words[i] = std::string_view(tokens[i].text, tokens[i].length);
        for (size_t c = 0; count->k > 0 && c < tokens[i].length; c++)
            kmers[i] = kmers[i] << 2 | bits_of(tokens[i].text[c]);
        kmers[i] = count->k > 0 ? chosen(count, kmers[i]) : 0;
    }
    try {
        return count->k == 0 ? count_wrong(count->words, count->word_lookups, words, tokens, n)
                             : count_wrong(count->kmers, count->kmer_lookups, kmers, tokens, n);
    } catch (const std::bad_alloc &) {
        return n;
    }
}
