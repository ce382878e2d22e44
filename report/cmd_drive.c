// SPDX-License-Identifier: Apache-2.0
// tacho drive: the load driver alone, on a server that runs already, with the options that users of
// wrk know.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/driver/driver.h"
#include "collector/driver/rate_course.h"
#include "collector/driver/request.h"
#include "collector/driver/target.h"
#include "collector/plan/plan_cpus.h"
#include "engines/base/clock.h"
#include "engines/base/fs.h"
#include "report/cmd.h"
#include "report/cmd_drive.h"
#include "report/cmd_terminal.h"
#include "report/drive/drive_json.h"
#include "report/drive/drive_result.h"
#include "report/drive/drive_text.h"
#include "report/drive/hdr_log.h"

#define BODY_BYTES_MAX   ((size_t)64 << 20)
#define OUTPUT_BYTES_MAX ((size_t)1 << 30)
#define DURATION_NS_MAX  (24 * 3600 * CLOCK_NS_PER_S)
#define TIMEOUT_NS_MAX   (3600 * CLOCK_NS_PER_S)
#define INTERVAL_NS      (500 * CLOCK_NS_PER_MS)
#define RECORD_STATUS    200 /* as in a plan that says nothing else */
#define SPIN_AUTO        (-1)
#define SPIN_NS          (50 * CLOCK_NS_PER_US)

#define OFFSET(field) offsetof(struct drive_values, field)
static const struct option_row drive_rows[] = {
    {"connections", 'c', OPTION_COUNT, OFFSET(connections), "N",
     "connections, exactly so many (default 10)", 1, 1000000},
    {"threads", 't', OPTION_COUNT, OFFSET(threads), "N",
     "threads; the connections are spread over them (default 2)", 1, 1024},
    {"duration", 'd', OPTION_SECONDS, OFFSET(duration_ns), "TIME",
     "length of the measured window (default 10s, also written 10)", 0, 0},
    {"rate", 'R', OPTION_TEXT, OFFSET(rate), "N[,N|..N]...",
     "open loop: requests due per second, whatever the server does; steps or a ramp of them", 0, 0},
    {"find-rate", 0, OPTION_TEXT, OFFSET(find_rate), "GOAL",
     "open loop: the highest rate with e.g. \"p99<5ms\"; -R is the first one tried, -d a step", 0,
     0},
    {"arrivals", 0, OPTION_TEXT, OFFSET(arrivals), "KIND",
     "of an open loop: uniform (default) or poisson", 0, 0},
    {"seed", 0, OPTION_COUNT, OFFSET(seed), "N",
     "of Poisson arrivals, a mix and exponential think time (default 1)", 0, INT64_MAX},
    {"deadline", 0, OPTION_DURATION, OFFSET(deadline_ns), "TIME",
     "open loop: give up what could not be sent so long after it was due", 0, 0},
    {"warmup", 'w', OPTION_DURATION, OFFSET(warmup_ns), "TIME",
     "load before the window, recorded and not counted (default 0s)", 0, 0},
    {"requests", 'n', OPTION_COUNT, OFFSET(requests), "N",
     "end after exactly so many requests, or with the window", 1, INT64_MAX},
    {"pipeline", 0, OPTION_COUNT, OFFSET(pipeline), "N",
     "closed loop: requests on the way on each connection (default 1)", 1, 1024},
    {"think-time", 0, OPTION_DURATION, OFFSET(think_ns), "TIME",
     "closed loop: pause so long after a response before the next request (default 0s)", 0, 0},
    {"think-kind", 0, OPTION_TEXT, OFFSET(think_kind), "KIND",
     "of think time: constant (default) or exponential, with that mean", 0, 0},
    {"requests-per-connection", 0, OPTION_COUNT, OFFSET(connection_requests), "N",
     "close each connection after so many and open another (default: never)", 1, UINT32_MAX},
    {"timeout", 'T', OPTION_SECONDS, OFFSET(timeout_ns), "TIME",
     "from sending a request to the end of its response (default 2s, also written 2)", 0, 0},
    {"header", 'H', OPTION_TEXTS, OFFSET(headers), "NAME:VALUE",
     "a header field; may be given several times and replaces ours", 0, 0},
    {"method", 'm', OPTION_TEXT, OFFSET(method), "METHOD", "default GET, with a body POST", 0, 0},
    {"body", 'b', OPTION_TEXT, OFFSET(body), "FILE", "body of the requests", 0, 0},
    {"request", 0, OPTION_TEXTS, OFFSET(requests_mixed), "WEIGHT METHOD PATH",
     "one of a mix, as in \"9 GET /ping\"; given several times, instead of the URL's path", 0, 0},
    {"script", 's', OPTION_TEXT, OFFSET(script), "FILE",
     "wrk's Lua scripts are not run: what replaces them stands below", 0, 0},
    {"expect", 0, OPTION_COUNT, OFFSET(expect_status), "STATUS",
     "the only right status (default: any 2xx or 3xx)", 100, 599},
    {"connect-rate", 0, OPTION_COUNT, OFFSET(connect_rate), "N",
     "connections opened in one second, before load and again (default 2000)", 1, 1000000},
    {"spin", 0, OPTION_DURATION, OFFSET(spin_ns), "TIME",
     "poll so long before sleeping (default 50us when CPUs are to spare, else 0s)", 0, 0},
    {"cacert", 0, OPTION_TEXT, OFFSET(ca_file), "FILE",
     "https: certificates in PEM that are trusted, instead of the system's", 0, 0},
    {"insecure", 0, OPTION_FLAG, OFFSET(insecure), NULL,
     "https: take whoever answers for the server, whatever its certificate says", 0, 0},
    {"tls-no-reuse", 0, OPTION_FLAG, OFFSET(tls_no_reuse), NULL,
     "https: a full handshake on every connection, no session is resumed", 0, 0},
    {"source", 0, OPTION_TEXTS, OFFSET(sources), "ADDRESS",
     "connect from this local address; several are taken in turn, each has its own ports", 0, 0},
    {"io", 0, OPTION_TEXT, OFFSET(io), "KIND",
     "how the driver talks to the kernel: epoll (default) or uring", 0, 0},
    {"cpus", 0, OPTION_TEXT, OFFSET(cpus), "LIST", "CPUs of the threads, as in 0-1,4", 0, 0},
    {"latency", 'L', OPTION_FLAG, OFFSET(latency), NULL, "print every percentile up to p99.999", 0,
     0},
    {"json", 0, OPTION_FLAG, OFFSET(json), NULL, "print JSON with every interval instead", 0, 0},
    {"hdr", 0, OPTION_TEXT, OFFSET(hdr), "FILE",
     "write an HdrHistogram log, one line for each 500 ms", 0, 0},
    {"record", 0, OPTION_TEXT, OFFSET(record), "RESULTS.db",
     "store the load as a session of one trial, for tacho report (--expect is then 200)", 0, 0},
};

