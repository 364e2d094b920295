/** OpenAI's moderation endpoint. Answers: https://platform.openai.com/docs/api-reference/moderations/object */

import plugin from '@gateway/plugin-openai'
import { casesOf, describeChecks } from '@gateway/testing'
import { expect } from 'chai'
import type {
  Moderation,
  ModerationCreateParams,
  ModerationCreateResponse,
} from 'openai/resources/moderations'
import { answering, checkOf, describeDiscretion, describeFaults, runOnce } from './support.ts'

const check = checkOf(plugin, 'moderation')

const none: Moderation.Categories = {
  harassment: false,
  'harassment/threatening': false,
  hate: false,
  'hate/threatening': false,
  illicit: false,
  'illicit/violent': false,
  'self-harm': false,
  'self-harm/instructions': false,
  'self-harm/intent': false,
  sexual: false,
  'sexual/minors': false,
  violence: false,
  'violence/graphic': false,
}

type Result = Pick<Moderation, 'flagged' | 'categories'>

const result = (categories: Partial<Moderation.Categories>, flagged = true): Result => ({
  flagged,
  categories: { ...none, ...categories },
})

/** Judges as the vendor does: each text by itself. */
const judge = ({ input, model = '' }: ModerationCreateParams) =>
  ({
    id: 'modr-1',
    model,
    results: [input].flat().map((text) => {
      if (String(text).includes('kill')) return result({ violence: true, 'violence/graphic': true })
      return result({}, false)
    }),
  }) as Pick<ModerationCreateResponse, 'id' | 'model'> & { results: Result[] }

const io = (reply: unknown = judge, settings: object = { apiKey: 'k' }) => ({
  settings: settings as never,
  ...answering(reply),
})
const text = 'I will kill it.'
const flagged = (path: string, categories: string[]) => ({ flagged: [{ path, categories }] })
const first = '/messages/0/content'

describeChecks(
  plugin,
  casesOf('moderation', [
    {
      name: 'passes text that is not flagged',
      text: 'hello',
      io: io(),
      verdict: true,
      data: { flagged: [] },
    },
    {
      name: 'fails flagged text, and reports the position',
      text,
      io: io(),
      verdict: false,
      data: flagged(first, ['violence', 'violence/graphic']),
    },
    {
      name: 'fails in a wanted category',
      text,
      parameters: { categories: ['violence', 'hate'] },
      io: io(),
      verdict: false,
      data: flagged(first, ['violence']),
    },
    { name: 'passes in others', text, parameters: { categories: ['hate'] }, io: io(), verdict: true },
    {
      name: 'fails text flagged for an unlisted category',
      text,
      io: io({ results: [result({})] }),
      verdict: false,
      data: flagged(first, ['other']),
    },
    {
      name: 'looks at every choice of an answer',
      phase: 'after',
      response: { choices: [{ message: { content: 'fine' } }, { message: { content: text } }] },
      io: io(),
      verdict: false,
      data: flagged('/choices/1/message/content', ['violence', 'violence/graphic']),
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
      name: 'does not know a category that the model does not know',
      text,
      parameters: { categories: ['illicit'] },
      io: io({ results: [{ flagged: false, categories: { ...none, illicit: null } }] }),
      error: 'illicit',
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
const reply = { json: judge({ input: [text] }) }

describe('openai.moderation at the vendor', () => {
  it('sends the texts and the model', async () => {
    const messages = [
      { role: 'system', content: 'be kind' },
      { role: 'user', content: text },
    ]
    const { seen } = await runOnce(
      check,
      ({ json }) => ({ json: judge(json as never) }),
      (origin) => ({
        ...run(origin),
        parameters: { model: 'text-moderation-latest' },
        request: { messages },
      }),
    )
    expect(seen).to.have.length(1)
    expect(seen[0]).to.deep.include({
      method: 'POST',
      path: '/moderations',
      json: { model: 'text-moderation-latest', input: ['be kind', text] } satisfies ModerationCreateParams,
    })
    expect(seen[0]?.headers.authorization).to.equal('Bearer k')
  })

  it('splits many texts into several calls, and refuses too many', async () => {
    const ask = (count: number) =>
      runOnce(
        check,
        ({ json }) => ({ json: judge(json as never) }),
        (origin) => ({
          ...run(origin),
          parameters: { apiKey: 'mine' },
          request: {
            messages: Array.from({ length: count }, (_, index) => ({
              role: 'user',
              content: index === count - 1 ? text : 'hello',
            })),
          },
        }),
      )
    const { seen, data } = await ask(70)
    expect(seen.map(({ json }) => [json?.input].flat().length).sort()).to.deep.equal([32, 32, 6])
    expect(seen[0]?.headers.authorization).to.equal('Bearer mine')
    expect(data).to.deep.equal(flagged('/messages/69/content', ['violence', 'violence/graphic']))
    const refused = await ask(257).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(Error)
  })
})

describeDiscretion(check, ({ json }) => ({ json: judge(json as never) }), { run })
describeFaults(check, run, {
  'fewer results than texts': { json: { results: [] } },
  'more results than texts': { json: { results: [result({}), result({})] } },
  'a result without categories': { json: { results: [{ flagged: true }] } },
  'the right body with a bad status': { ...reply, status: 400 },
})
