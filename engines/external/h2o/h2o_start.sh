#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Starts h2o in this folder on the port: h2o_start.sh PORT. Its file has no line's end: the answer is "pong".
set -eu
printf pong >ping.txt
sed "s/PORT/$1/; s/USER/$(id -un)/" h2o.conf >run.conf
exec h2o -c run.conf