const struct option_table cmd_drive_options = {
    .program = "tacho drive",
    .arguments = "URL",
    .summary = "load a server that runs already, with the options that wrk users know",
    .details =
        "URL is http[s]://HOST[:PORT]/PATH, http[s]://[::1]:PORT/PATH or unix:/SOCKET:/PATH.\n"
        "Goodput counts right answers only; every request has one outcome, shown by name.\n"
        "Instead of a Lua script of wrk: -m, -H, -b for the request; --request for several by "
        "weight;\n"
        "--think-time for delay(); --expect for what response() looks at; --json, --record for "
        "done(). -v alone prints the version.\n"
        "Exit status: 0; 1 when --find-rate found no rate; 4 when no right answer came; 130 on "
        "SIGINT with what was measured.",
    .rows = drive_rows,
    .row_count = ARRAY_COUNT(drive_rows),
    .positional_minimum = 1,
    .positional_maximum = 1,
};

/* --- what is asked for --- */

/* What belongs to one kind of load only. */
static enum err_code loops_check(const struct drive_values *values, struct err *e)
{
    bool is_open = values->rate || values->find_rate;
    bool is_deep = values->pipeline > 1;
    bool is_shaped = values->think_ns > 0 || values->requests_mixed.count > 0;
    const struct {
        bool is_wrong;
        const char *text;
    } rows[] = {
        {values->script,
         "--script: no Lua here; -m, -H, -b make the request, --request several by weight, "
         "--think-time is delay(), --expect is for response(), --json or --record for done()"},
        {is_open && is_deep, "--pipeline is of a closed loop: leave out -R and --find-rate"},
        {is_open && values->think_ns > 0,
         "--think-time is of a closed loop: leave out -R and --find-rate"},
        {is_deep && is_shaped, "--pipeline sends one request again and again without a pause: "
                               "leave out --request and --think-time"},
        {values->think_kind && values->think_ns == 0,
         "--think-kind without --think-time: add a time like 10ms"},
        {values->find_rate && (values->requests > 0 || values->hdr || values->latency),
         "--find-rate makes many loads: leave out -n, --hdr and --latency"},
        {!is_open && (values->arrivals || values->deadline_ns > 0),
         "--arrivals and --deadline are of an open loop: add -R RATE"},
    };

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        if (rows[i].is_wrong) {
            return err_set(e, ERR_USAGE, "%s", rows[i].text);
        }
    }
    return ERR_OK;
}

