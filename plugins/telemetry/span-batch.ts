/** The body of one export: spans are written to bytes immediately, so that no request is kept in memory for them. */
import { attributeText } from './attribute-text.ts'

export interface SpanBatch {
  /** The number of spans in it. */
  readonly count: number
  /** @param spans separated by commas */
  add(spans: string, count: number): void
  /** Completes the body and returns it. */
  body(): Buffer
}

const firstBytes = 1_048_576
/** The most bytes of a UTF-16 unit in UTF-8. */
const maxUnitBytes = 3
const tail = ']}]}]}'

/** The text before the spans. @param attributes of the resource */
export function batchHead(attributes: Readonly<Record<string, string>>): string {
  const list = Object.entries(attributes).map(([name, value]) => attributeText(name, value))
  const resource = `{"attributes":[${list.join('').slice(1)}],"droppedAttributesCount":0}`
  return `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":{"name":"gateway"},"spans":[`
}

/** @param used the body of a batch that is no longer needed, whose memory is reused */
export function createSpanBatch(head: string, used: Buffer | null): SpanBatch {
  let bytes = used === null ? Buffer.allocUnsafeSlow(firstBytes) : Buffer.from(used.buffer)
  let length = 0
  let count = 0

  function write(text: string): void {
    const most = length + text.length * maxUnitBytes
    if (most > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(most, bytes.length * 2))
      bytes.copy(larger, 0, 0, length)
      bytes = larger
    }
    length += bytes.write(text, length)
  }

  write(head)
  return {
    get count() {
      return count
    },
    add(spans, added) {
      write(count === 0 ? spans : `,${spans}`)
      count += added
    },
    body() {
      write(tail)
      return bytes.subarray(0, length)
    },
  }
}
