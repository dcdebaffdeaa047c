// SPDX-License-Identifier: Apache-2.0
#include "baseline/count.h"

#include <algorithm>
#include <cctype>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>

struct baseline_count {
    std::string text; /* in small letters */
    std::unordered_map<std::string_view, uint64_t> words;
    std::unordered_map<uint64_t, uint64_t> kmers;
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

uint64_t baseline_count_of(const struct baseline_count *count, const char *token, size_t length)
{
    if (count->k == 0) {
        const auto at = count->words.find(std::string_view(token, length));
        return at == count->words.end() ? 0 : at->second;
    }
    uint64_t kmer = 0;
    for (size_t i = 0; i < length; i++)
        kmer = kmer << 2 | bits_of(token[i]);
    const auto at = count->kmers.find(chosen(count, kmer));
    return at == count->kmers.end() ? 0 : at->second;
}
