/** Cases of `default.llmJudge`: a pass and a fail for each parameter, and answers that are no judgement. */
import type { CheckIo, JsonObject } from '@gateway/contract'
import { type CheckCase, casesOf } from '@gateway/testing'
import { dialogue, model, user } from './bodies.ts'

const parameters = { prompt: 'Is it polite?', provider: '@judges', model: 'judge-1' }

/** A judge with a fixed answer. */
const says = (content: unknown): Partial<CheckIo> => ({
  chatComplete: async () => ({ choices: [{ message: { role: 'assistant', content: content as string } }] }),
})

/** A judge that finds a given text, only in the texts that it received. */
const looks = (word: string): Partial<CheckIo> => ({
  chatComplete: async (_, { messages }) => {
    const [, asked] = messages as JsonObject[]
    const score = String(asked?.content).includes(word) ? 0 : 1
    return { choices: [{ message: { content: JSON.stringify({ score, reason: 'so it is' }) } }] }
  },
})

const broken: [name: string, content: unknown, error: string][] = [
  ['prose', 'It is polite.', 'no JSON object'],
  ['prose around it', 'Here: {"score": 1}', 'no JSON object'],
  ['a list', '[1]', 'no JSON object'],
  ['nothing', '', 'no JSON object'],
  ['no text', null, 'no text'],
  ['a score out of bounds', '{"score": 1.2}', 'no number from 0 to 1'],
  ['a score in words', '{"score": "1"}', 'no number from 0 to 1'],
  ['neither score nor verdict', '{"reason": "fine"}', 'no number from 0 to 1'],
  ['a verdict in words', '{"verdict": "true"}', 'no number from 0 to 1'],
  ['a verdict in words next to a score', '{"score": 1, "verdict": "no"}', 'no boolean'],
  ['a reason that is not a string', '{"score": 1, "reason": {}}', 'no text'],
  ['other members', '{"score": 1, "pass": true}', 'not asked for'],
]

export const rows: readonly CheckCase[] = casesOf(
  'llmJudge',
  [
    {
      name: 'passes a text that the judge approves, without its reason',
      text: 'Good morning',
      io: says('{"score": 0.9, "reason": "Good morning is polite"}'),
      verdict: true,
      data: { score: 0.9, verdict: true },
    },
    {
      name: 'fails a text that the judge rejects',
      text: 'Good morning',
      io: says('{"score": 0.2, "reason": "Good morning is not"}'),
      verdict: false,
      data: { score: 0.2, verdict: false },
    },
    {
      name: 'takes a verdict that is true for 1',
      text: 'a',
      io: says('{"verdict": true}'),
      verdict: true,
      data: { score: 1, verdict: true },
    },
    {
      name: 'takes a verdict that is false for 0',
      text: 'a',
      io: says('{"verdict": false}'),
      verdict: false,
    },
    {
      name: 'uses the score when both are present',
      text: 'a',
      io: says('{"score": 0.9, "verdict": false}'),
      verdict: true,
    },
    { name: 'reads JSON in a fence', text: 'a', io: says('```json\n{"score": 1}\n```'), verdict: true },
    {
      name: 'threshold: passes a score that reaches it',
      parameters: { ...parameters, threshold: 0.7 },
      text: 'a',
      io: says('{"score": 0.7}'),
      verdict: true,
    },
    {
      name: 'threshold: fails a score below it',
      parameters: { ...parameters, threshold: 0.7 },
      text: 'a',
      io: says('{"score": 0.69}'),
      verdict: false,
    },
    {
      name: 'scope all: sends the whole conversation',
      request: dialogue,
      io: looks('zebra'),
      verdict: false,
    },
    {
      name: 'scope last: sends only the last message',
      parameters: { ...parameters, scope: 'last' },
      request: dialogue,
      io: looks('zebra'),
      verdict: true,
    },
    {
      name: 'judges answers',
      phase: 'after',
      text: 'a zebra',
      io: looks('zebra'),
      verdict: false,
    },
    {
      name: 'does not call the judge without a text',
      request: { model, messages: [user('')] },
      verdict: true,
      data: { score: null, verdict: true },
    },
    ...broken.map(([name, content, error]) => ({
      name: `takes ${name} for an error`,
      text: 'a',
      io: says(content),
      error,
    })),
    {
      name: 'takes a judge that fails for an error',
      text: 'a',
      io: { chatComplete: () => Promise.reject(new Error('circuit_open')) },
      error: 'circuit_open',
    },
    {
      name: 'takes an answer without choices for an error',
      text: 'a',
      io: { chatComplete: async () => ({}) },
      error: 'no text',
    },
    { name: 'prompt: refuses an empty one', parameters: { ...parameters, prompt: '' }, error: 'prompt' },
    {
      name: 'provider: refuses an invalid slug',
      parameters: { ...parameters, provider: 'openai' },
      error: 'provider',
    },
    { name: 'model: refuses an empty one', parameters: { ...parameters, model: '' }, error: 'model' },
    { name: 'timeout: refuses a short one', parameters: { ...parameters, timeout: 10 }, error: 'timeout' },
    {
      name: 'timeout: takes a long one',
      parameters: { ...parameters, timeout: 30_000 },
      text: 'a',
      io: says('{"score": 1}'),
      verdict: true,
    },
  ],
  { parameters },
)
