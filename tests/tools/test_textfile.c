/* SPDX-License-Identifier: Apache-2.0 */
/* Reading files: plain, gzip and xz by content; damage, truncation and unreadable files are told.
 */
#include "tools/graph_helpers.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char text[] = "c a road and its way back\np sp 3 4\na 1 2 5\na 2 1 5\na 2 3 70\n"
                           "a 3 2 70\n";
static const char shown[] = "3: 1>2:5 2>1:5 2>3:70 3>2:70";

static void assert_file_reads(const char *path, const char *expected)
{
    struct graph graph;
    struct file_error error = { "" };

    if (!graph_read(&graph, path, &error))
        fail_msg("refused: %s", error.text);
    char *found = graph_text(&graph);
    assert_string_equal(found, expected);
    free(found);
    graph_free(&graph);
}

static void assert_file_refused(const char *path, const char *sentence)
{
    struct graph graph, before;
    struct file_error error = { "" };
    char expected[600];

    memset(&before, 0x5a, sizeof before);
    graph = before;
    snprintf(expected, sizeof expected, "%s%s", path, sentence);
    assert_false(graph_read(&graph, path, &error));
    assert_memory_equal(error.text, expected, strlen(expected));
    assert_memory_equal(&graph, &before, sizeof graph);
}

static unsigned files_in(const char *folder)
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    while (dir && readdir(dir))
        count++;
    assert_non_null(dir);
    closedir(dir);
    return count - 2; /* . and .. */
}

/* Names mislead on purpose: the content decides. */
static void packing_is_told_by_content(void **state)
{
    size_t gzip_bytes, xz_bytes;
    unsigned char *gzip = pack_gzip(text, strlen(text), &gzip_bytes);
    unsigned char *xz = pack_xz(text, strlen(text), &xz_bytes);

    (void)state;
    write_file(in_folder("plain.gr.gz"), text, strlen(text));
    write_file(in_folder("gzip.gr.xz"), gzip, gzip_bytes);
    write_file(in_folder("xz"), xz, xz_bytes);
    assert_file_reads(in_folder("plain.gr.gz"), shown);
    assert_file_reads(in_folder("gzip.gr.xz"), shown);
    assert_file_reads(in_folder("xz"), shown);
    free(gzip);
    free(xz);
}

/* Packed files may be joined end to end, with zero bytes after them. */
static void joined_streams_are_read_as_one(void **state)
{
    unsigned char *(*const packers[])(const void *, size_t, size_t *) = { pack_gzip, pack_xz };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t half = 31, first_bytes, second_bytes;
        unsigned char *first = packers[i](text, half, &first_bytes);
        unsigned char *second = packers[i](text + half, strlen(text) - half, &second_bytes);
        unsigned char *both = calloc(1, first_bytes + second_bytes + 8);
        assert_non_null(both);
        memcpy(both, first, first_bytes);
        memcpy(both + first_bytes, second, second_bytes);
        write_file(in_folder("joined"), both, first_bytes + second_bytes);
        assert_file_reads(in_folder("joined"), shown);
        write_file(in_folder("padded"), both, first_bytes + second_bytes + 8);
        assert_file_reads(in_folder("padded"), shown);
        write_file(in_folder("half"), both, first_bytes + second_bytes / 2);
        assert_file_refused(in_folder("half"), ":");
        free(first);
        free(second);
        free(both);
    }
}

static void every_cut_of_a_packed_file_is_noticed(void **state)
{
    size_t bytes;
    unsigned char *packed = pack_gzip(text, strlen(text), &bytes);

    (void)state;
    for (size_t cut = 2; cut < bytes; cut++)
        assert_refused("x.gz", packed, cut, "x.gz");
    assert_refused("x.gz", packed, 12, "x.gz: the gzip stream ends early: the file is truncated");
    assert_refused("x.gz", packed, bytes - 1, "x.gz:7: the gzip stream ends early");
    free(packed);
    packed = pack_xz(text, strlen(text), &bytes);
    for (size_t cut = 6; cut < bytes; cut++)
        assert_refused("x.xz", packed, cut, "x.xz");
    assert_refused("x.xz", packed, 12, "x.xz: the xz stream ends early: the file is truncated");
    assert_refused("x.xz", packed, bytes - 1, "x.xz:7: the xz stream ends early");
    free(packed);
}

/* A flipped bit is refused, or it lies where it means nothing (a time stamp). */
static void damage_never_changes_the_graph(void **state)
{
    size_t bytes;
    unsigned refused = 0;

    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        unsigned char *packed =
            kind ? pack_xz(text, strlen(text), &bytes) : pack_gzip(text, strlen(text), &bytes);
        for (size_t bit = 0; bit < bytes * 8; bit++) {
            struct graph graph;
            struct file_error error;
            packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
            if (graph_read_memory(&graph, "x", packed, bytes, &error)) {
                char *found = graph_text(&graph);
                assert_string_equal(found, shown);
                free(found);
                graph_free(&graph);
            } else {
                refused++;
            }
            packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
        free(packed);
    }
    assert_in_range(refused, 1000, 1000000);
}

static void rubbish_after_a_packed_file_is_refused(void **state)
{
    size_t bytes;
    unsigned char *packed = pack_gzip(text, strlen(text), &bytes);
    unsigned char *longer = malloc(bytes + 4);

    (void)state;
    assert_non_null(longer);
    memcpy(longer, packed, bytes);
    memcpy(longer + bytes, "more", 4);
    assert_refused("x.gz", longer, bytes + 4, "x.gz:7: the gzip stream is damaged");
    free(longer);
    free(packed);
}

