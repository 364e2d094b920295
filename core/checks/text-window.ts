/**
 * The hold-back window of a streamed answer. Events wait until a window of text is there; after it passed, all but
 * the last `overlapChars` of each text are released, so that a phrase no longer than the overlap is never delivered
 * in part. The released tail stays in view, so that a phrase across the border is seen whole.
 */
import { GatewayError, type JsonObject, type TextPart } from '../contract/index.ts'
import { indexed, textDeltas } from '../stream/deltas.ts'

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
}

/** One text of the answer: a content, the arguments of a tool call. */
interface Growing {
  whole: string
  released: number
  /** Text that the other places of its choice got since it last grew: after an overlap of it, this one is over. */
  quietChars: number
}

export function createTextWindow({ windowChars, overlapChars }: WindowSize): TextWindow {
  const texts = new Map<string, Growing>()
  let held: Held[] = []
  let uncheckedChars = 0
  let totalChars = 0

  const grow = (path: string, text: string) => {
    for (const [other, growing] of texts)
      if (choiceOf(other) === choiceOf(path)) growing.quietChars += text.length
    const known = texts.get(path) ?? { whole: '', released: 0, quietChars: 0 }
    texts.set(path, { ...known, whole: known.whole + text, quietChars: 0 })
  }

  const take = (count: number): Buffer => {
    const taken = held.slice(0, count)
    held = held.slice(count)
    for (const { path, length } of taken.flatMap(({ lengths }) => lengths)) {
      const text = texts.get(path)
      if (text !== undefined) text.released += length
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
        grow(path, text)
        chars += text.length
      }
      for (const choice of chunk === null ? [] : endedChoices(chunk)) {
        for (const [path, growing] of texts)
          if (choiceOf(path) === choice) growing.quietChars = Number.POSITIVE_INFINITY
      }
      totalChars += chars
      if (totalChars > maxTextChars) {
        throw new GatewayError('upstream_invalid_response', 'The answer is too large to be checked.')
      }
      uncheckedChars += chars
      held.push({ event, lengths: deltas.map(({ path, text }) => ({ path, length: text.length })) })
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
      const rests = new Map([...texts].map(([path, { whole, released }]) => [path, whole.length - released]))
      const mayGo = ({ lengths }: Held) =>
        lengths.every(({ path, length }) => {
          const rest = (rests.get(path) ?? 0) - length
          rests.set(path, rest)
          return rest >= overlapChars || (texts.get(path)?.quietChars ?? 0) >= overlapChars
        })
      const kept = held.findIndex((event) => !mayGo(event))
      return take(kept === -1 ? held.length : kept)
    },
    releaseAll: () => take(held.length),
  }
}

/** `0` of `/choices/0/message/content`. */
const choiceOf = (path: string): string => path.split('/', 3)[2] ?? ''

/** The choices that end with a chunk. */
const endedChoices = (chunk: JsonObject): string[] =>
  indexed(chunk.choices)
    .filter(([, choice]) => typeof choice.finish_reason === 'string')
    .map(([index]) => String(index))
