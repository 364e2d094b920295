/** The config file: YAML or JSON, environment substitution, schema and rules. It never throws: it reports faults. */
import { expect } from 'chai'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { checkConfigText, createFileContext } from '#config-file/read-file'
import { fileSections } from '#config-file/schema'
import { damaged, jsonOf } from '../arbitraries.ts'
import { defineTarget } from '../target.ts'

const context = createFileContext(['echo'])
const variable = `\${A}`
const names = [
  ...fileSections,
  ...[
    'prod',
    'provider',
    'api_key',
    'name',
    'key_hash',
    'scopes',
    'string',
    'workspace',
    'defaults',
    'config_id',
  ],
  ...[
    'body_limit',
    'trusted_hosts',
    'header_prefixes',
    'checks',
    'strategy',
    'targets',
    'expires_at',
    'base_url',
  ],
]
const values = fc.constantFrom<unknown>(
  ...[
    'echo',
    'openai',
    variable,
    `\${B:-7}`,
    `\${`,
    `$\${A}`,
    '10mb',
    '1h',
    'prod',
    '2026-01-01T00:00:00Z',
    5,
  ],
)
const content = jsonOf(names, values, 5)
const section = fc
  .array(fc.tuple(fc.constantFrom(...fileSections), content), { maxLength: 3 })
  .map((members): unknown => Object.fromEntries(members))
const piece = fc.oneof(
  fc.constantFrom(...[...fileSections].map((name) => `${name}:`)),
  fc.constantFrom(
    '\n',
    '\n  ',
    '- ',
    'a: ',
    '&x ',
    '*x',
    '<<: *x',
    '!!binary ',
    '---\n',
    '? ',
    '|\n',
    '>-\n',
    '#',
    '\t',
  ),
  fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    '"',
    "'",
    variable,
    '\uFEFF',
    '\u0000',
    '%YAML 1.1\n',
    '...\n',
    '0x1F',
    '.nan',
  ),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
)
const loose = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''))

export const configFile = defineTarget({
  name: 'config-file',
  input: fc.oneof(
    damaged(fc.oneof(section, content).map((value) => JSON.stringify(value))),
    damaged(section.map((value) => stringify(value))),
    loose,
  ),
  read: (text) => checkConfigText(text, { A: 'a: b' }, { context }),
  mayThrow: () => false,
  check({ file, faults, warnings, declared }, text) {
    expect(file === null, 'a file or faults').to.equal(faults.length > 0)
    expect(declared === null).to.equal(file === null)
    const lines = text.split(/\r\n|\r|\n/).length
    for (const { line, column, message } of [...faults, ...warnings]) {
      expect(line).to.be.within(1, lines)
      expect(column).to.be.within(1, text.length + 1)
      expect(message).not.to.equal('')
    }
  },
})
