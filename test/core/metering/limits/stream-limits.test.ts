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
      // A provider without the endpoint for responses.
      x: { provider: 'groq', api_key: 'gsk-1', custom_host: `${origin}/x/v1` },
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
  /** The number of tokens that it takes from the limit. */
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

  it('leaves the rest of any body unchanged', async () => {
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

  /** Sends some words and then continues as the test requests. */
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

  /** Reads an answer until it has some words, then disconnects. */
  async function readAndLeave(body: Record<string, unknown>, path: string, words: number): Promise<void> {
    const caller = new AbortController()
    const logged = scene.gateway.logs.length
    const response = await fetch(scene.gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...asKey() },
      body: JSON.stringify(body),
      signal: caller.signal,
    })
    const reader = response.body?.getReader()
    const decoder = new TextDecoder()
    let text = ''
    while (text.split('"four"').length <= words) {
      const step = await reader?.read()
      if (step?.done !== false) throw new Error(`The stream ended with: ${text}`)
      text += decoder.decode(step.value, { stream: true })
    }
    caller.abort()
    const isLeft = (line: Record<string, unknown>) => line.outcome === 'client_closed_request'
    await turnUntil(() => scene.gateway.logs.slice(logged).some(isLeft), 'the end')
  }

  it('counts the delivered text when its caller disconnects', async () => {
    const used = await taken(async () => {
      scene.answers = { p: begins(10, () => undefined) }
      await readAndLeave({ ...hello, max_tokens: 5000 }, '/v1/chat/completions', 10)
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
        await readAndLeave(toMessages, '/v1/messages', 10)
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

  describe('of a response', () => {
    const instructions = 'You are a coding agent. '.repeat(100)
    const body = { stream: true, instructions, input: 'hello', max_output_tokens: 5000 }
    const tools = [
      { type: 'function', name: 'run', parameters: { type: 'object', properties: {} }, strict: true },
    ]
    /** ⌈2405 bytes ÷ 4⌉. */
    const inputTokens = Math.ceil((instructions.length + 'hello'.length) / 4)

    /** The provider repeats the request in the first two events. */
    const echoes: (then: (response: Parameters<Handler>[1]) => void) => Handler = (then) => (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      let sequence_number = 0
      const event = (type: string, members: object) => {
        const data = JSON.stringify({ type, sequence_number: sequence_number++, ...members })
        response.write(`event: ${type}\ndata: ${data}\n\n`)
      }
      const started = {
        id: 'resp_1',
        object: 'response',
        status: 'in_progress',
        instructions,
        tools,
        output: [],
      }
      event('response.created', { response: started })
      event('response.in_progress', { response: started })
      const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
      event('response.output_item.added', {
        output_index: 0,
        item: { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] },
      })
      event('response.content_part.added', {
        ...place,
        part: { type: 'output_text', text: '', annotations: [] },
      })
      for (let word = 0; word < 12; word += 1)
        event('response.output_text.delta', { ...place, delta: 'four', logprobs: [], obfuscation: 'xyz' })
      then(response)
    }

    const targets: [what: string, model: string, handler: typeof echoes][] = [
      ['that a provider streams itself', '@p/m', echoes],
      ['translated from a chat', '@x/m', (then) => begins(12, then)],
    ]
    for (const [what, model, handler] of targets)
      it(`${what} counts the delivered text, not the request that its events repeat`, async () => {
        let provider: Parameters<Handler>[1] | null = null
        const answer = handler((response) => {
          provider = response
        })
        const used = await taken(async () => {
          scene.answers = { p: answer, x: answer }
          await breakOff(await post({ ...body, model, tools }, '/v1/responses'), 12, () =>
            provider?.destroy(),
          )
        })
        expect(used).to.equal(inputTokens + 12)
      })

    it('counts the same when its caller disconnects', async () => {
      const used = await taken(async () => {
        scene.answers = { p: echoes(() => undefined) }
        await readAndLeave({ ...body, model: '@p/m' }, '/v1/responses', 12)
      })
      expect(used).to.equal(inputTokens + 12)
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
