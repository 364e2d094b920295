/** `runCheck` of the kit for plugin authors: a check runs as in the gateway, with only the given context. */
import type { Check, CheckInput, CheckIo, Verdict } from '@gateway/contract'
import { type CheckRun, runCheck } from '@gateway/testing'
import { type TSchema, Type } from '@sinclair/typebox'
import { expect } from 'chai'

const closed = { additionalProperties: false }

/** What a check is prepared with. */
interface Given {
  parameters: unknown
  settings: unknown
}

interface Parts {
  parameters?: TSchema
  phases?: Check['phases']
  run: (input: CheckInput, io: CheckIo, given: Given) => Verdict | Promise<Verdict>
}

const checkOf = ({ run, ...rest }: Parts): Check => ({
  id: 'mine',
  title: 'Mine',
  description: 'Mine.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters: Type.Object({}, closed),
  ...rest,
  prepare: (parameters, settings) => ({ run: (input, io) => run(input, io, { parameters, settings }) }),
})

/** A check that returns its input. */
const telling = (tell: (...given: Parameters<Parts['run']>) => unknown) =>
  checkOf({ run: (...given) => ({ verdict: true, data: tell(...given) }) })

describe('runCheck', () => {
  it('fills in defaults, and refuses parameters that break the schema', async () => {
    const parameters = Type.Object(
      { words: Type.Array(Type.String()), limit: Type.Optional(Type.Integer({ default: 3 })) },
      closed,
    )
    const check = checkOf({
      parameters,
      run: (_input, _io, given) => ({ verdict: true, data: given.parameters }),
    })
    const { data } = await runCheck(check, { parameters: { words: ['a'] } })
    expect(data).to.deep.equal({ words: ['a'], limit: 3 })
    for (const [wrong, message] of [
      [{}, 'parameters/words is required'],
      [{ words: 'a' }, 'parameters/words must be an array'],
      [{ words: [], word: 1 }, 'parameters has the unknown key "word". Did you mean "words"?'],
    ] as const) {
      const error = await runCheck(check, { parameters: wrong as never }).catch((fault: unknown) => fault)
      expect(error).to.be.instanceOf(Error).with.property('message', message)
    }
  })

  it('builds a request or an answer around a text', async () => {
    const check = telling(({ phase, parts }) => ({ phase, parts }))
    const asked = await runCheck(check, { text: 'hello' })
    expect(asked.data).to.deep.equal({
      phase: 'before',
      parts: [{ role: 'user', text: 'hello', path: '/messages/0/content' }],
    })
    const answered = await runCheck(check, { phase: 'after', text: 'hello' })
    expect(answered.data).to.deep.equal({
      phase: 'after',
      parts: [{ role: 'assistant', text: 'hello', path: '/choices/0/message/content' }],
    })
  })

  it('passes a stream as its text only', async () => {
    const check = telling(({ text, response }) => ({ text, json: response?.json }))
    const { data } = await runCheck(check, { phase: 'after', streamed: true, text: 'so far' })
    expect(data).to.deep.equal({ text: 'so far', json: null })
  })

  it('passes metadata, headers, status and settings unchanged', async () => {
    const check = checkOf({
      run: ({ metadata, headers, response, provider }, { settings }, { settings: prepared }) => ({
        verdict: true,
        data: { metadata, headers, status: response?.status, provider, settings, prepared },
      }),
    })
    const run: CheckRun = {
      phase: 'after',
      metadata: { tier: 'gold' },
      headers: { 'x-a': 'b' },
      status: 500,
      provider: 'echo',
      io: { settings: { apiKey: 'k' } },
    }
    expect((await runCheck(check, run)).data).to.deep.equal({
      metadata: { tier: 'gold' },
      headers: { 'x-a': 'b' },
      status: 500,
      provider: 'echo',
      settings: { apiKey: 'k' },
      prepared: { apiKey: 'k' },
    })
  })

  it('applies the changes of a check', async () => {
    const check = checkOf({
      run: ({ parts }) => ({
        verdict: true,
        transformed: { texts: new Map(parts.map(({ path, text }) => [path, text.toUpperCase()])) },
      }),
    })
    const { text, body } = await runCheck(check, { text: 'loud' })
    expect(text).to.equal('LOUD')
    expect(body).to.have.nested.property('messages[0].content', 'LOUD')
  })

  const slips: [what: string, run: Parts['run'], message: string][] = [
    ['writes into the request', ({ request }) => writeInto(request.json), 'Cannot'],
    ['writes into its settings', (_input, _io, { settings }) => writeInto(settings), 'Cannot'],
    [
      'calls a service that was not given',
      (_input, io) => ask(io),
      'gave no answer for https://judge.example',
    ],
    ['gives nonsense', () => ({ verdict: 'yes' }) as never, 'gave no verdict'],
    ['changes a text that does not exist', () => change('/nowhere'), 'no text at /nowhere'],
  ]
  for (const [what, run, message] of slips)
    it(`fails a check that ${what}`, async () => {
      const settings = { a: 1 }
      const error = await runCheck(checkOf({ run }), { io: { settings } }).catch((fault: unknown) => fault)
      expect(error).to.be.instanceOf(Error).with.property('message').that.includes(message)
    })
})

function writeInto(given: unknown): Verdict {
  Object.assign(given as object, { model: 'other', a: 2 })
  return { verdict: true }
}

async function ask(io: CheckIo): Promise<Verdict> {
  await io.fetchJson({ method: 'GET', url: 'https://judge.example' })
  return { verdict: true }
}

const change = (path: string): Verdict => ({ verdict: true, transformed: { texts: new Map([[path, 'x']]) } })
