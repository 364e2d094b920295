/**
 * `@gateway/streaming`: answers as streams: the compatible event formats; reading, translating, repairing, forwarding,
 * sharing and recording streams; the usage that they report. Also answers that are forwarded as bytes.
 */
export { compatibleFormat } from './compatible-format.ts'
export { coalesceReads, createEventReader, type ReadEvents } from './event-reader.ts'
export type { Cut } from './event-template.ts'
export { writeFramed } from './framed-stream.ts'
export { insertBeforeLast } from './insert-before-last.ts'
export { mapStream, peekFirstContent, prefixStream, tapStream } from './iterator.ts'
export { imageFormat, speechFormat, transcriptFormat } from './media-formats.ts'
export { emptyStream, passBytes, primeBytes } from './pass-bytes.ts'
export { limitIdleTime, passStream } from './pass-stream.ts'
export { keepSentEvents, keepSentMedia } from './sent-stream.ts'
export {
  parseEvents,
  sliceEvents,
  splitEvents,
} from './sse-splitter.ts'
export { createStreamRepair, type StreamRepair } from './stream-repair.ts'
export {
  askUsage,
  askUsageInText,
  createSentText,
  createStreamUsage,
  hidesUsage,
} from './stream-usage.ts'
export { teeStream } from './tee-stream.ts'
export { frameStream, translateStream } from './translate-stream.ts'
export { rawUsageOf, watchUsageOf } from './watch-usage.ts'
