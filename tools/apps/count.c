/* SPDX-License-Identifier: Apache-2.0 */
/* `clade count`: how often each word of a text, or each k-mer of sequences, comes. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "apps/count.h"
#include "baseline/count.h"
#include "command/clade.h"
#include "common/clock.h"
#include "common/options.h"
#include "common/outfile.h"

struct job {
    struct count_text text;
    struct count_result result;
    const char *device, *out;
    uint64_t top;
    bool check, json;
    double prepare_ms, host_ms; /* host_ms: of the check's own count; below 0: none */
    uint64_t wrong;
};

static int parse(struct job *job, int argc, char **argv)
{
    static const struct option options[] = {
        { "kmer", required_argument, NULL, 'k' },
        { "words", no_argument, NULL, 'w' },
        { "canonical", no_argument, NULL, 'b' },
        { "top", required_argument, NULL, 't' },
        { "out", required_argument, NULL, 'o' },
        { "check", no_argument, NULL, 'c' },
        { "json", no_argument, NULL, 'j' },
        { "device", required_argument, NULL, 'd' },
        { NULL, 0, NULL, 0 },
    };
    bool fine = true, words = false;
    uint64_t k = 0;
    for (int c; (c = getopt_long(argc, argv, "d:", options, NULL)) != -1;) {
        fine = fine && c != '?';
        words = words || c == 'w';
        job->check = job->check || c == 'c';
        job->json = job->json || c == 'j';
        job->text.is_canonical = job->text.is_canonical || c == 'b';
        job->device = c == 'd' ? optarg : job->device;
        job->out = c == 'o' ? optarg : job->out;
        if (c == 'k')
            fine = fine && option_number(optarg, 1, COUNT_K_MOST, &k);
        if (c == 't')
            fine = fine && option_number(optarg, 0, UINT32_MAX, &job->top);
    }
    if (!fine || optind + 1 != argc)
        return report_usage("count", "one file is needed; K is from 1 to %d, N a number",
                            COUNT_K_MOST);
    if (words && k > 0)
        return report_usage("count", "words or k-mers: both are not counted at once");
    if (job->text.is_canonical && k == 0)
        return report_usage("count", "--canonical is for k-mers");
    job->text.path = argv[optind];
    job->text.k = (uint32_t)k;
    return EXIT_DONE;
}

/* --- the check -------------------------------------------------------------------------------- */

/* How many of the entries from `begin` on have another count on the host; their texts go to
 * `texts`. */
static uint64_t count_wrong(const struct job *job, struct baseline_count *host, uint64_t begin,
                            uint64_t end, char (*texts)[COUNT_WORD_MOST + 1])
{
    struct baseline_token tokens[BASELINE_TOKENS_MOST];
    for (uint64_t i = begin; i < end; i++) {
        const struct count_entry e = job->result.entries[i];
        const size_t length = count_text_token(&job->text, e.place, texts[i - begin]);
        tokens[i - begin] = (struct baseline_token) { texts[i - begin], length, e.count };
    }
    return baseline_count_wrong(host, tokens, end - begin);
}

/* Every token's count, and no token more or less. */
static bool compare(struct job *job)
{
    const struct count_text *t = &job->text;
    const uint64_t distinct = job->result.distinct;
    const double start = now_ms();
    struct baseline_count *host = baseline_count_run(t->raw, t->raw_bytes, t->k, t->is_canonical);
    job->host_ms = now_ms() - start;
    char(*texts)[COUNT_WORD_MOST + 1] = malloc(BASELINE_TOKENS_MOST * sizeof *texts);
    const bool fine = host && texts;
    if (!fine)
        fprintf(stderr, "clade: nothing to compare with: memory is out, or there is no C++\n");
    for (uint64_t i = 0; fine && i < distinct; i += BASELINE_TOKENS_MOST)
        job->wrong += count_wrong(
            job, host, i, distinct - i > BASELINE_TOKENS_MOST ? i + BASELINE_TOKENS_MOST : distinct,
            texts);
    job->wrong += fine && baseline_count_distinct(host) != distinct;
    free(texts);
    baseline_count_destroy(host);
    return fine;
}

/* --- what is printed -------------------------------------------------------------------------- */

static const char *noun(const struct job *job)
{
    return job->text.k > 0 ? "k-mers" : "words";
}

