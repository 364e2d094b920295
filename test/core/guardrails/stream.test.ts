/**
 * Guardrails and streams: denials before the first byte, denials in the middle of a stream, and where verdicts are
 * reported.
 */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import type { Reply } from '../../support/scene.ts'
import { chatChunk, chatEvents, type Handler, sendEvents } from '../../support/upstream.ts'
import { acts, type Hook, hooksOf, openGuarded } from './fixtures/open.ts'

const body = chat('x', { stream: true })
const lenient = { 'x-gateway-strict-compat-compliance': 'false' }

/** The data of every event, parsed; `[DONE]` stays. */
function eventsOf({ text }: Reply): (Record<string, unknown> | '[DONE]')[] {
  const events = text.split('\n\n').filter((event) => event !== '')
  return events.map((event) => {
    const data = event.replace(/^data: /, '')
    return data === '[DONE]' ? data : (JSON.parse(data) as Record<string, unknown>)
  })
}

const resultsIn = (event: Record<string, unknown> | string | undefined) =>
  (event as { hook_results?: { before_request_hooks: Hook[]; after_request_hooks: Hook[] } } | undefined)
    ?.hook_results

const says =
  (...pieces: string[]): Handler =>
  (_request, response) =>
    sendEvents(response, chatEvents(...pieces))

const noBad = { id: 'no-bad', deny: true, contains: { operator: 'none', words: ['bad'] } }

