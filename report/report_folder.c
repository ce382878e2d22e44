// SPDX-License-Identifier: Apache-2.0
// The folder of a report: what is known as a report's own is taken away, what was made is moved in.
#include "report/report_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/base/buf.h"
#include "engines/base/fs.h"
#include "report/forms/form.h"

#define MANIFEST_BYTES_MAX ((size_t)1 << 20)

/* Where forms write; "" is the target itself. */
static const char *const places[] = {"", "plots", "latex", "tables", "histograms"};

/* The files of fixed names. */
static const struct {
    uint64_t forms;
    const char *place, *names; /* each between two spaces */
} own[] = {
    {FORM_BIT(html), "", " report.html "},
    {FORM_BIT(md), "", " report.md "},
    {FORM_BIT(text), "", " report.txt "},
    {FORM_BIT(summary), "", " summary.md "},
    {FORM_BIT(comment), "", " comment.md "},
    {FORM_BIT(json), "", " report.json report.schema.json "},
    {FORM_BIT(junit), "", " junit.xml "},
    {FORM_BIT(bmf), "", " bmf.json "},
    {FORM_BIT(custom), "", " customBiggerIsBetter.json customSmallerIsBetter.json "},
    {FORM_BIT(benchstat), "", " benchstat.txt "},
    {FORM_BIT(csv), "tables",
     " comparisons.csv trials.csv percentiles.csv findings.csv claims.csv floods.csv samples.csv "
     "published.csv checks.csv conditions.csv workloads.csv engines.csv "},
    {FORM_BIT(hgrm) | FORM_BIT(hlog), "histograms", " index.csv "},
    {FORM_BIT(latex), "latex", " all.tex "},
};

/* Each with the endings of figure_endings. */
static const char figures[] =
    " throughput ratios trials latency ecdf load scaling costs resources order history "
    "throughput-narrow ratios-narrow trials-narrow ";
static const char figure_endings[] = " csv gp svg tsv ";

static bool holds(const char *list, const char *name, size_t length)
{
    char marked[NAME_MAX + 3];

    snprintf(marked, sizeof(marked), " %.*s ", (int)length, name);
    return length > 0 && !memchr(name, ' ', length) && strstr(list, marked);
}

/* What was asked of a target. */
struct placing {
    const struct report_folder *folder;
    uint64_t forms;
    struct buf tables; /* of latex/: all.tex, which names them */
};

/* "cell-1-engine-2.hgrm" */
static bool is_histogram(const struct placing *placing, const char *name)
{
    int used = 0;

    (void)sscanf(name, "cell-%*u-engine-%*u.%n", &used);
    if (used == 0) {
        return false;
    }
    /* They share index.csv: those of the form that is not written would be of another session. */
    return (strcmp(name + used, "hgrm") == 0 || strcmp(name + used, "hlog") == 0) &&
           placing->forms & (FORM_BIT(hgrm) | FORM_BIT(hlog));
}

static bool is_table(const struct placing *placing, const char *name, const char *dot)
{
    char line[NAME_MAX + 20];

    snprintf(line, sizeof(line), "\\input{%.*s}", (int)(dot - name), name);
    return placing->forms & FORM_BIT(latex) && strcmp(dot, ".tex") == 0 &&
           strstr(placing->tables.bytes, line);
}

static bool is_own(const struct placing *placing, const char *place, const char *name)
{
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; i < ARRAY_COUNT(own); i++) {
        if (own[i].forms & placing->forms && strcmp(own[i].place, place) == 0 &&
            holds(own[i].names, name, strlen(name))) {
            return true;
        }
    }
    if (!dot) {
        return false;
    }
    if (strcmp(place, "plots") == 0) {
        return placing->forms & FORM_BIT(plots) && holds(figures, name, (size_t)(dot - name)) &&
               holds(figure_endings, dot + 1, strlen(dot + 1));
    }
    return strcmp(place, "histograms") == 0 ? is_histogram(placing, name)
           : strcmp(place, "latex") == 0    ? is_table(placing, name, dot)
                                            : false;
}

/* PARENT/PLACE/NAME, PARENT/NAME, PARENT/PLACE */
static enum err_code join(const char *parent, const char *place, const char *name,
                          char out[PATH_MAX], struct err *e)
{
    const char *first = *place ? "/" : "", *second = *name ? "/" : "";

    return snprintf(out, PATH_MAX, "%s%s%s%s%s", parent, first, place, second, name) >= PATH_MAX
               ? err_set(e, ERR_LIMIT, "%.200s: the path is too long", parent)
               : ERR_OK;
}

typedef enum err_code visit_one(const struct placing *placing, const char *place, const char *name,
                                struct err *e);

