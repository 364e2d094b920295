/** What a hold-back window of a streamed answer can be asked. Lengths are in UTF-16 units. */
import type { TextPart } from '@gateway/contract'
import type { WindowSize } from '../../flow/settings.ts'
import type { ReadEvents } from '../../streaming/event-reader.ts'

export interface WindowOptions extends WindowSize {
  /** Whether the whole text is asked for in the end. */
  keepsWhole: boolean
}

export interface TextWindow {
  add(events: ReadEvents): void
  /** New text after which `next` may have something to show: it is not worth asking before. */
  missingChars(): number
  /** Events with so much text are added in several pieces, so that windows end where they do in a slow stream. */
  stepChars: number
  /** The text of the next window, one part for each place where something is new; null while too little is there. */
  next(): TextPart[] | null
  /** The text that no window had. */
  rest(): TextPart[]
  /** Of all that is held: events, and the whole text where that is kept. */
  sizeBytes(): number
  /** The whole answer's texts, where they are kept. */
  wholeParts(): TextPart[]
  /** The events that may go now that all windows passed. */
  release(): Buffer
  releaseAll(): Buffer
}
