/** The interface of a hold-back window. Lengths are in UTF-16 units. */
import type { TextPart } from '@gateway/contract'
import type { WindowSize } from '@gateway/flow'
import type { ReadEvents } from '@gateway/streaming'

export interface WindowOptions extends WindowSize {
  /** Whether the whole text is needed at the end. */
  keepsWhole: boolean
}

export interface TextWindow {
  add(events: ReadEvents): void
  /** Amount of new text before `next` can return a window. */
  missingChars(): number
  /** Events with more text are added in pieces, so that windows end at the same places as in a slow stream. */
  stepChars: number
  /** The next window's text, one part per changed location; null while there is too little. */
  next(): TextPart[] | null
  /** The text that is not in any window yet. */
  rest(): TextPart[]
  /** Size of everything held: events, and the whole text if kept. */
  sizeBytes(): number
  /** The whole answer's texts, if kept. */
  wholeParts(): TextPart[]
  /** The events that can be released after all windows passed. */
  release(): Buffer
  releaseAll(): Buffer
}
