/** `default.promptInjection`: a corpus of attempts and of ordinary texts, and what its rules are made of. */
import type { Check } from '@gateway/contract'
import plugin from '@gateway/plugin-default'
import { runCheck } from '@gateway/testing'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../support/assert-property.ts'
import { attempts, disguised, ordinary } from './prompt-injection-corpus.ts'

const check = plugin.checks.find(({ id }) => id === 'promptInjection') as Check

interface Data {
  score: number
  rules: { id: string; weight: number; start: number; end: number }[]
}

async function judge(text: string, threshold = 0.5): Promise<Data & { verdict: boolean }> {
  const { verdict, data } = await runCheck(check, { parameters: { threshold }, text })
  return { verdict, ...(data as Data) }
}

const filler = 'The committee met on Tuesday to discuss the budget. Schools will get more of the funds. '

describe('default.promptInjection', () => {
  for (const [kind, texts] of Object.entries(attempts))
    describe(`detects ${kind}`, () => {
      for (const text of texts) {
        it(JSON.stringify(text.slice(0, 70)), async () => {
          const { verdict, rules } = await judge(text)
          expect(verdict).to.equal(false)
          expect(rules.some(({ id }) => id.startsWith(`${kind}.`))).to.equal(true)
        })

        it(`in the middle of a long text: ${JSON.stringify(text.slice(0, 40))}`, async () => {
          const before = filler.repeat(30)
          const { verdict, rules } = await judge(`${before}\n${text}\n${filler.repeat(30)}`)
          expect(verdict).to.equal(false)
          for (const { start, end } of rules.filter(({ id }) => id !== 'hidden.tags'))
            expect([start, end]).to.satisfy(
              ([from, to]: number[]) =>
                (from ?? 0) > before.length - 10 && (to ?? 0) <= before.length + text.length + 10,
            )
        })
      }
    })

  describe('detects disguised text', () => {
    for (const text of disguised)
      it(JSON.stringify(text), async () => {
        const { verdict, rules } = await judge(text)
        expect(verdict).to.equal(false)
        expect(
          rules.some(({ id }) => id === 'override.previous_instructions' || id === 'hidden.tags'),
        ).to.equal(true)
      })
  })

  describe('passes ordinary text', () => {
    for (const text of ordinary)
      it(JSON.stringify(text.slice(0, 70)), async () => {
        const { verdict, rules } = await judge(text)
        expect(verdict, JSON.stringify(rules)).to.equal(true)
      })

    it('all of it together', async () => {
      const spread = ordinary.join(`\n\n${filler.repeat(30)}\n\n`)
      expect((await judge(spread)).verdict).to.equal(true)
    })
  })

  it('returns a score from 0 to 1 and positions within the text, for any text', async () => {
    const pieces = fc.constantFrom(
      ...Object.values(attempts).flat(),
      ...disguised,
      ...ordinary,
      '\ud800',
      '\u0000',
    )
    const texts = fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 6 })
    await assertProperty(
      fc.asyncProperty(texts, async (parts) => {
        const text = parts.join(' ')
        const { score, rules, verdict } = await judge(text, 0)
        expect(score).to.be.within(0, 1)
        expect(verdict).to.equal(rules.length === 0)
        for (const { start, end, weight } of rules) {
          expect(weight).to.be.within(0.01, 1)
          expect([start, end]).to.satisfy(() => start >= 0 && start < end && end <= text.length)
        }
      }),
    )
  })

  it('ignores case', async () => {
    for (const text of attempts.override ?? []) {
      const upper = await judge(text.toUpperCase().replaceAll('İ', 'I'))
      if (!/[ıöÖ]/.test(text)) expect(upper.verdict, text).to.equal(false)
    }
  })
})
