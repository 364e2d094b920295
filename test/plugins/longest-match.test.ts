/** The length of a streamed answer that a check must see at once: the overlap of its windows. */
import { type Check, compilePattern, type JsonObject } from '@gateway/contract'
import plugin from '@gateway/plugin-default'
import { prepareCheck } from '@gateway/testing'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../support/assert-property.ts'

const longestOf = (id: string, parameters: JsonObject) =>
  prepareCheck(plugin.checks.find((check) => check.id === id) as Check, parameters).longestMatch ?? null

/** Two units for each character of a rule. */
const rules: [string, number | null][] = [
  ['secret', 12],
  ['/secret|token/i', 12],
  ['a[bc]d{2,5}', 14],
  ['sk-[A-Za-z0-9]{20,}', 46],
  ['[a-z.]+@corp', 12],
  ['x*y', 2],
  ['/x{3,}/s', 6],
  ['(ab){2}', 8],
  ['ignore\\s+previous', null],
  ['\\bsecret', null],
  ['^secret', null],
  ['(a+|b)c', null],
]

describe('the longest match', () => {
  for (const [rule, longest] of rules)
    it(`of ${rule} is ${longest}`, () => {
      expect(longestOf('regexMatch', { rule, not: true })).to.equal(longest)
    })

  it('is unknown for a rule with a required occurrence', () => {
    expect(longestOf('regexMatch', { rule: 'secret' })).to.equal(null)
  })

  it('is the longest word of a list', () => {
    expect(longestOf('contains', { words: ['a', 'a longer one', 'b'], operator: 'none' })).to.equal(12)
  })

  it('measures a word in its compared form', () => {
    expect(longestOf('contains', { words: ['İİİ'], operator: 'none' })).to.equal(6)
  })

  it('is at least as long as any match', () => {
    const piece = fc.constantFrom(
      'a',
      '[bc]',
      '.',
      '(?:a|bcd)',
      '(b?c)',
      '[^a]{1,3}',
      'x{2}',
      '(?i)k',
      '\\d?',
    )
    const property = fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
      const pattern = compilePattern(pieces.join(''))
      const longest = pattern.longestMatch()
      expect(longest).not.to.equal(null)
      for (const text of ['abcdabcdxxkK12', 'aabbccddxxxx', '😀😀😀😀😀😀😀😀'])
        for (const { start, end } of pattern.find(text, 50)) expect(end - start).to.be.at.most(longest ?? 0)
    })
    assertProperty(property, { numRuns: 300 })
  })
})
