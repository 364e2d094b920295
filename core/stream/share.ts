/**
 * One stream for several readers, each from its beginning: what was read is kept, and whoever needs more pulls it.
 * The fastest reader sets the pace; the source is closed when the last reader leaves.
 */
import type { AnswerStream } from '../answer.ts'

export interface SharedStream {
  reader(): AnswerStream
}

/** @param ended told once: of all bytes when the source ended well, else of null; must not reject */
export function shareStream(
  source: AnswerStream,
  ended: (bytes: readonly Buffer[] | null) => Promise<void>,
): SharedStream {
  const chunks: Buffer[] = []
  let readers = 0
  let end: { error: unknown } | 'done' | null = null
  let pulling: Promise<void> | null = null

  async function pull(): Promise<void> {
    try {
      const step = await source.next()
      if (step.done === true) {
        end = 'done'
        // Stored before the readers learn of the end: who asks next finds it.
        await ended(chunks)
      } else {
        chunks.push(step.value)
      }
    } catch (error) {
      end = { error }
      await ended(null)
    } finally {
      pulling = null
    }
  }

  return {
    reader() {
      let position = 0
      let isOpen = true
      readers += 1
      const leave = async () => {
        if (!isOpen) return
        isOpen = false
        readers -= 1
        if (readers > 0 || end !== null) return
        end = 'done'
        await source.return?.()
        await ended(null)
      }
      return {
        async next() {
          for (;;) {
            const value = isOpen ? chunks[position] : undefined
            if (value !== undefined) {
              position += 1
              return { done: false, value }
            }
            if (!isOpen || end === 'done') {
              await leave()
              return { done: true, value: undefined }
            }
            if (end !== null) throw end.error
            pulling ??= pull()
            await pulling
          }
        },
        async return() {
          await leave()
          return { done: true, value: undefined }
        },
        [Symbol.asyncIterator]() {
          return this
        },
      }
    },
  }
}
