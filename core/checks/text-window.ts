/**
 * The hold-back window of a streamed answer. Events wait until a window of text is there; after it passed, all but
 * the last `overlapChars` of text are released, so that a phrase no longer than the overlap is never delivered in
 * part. The released tail stays in view, so that a phrase across the border is seen whole.
 */
import { GatewayError, type JsonObject, type TextPart } from '../contract/index.ts'
import { textDeltas } from '../stream/deltas.ts'

export interface WindowSize {
  /** New text, in UTF-16 units, after which the window is checked. */
  windowChars: number
  overlapChars: number
}

export interface TextWindow {
  add(event: Buffer, chunk: JsonObject | null): void
  isFull(): boolean
  /** What is held, with the tail of what was released before it, one part a place. */
  parts(): TextPart[]
  /** The whole answer's texts so far. */
  wholeParts(): TextPart[]
  /** The events that may go now that {@link parts} passed. */
  release(): Buffer
  releaseAll(): Buffer
}

/** Texts kept for the checks that judge at the end are not larger than this. */
const maxTextChars = 8 * 1_048_576

interface Held {
  event: Buffer
  /** Text lengths by path. */
  lengths: { path: string; length: number }[]
  chars: number
}

export function createTextWindow({ windowChars, overlapChars }: WindowSize): TextWindow {
  const texts = new Map<string, { whole: string; released: number }>()
  let held: Held[] = []
  let heldChars = 0
  let uncheckedChars = 0
  let totalChars = 0

  const take = (count: number): Buffer => {
    const taken = held.slice(0, count)
    held = held.slice(count)
    for (const { lengths, chars } of taken) {
      heldChars -= chars
      for (const { path, length } of lengths) {
        const text = texts.get(path)
        if (text !== undefined) text.released += length
      }
    }
    return taken.length === 1 && taken[0] !== undefined
      ? taken[0].event
      : Buffer.concat(taken.map(({ event }) => event))
  }

  const part = (path: string, text: string): TextPart => ({ role: 'assistant', text, path })

  return {
    add(event, chunk) {
      const deltas = chunk === null ? [] : textDeltas(chunk)
      let chars = 0
      for (const { path, text } of deltas) {
        const known = texts.get(path) ?? { whole: '', released: 0 }
        known.whole += text
        texts.set(path, known)
        chars += text.length
      }
      totalChars += chars
      if (totalChars > maxTextChars) {
        throw new GatewayError('upstream_invalid_response', 'The answer is too large to be checked.')
      }
      heldChars += chars
      uncheckedChars += chars
      held.push({ event, lengths: deltas.map(({ path, text }) => ({ path, length: text.length })), chars })
    },
    isFull: () => uncheckedChars >= windowChars,
    parts() {
      uncheckedChars = 0
      return [...texts].map(([path, { whole, released }]) =>
        part(path, whole.slice(Math.max(0, released - overlapChars))),
      )
    },
    wholeParts: () => [...texts].map(([path, { whole }]) => part(path, whole)),
    release() {
      let count = 0
      let rest = heldChars
      for (const { chars } of held) {
        if (rest - chars < overlapChars) break
        rest -= chars
        count += 1
      }
      return take(count)
    },
    releaseAll: () => take(held.length),
  }
}
