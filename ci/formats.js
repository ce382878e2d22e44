// SPDX-License-Identifier: Apache-2.0
// Percentile files against HdrHistogram's own code: formats.js NODE_MODULES FOLDER... reads each .hlog in a folder and
// demands the bytes of the .hgrm beside it. Prints what differs; status 1 when something does, or nothing was found.
const fs = require("fs");
const path = require("path");
const [modules, ...folders] = process.argv.slice(2);
const hdr = require(path.join(path.resolve(modules), "hdr-histogram-js"));

let compared = 0, failed = 0;
for (const folder of folders) {
    for (const name of fs.readdirSync(folder).filter((name) => name.endsWith(".hlog"))) {
        const log = fs.readFileSync(path.join(folder, name), "utf8");
        const line = log.split("\n").find((line) => line && !/^[#"]/.test(line));
        const histogram = hdr.decodeFromCompressedBase64(line.split(",").pop());
        const want = histogram.outputPercentileDistribution(5, 1e6);
        const have = fs.readFileSync(path.join(folder, name.replace(/hlog$/, "hgrm")), "utf8");
        const wanted = want.split("\n"), lines = have.split("\n");
        compared++;
        for (let i = 0; i < Math.max(wanted.length, lines.length); i++) {
            if (wanted[i] !== lines[i]) {
                console.log(`${folder}/${name}: line ${i + 1} is "${lines[i]}", HdrHistogram has "${wanted[i]}"`);
                failed++;
                break;
            }
        }
    }
}
console.log(`hdr-histogram-js: ${compared} percentile files, ${failed} differ`);
process.exit(failed || !compared ? 1 : 0);
