import { readFileSync } from 'node:fs'
import type { CheckIo, OutboundAnswer } from '@gateway/contract'
import { casesOf, describeChecks } from '@gateway/testing'
import plugin from '../index.ts'

/** A recorded answer of the service: `test/recorded/NAME.json`. */
const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../test/recorded/${name}.json`, import.meta.url), 'utf8'))

const answer = (status: number, json: unknown): OutboundAnswer => ({ status, headers: {}, json })
const high = answer(200, recorded('high-risk'))
const low = answer(200, recorded('low-risk'))
const busy = answer(503, { error: 'busy' })

/** The service returns these answers in order and repeats the last one; an error is a broken connection. */
function service(...answers: (OutboundAnswer | Error)[]): Partial<CheckIo> {
  let calls = 0
  return {
    settings: { baseUrl: 'https://risk.example', apiKey: 'k' },
    async fetchJson() {
      const next = answers[Math.min(calls, answers.length - 1)] ?? busy
      calls += 1
      if (next instanceof Error) throw next
      return next
    },
  }
}

const text = 'my password is 1234'

const cases = casesOf('riskBelow', [
  {
    name: 'passes a text of low risk',
    text,
    io: service(low),
    verdict: true,
    data: { risk: 0.03, max: 0.5 },
  },
  {
    name: 'refuses a text of high risk',
    text,
    io: service(high),
    verdict: false,
    data: { risk: 0.92, max: 0.5 },
  },
  { name: 'has a limit that can be set', text, parameters: { max: 0.95 }, io: service(high), verdict: true },
  { name: 'has a strict limit', text, parameters: { max: 0.01 }, io: service(low), verdict: false },
  {
    name: 'has a time limit that can be set',
    text,
    parameters: { timeout: 500 },
    io: service(low),
    verdict: true,
  },
  { name: 'has a short time limit', text, parameters: { timeout: 100 }, io: service(high), verdict: false },
  { name: 'looks at the answer, too', phase: 'after', text, io: service(high), verdict: false },
  { name: 'does not ask about an empty text', text: '', io: service(high), verdict: true },
  { name: 'asks again when the service is busy', text, io: service(busy, high), verdict: false },
  {
    name: 'asks again when the connection breaks',
    text,
    io: service(new Error('reset'), low),
    verdict: true,
  },
  { name: 'fails when the service stays busy', text, io: service(busy), error: 'status 503' },
  { name: 'fails at once on a refusal', text, io: service(answer(401, null), low), error: 'status 401' },
  { name: 'fails on an answer without a risk', text, io: service(answer(200, {})), error: 'no risk' },
])

// Adds the tests that every check must pass; each parameter needs a passing and a failing case.
describeChecks(plugin, cases, { everyParameter: true })
