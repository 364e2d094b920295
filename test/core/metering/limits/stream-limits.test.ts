/**
 * Streams: usage is requested and hidden, counted after the last byte; without reported usage the delivered text is
 * counted.
 */
import { expect } from 'chai'
import { turnUntil } from '../../../support/clock.ts'
import { adminKey, readEvents } from '../../../support/gateway.ts'
import { openScene } from '../../../support/scene.ts'
import type { Handler } from '../../../support/upstream.ts'
import { asKey, limitedKey, pricing, ratesOf, reports, usageOf } from './scene.ts'

describe('a stream with limits', () => {
  const scene = openScene((origin) => ({
    api_keys: [limitedKey({ rate_limits: { type: 'tokens', unit: 'rpw', value: 10_000 } })],
    providers: {
      p: {
        provider: 'openai',
        api_key: 'sk-1',
        custom_host: `${origin}/p/v1`,
        models: [{ slug: 'm', pricing_config: pricing }],
      },
      a: { provider: 'anthropic', api_key: 'sk-2', custom_host: `${origin}/a/v1` },
    },
  }))
  const hello = { model: '@p/m', stream: true, messages: [{ role: 'user', content: 'hello' }] }
  const post = (body: Record<string, unknown>, path = '/v1/chat/completions') =>
    scene.gateway.post(path, body, asKey())
  const remaining = async () => {
    scene.answers = { p: reports(usageOf(0, 0)) }
    const { headers } = await post({ ...hello, stream: false })
    return Number(ratesOf(headers, 'tokens').remaining)
  }
  /** How many tokens it takes from the limit. */
  const taken = async (use: () => Promise<unknown>) => {
    const before = await remaining()
    await use()
    return before - (await remaining())
  }
  const lastLine = () => scene.gateway.logs.findLast(({ path }) => path !== undefined)

  it("requests usage from the provider, and removes it from the caller's stream", async () => {
    const used = await taken(async () => {
      scene.answers = { p: reports(usageOf(11, 5)) }
      const events = await readEvents(await post(hello))
      expect(events.at(-1)).to.equal('[DONE]')
      expect(events.filter((event) => event.includes('usage'))).to.deep.equal([])
      expect(events).to.have.length(4)
      expect(scene.seen('p').json).to.deep.include({ stream_options: { include_usage: true } })
    })
    expect(used).to.equal(16)
    expect(lastLine()).to.include({ status: 200 })
  })

  it('leaves the rest of the body unchanged, whatever it contains', async () => {
    scene.answers = { p: reports(usageOf(1, 1)) }
    const body =
      '{ "model": "@p/m", "stream": true, "a": 1.0, "messages": [{"role":"user","content":"\\u00e9"}] } '
    await readEvents(await scene.gateway.post('/v1/chat/completions', body, asKey()))
    expect(scene.seen('p').json).to.deep.equal({
      model: 'm',
      stream: true,
      a: 1,
      messages: [{ role: 'user', content: 'é' }],
      stream_options: { include_usage: true },
    })
    await readEvents(await post({ ...hello, stream_options: { include_obfuscation: false } }))
    expect(scene.seen('p').json?.stream_options).to.deep.equal({
      include_obfuscation: false,
      include_usage: true,
    })
  })

  it('contains the usage for a caller who requested it', async () => {
    scene.answers = { p: reports(usageOf(11, 5)) }
    const events = await readEvents(await post({ ...hello, stream_options: { include_usage: true } }))
    expect(events.filter((event) => event.includes('"prompt_tokens":11'))).to.have.length(1)
  })

  it('is logged with its cost', async () => {
    scene.answers = { p: reports(usageOf(11, 5, { prompt_tokens_details: { cached_tokens: 4 } })) }
    await readEvents(await post(hello))
    await turnUntil(() => lastLine()?.cost !== undefined, 'the line')
    expect(lastLine()).to.include({
      prompt_tokens: 11,
      completion_tokens: 5,
      cached_units: 4,
      cost: 21,
      cost_known: true,
    })
  })

  it('in another format is counted the same', async () => {
    const used = await taken(async () => {
      scene.answers = { p: reports(usageOf(7, 3)) }
      const body = { model: '@p/m', max_tokens: 50, stream: true, messages: hello.messages }
      const response = await post(body, '/v1/messages')
      expect(await response.text()).to.include('message_stop')
    })
    expect(used).to.equal(10)
  })

  it('counts its estimate when the provider reports no usage', async () => {
    const used = await taken(async () => {
      scene.answers = { p: reports(null) }
      await readEvents(await post({ ...hello, max_tokens: 40 }))
    })
    // Five bytes are two tokens.
    expect(used).to.equal(42)
  })

  /** Sends some words and then continues as the test says. */
  const begins =
    (words: number, then: (response: Parameters<Handler>[1]) => void): Handler =>
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let word = 0; word < words; word += 1) {
        const choices = [{ index: 0, delta: { content: 'four' }, finish_reason: null }]
        response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices })}\n\n`)
      }
      then(response)
    }

  it('counts the delivered text when its caller disconnects', async () => {
    const used = await taken(async () => {
      scene.answers = { p: begins(10, () => undefined) }
      const caller = new AbortController()
      const response = await fetch(`${scene.gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...asKey() },
        body: JSON.stringify({ ...hello, max_tokens: 5000 }),
        signal: caller.signal,
      })
      const reader = response.body?.getReader()
      let text = ''
      while (text.split('four').length <= 10) text += new TextDecoder().decode((await reader?.read())?.value)
      caller.abort()
      await turnUntil(() => lastLine()?.outcome === 'client_closed_request', 'the end')
    })
    // Two of input, and ten of four bytes each.
    expect(used).to.equal(12)
    expect(scene.gateway.logs.find(({ outcome }) => outcome !== undefined)).to.include({ is_estimate: true })
  })

  /** Breaks off the provider's stream once the caller has received some words, and reads to the end. */
  async function breakOff(answer: Response, words: number, breaks: () => void): Promise<void> {
    const reader = answer.body?.getReader()
    const decoder = new TextDecoder()
    let text = ''
    for (let step = await reader?.read(); step?.done === false; step = await reader?.read()) {
      text += decoder.decode(step.value, { stream: true })
      if (text.split('four').length > words) breaks()
    }
  }

  it('counts the delivered text when it breaks off', async () => {
    const used = await taken(async () => {
      let provider: Parameters<Handler>[1] | null = null
      scene.answers = {
        p: begins(6, (response) => {
          provider = response
        }),
      }
      await breakOff(await post({ ...hello, max_tokens: 5000 }), 6, () => provider?.destroy())
    })
    expect(used).to.equal(8)
  })

  describe('with usage in its first event', () => {
    const toMessages = { ...hello, model: '@a/m', max_tokens: 5000 }
    /** The first event reports two input tokens and one output token. */
    const begins =
      (words: number, then: (response: Parameters<Handler>[1]) => void): Handler =>
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const event = (type: string, members: object) =>
          response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`)
        const usage = { input_tokens: 2, output_tokens: 1 }
        const message = { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], usage }
        event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } })
        event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
        for (let word = 0; word < words; word += 1)
          event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'four' } })
        then(response)
      }

    it('counts the delivered text, too, when its caller disconnects', async () => {
      const used = await taken(async () => {
        scene.answers = { a: begins(10, () => undefined) }
        const caller = new AbortController()
        const logged = scene.gateway.logs.length
        const response = await fetch(`${scene.gateway.url}/v1/messages`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...asKey() },
          body: JSON.stringify(toMessages),
          signal: caller.signal,
        })
        const reader = response.body?.getReader()
        let text = ''
        while (text.split('four').length <= 10)
          text += new TextDecoder().decode((await reader?.read())?.value)
        caller.abort()
        await turnUntil(
          () => scene.gateway.logs.slice(logged).some(({ outcome }) => outcome !== undefined),
          'the end',
        )
      })
      expect(used).to.equal(12)
    })

    it('counts the delivered text, too, when it breaks off', async () => {
      const used = await taken(async () => {
        let provider: Parameters<Handler>[1] | null = null
        scene.answers = {
          a: begins(6, (response) => {
            provider = response
          }),
        }
        await breakOff(await post(toMessages, '/v1/messages'), 6, () => provider?.destroy())
      })
      expect(used).to.equal(8)
    })
  })

  it('that fails before any content counts nothing', async () => {
    const used = await taken(async () => {
      scene.answers = { p: begins(0, (response) => response.destroy()) }
      const response = await post({ ...hello, max_tokens: 5000 })
      expect(response.status).to.equal(502)
    })
    expect(used).to.equal(0)
  })

  it('of the embedded provider contains no usage, either', async () => {
    const config = { provider: 'echo' }
    const ask = (body: Record<string, unknown>) =>
      scene.gateway.post(
        '/v1/chat/completions',
        { ...hello, model: 'echo-1', ...body },
        { 'x-gateway-api-key': adminKey, 'x-gateway-config': JSON.stringify(config) },
      )
    const hidden = await readEvents(await ask({}))
    expect(hidden.filter((event) => event.includes('usage'))).to.deep.equal([])
    const told = await readEvents(await ask({ stream_options: { include_usage: true } }))
    expect(told.filter((event) => event.includes('"usage":{'))).to.have.length(1)
  })
})
