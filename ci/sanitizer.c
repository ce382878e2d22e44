// SPDX-License-Identifier: Apache-2.0
// Linked into the programs of MODE=asan and MODE=tsan: where their sanitizers report when the
// environment does not say, because the collector starts engines with a clean one.
// ci/run-criterion.sh looks there.
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
    return "log_path=" SANITIZER_LOG ":detect_leaks=1:abort_on_error=0";
}

const char *__ubsan_default_options(void)
{
    return "log_path=" SANITIZER_LOG ":print_stacktrace=1";
}

const char *__tsan_default_options(void)
{
    return "log_path=" SANITIZER_LOG ":exitcode=0";
}