/* Everything but folders directly in a place; a place that is not there has nothing. */
static enum err_code place_visit(const struct placing *placing, const char *parent,
                                 const char *place, visit_one *visit, struct err *e)
{
    char path[PATH_MAX];
    const struct dirent *entry;
    enum err_code code = join(parent, place, "", path, e);
    DIR *open_folder = code == ERR_OK ? opendir(path) : NULL;

    if (code == ERR_OK && !open_folder && errno != ENOENT) {
        code = err_set_sys(e, "%s", path);
    }
    while (code == ERR_OK && open_folder && (entry = readdir(open_folder))) {
        struct stat status;

        if (fstatat(dirfd(open_folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            !S_ISDIR(status.st_mode)) {
            code = visit(placing, place, entry->d_name, e);
        }
    }
    if (open_folder) {
        closedir(open_folder);
    }
    return code;
}

static enum err_code places_visit(const struct placing *placing, const char *parent,
                                  visit_one *visit, struct err *e)
{
    enum err_code code = ERR_OK;

    for (size_t i = 0; i < ARRAY_COUNT(places) && code == ERR_OK; i++) {
        code = place_visit(placing, parent, places[i], visit, e);
    }
    return code;
}

/* Before anything is changed: where a file is to be, there is a file or nothing. */
static enum err_code check_one(const struct placing *placing, const char *place, const char *name,
                               struct err *e)
{
    char path[PATH_MAX];
    struct stat status;
    enum err_code code = join(placing->folder->target, place, "", path, e);

    if (code == ERR_OK) {
        code = fs_make_directories(path, e);
    }
    if (code == ERR_OK) {
        code = join(placing->folder->target, place, name, path, e);
    }
    if (code == ERR_OK && lstat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        code = err_set(e, ERR_USAGE, "%.300s: not a regular file; name another folder", path);
    }
    return code;
}

static enum err_code remove_one(const struct placing *placing, const char *place, const char *name,
                                struct err *e)
{
    char path[PATH_MAX];

    if (!is_own(placing, place, name)) {
        return ERR_OK;
    }
    enum err_code code = join(placing->folder->path, place, name, path, e);
    if (code != ERR_OK || fs_exists(path)) {
        return code; /* it is replaced */
    }
    code = join(placing->folder->target, place, name, path, e);
    if (code == ERR_OK && unlink(path) != 0 && errno != ENOENT) {
        code = err_set_sys(e, "%s", path);
    }
    return code;
}

static enum err_code move_one(const struct placing *placing, const char *place, const char *name,
                              struct err *e)
{
    char from[PATH_MAX], to[PATH_MAX];
    enum err_code code = join(placing->folder->path, place, name, from, e);

    if (code == ERR_OK) {
        code = join(placing->folder->target, place, name, to, e);
    }
    return code == ERR_OK && rename(from, to) != 0 ? err_set_sys(e, "%s", to) : code;
}

/* Of the earlier report; one that cannot be read names nothing. */
static void read_tables(struct placing *placing)
{
    char path[PATH_MAX];

    buf_init(&placing->tables, MANIFEST_BYTES_MAX);
    if (join(placing->folder->target, "latex", "all.tex", path, NULL) != ERR_OK ||
        fs_read_file(path, &placing->tables, NULL) != ERR_OK) {
        buf_clear(&placing->tables);
    }
    buf_add_text(&placing->tables, "");
}

/* Folders of which nothing is left. */
static void remove_empty(const struct placing *placing)
{
    char path[PATH_MAX];

    for (size_t i = 1; i < ARRAY_COUNT(places); i++) {
        if (join(placing->folder->target, places[i], "", path, NULL) == ERR_OK) {
            rmdir(path);
        }
    }
}

enum err_code report_folder_place(const struct report_folder *folder, uint64_t form_set,
                                  struct err *e)
{
    struct placing placing = {.folder = folder, .forms = form_set};
    sigset_t set, before;
    enum err_code code = places_visit(&placing, folder->path, check_one, e);

    if (code != ERR_OK) {
        return code;
    }
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, &before);
    read_tables(&placing);
    code = places_visit(&placing, folder->target, remove_one, e);
    if (code == ERR_OK) {
        code = places_visit(&placing, folder->path, move_one, e);
    }
    remove_empty(&placing);
    buf_release(&placing.tables);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}

const char *report_folder_find_left(const struct report_folder *folder, uint64_t form_set,
                                    char out[NAME_MAX])
{
    for (size_t i = 0; i < ARRAY_COUNT(own); i++) {
        char path[PATH_MAX];
        const char *first = own[i].names + 1;

        snprintf(out, NAME_MAX, "%s%s%.*s", own[i].place, *own[i].place ? "/" : "",
                 (int)strcspn(first, " "), first);
        if (!(own[i].forms & form_set) && join(folder->target, out, "", path, NULL) == ERR_OK &&
            fs_exists(path)) {
            return out;
        }
    }
    return NULL;
}

enum err_code report_folder_open(struct report_folder *folder, const char *target, struct err *e)
{
    folder->target = target;
    folder->work = (struct work_folder){.lock_fd = -1, .guard = -1};
    enum err_code code = work_folder_open_in_new(&folder->work, target, ".tacho-report", e);

    if (code == ERR_OK) {
        code = work_folder_join(&folder->work, "report", folder->path, e);
    }
    if (code != ERR_OK) {
        report_folder_close(folder);
    }
    return code;
}

void report_folder_close(struct report_folder *folder)
{
    work_folder_close(&folder->work, NULL);
}
