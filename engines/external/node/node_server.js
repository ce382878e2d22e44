// SPDX-License-Identifier: Apache-2.0
// Answers /ping and /upload with Node's own http module.
'use strict';
const http = require('http');
const { createHash } = require('crypto');

function answer(response, status, type, text) {
    response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
    response.end(text);
}

const server = http.createServer((request, response) => {
    if (request.url === '/ping') {
        answer(response, 200, 'text/plain', 'pong');
        return;
    }
    if (request.url !== '/upload' || request.method !== 'POST') {
        answer(response, 404, 'text/plain', 'not here');
        return;
    }
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
        const body = Buffer.concat(chunks);
        const sha256 = createHash('sha256').update(body).digest('hex');
        answer(response, 200, 'application/json', `{"bytes":${body.length},"sha256":"${sha256}"}`);
    });
});
server.listen({ port: Number(process.argv[2]), host: '127.0.0.1', backlog: 4096 });
process.on('SIGTERM', () => process.exit(0));
