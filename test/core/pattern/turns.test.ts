/** Patterns take linear time, in bounded time slices: measured in steps, not in time. */
import { compilePattern, runInTurns, type Turns } from '@gateway/pattern'
import { expect } from 'chai'

/** The number of characters per slice. */
const turnChars = 32_768

/** Counts the pauses. */
function countPauses(turns: Turns<unknown>): number {
  let pauses = 0
  while (turns.next().done !== true) pauses += 1
  return pauses
}

/** Letters in pseudorandom order: the same for the same seed. */
function randomText(alphabet: string, length: number): string {
  let state = 1
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return alphabet[Math.floor((state / 2 ** 32) * alphabet.length)]
  }).join('')
}

/** Patterns with catastrophic backtracking in other engines, and texts that cause it. */
const hard: [rule: string, textOf: (length: number) => string][] = [
  ['(a+)+$', (length) => `${'a'.repeat(length)}!`],
  ['(a|aa)+$', (length) => `${'a'.repeat(length)}!`],
  ['([a-zA-Z]+)*$', (length) => `${'aB'.repeat(length / 2)}1`],
  ['(?:a?){50}a{50}$', (length) => `${'a'.repeat(length)}!`],
  ['(?:.*a){20}', (length) => 'a'.repeat(length)],
  ['(x+x+)+y', (length) => `y${'x'.repeat(length)}`],
  ['\\pL+\\d', (length) => '日本語'.repeat(length / 3)],
]

describe('a pattern matched in time slices', () => {
  for (const [rule, textOf] of hard)
    it(`${rule} takes linear time`, () => {
      const length = 4 * turnChars
      const small = countPauses(compilePattern(rule).inTurns.find(textOf(length), 10))
      const large = countPauses(compilePattern(rule).inTurns.find(textOf(2 * length), 10))
      expect(small).to.be.at.least(1)
      expect(large).to.be.at.most(2 * small + 4)
    })

  it('takes linear time when its automaton explodes', () => {
    const rule = '[ab]*a[ab]{30}c$'
    const [small, large] = [20_000, 40_000].map((length) =>
      countPauses(compilePattern(rule).inTurns.test(`${randomText('ab', length)}c`)),
    )
    expect(small).to.be.at.least(10)
    expect(large).to.be.at.most(2.2 * (small ?? 0))
  })

  it('pauses while it replaces many matches that each look far ahead', () => {
    const turns = compilePattern('a.*z|a').inTurns.replace('a'.repeat(3000), '')
    expect(countPauses(turns)).to.be.at.least(10)
  })

  it('pauses within the groups of a long match', () => {
    const pattern = compilePattern('((a|b)+)')
    const text = 'ab'.repeat(50_000)
    expect(countPauses(pattern.inTurns.replace(text, '$2'))).to.be.at.least(5)
    expect(pattern.replace(text, '$2')).to.equal('b')
  })

  it('returns at once when one slice is enough', () => {
    const io = {
      get signal(): AbortSignal {
        throw new Error('the signal is not read')
      },
    }
    expect(runInTurns(compilePattern('b').inTurns.test('ab'), io)).to.equal(true)
  })

  it('yields to the event loop between slices', async () => {
    const pattern = compilePattern('(a+)+$')
    const text = `${'a'.repeat(10 * turnChars)}!`
    let loops = 0
    const count = () => {
      loops += 1
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const found = await runInTurns(pattern.inTurns.test(text), new AbortController())
    clearImmediate(timer)
    expect(found).to.equal(false)
    expect(loops).to.be.at.least(8)
  })

  it('stops when the signal fires', async () => {
    const controller = new AbortController()
    const text = `${'a'.repeat(10 * turnChars)}!`
    const running = runInTurns(compilePattern('(a+)+$').inTurns.test(text), controller)
    controller.abort(new Error('late'))
    const error = await Promise.resolve(running).catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(Error).with.property('message', 'late')
  })

  it("matches two texts at a time, though each evicts the other's automaton states", () => {
    const rule = '[ab]*a[ab]{20}c'
    const texts = [randomText('ab', 30_000), randomText('ba', 30_000)].map(
      (text) => `${text}a${'b'.repeat(20)}c`,
    )
    const pattern = compilePattern(rule)
    const running = texts.map((text) => pattern.inTurns.find(text, 5))
    const found: unknown[] = []
    while (found.filter((value) => value !== undefined).length < running.length)
      for (const [index, turns] of running.entries()) {
        const step = found[index] === undefined ? turns.next() : null
        if (step?.done === true) found[index] = step.value
      }
    expect(found).to.deep.equal(texts.map((text) => compilePattern(rule).find(text, 5)))
  })
})
