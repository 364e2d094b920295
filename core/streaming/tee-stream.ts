/**
 * One stream for several readers, each from its beginning: data is kept, and any reader that needs more pulls it. The
 * fastest reader sets the pace; the source is closed when the last reader stops. Data beyond the limit is kept only as
 * long as a reader needs it, and no reader may be further behind than the limit. Errors: those of the source;
 * `request_timeout` for a reader that fell behind.
 */

import { GatewayError } from '@gateway/contract'
import type { AnswerStream, HeldBuffer, SharedStream } from '@gateway/flow'

interface Reader {
  /** The position, counted in chunks from the stream's beginning. */
  position: number
  state: 'open' | 'behind' | 'closed'
}

/**
 * @param bounds `maxBytes` limits the kept data, which is counted in `held`
 * @param ended called once: with all bytes if the source ended without an error and within the limit, otherwise with
 * null; must not reject
 */
export function teeStream(
  source: AnswerStream,
  { maxBytes, held }: { maxBytes: number; held: HeldBuffer },
  ended: (bytes: readonly Buffer[] | null) => Promise<void>,
): SharedStream {
  const kept: Buffer[] = []
  let keptBytes = 0
  /** Released chunks, counted from the beginning. */
  let gone = 0
  let isLong = false
  const readers = new Set<Reader>()
  let end: { error: unknown } | 'done' | null = null
  let pulling: Promise<void> | null = null

  const tell = (bytes: readonly Buffer[] | null): Promise<void> => (isLong ? Promise.resolve() : ended(bytes))

  /** Releases data that no reader needs; readers too far behind are dropped. */
  function letGo(): void {
    for (;;) {
      const needed = Math.min(...[...readers].map(({ position }) => position), gone + kept.length)
      for (const chunk of kept.splice(0, needed - gone)) keptBytes -= chunk.length
      gone = needed
      if (keptBytes <= maxBytes || kept.length === 1) return
      for (const reader of readers) {
        if (reader.position > gone) continue
        reader.state = 'behind'
        readers.delete(reader)
      }
    }
  }

  async function pull(): Promise<void> {
    try {
      const step = await source.next()
      // The last reader has stopped meanwhile.
      if (end !== null) return
      if (step.done === true) {
        end = 'done'
        // The answer is stored before readers see the end: the next request must find it.
        await tell(kept)
        return
      }
      kept.push(step.value)
      keptBytes += step.value.length
      held.resize(keptBytes)
      if (!isLong && keptBytes > maxBytes) {
        await tell(null)
        isLong = true
      }
      if (isLong) {
        letGo()
        held.resize(keptBytes)
      }
    } catch (error) {
      end = { error }
      await tell(null)
    } finally {
      pulling = null
    }
  }

  async function leave(reader: Reader): Promise<void> {
    if (reader.state !== 'open') return
    reader.state = 'closed'
    readers.delete(reader)
    if (readers.size > 0 || end !== null) return
    end = 'done'
    await source.return?.()
    await tell(null)
  }

  async function read(reader: Reader): Promise<IteratorResult<Buffer, undefined>> {
    for (;;) {
      if (reader.state === 'behind') {
        throw new GatewayError(
          'request_timeout',
          'The answer was read too slowly to be shared with other requests.',
        )
      }
      const value = reader.state === 'open' ? kept[reader.position - gone] : undefined
      if (value !== undefined) {
        reader.position += 1
        return { done: false, value }
      }
      if (reader.state === 'closed' || end === 'done') {
        await leave(reader)
        return { done: true, value: undefined }
      }
      if (end !== null) throw end.error
      pulling ??= pull()
      await pulling
    }
  }

  return {
    reader() {
      const reader: Reader = { position: 0, state: gone === 0 ? 'open' : 'behind' }
      readers.add(reader)
      return {
        next: () => read(reader),
        async return() {
          await leave(reader)
          return { done: true, value: undefined }
        },
        [Symbol.asyncIterator]() {
          return this
        },
      }
    },
  }
}