describe('a stream with guardrails', () => {
  const scene = openGuarded()
  const ask = (guards: Record<string, unknown>, headers: Record<string, string> = {}) =>
    scene.ask(scene.leaf('a', guards), { body, headers })

  it('is a 446 with JSON, before any token, when the input is denied', async () => {
    const reply = await ask({ input_guardrails: [acts('fail', 'strict', { deny: true })] })
    expect(reply.status).to.equal(446)
    expect(reply.headers.get('content-type')).to.contain('application/json')
    expect(reply.error.code).to.equal('guardrail_denied')
    expect(hooksOf(reply).before_request_hooks[0]?.id).to.equal('strict')
    expect(scene.calls()).to.deep.equal([])
  })

  it('has status 246 when the input failed without denying', async () => {
    const reply = await ask({ input_guardrails: [acts('fail')] })
    expect(reply.status).to.equal(246)
    expect(reply.headers.get('content-type')).to.contain('text/event-stream')
    expect(eventsOf(reply).at(-1)).to.equal('[DONE]')
  })

  const guards = {
    'the input': { input_guardrails: [acts('pass', 'in')] },
    'the output': { output_guardrails: [acts('pass', 'out')] },
    both: { input_guardrails: [acts('pass', 'in')], output_guardrails: [acts('fail', 'out')] },
    'the output, held back': { output_guardrails: [acts('pass', 'out', { deny: true })] },
    'the output, held back in windows': { output_guardrails: [{ ...noBad, id: 'out' }] },
  }

  for (const [name, config] of Object.entries(guards)) {
    it(`contains no results under strict compliance: ${name}`, async () => {
      const reply = await ask(config)
      const events = eventsOf(reply)
      expect(reply.text).not.to.contain('hook_results')
      expect(events).to.have.length(5)
      expect(events.at(-1)).to.equal('[DONE]')
    })

    it(`contains the results in its last event before [DONE] otherwise: ${name}`, async () => {
      const events = eventsOf(await ask(config, lenient))
      expect(events.at(-1)).to.equal('[DONE]')
      expect(events.filter((event) => resultsIn(event) !== undefined)).to.have.length(1)
      const results = resultsIn(events.at(-2))
      const { before_request_hooks: before = [], after_request_hooks: after = [] } = results ?? {}
      const expected = { 'the input': ['in'], both: ['in', 'out'] }[name] ?? ['out']
      expect([...before, ...after].map(({ id }) => id)).to.deep.equal(expected)
      expect(events.slice(0, -2)).to.have.length(4)
    })
  }

  it('is delivered without waiting for a guardrail that does not deny', async () => {
    let finish: () => void = () => undefined
    scene.answers.a = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const [head = '', first = '', ...rest] = chatEvents('first', 'last')
      response.write(head + first)
      finish = () => response.end(rest.join(''))
    }
    const config = scene.leaf('a', { output_guardrails: [acts('fail')] })
    const response = await scene.gateway.post('/v1/chat/completions', body, {
      'x-gateway-config': JSON.stringify(config),
    })
    expect(response.status).to.equal(200)
    const reader = (response.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream())
      .getReader()
    let text = ''
    while (!text.includes('first')) text += (await reader.read()).value ?? ''
    finish()
    for (let step = await reader.read(); !step.done; step = await reader.read()) text += step.value
    expect(text)
      .to.contain('last')
      .and.to.match(/\[DONE\]\n\n$/)
  })

  describe('that is denied', () => {
    it('before its first byte is a plain 446 with JSON', async () => {
      scene.answers.a = says('this is b', 'ad')
      const reply = await ask({ output_guardrails: [noBad] })
      expect(reply.status).to.equal(446)
      expect(reply.headers.get('content-type')).to.contain('application/json')
      expect(hooksOf(reply).after_request_hooks[0]).to.deep.include({ id: 'no-bad', verdict: false })
      expect(reply.text).not.to.contain('this is')
    })

    it('in the middle ends with an error event and without [DONE]', async () => {
      scene.answers.a = says(...'a good word '.repeat(100).split(/(?= )/), ' bad', ' more')
      const reply = await ask({ input_guardrails: [acts('pass', 'in')], output_guardrails: [noBad] })
      expect(reply.status).to.equal(200)
      const events = eventsOf(reply)
      const last = events.at(-1) as { error?: unknown }
      expect(last.error).to.deep.include({ type: 'hooks_failed', code: 'guardrail_denied', param: null })
      const results = resultsIn(last as never)
      expect(results?.before_request_hooks[0]?.id).to.equal('in')
      expect(results?.after_request_hooks[0]).to.deep.include({ id: 'no-bad', verdict: false, deny: true })
      expect(reply.text).to.contain(' word').and.not.to.contain('[DONE]').and.not.to.contain(' bad')
      expect(reply.text).not.to.contain(' more')
    })

    it('in the middle reports it under strict compliance, too', async () => {
      scene.answers.a = says('good '.repeat(300), 'bad')
      const reply = await ask(
        { output_guardrails: [noBad] },
        { 'x-gateway-strict-compat-compliance': 'true' },
      )
      expect(resultsIn(eventsOf(reply).at(-1))?.after_request_hooks).to.have.length(1)
    })

    it('by a guardrail that needs the whole text is a plain 446, for texts of any length', async () => {
      scene.answers.a = says(...Array.from({ length: 400 }, () => 'word '))
      const wordCount = { maxWords: 300 }
      const reply = await ask({ output_guardrails: [{ id: 'short', deny: true, wordCount }] })
      expect(reply.status).to.equal(446)
      expect(reply.text).not.to.contain('word ')
    })

    it('closes the connection to the provider', async () => {
      let closed: () => void = () => undefined
      const left = new Promise<void>((resolve) => {
        closed = resolve
      })
      scene.answers.a = (_request, response) => {
        response.once('close', closed)
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        for (const event of chatEvents('bad ', 'x'.repeat(300)).slice(0, -2)) response.write(event)
      }
      expect((await ask({ output_guardrails: [noBad] })).status).to.equal(446)
      await left
    })
  })

  it('falls back when it breaks off while it is held back', async () => {
    scene.answers.a = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chatEvents('the beginning').slice(0, 2).join(''), () => response.destroy())
    }
    const targets = [scene.leaf('a'), scene.leaf('b')]
    const config = { strategy: { mode: 'fallback' }, targets, output_guardrails: [noBad] }
    const reply = await scene.ask(config, { body })
    expect([reply.status, reply.index]).to.deep.equal([200, 'config.targets[1]'])
    expect(reply.text).not.to.contain('the beginning')
  })

  it('answers 502 when it breaks off while it is held back and no target remains', async () => {
    scene.answers.a = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chatEvents('the beginning').slice(0, 2).join(''), () => response.destroy())
    }
    const reply = await ask({ output_guardrails: [noBad] })
    expect([reply.status, reply.error.code]).to.deep.equal([502, 'upstream_invalid_response'])
    expect(reply.headers.get('x-gateway-provider')).to.equal('openai')
  })

  it('delivers a text in the first choice only after it has passed in every choice', async () => {
    scene.answers.a = (_request, response) => {
      const chunk = (index: number, content: string) => {
        const { choices, ...rest } = chatChunk({ content })
        return `data: ${JSON.stringify({ ...rest, choices: [{ ...(choices as object[])[0], index }] })}\n\n`
      }
      sendEvents(response, [
        chunk(0, 'good'),
        chunk(1, 'ba'),
        chunk(0, ' text'),
        chunk(1, 'd'),
        'data: [DONE]\n\n',
      ])
    }
    expect((await ask({ output_guardrails: [noBad] })).status).to.equal(446)
  })

  it('distinguishes two guardrails with the same name', async () => {
    const twice = [noBad, { ...noBad, contains: { operator: 'none', words: ['worse'] } }]
    const events = eventsOf(await ask({ output_guardrails: twice }, lenient))
    expect(resultsIn(events.at(-2))?.after_request_hooks).to.have.length(2)
  })
})
