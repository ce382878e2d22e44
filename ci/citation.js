// SPDX-License-Identifier: Apache-2.0
// Checks a CITATION.cff offline: node citation.js MODULES FILE [SCHEMA]. MODULES is a node_modules with js-yaml,
// citation-js and, for the schema of CFF 1.2.0, ajv. Then plants faults, each of which the schema must find.
const fs = require('fs')
const path = require('path')
const [modules, file, schemaPath] = process.argv.slice(2)
const load = (name) => require(path.resolve(modules, name))
const yaml = load('js-yaml')
const text = fs.readFileSync(file, 'utf8')
const read = () => yaml.load(text, { schema: yaml.JSON_SCHEMA }) // dates stay texts
const problems = []

if (schemaPath) {
    const Ajv = load('ajv').default
    const ajv = new Ajv({ strict: false, allErrors: true })
    load('ajv-formats').default(ajv)
    const schema = JSON.parse(fs.readFileSync(schemaPath, 'utf8'))
    const validate = ajv.compile(schema)
    if (!validate(read())) problems.push(...validate.errors.map((error) => `${error.instancePath} ${error.message}`))
    const faults = {
        'no message': (cff) => { delete cff.message },
        'no authors': (cff) => { cff.authors = [] },
        'a wrong date': (cff) => { cff['date-released'] = '2026-13-01' },
        'an unknown license': (cff) => { cff.license = 'none' },
    }
    for (const [name, plant] of Object.entries(faults)) {
        const changed = read()
        plant(changed)
        if (validate(changed)) problems.push(`the schema takes ${name}`)
    }
}

const { Cite } = load('@citation-js/core')
load('@citation-js/plugin-cff')
const [entry] = new Cite(read(), { forceType: '@cff/object' }).data
if (entry.title !== read().title) problems.push(`citation-js reads the title as ${entry.title}`)
if (entry.type !== 'dataset') problems.push(`citation-js reads the type as ${entry.type}`)
const dates = entry.issued && entry.issued['date-parts'][0].join('-')
if (dates !== read()['date-released'].replace(/-0/g, '-')) problems.push(`citation-js reads the date as ${dates}`)

for (const problem of problems) console.error(`citation: ${problem}`)
process.exitCode = problems.length ? 1 : 0
