/** The message about a name that does not exist. */
import { expect } from 'chai'
import { unknownName } from '#domain/unknown-name'

const many = Array.from({ length: 20 }, (_, index) => `name-number-${index}-of-many`)

describe('the message about an unknown name', () => {
  const cases: [written: string, known: string[], message: string][] = [
    ['saef', ['safe', 'fast'], 'Unknown config "saef". Did you mean "safe"? Known: safe, fast.'],
    ['other', ['safe', 'fast'], 'Unknown config "other". Known: safe, fast.'],
    ['other', [], 'Unknown config "other". None exists.'],
    [
      'name-number-3-of-man',
      many,
      'Unknown config "name-number-3-of-man". Did you mean "name-number-3-of-many"?',
    ],
    ['x', many, `Unknown config "x". Known: ${many.slice(0, 8).join(', ')} and 12 more.`],
    ['y'.repeat(500), ['safe'], `Unknown config "${'y'.repeat(100)}". Known: safe.`],
  ]
  for (const [written, known, message] of cases)
    it(`is "${message.slice(0, 80)}"`, () => {
      expect(unknownName({ what: 'config', written, known })).to.equal(message)
    })
})
