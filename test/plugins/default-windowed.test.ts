/** The form checks that can check a streamed answer in windows. */
import type { Check, JsonObject } from '@gateway/contract'
import plugin from '@gateway/plugin-default'
import { prepareCheck } from '@gateway/testing'
import { expect } from 'chai'

const checks: [string, JsonObject, boolean][] = [
  ['alluppercase', {}, true],
  ['alluppercase', { not: true }, false],
  ['alllowercase', {}, true],
  ['endsWith', { suffix: 'a', not: true }, false],
  ['characterCount', { maxCharacters: 1 }, false],
  ['sentenceCount', { maxSentences: 1 }, false],
  ['containsCode', { format: 'SQL', not: true }, false],
  ['jsonKeys', { keys: ['a'], operator: 'none' }, false],
  ['validUrls', {}, false],
  ['notNull', {}, false],
]

describe('a streamed answer', () => {
  for (const [id, parameters, windowed] of checks)
    it(`is checked ${windowed ? 'in windows' : 'as a whole'} by ${id} ${JSON.stringify(parameters)}`, () => {
      const check = plugin.checks.find((candidate) => candidate.id === id) as Check
      expect(prepareCheck(check, parameters).windowed ?? false).to.equal(windowed)
    })
})
