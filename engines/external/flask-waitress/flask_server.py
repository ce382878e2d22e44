# SPDX-License-Identifier: Apache-2.0
# Answers /ping and /upload with Flask on waitress.
import hashlib
import logging
import sys

from flask import Flask, Response, request
from waitress import serve

app = Flask(__name__)


@app.get("/ping")
def ping():
    return Response("pong", mimetype="text/plain")


@app.post("/upload")
def upload():
    body = request.get_data()
    text = '{"bytes":%d,"sha256":"%s"}' % (len(body), hashlib.sha256(body).hexdigest())
    return Response(text, mimetype="application/json")


# A line for each request that had to wait would measure the terminal.
logging.getLogger("waitress.queue").setLevel(logging.ERROR)
serve(app, host="127.0.0.1", port=int(sys.argv[1]), threads=4, connection_limit=4096, backlog=4096)