static void print_text(const struct job *job, uint64_t shown)
{
    char token[COUNT_WORD_MOST + 1];
    const struct count_result *r = &job->result;
    for (uint64_t i = 0; i < shown; i++) {
        count_text_token(&job->text, r->entries[i].place, token);
        printf("%10" PRIu32 " %s\n", r->entries[i].count, token);
    }
    printf("%" PRIu64 " %s, %" PRIu64 " different: %.3f ms on %s, after %.3f ms of reading\n",
           r->tokens, noun(job), r->distinct, r->ms, r->device, job->prepare_ms);
    if (job->check)
        printf("%" PRIu64 " of %" PRIu64 " counts are wrong; std::unordered_map on one core: "
               "%.3f ms\n",
               job->wrong, r->distinct, job->host_ms);
}

/* A token or a path. Bytes that are no UTF-8 are shown as the characters of their numbers. */
static json_t *json_bytes(const char *bytes)
{
    json_t *text = json_string(bytes);
    char *const wide = text ? NULL : malloc(2 * strlen(bytes) + 1), *to = wide;
    if (!wide)
        return text;
    for (const unsigned char *at = (const unsigned char *)bytes; *at; at++) {
        if (*at > 127)
            *to++ = (char)(0xc0 | *at >> 6);
        *to++ = (char)(*at > 127 ? 0x80 | (*at & 63) : *at);
    }
    *to = 0;
    text = json_string(wide);
    free(wide);
    return text;
}

static bool print_json(const struct job *job, uint64_t shown)
{
    char token[COUNT_WORD_MOST + 1];
    const struct count_result *r = &job->result;
    json_t *top = json_array();
    for (uint64_t i = 0; i < shown; i++) {
        count_text_token(&job->text, r->entries[i].place, token);
        json_array_append_new(top, json_pack("{s:o, s:I}", "token", json_bytes(token), "count",
                                             (json_int_t)r->entries[i].count));
    }
    json_t *root = json_pack("{s:o, s:i, s:b, s:s, s:I, s:I, s:f, s:f, s:o}", "file",
                             json_bytes(job->text.path), "kmer", (int)job->text.k, "canonical",
                             (int)job->text.is_canonical, "device", r->device, "tokens",
                             (json_int_t)r->tokens, "distinct", (json_int_t)r->distinct, "ms",
                             r->ms, "read_ms", job->prepare_ms, "top", top);
    if (root && job->check) {
        json_object_set_new(root, "wrong", json_integer((json_int_t)job->wrong));
        json_object_set_new(root, "host_ms", json_real(job->host_ms));
    }
    const bool fine = root && json_dumpf(root, stdout, JSON_INDENT(2)) == 0;
    json_decref(root);
    if (!root)
        fprintf(stderr, "clade: memory is out\n");
    printf("\n");
    return fine;
}

/* All of them, the most frequent first. */
static bool write_all(struct job *job)
{
    char token[COUNT_WORD_MOST + 1];
    struct outfile out;
    FILE *file = outfile_open(&out, job->out);
    for (uint64_t i = 0; file && i < job->result.distinct; i++) {
        count_text_token(&job->text, job->result.entries[i].place, token);
        fprintf(file, "%s\t%" PRIu32 "\n", token, job->result.entries[i].count);
    }
    const bool fine = outfile_close(&out);
    if (!fine)
        fprintf(stderr, "clade: cannot write %s\n", job->out);
    return fine;
}

static int run(struct job *job)
{
    char message[1024];
    const double start = now_ms();
    if (!count_text_read(&job->text, message, sizeof message)) {
        fprintf(stderr, "clade: %s\n", message);
        return EXIT_FAILED;
    }
    job->prepare_ms = now_ms() - start;
    if (!count_on_device(&job->text, job->device, &job->result) || (job->check && !compare(job)))
        return EXIT_FAILED;
    const uint64_t sorted =
        count_sort(&job->text, &job->result, job->out ? job->result.distinct : job->top);
    const uint64_t shown = sorted < job->top ? sorted : job->top;
    if (job->out && !write_all(job))
        return EXIT_FAILED;
    if (job->json && !print_json(job, shown))
        return EXIT_FAILED;
    if (!job->json)
        print_text(job, shown);
    return job->wrong ? EXIT_FAILED : EXIT_DONE;
}

int command_token_count(int argc, char **argv)
{
    struct job job = { .top = 10 };
    int result = parse(&job, argc, argv);
    if (result == EXIT_DONE)
        result = run(&job);
    free(job.result.entries);
    count_text_free(&job.text);
    return result;
}