/* Text before the damage is judged by its own faults, with its own line. */
static void an_early_mistake_is_named_before_late_damage(void **state)
{
    static const char wrong[] = "p sp 3 2\na 1 9 5\na 2 1 5\na 1 2 6\n";
    size_t bytes;
    unsigned char *packed = pack_gzip(wrong, strlen(wrong), &bytes);

    (void)state;
    assert_refused("x.gz", packed, bytes - 1, "x.gz:2: a node is out of range: 9");
    free(packed);
}

static void unreadable_files_are_refused(void **state)
{
    (void)state;
    assert_file_refused(in_folder("missing.gr"),
                        ": the file cannot be opened: No such file or directory");
    assert_file_refused("/", ": the file cannot be read: Is a directory");
    write_file(in_folder("empty.gr"), "", 0);
    assert_file_refused(in_folder("empty.gr"), ":1: the file is empty");
    if (geteuid() == 0) {
        print_message("not tried as root: a file without read permission\n");
        return;
    }
    write_file(in_folder("locked.gr"), text, strlen(text));
    assert_int_equal(chmod(in_folder("locked.gr"), 0), 0);
    assert_file_refused(in_folder("locked.gr"), ": the file cannot be opened: Permission denied");
}

/* Messages stay one line of text, and keep their sentence, whatever the name is. */
static void messages_survive_odd_names(void **state)
{
    char name[2000];
    struct graph graph;
    struct file_error error;

    (void)state;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    name[sizeof name - 2] = '\n';
    assert_false(graph_read_memory(&graph, name, "p sp 1 0\nx", 10, &error));
    assert_memory_equal(error.text, "...nnn", 6);
    assert_non_null(strstr(error.text, "n?:2: the line starts with 'x'"));
    assert_null(strchr(error.text, '\n'));
}

static void a_written_graph_reads_back(void **state)
{
    struct graph graph, again;
    struct file_error error;
    struct stat ignored;
    const size_t files = files_in(in_folder("."));

    (void)state;
    assert_true(graph_read_memory(&graph, "graph", text, strlen(text), &error));
    assert_true(graph_write_dimacs(&graph, in_folder("out.gr"), "written", &error));
    assert_true(graph_read(&again, in_folder("out.gr"), &error));
    assert_same_graph(&graph, &again);
    assert_int_equal(files_in(in_folder(".")), files + 1);

    assert_false(graph_write_dimacs(&graph, "/nowhere/out.gr", NULL, &error));
    assert_string_equal(error.text,
                        "/nowhere/out.gr: the file cannot be written: No such file or directory");
    /* A folder cannot be replaced, and nothing is left beside it. */
    assert_int_equal(mkdir(in_folder("taken"), 0700), 0);
    assert_false(graph_write_dimacs(&graph, in_folder("taken"), NULL, &error));
    assert_int_equal(files_in(in_folder(".")), files + 2);
    graph_free(&again);

    /* A link stays one: what it leads to is written. */
    assert_int_equal(symlink("out.gr", in_folder("link.gr")), 0);
    assert_true(graph_write_dimacs(&graph, in_folder("link.gr"), NULL, &error));
    assert_int_equal(lstat(in_folder("link.gr"), &ignored), 0);
    assert_true(S_ISLNK(ignored.st_mode));
    assert_true(graph_read(&again, in_folder("out.gr"), &error));
    assert_same_graph(&graph, &again);
    graph_free(&again);
    graph_free(&graph);
}

/* While nothing more may be written, as on a full disk; SIGXFSZ is ignored. */
static bool write_on_full_disk(const struct graph *graph, const char *path, const char *comment,
                               struct file_error *error)
{
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    const bool done = graph_write_dimacs(graph, path, comment, error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    return done;
}

/* A disk that is full while writing: the error is noticed, what was there before is kept, and
 * nothing is left beside it. */
static void a_full_disk_is_an_error(void **state)
{
    struct graph graph, again;
    struct file_error error;
    char *path = strdup(in_folder("full/full.gr"));

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(mkdir(in_folder("full"), 0700), 0);
    assert_true(graph_read_memory(&graph, "graph", text, strlen(text), &error));
    assert_false(write_on_full_disk(&graph, path, NULL, &error));
    assert_non_null(strstr(error.text, "the file cannot be written: File too large"));
    assert_int_equal(files_in(in_folder("full")), 0);
    assert_true(graph_write_dimacs(&graph, path, NULL, &error));
    assert_false(write_on_full_disk(&graph, path, "not kept", &error));
    assert_int_equal(files_in(in_folder("full")), 1);
    assert_true(graph_read(&again, path, &error));
    assert_same_graph(&graph, &again);
    assert_int_equal(unlink(path) | rmdir(in_folder("full")), 0);
    graph_free(&again);
    graph_free(&graph);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packing_is_told_by_content),
        cmocka_unit_test(joined_streams_are_read_as_one),
        cmocka_unit_test(every_cut_of_a_packed_file_is_noticed),
        cmocka_unit_test(damage_never_changes_the_graph),
        cmocka_unit_test(rubbish_after_a_packed_file_is_refused),
        cmocka_unit_test(an_early_mistake_is_named_before_late_damage),
        cmocka_unit_test(unreadable_files_are_refused),
        cmocka_unit_test(messages_survive_odd_names),
        cmocka_unit_test(a_written_graph_reads_back),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests_name("textfile", tests, folder_setup, folder_teardown);
}
