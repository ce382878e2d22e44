// SPDX-License-Identifier: Apache-2.0
// A server under test that misbehaves. The test program is that server when it is started with
// --fake-engine as its first argument, so that nothing more has to be built.
#ifndef TESTS_SUPPORT_FAKE_ENGINE_H
#define TESTS_SUPPORT_FAKE_ENGINE_H

/*
 * Writes an executable shell script to `path`, to be given as TACHO_ENGINE. `epoll` is then the
 * fake, which answers the check and misbehaves as `mode` says; every other name is the real
 * tacho-engine. `--port N` is obeyed. Aborts the test when it cannot.
 *
 * mode   "hang"      never answers a request of the load
 *        "hang_late" answers none from 600 ms of load on
 *        "segv"      SIGSEGV after 600 ms of load
 *        "exit"      exit status 0 after 600 ms of load
 *        "error"     answers the load with 503
 *        "close"     closes each connection of the load at its first request
 *        "stop"      stops for 1 s after 600 ms of load
 *        "stubborn"  ignores SIGTERM, and so does its child in a session of its own
 *        "noise"     prints 20 MB when load begins
 *        "noise_first" prints 20 MB before it tells its port
 *        "silent"    does not tell its port
 *        "mute"      accepts, but does not even answer the check
 *        "begun"     answers with a head, whose body never comes
 *        "wrong_port" tells a port where nobody listens
 *        "foreign_port" tells the port in `number`
 *        "warming"   answers 503 for the first 300 ms
 *        "good"      does all of it right
 */
void fake_engine_write(const char *path, const char *mode, int number);

#endif
