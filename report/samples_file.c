// SPDX-License-Identifier: Apache-2.0
// Samples as lines of a file, a trial at a time.
#include "report/samples_file.h"

#include <stdio.h>

#include "report/compose/compose.h"

#define TRIAL_BYTES_MAX ((size_t)256 << 20)

void samples_file_init(struct samples_file *file, const char *folder)
{
    *file = (struct samples_file){.folder = folder};
    buf_init(&file->rows, TRIAL_BYTES_MAX);
}

static enum err_code flush(struct samples_file *file, struct err *e)
{
    enum err_code code = buf_check(&file->rows, "samples.csv", e);

    if (code == ERR_OK) {
        code = fs_writer_add(&file->writer, file->rows.bytes, file->rows.length, e);
    }
    buf_clear(&file->rows);
    return code;
}

static enum err_code open_file(struct samples_file *file, struct err *e)
{
    char path[FS_PATH_BYTES];
    int length = snprintf(path, sizeof(path), "%s/tables", file->folder);

    if ((size_t)length + sizeof("/samples.csv") > sizeof(path)) {
        return err_set(e, ERR_LIMIT, "the path of samples.csv is too long");
    }
    enum err_code code = fs_make_directories(path, e);

    snprintf(path + length, sizeof(path) - (size_t)length, "/samples.csv");
    if (code == ERR_OK) {
        code = fs_writer_open(&file->writer, path, e);
    }
    if (code == ERR_OK) {
        file->is_open = true;
        compose_samples_head(&file->rows);
    }
    return code;
}

enum err_code samples_file_visit(void *self, const struct results *results, size_t trial_index,
                                 struct err *e)
{
    struct samples_file *file = self;
    enum err_code code = file->is_open ? ERR_OK : open_file(file, e);

    if (code == ERR_OK) {
        compose_samples_trial(results, trial_index, &file->rows);
        code = flush(file, e);
    }
    return code;
}

enum err_code samples_file_close(struct samples_file *file, enum err_code code, struct err *e)
{
    if (code == ERR_OK && !file->is_open) { /* a session without trials */
        code = open_file(file, e);
        code = code == ERR_OK ? flush(file, e) : code;
    }
    if (code == ERR_OK) {
        code = fs_writer_finish(&file->writer, e);
    } else if (file->is_open) {
        fs_writer_abandon(&file->writer);
    }
    buf_release(&file->rows);
    return code;
}
