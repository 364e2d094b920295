import { expect } from 'chai'
import fc from 'fast-check'
import { Document } from 'yaml'
import { parseFileText } from '#config-file/document'
import { checkConfigText, createFileContext } from '#config-file/read-file'
import { assertProperty } from '../../support/assert-property.ts'

const context = createFileContext(['echo'])
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', ':-', '"', "'", '\\', '\n', '#') }),
)
/** Unpaired surrogates cannot be encoded in UTF-8, so no file contains them. */
const writable = text.filter((value) => !/\p{Surrogate}/u.test(value))
const escaped = (value: string) => value.split(`\${`).join(`$\${`)

describe('environment variables in a config file', () => {
  it('leave every other text unchanged', () => {
    assertProperty(
      fc.property(writable, fc.constantFrom('yaml', 'json'), (value, format) => {
        const content = { prompts: { a: { string: escaped(value) } } }
        const written = format === 'json' ? JSON.stringify(content) : new Document(content).toString()
        const { value: read, faults } = parseFileText(written, {})
        expect(faults).to.deep.equal([])
        expect(read).to.deep.equal({ prompts: { a: { string: value } } })
      }),
    )
  })

  it('never let a value change the structure around it', () => {
    const hostile = fc.oneof(
      text,
      fc.constantFrom(
        'a, b: c',
        '"\n',
        '}',
        ']',
        '\n  - x',
        '&a',
        '*a',
        '!!binary x',
        '---',
        '# x',
        'a: b',
        `\${B}`,
        '<<',
      ),
    )
    assertProperty(
      fc.property(hostile, hostile, (first, second) => {
        const file = `prompts: { a: { string: "\${A}" } }\nconfigs:\n  b: [ "x\${B}y" ]\n  c: "\${A}"\n`
        const { value, faults } = parseFileText(file, { A: first, B: second })
        expect(faults).to.deep.equal([])
        expect(value).to.deep.equal({
          prompts: { a: { string: first } },
          configs: { b: [`x${second}y`], c: first },
        })
      }),
    )
  })

  it('become a number only where a number is expected', () => {
    assertProperty(
      fc.property(fc.integer({ min: 1, max: 65_535 }), (port) => {
        const file = `server: { port: "\${P}", host: "\${P}" }\nproviders: { a: { provider: echo, api_key: "\${P}" } }`
        const { file: read } = checkConfigText(file, { P: String(port) }, { context })
        expect(read?.server).to.include({ port, host: String(port) })
        expect(read?.providers.a?.api_key).to.equal(String(port))
      }),
    )
  })

  it('stay text next to other text', () => {
    const { faults } = checkConfigText(`server: { port: "80\${P}" }`, { P: '80' }, { context })
    expect(faults.map(({ param }) => param)).to.deep.equal(['/server/port'])
  })

  it('are read only when they are referenced', () => {
    const { file } = checkConfigText('server: { host: "$HOST" }', { HOST: 'other' }, { context })
    expect(file?.server.host).to.equal('$HOST')
  })

  it('never throw for any bytes: the reader reports errors', () => {
    assertProperty(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab:-#&*!|>{}[],"\'\n\t $%@0') }), (anything) => {
        const { file, faults } = checkConfigText(anything, {}, { context })
        expect(file === null).to.equal(faults.length > 0)
        for (const { line, column } of faults) {
          expect(line).to.be.within(1, anything.split('\n').length)
          expect(column).to.be.at.least(1)
        }
      }),
      { numRuns: 500 },
    )
  })
})