/* What https has, and what it has not. */
static enum err_code tls_check(const struct drive_values *values, bool is_tls, struct err *e)
{
    if (!is_tls && (values->ca_file || values->insecure || values->tls_no_reuse)) {
        return err_set(e, ERR_USAGE,
                       "--cacert, --insecure and --tls-no-reuse are for https:// URLs");
    }
    if (values->ca_file && values->insecure) {
        return err_set(e, ERR_USAGE,
                       "--insecure looks at no certificate: leave out --cacert, or --insecure");
    }
    if (is_tls && values->io && strcmp(values->io, "uring") == 0) {
        return err_set(e, ERR_USAGE, "https needs --io epoll");
    }
    return ERR_OK;
}

static enum err_code values_check(const struct drive_values *values, struct err *e)
{
    const struct {
        const char *name;
        int64_t ns, minimum_ns, maximum_ns;
    } times[] = {
        {"duration", values->duration_ns, 1, DURATION_NS_MAX},
        {"warmup", values->warmup_ns, 0, DURATION_NS_MAX},
        {"timeout", values->timeout_ns, CLOCK_NS_PER_MS, TIMEOUT_NS_MAX},
        {"spin", values->spin_ns == SPIN_AUTO ? 0 : values->spin_ns, 0, CLOCK_NS_PER_S},
        {"deadline", values->deadline_ns, 0, TIMEOUT_NS_MAX},
        {"think-time", values->think_ns, 0, TIMEOUT_NS_MAX},
    };
    const struct {
        const char *name, *value, *first, *second;
    } words[] = {{"arrivals", values->arrivals, "uniform", "poisson"},
                 {"think-kind", values->think_kind, "constant", "exponential"}};

    for (size_t i = 0; i < ARRAY_COUNT(times); i++) {
        if (times[i].ns < times[i].minimum_ns || times[i].ns > times[i].maximum_ns) {
            return err_set(e, ERR_USAGE, "--%s: more than 0s%s and at most %lld s", times[i].name,
                           times[i].minimum_ns == 0 ? " or 0s" : "",
                           (long long)(times[i].maximum_ns / CLOCK_NS_PER_S));
        }
    }
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        const char *value = words[i].value;

        if (value && strcmp(value, words[i].first) != 0 && strcmp(value, words[i].second) != 0) {
            return err_set(e, ERR_USAGE, "--%s: \"%.40s\" is not one of %s, %s", words[i].name,
                           value, words[i].first, words[i].second);
        }
    }
    enum driver_io io;
    if (values->io && !driver_io_parse(values->io, &io)) {
        return err_set(e, ERR_USAGE, "--io: \"%.40s\" is not one of epoll, uring", values->io);
    }
    return loops_check(values, e);
}

/* A driver that sleeps makes the server pay for the wake-up, but one that polls takes the CPU from
 * a server that shares it. */
static int64_t spin_choose(int64_t wanted_ns, uint32_t thread_count)
{
    cpu_set_t cpus;

    if (wanted_ns != SPIN_AUTO) {
        return wanted_ns;
    }
    bool has_spare =
        sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && (uint32_t)CPU_COUNT(&cpus) > thread_count;
    return has_spare ? SPIN_NS : 0;
}

