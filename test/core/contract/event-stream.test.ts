/** Server-sent events as the answer of a service route. */
import { eventStream, type ServerSentEvent } from '@gateway/contract'
import { expect } from 'chai'

async function* listOf(events: readonly ServerSentEvent[]): AsyncGenerator<ServerSentEvent> {
  for (const event of events) yield event
}

function streamOf(
  events: AsyncIterable<ServerSentEvent>,
  options: { signal?: AbortSignal; commentMs?: number } = {},
): AsyncIterator<Uint8Array> {
  const { body } = eventStream(events, { signal: new AbortController().signal, ...options })
  if (typeof body !== 'object' || body === null || !('stream' in body)) throw new Error('no stream')
  return (body.stream as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
}

const textOf = async (stream: AsyncIterator<Uint8Array>) => {
  const step = await stream.next()
  return step.done === true ? null : Buffer.from(step.value).toString()
}

const never = async function* (): AsyncGenerator<ServerSentEvent> {
  await new Promise(() => undefined)
}

describe('a stream of server-sent events', () => {
  it('begins with a comment so that the headers are sent at once, and ends with its source', async () => {
    const stream = streamOf(listOf([{ event: 'entry', id: '7', data: { text: 'a\nb' } }, { data: 1 }]))
    expect(await textOf(stream)).to.equal(':\n\n')
    expect(await textOf(stream)).to.equal('event: entry\nid: 7\ndata: {"text":"a\\nb"}\n\n')
    expect(await textOf(stream)).to.equal('data: 1\n\n')
    expect(await textOf(stream)).to.equal(null)
  })

  it('sends comments while there are no events', async () => {
    const stream = streamOf(never(), { commentMs: 1 })
    for (let count = 0; count < 3; count += 1) expect(await textOf(stream)).to.equal(':\n\n')
    await stream.return?.()
  })

  it('ends when its signal fires, even while it waits for the source', async () => {
    const controller = new AbortController()
    const stream = streamOf(never(), { signal: controller.signal })
    await textOf(stream)
    const last = textOf(stream)
    controller.abort()
    expect(await last).to.equal(null)
  })

  it('fails when its source fails', async () => {
    const failing = async function* (): AsyncGenerator<ServerSentEvent> {
      yield { data: 1 }
      throw new Error('the source broke')
    }
    const stream = streamOf(failing())
    await textOf(stream)
    await textOf(stream)
    expect(await stream.next().then(null, (error: Error) => error.message)).to.equal('the source broke')
  })
})
