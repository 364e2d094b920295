/** The position and the reason of a JSON error: for every text that `JSON.parse` refuses, and for no other. */
import { describeJsonFault, findJsonFault } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Texts near to JSON: a valid one with a piece replaced. */
const damaged = fc
  .tuple(
    fc.json(),
    fc.nat(),
    fc.nat(3),
    fc.constantFrom(
      '',
      ',',
      '"',
      "'",
      '}',
      ']',
      '{',
      '[',
      ':',
      '\\',
      '\n',
      '-',
      '0',
      '1e',
      'true',
      '//',
      '\u0001',
    ),
  )
  .map(([text, at, length, piece]) => {
    const start = at % (text.length + 1)
    return text.slice(0, start) + piece + text.slice(start + length)
  })

describe('the search for a JSON error', () => {
  it('finds an error exactly in the texts that JSON.parse refuses', () => {
    assertProperty(
      fc.property(fc.oneof(damaged, fc.string(), fc.json()), (text) => {
        expect(findJsonFault(text) === null).to.equal(isJson(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('finds a position inside the text, or directly after it', () => {
    assertProperty(
      fc.property(damaged, (text) => {
        const fault = findJsonFault(text)
        if (fault === null) return
        const line = text.split('\n')[fault.line - 1]
        expect(line).to.be.a('string')
        expect(fault.column).to.be.within(1, (line ?? '').length + 1)
      }),
    )
  })

  const rows: [text: string, description: string][] = [
    ['{"a": 1}', 'is not valid JSON'],
    ['', 'is not valid JSON at character 1: the text ends where a value is expected'],
    ['{"a" 1}', 'is not valid JSON at character 6: found "1" where ":" is expected'],
    [
      '[1,]',
      'is not valid JSON at character 4: found "]" where a value is expected (remove the comma before it)',
    ],
    ['{} x', 'is not valid JSON at character 4: found "x" where the end is expected'],
    ['[01]', 'is not valid JSON at character 2: found "0" where a value or "]" is expected'],
    [
      '[NaN]',
      'is not valid JSON at character 2: found "N" where a value or "]" is expected (JSON has no such value)',
    ],
    ['["\\x"]', 'is not valid JSON at character 3: found a backslash that starts no escape sequence'],
    [
      '{\n  "a": 1\n  "b": 2\n}',
      'is not valid JSON at line 3, column 3: found a double quote where "," or "}" is expected',
    ],
    [
      '["a\nb"]',
      'is not valid JSON at line 1, column 4: found a line break inside a string: write it as \\n',
    ],
  ]
  for (const [text, description] of rows) {
    it(`describes ${JSON.stringify(text)}`, () => expect(describeJsonFault(text)).to.equal(description))
  }

  it('accepts any depth of nesting', () => {
    expect(findJsonFault('['.repeat(200_000))).to.include({ line: 1, column: 200_001 })
  })
})
