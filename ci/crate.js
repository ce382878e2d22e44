// SPDX-License-Identifier: Apache-2.0
// Checks a bundle's ro-crate-metadata.json offline: node crate.js MODULES FOLDER. MODULES is a node_modules with
// ro-crate and jsonld; FOLDER is the bundle's data/. Then plants faults, each of which must be found.
const fs = require('fs')
const path = require('path')
const [modules, folder] = process.argv.slice(2)
const load = (name) => require(path.resolve(modules, name))
const context = JSON.parse(fs.readFileSync(path.resolve(modules, 'ro-crate/lib/context.json')))
const CONTEXT = 'https://w3id.org/ro/crate/1.2/context'

// Before the validator is loaded: it keeps the function that it finds.
globalThis.fetch = async () => ({ ok: true, status: 200, json: async () => context, text: async () => JSON.stringify(context) })
const { Validator } = load('ro-crate/lib/validator.js')
const jsonld = load('jsonld')

const crate = JSON.parse(fs.readFileSync(path.join(folder, 'ro-crate-metadata.json'), 'utf8'))
const files = fs.readdirSync(folder, { recursive: true }).filter((name) => fs.statSync(path.join(folder, name)).isFile())
    .map((name) => name.split(path.sep).join('/')).filter((name) => name !== 'ro-crate-metadata.json').sort()

// What the validator says of a crate, as a list of texts.
async function validate(document) {
    const validator = new Validator()
    validator.parseJSON(JSON.stringify(document))
    await validator.validate()
    validator.checkFiles(Object.fromEntries(files.map((name) => [name, { exists: true }])))
    return validator.results.filter((result) => result.status !== 'success' && result.status !== 'info')
        .map((result) => `${result.id} (${result.status}): ${result.message}`)
}

// Terms that JSON-LD drops without a word because the context does not have them.
async function findDropped(document) {
    const documentLoader = async (url) => {
        if (url !== CONTEXT) throw new Error(`another context: ${url}`)
        return { contextUrl: null, documentUrl: url, document: context }
    }
    try {
        await jsonld.expand(document, { documentLoader, safe: true, base: 'https://example.org/crate/' })
        return []
    } catch (error) {
        return [`JSON-LD: ${error.message} ${JSON.stringify(error.details && error.details.event && error.details.event.details)}`]
    }
}

// Process Run Crate 0.5: a CreateAction in the root's mentions, with an instrument that is described.
function checkProcess(document) {
    const byId = new Map(document['@graph'].map((entity) => [entity['@id'], entity]))
    const list = (value) => value === undefined ? [] : Array.isArray(value) ? value : [value]
    const problems = []
    const root = byId.get('./') || {}
    if (!list(root.conformsTo).some((to) => to['@id'] === 'https://w3id.org/ro/wfrun/process/0.5')) problems.push('no profile')
    const actions = list(root.mentions).map((to) => byId.get(to['@id'])).filter((action) => action && action['@type'] === 'CreateAction')
    if (actions.length === 0) problems.push('no CreateAction is mentioned')
    for (const action of actions) {
        if (list(action.instrument).length === 0) problems.push(`${action['@id']}: no instrument`)
        for (const key of ['instrument', 'agent', 'object', 'result']) {
            for (const to of list(action[key])) if (!byId.has(to['@id'])) problems.push(`${action['@id']}: ${key} ${to['@id']} is not described`)
        }
    }
    const described = document['@graph'].filter((entity) => entity['@type'] === 'File').map((entity) => entity['@id']).sort()
    if (JSON.stringify(described) !== JSON.stringify(files)) problems.push('the File entities are not the files')
    return problems
}

const check = async (document) => [...await validate(document), ...await findDropped(document), ...checkProcess(document)]

const faults = {
    'a root without a license': (document) => { delete document['@graph'].find((entity) => entity['@id'] === './').license },
    'a day that is none': (document) => { document['@graph'].find((entity) => entity['@id'] === './').datePublished = 'soon' },
    'an action without an instrument': (document) => { delete document['@graph'].find((entity) => entity['@id'] === '#measurement').instrument },
    'a term that the context does not have': (document) => { document['@graph'][1].nonesuch = '3 kg' },
    'a file that is not described': (document) => { document['@graph'].pop() },
}

async function main() {
    let failed = false
    for (const problem of await check(crate)) {
        console.error(`crate: ${problem}`)
        failed = true
    }
    for (const [name, plant] of Object.entries(faults)) {
        const planted = structuredClone(crate)
        plant(planted)
        if ((await check(planted)).length === 0) {
            console.error(`crate: ${name} was not found`)
            failed = true
        }
    }
    if (!failed) console.log(`crate: ok (${files.length} files; ${Object.keys(faults).length} planted faults found)`)
    process.exitCode = failed ? 1 : 0
}
main()
