/**
 * Detectors take linear time for any text. The work is counted: every character that a string or pattern method reads
 * while a check runs.
 */
import type { Check, CheckInput, JsonObject } from '@gateway/contract'
import plugin from '@gateway/plugin-default'
import { createTestInput, createTestIo, prepareCheck } from '@gateway/testing'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../support/assert-property.ts'

const checks: [id: string, parameters: JsonObject][] = [
  ['pii', {}],
  ['secrets', {}],
  ['promptInjection', {}],
  ['pii', { redact: true }],
]

/** Beginnings of matches, repeated to fill a text. */
const fragments = [
  ...[
    'a',
    '1',
    ' 1',
    '1-',
    '12 ',
    '1234 ',
    '4111 ',
    '0',
    '00',
    '+',
    '+1 ',
    '(',
    '(212) ',
    '555-',
    '1.',
    '192.168.',
    ':',
  ],
  ...[
    '::',
    'a:',
    'fe80:',
    'DE89',
    'DE89 3704 ',
    'GB82 WEST ',
    '@',
    'a@',
    'a@b.',
    'a.b@',
    'x'.repeat(70),
    'A',
    'AB 12 ',
  ],
  ...[
    'eyJ',
    'eyJhbGciOiJIUzI1NiJ9.',
    '://',
    'a://',
    'a:b@',
    'http://a:',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
  ],
  ...[
    '-----END ',
    '=',
    'password=',
    'host=a;password=',
    'token: ',
    '"secret": "',
    'Q~',
    'a8Q~',
    'SG.',
    'xSG.abcdefghijklmnop.',
  ],
  ...[
    'abcdefghijklmnop.',
    'abcdefghijklmnop/',
    'ghp_',
    'AKIA',
    'sk-',
    '.',
    '-',
    '_',
    '/',
    '+/',
    '\\',
    '"',
    '\n',
    ' ',
  ],
  ...[
    '<',
    '<|',
    '[',
    '![',
    '![a](https://a?',
    'ignore ',
    'ignore all ',
    'show ',
    'previous ',
    'you are ',
    '\u200b',
    '忽略',
  ],
]

const counted: [
  prototype: object,
  name: string,
  work: (self: string, given: unknown[], result: unknown) => number,
][] = [
  ...['charCodeAt', 'codePointAt', 'charAt', 'startsWith', 'endsWith'].map(
    (name) => [String.prototype, name, () => 1] as (typeof counted)[number],
  ),
  ...['indexOf', 'includes'].map(
    (name) =>
      [
        String.prototype,
        name,
        (self, [, from], at) =>
          (typeof at === 'number' && at >= 0 ? at : self.length) - (typeof from === 'number' ? from : 0),
      ] as (typeof counted)[number],
  ),
  ...['slice', 'toLowerCase', 'toUpperCase', 'normalize'].map(
    (name) => [String.prototype, name, (_, __, result) => String(result).length] as (typeof counted)[number],
  ),
  ...['split', 'replace', 'replaceAll', 'match', 'search'].map(
    (name) => [String.prototype, name, (self) => self.length] as (typeof counted)[number],
  ),
  [RegExp.prototype, 'exec', (_, [text]) => String(text).length],
]

/** Counts the characters that a check reads. A search for the next match counts from its beginning to its end. */
function countWork(run: () => unknown): number {
  let work = 0
  const originals = counted.map(
    ([prototype, name]) => Reflect.get(prototype, name) as (...given: unknown[]) => unknown,
  )
  const test = RegExp.prototype.test
  for (const [index, [prototype, name, workOf]] of counted.entries()) {
    const original = originals[index] as (...given: unknown[]) => unknown
    Reflect.set(prototype, name, function (this: string, ...given: unknown[]) {
      const result = original.apply(this, given)
      work += workOf(this, given, result)
      return result
    })
  }
  RegExp.prototype.test = function (text: string) {
    const from = this.global ? this.lastIndex : 0
    // Through the original, which would count itself again.
    const before = work
    const found = test.call(this, text)
    work = before + (this.global && found ? this.lastIndex : text.length) - from
    return found
  }
  try {
    run()
  } finally {
    RegExp.prototype.test = test
    for (const [index, [prototype, name]] of counted.entries()) Reflect.set(prototype, name, originals[index])
  }
  return work
}

const inputOf = (check: Check, text: string): CheckInput => createTestInput(check, { text })

describe('the detectors', () => {
  for (const [id, parameters] of checks)
    it(`of ${id} ${JSON.stringify(parameters)} take linear time`, () => {
      const check = plugin.checks.find((candidate) => candidate.id === id) as Check
      const prepared = prepareCheck(check, parameters)
      const workOn = (text: string) => {
        const input = inputOf(check, text)
        return countWork(() => prepared.run(input, createTestIo()))
      }
      const repeated = fc.array(fc.constantFrom(...fragments), { minLength: 1, maxLength: 3 })
      assertProperty(
        fc.property(repeated, fc.constantFrom('', 'x', '@', '.', ' 5'), (pieces, tail) => {
          const unit = pieces.join('')
          const times = Math.ceil(8000 / unit.length)
          const small = workOn(unit.repeat(times) + tail)
          const large = workOn(unit.repeat(4 * times) + tail)
          // Four times the text: quadratic time would be sixteen times the work.
          expect(large, `${JSON.stringify(unit)}: ${small}, ${large}`).to.be.at.most(6 * small + 100_000)
        }),
        { numRuns: 150 },
      )
    })
})
