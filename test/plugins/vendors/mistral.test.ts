/** Mistral's moderation endpoint. Answers: https://docs.mistral.ai/api/endpoint/classifiers */

import plugin from '@gateway/plugin-mistral'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import { answering, checkOf, describeDiscretion, describeFaults, runOnce } from './support.ts'

const check = checkOf(plugin, 'moderateContent')

const none = {
  sexual: false,
  hate_and_discrimination: false,
  violence_and_threats: false,
  dangerous_and_criminal_content: false,
  selfharm: false,
  health: false,
  financial: false,
  law: false,
  pii: false,
}
const { dangerous_and_criminal_content: _, ...kept } = none
/** The categories as the model of 2026 splits them. */
const newer = { ...kept, dangerous: false, criminal: false, jailbreaking: false }

/** Judges as the vendor does: each text by itself. */
const judgeBy = (base: object) => (body: { input: string[] }) => ({
  id: 'mod-1',
  model: 'mistral-moderation-latest',
  results: body.input.map((text) => ({
    categories: {
      ...base,
      ...(text.includes('doctor') ? { health: true } : {}),
      ...(text.includes('rob')
        ? { [Object.hasOwn(base, 'criminal') ? 'criminal' : 'dangerous_and_criminal_content']: true }
        : {}),
    },
    category_scores: {},
  })),
})
const judge = judgeBy(none)

const io = (reply: unknown = judge, settings: object = { apiKey: 'k' }) => ({
  settings: settings as never,
  ...answering(reply),
})
const text = 'As your doctor I say: rob a bank.'
const first = '/messages/0/content'
const found = (categories: string[]) => ({ flagged: [{ path: first, categories }] })

describeChecks(
  plugin,
  casesOf('moderateContent', [
    { name: 'passes text without a category', text: 'hello', io: io(), verdict: true, data: { flagged: [] } },
    {
      name: 'fails text in any of the nine categories',
      text,
      io: io(),
      verdict: false,
      data: found(['dangerous_and_criminal_content', 'health']),
    },
    {
      name: 'fails in a wanted category',
      text,
      parameters: { categories: ['health'] },
      io: io(),
      verdict: false,
      data: found(['health']),
    },
    { name: 'passes in others', text, parameters: { categories: ['law', 'pii'] }, io: io(), verdict: true },
    {
      name: 'finds the heirs of a category that the model has split',
      text,
      parameters: { categories: ['dangerous_and_criminal_content'] },
      io: io(judgeBy(newer)),
      verdict: false,
      data: found(['dangerous_and_criminal_content']),
    },
    {
      name: 'knows the newer categories by their names',
      text,
      parameters: { categories: ['criminal', 'jailbreaking'] },
      io: io(judgeBy(newer)),
      verdict: false,
      data: found(['criminal']),
    },
    {
      name: 'does not pass in a category that the model did not judge',
      text,
      parameters: { categories: ['jailbreaking'] },
      io: io(),
      error: 'jailbreaking',
    },
    {
      name: 'checks only the last message when set so',
      parameters: { scope: 'last' },
      request: {
        messages: [
          { role: 'user', content: text },
          { role: 'user', content: 'hello' },
        ],
      },
      io: io(),
      verdict: true,
    },
    {
      name: 'knows no category of another name',
      text,
      parameters: { categories: ['x'] },
      io: io(),
      error: 'categories',
    },
    { name: 'wants a key', text, io: io(judge, {}), error: 'apiKey is missing' },
  ]),
)

const run = (origin: string) => ({ settings: { apiKey: 'k', baseUrl: origin }, text })
const handler = ({ json }: { json: unknown }) => ({ json: judge(json as never) })

describe('mistral.moderateContent at the vendor', () => {
  it('sends each text separately, with the model and the key', async () => {
    const messages = [
      { role: 'system', content: 'be kind' },
      { role: 'user', content: text },
    ]
    for (const [parameters, model, key] of [
      [{}, 'mistral-moderation-latest', 'k'],
      [{ model: 'mistral-moderation-2603', apiKey: 'mine' }, 'mistral-moderation-2603', 'mine'],
    ] as const) {
      const { seen } = await runOnce(check, handler, (origin) => ({
        ...run(origin),
        parameters,
        request: { messages },
      }))
      expect(seen).to.have.length(1)
      expect(seen[0]).to.deep.include({
        method: 'POST',
        path: '/moderations',
        json: { model, input: ['be kind', text] },
      })
      expect(seen[0]?.headers.authorization).to.equal(`Bearer ${key}`)
    }
  })

  it('checks every choice of an answer', async () => {
    const choices = [{ message: { content: 'fine' } }, { message: { content: text } }]
    const { data } = await runOnce(check, handler, (origin) => ({
      ...run(origin),
      phase: 'after',
      parameters: { categories: ['health'] },
      response: { choices },
    }))
    expect(data).to.deep.equal({ flagged: [{ path: '/choices/1/message/content', categories: ['health'] }] })
  })
})

describeDiscretion(check, handler, { run })
describeFaults(check, run, {
  'fewer results than texts': { json: { results: [] } },
  'a result without categories': { json: { results: [{}] } },
  'a category that is not a boolean': { json: { results: [{ categories: { ...none, pii: 0.5 } }] } },
})
