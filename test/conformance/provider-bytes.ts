/** Streams whose bytes are split differently: the chunks are the same for every split. */
import type { Dialect, JsonObject, StreamEvent } from '@gateway/contract'
import { expect } from 'chai'
import { parseEvents, splitEvents } from '#streaming/sse-splitter'
import { createContext } from '../providers/fixtures/context.ts'
import { calling, saying } from './provider-said.ts'
import type { Played } from './provider-scene.ts'
import type { Said } from './vendors/vendor.ts'

const request = { method: 'POST', path: '/', headers: {}, text: '', bytes: Buffer.alloc(0), json: null }

/**
 * @param isThorough whether every place is tried for a cut; else the bytes come one by one only
 */
export function describeBytes(played: Played, dialect: Dialect, isThorough: boolean): void {
  const { adapter, endpoint, model, vendor } = played
  if (vendor.stream === undefined || vendor.isLocal === true) return
  const scripts: [string, Said][] = [['a text', saying], ...(endpoint === 'chatComplete' ? [toolCalls] : [])]

  for (const [what, script] of scripts) {
    it(`reads ${what} byte by byte${isThorough ? ', and split at every byte' : ''}`, async () => {
      const call = { adapter: adapter.name, endpoint, model, request }
      const bytes = Buffer.concat([...(vendor.stream?.(script, call).pieces ?? [])])
      const whole = await read(dialect, [bytes])
      expect(whole.length).to.be.above(2)
      const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
      expect(await read(dialect, single)).to.deep.equal(whole)
      for (let at = 1; isThorough && at < bytes.length; at += 1) {
        const cut = await read(dialect, [bytes.subarray(0, at), bytes.subarray(at)])
        expect(cut, `cut at ${at}`).to.deep.equal(whole)
      }
    })
  }
}

const toolCalls: [string, Said] = ['tool calls', calling]

/** The chunks of a stream; of one that needs no translation its events. */
async function read(
  { framing, stream }: Dialect,
  pieces: readonly Buffer[],
): Promise<(JsonObject | StreamEvent)[]> {
  const events = framing === undefined ? serverSent(pieces) : framing(each(pieces))
  const translator = typeof stream === 'function' ? stream(createContext({ includeUsage: true })) : null
  const chunks: (JsonObject | StreamEvent)[] = []
  for await (const event of events) chunks.push(...(translator?.event(event).chunks ?? [event]))
  return [...chunks, ...(translator?.end().chunks ?? [])]
}

async function* serverSent(pieces: readonly Buffer[]): AsyncGenerator<StreamEvent> {
  for await (const bytes of splitEvents(each(pieces))) yield* parseEvents(bytes)
}

async function* each(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces
}
