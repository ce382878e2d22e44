#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Starts nginx in this folder on the port: nginx_start.sh PORT. The configuration cannot take it from a variable.
set -eu
sed "s/PORT/$1/" nginx.conf >run.conf
exec /usr/sbin/nginx -p "$PWD" -c run.conf -e stderr
