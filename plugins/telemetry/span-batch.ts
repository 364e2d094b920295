/** The body of one export: spans are written to bytes immediately, so that no request is kept in memory for them. */
import type { ObservedRequest } from '@gateway/contract'
import { attributeText } from './attribute-bytes.ts'
import { createByteWriter } from './byte-writer.ts'
import { spanCount, writeSpans } from './span-bytes.ts'

export interface SpanBatch {
  /** The number of spans in it. */
  readonly count: number
  add(request: ObservedRequest): void
  /** Ends it. */
  body(): Buffer
}

const firstBytes = 1_048_576
const comma = Buffer.from(',')
const tail = Buffer.from(']}]}]}')

/** The bytes before the spans. @param attributes of the resource */
export function batchHead(attributes: Readonly<Record<string, string>>): Buffer {
  const list = Object.entries(attributes).map(([name, value]) => attributeText(name, value))
  const resource = `{"attributes":[${list.join()}],"droppedAttributesCount":0}`
  return Buffer.from(
    `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":{"name":"gateway"},"spans":[`,
  )
}

/** @param used the body of a batch that is no longer needed, whose memory this one takes */
export function createSpanBatch(head: Buffer, used: Buffer | null): SpanBatch {
  const out = createByteWriter(used ?? firstBytes)
  let count = 0
  out.raw(head)
  return {
    get count() {
      return count
    },
    add(request) {
      if (count > 0) out.raw(comma)
      writeSpans(out, request)
      count += spanCount(request)
    },
    body() {
      out.raw(tail)
      return out.written()
    },
  }
}
