/** The trace of a request as W3C Trace Context has it: https://www.w3.org/TR/trace-context/ */
import { hash } from 'node:crypto'
import type { RequestObserver, RequestTrace } from '@gateway/contract'
import type { Exchange } from '../flow/exchange.ts'

interface TraceParent {
  traceId: string
  spanId: string
  isSampled: boolean
}

/**
 * Version 00 ends with its flags, later ones may go on; `ff` and ids of zeros are malformed.
 * https://www.w3.org/TR/trace-context/#traceparent-header
 */
const traceparent =
  /^(?!ff)(?:00(?!.{54})|(?!00)[0-9a-f]{2}(?=.{53}(?:-|$)))-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})/

/** Null for a header that is absent or malformed. */
export function readTraceParent(header: string | string[] | undefined): TraceParent | null {
  if (typeof header !== 'string') return null
  const [, traceId, spanId, flags = ''] = traceparent.exec(header) ?? []
  if (traceId === undefined || spanId === undefined) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The header for a call to a provider. */
export const traceParentOf = ({ traceId, isSampled }: RequestTrace, spanId: string): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

/** The trace of a request that has its trace id. It continues the caller's where that has the same id. */
export function beginTrace(exchange: Exchange, observer: RequestObserver): RequestTrace {
  const traceId = asTraceId(exchange.traceId)
  const parent = readTraceParent(exchange.transport.headers.traceparent)
  return {
    traceId,
    spanId: createSpanId(),
    parentSpanId: parent?.traceId === traceId ? parent.spanId : null,
    isSampled: observer.isSampled(traceId, parent?.isSampled ?? null),
    capturesContent: observer.capturesContent,
    steps: [],
    calls: [],
  }
}

const hexId = /^(?!0{32})[0-9a-f]{32}$/
const ownId = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** 32 hexadecimal digits; those of a UUID, which the gateway makes itself; of every other id a hash. */
function asTraceId(id: string): string {
  if (hexId.test(id)) return id
  return ownId.test(id) ? id.replaceAll('-', '') : hash('sha256', id, 'hex').slice(0, 32)
}

/** 16 hexadecimal digits; not a secret. */
export function createSpanId(): string {
  const half = () => ((Math.random() * 0x1_0000_0000) >>> 0).toString(16).padStart(8, '0')
  const id = half() + half()
  return id === '0000000000000000' ? createSpanId() : id
}