static void config_make(struct drive *drive, const struct net_address *address)
{
    const struct drive_values *values = drive->values;
    uint32_t connections = (uint32_t)values->connections;
    uint32_t threads = (uint32_t)values->threads;

    target_format_tls_host(&drive->target, drive->tls_host);
    drive->tls = (struct tls_settings){.host = drive->tls_host,
                                       .ca_file = values->ca_file,
                                       .skips_certificate = values->insecure,
                                       .never_resumes = values->tls_no_reuse};
    drive->config = (struct driver_config){
        .address = address->storage,
        .address_bytes = address->bytes,
        .sources = drive->sources,
        .source_count = (uint32_t)values->sources.count,
        .requests = drive->requests,
        .request_count = (uint32_t)drive->setup.request_count,
        .mix_seed = (uint64_t)values->seed,
        .think = {.mean_ns = values->think_ns,
                  .kind = values->think_kind && strcmp(values->think_kind, "exponential") == 0
                              ? THINK_EXPONENTIAL
                              : THINK_CONSTANT,
                  .seed = (uint64_t)values->seed},
        .connection_count = connections,
        .thread_count = threads < connections ? threads : connections,
        .cpus = values->cpus ? &drive->cpus : NULL,
        .timeout_ns = values->timeout_ns,
        .connect_rate_per_s = (uint32_t)values->connect_rate,
        .tls = drive->target.is_tls ? &drive->tls : NULL,
        .grid = {.interval_ns = INTERVAL_NS,
                 .warmup_ns = values->warmup_ns,
                 .window_ns = values->duration_ns},
        .spin_ns = spin_choose(values->spin_ns, threads < connections ? threads : connections),
        .arrivals = {.rate_per_s = drive->course.rates_per_s[0],
                     .kind = values->arrivals && strcmp(values->arrivals, "poisson") == 0
                                 ? ARRIVALS_POISSON
                                 : ARRIVALS_UNIFORM,
                     .seed = (uint64_t)values->seed,
                     .course = drive->course},
        .deadline_ns = values->deadline_ns,
        .pipeline_count = (uint32_t)values->pipeline,
        .connection_requests = (uint32_t)values->connection_requests,
        .request_limit = (uint64_t)values->requests,
        .stop = &cmd_stop_signal,
    };
    drive->config.arrivals.course.from_ns = values->warmup_ns;
    drive->config.arrivals.course.for_ns = values->duration_ns;
    if (values->io) { /* checked before */
        (void)driver_io_parse(values->io, &drive->config.io);
    }
    drive->setup.threads_asked = threads;
    drive->setup.config = &drive->config;
    drive->setup.program_version = cmd_version;
}

/* A local address of the target's family, told before the load and not by each connection. */
static enum err_code source_check(const char *text, const struct net_address *address,
                                  const struct net_address *source, struct err *e)
{
    if (net_is_path(source) || source->storage.ss_family != address->storage.ss_family) {
        return err_set(e, ERR_USAGE,
                       "--source: \"%.60s\" cannot reach the server's kind of address", text);
    }
    int fd = socket(source->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return err_set_sys(e, "--source %.60s", text);
    }
    enum err_code code = ERR_OK;
    if (bind(fd, (const struct sockaddr *)&source->storage, source->bytes) < 0) {
        code = err_set(e, ERR_USAGE, "--source: \"%.60s\" is no address of this machine", text);
    }
    close(fd);
    return code;
}

static enum err_code sources_make(struct drive *drive, const struct net_address *address,
                                  struct err *e)
{
    const struct option_texts *texts = &drive->values->sources;
    enum err_code code = ERR_OK;

    for (size_t i = 0; code == ERR_OK && i < texts->count; i++) {
        code = net_parse(texts->values[i], 0, &drive->sources[i], e);
        if (code == ERR_OK) {
            code = source_check(texts->values[i], address, &drive->sources[i], e);
        }
    }
    return code;
}

/* What is wrong with them is told before the load, not after it. */
static enum err_code outputs_open(struct drive *drive, struct err *e)
{
    enum err_code code = drive->values->hdr ? fs_write_file(drive->values->hdr, "", 0, e) : ERR_OK;

    return code == ERR_OK && drive->values->record ? drive_record_begin(drive, e) : code;
}

static enum err_code texts_parse(struct drive *drive, struct err *e)
{
    const struct drive_values *values = drive->values;
    enum err_code code =
        values->find_rate ? rate_goal_parse(values->find_rate, &drive->goal, e) : ERR_OK;

    if (code == ERR_OK && values->rate) {
        code = rate_course_parse(values->rate, UINT32_MAX, &drive->course, e);
        code = code == ERR_OK ? code : err_wrap(e, "--rate");
    }
    if (code == ERR_OK && values->find_rate && drive->course.count > 1) {
        code = err_set(e, ERR_USAGE, "--find-rate: -R is the first rate that is tried: give one");
    }
    return code == ERR_OK && values->cpus ? plan_cpus_parse(values->cpus, &drive->cpus, e) : code;
}

static enum err_code drive_prepare(struct drive *drive, const char *url, struct err *e)
{
    struct net_address address;
    enum err_code code = values_check(drive->values, e);

