import { expect } from 'chai'
import { nearestName } from '#domain/nearest-name'

describe('the nearest name', () => {
  const known = ['openai', 'openai-prod', 'anthropic', 'echo', 'default.contains']
  const cases: [written: string, nearest: string | null][] = [
    ['opanai', 'openai'],
    ['OpenAI', 'openai'],
    ['openai-prd', 'openai-prod'],
    ['antropic', 'anthropic'],
    ['default.contians', 'default.contains'],
    ['ecoh', 'echo'],
    ['ech', 'echo'],
    ['mistral', null],
    ['', null],
    ['x'.repeat(100_000), null],
  ]
  for (const [written, nearest] of cases)
    it(`to "${written.slice(0, 20)}" is ${nearest ?? 'none'}`, () => {
      expect(nearestName(written, known)).to.equal(nearest)
    })
})