    drive->setup.url = url;
    if (code == ERR_OK) {
        code = target_parse(url, &drive->target, e);
    }
    if (code == ERR_OK) {
        code = tls_check(drive->values, drive->target.is_tls, e);
    }
    if (code == ERR_OK) {
        code = texts_parse(drive, e);
    }
    if (code == ERR_OK) {
        code = drive_requests_make(drive, e);
    }
    if (code == ERR_OK) {
        code = drive_record_check(drive, e);
    }
    if (code == ERR_OK) {
        code = target_resolve(&drive->target, &address, e);
    }
    if (code == ERR_OK) {
        code = sources_make(drive, &address, e);
    }
    if (code == ERR_OK) {
        config_make(drive, &address);
        code = drive_result_new(&drive->setup, &drive->result, e);
    }
    return code == ERR_OK ? outputs_open(drive, e) : code;
}

/* --- result --- */

enum err_code drive_tell(struct drive *drive, struct err *e)
{
    fwrite(drive->output.bytes, 1, drive->output.length, stdout);
    buf_clear(&drive->output);
    return fflush(stdout) == 0 ? ERR_OK : err_set_sys(e, "standard output");
}

static enum err_code result_tell(struct drive *drive, struct err *e)
{
    enum err_code code = ERR_OK;

    if (drive->values->hdr) {
        code = fs_write_file(drive->values->hdr, drive->hdr.bytes, drive->hdr.length, e);
    }
    if (code == ERR_OK && drive->values->json) {
        code = drive_json_render(drive->result, &drive->output, e);
    } else if (code == ERR_OK) {
        drive_text_render(drive->result, drive->values->latency, &drive->output);
        code = buf_check(&drive->output, "the result", e);
    }
    return code == ERR_OK ? drive_tell(drive, e) : code;
}

static enum err_code drive_once(struct drive *drive, int *status_out, struct err *e)
{
    enum err_code code = drive_load(drive, e);

    if (code != ERR_OK) {
        return code;
    }
    *status_out = drive_result_is_measured(drive->result) ? EXIT_STATUS_OK : EXIT_STATUS_INVALID;
    return result_tell(drive, e);
}

static int drive_url(const struct drive_values *values, const char *url)
{
    static struct drive drive; /* a histogram is too large for the stack */
    struct err e = {0};
    int status = EXIT_STATUS_OK;

    drive.values = values;
    buf_init(&drive.body, BODY_BYTES_MAX);
    buf_init(&drive.request, BODY_BYTES_MAX + 65536);
    buf_init(&drive.hdr, OUTPUT_BYTES_MAX);
    buf_init(&drive.output, OUTPUT_BYTES_MAX);
    enum err_code code = drive_prepare(&drive, url, &e);
    if (code == ERR_OK) {
        code = values->find_rate ? drive_find_rate(&drive, &status, &e)
                                 : drive_once(&drive, &status, &e);
    }
    struct err close_problem = {0};
    enum err_code close_code = drive_record_close(&drive, &close_problem);
    if (code == ERR_OK && close_code != ERR_OK) {
        code = close_code;
        e = close_problem;
    }
    if (code != ERR_OK) {
        status = cmd_fail_path(&e);
    } else if (cmd_stop_signal != 0) {
        status = 128 + (int)cmd_stop_signal;
    }
    drive_result_free(drive.result);
    buf_release(&drive.body);
    buf_release(&drive.request);
    buf_release(&drive.hdr);
    buf_release(&drive.output);
    return status;
}

int cmd_drive(int argc, char **argv)
{
    struct drive_values values = {.threads = 2,
                                  .connections = 10,
                                  .duration_ns = 10 * CLOCK_NS_PER_S,
                                  .timeout_ns = 2 * CLOCK_NS_PER_S,
                                  .connect_rate = 2000,
                                  .seed = 1,
                                  .pipeline = 1,
                                  .spin_ns = SPIN_AUTO};
    const char *positional[1] = {NULL};
    int positional_count = 0;
    bool help = false;
    struct err e = {0};

    if (argc == 2 && (strcmp(argv[1], "-v") == 0 || strcmp(argv[1], "--version") == 0)) {
        printf("tacho %s\n", cmd_version);
        return EXIT_STATUS_OK;
    }
    if (options_parse(&cmd_drive_options, argc, argv, &values, positional, &positional_count, &help,
                      &e) != ERR_OK) {
        return cmd_fail(&e);
    }
    if (help) {
        options_print_help(&cmd_drive_options, stdout);
        return EXIT_STATUS_OK;
    }
    if (values.record && values.expect_status == 0) {
        values.expect_status = RECORD_STATUS;
    }
    return drive_url(&values, positional[0]);
}
