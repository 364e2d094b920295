/**
 * The trace of a request, and its steps, as defined by W3C Trace Context: https://www.w3.org/TR/trace-context/
 */
import { hash, randomFillSync } from 'node:crypto'
import type { ObservedStep, RequestObserver, RequestTrace } from '@gateway/contract'
import { timeOfId } from '@gateway/domain'
import type { Received } from './phases.ts'

interface TraceParent {
  traceId: string
  spanId: string
  isSampled: boolean
}

/**
 * Version 00 ends with its flags; later versions may have more fields. `ff` and all-zero ids are malformed.
 * https://www.w3.org/TR/trace-context/#traceparent-header
 */
const traceparent =
  /^(?!ff)(?:00(?!.{54})|(?!00)[0-9a-f]{2}(?=.{53}(?:-|$)))-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})/

/** Null if the header is absent or malformed. */
export function readTraceParent(header: string | string[] | undefined): TraceParent | null {
  if (typeof header !== 'string') return null
  const [, traceId, spanId, flags = ''] = traceparent.exec(header) ?? []
  if (traceId === undefined || spanId === undefined) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The `traceparent` header of a call to a provider. */
export const traceParentOf = ({ traceId, isSampled }: RequestTrace, spanId: string): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

/** Begins the trace of a request with its trace id. It continues the caller's trace if that has the same id. */
export function beginTrace(exchange: Received, observer: RequestObserver): RequestTrace {
  const traceId = traceIdOf(exchange)
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

/** 32 hexadecimal digits: those of the gateway's own id or of the id that the caller sent; any other text is hashed. */
function traceIdOf({ request: { id, ownHeaders, traceId } }: Received): string {
  if (traceId === id || (ownHeaders.values.get('trace-id') !== traceId && timeOfId(traceId) !== null))
    return digitsOf(traceId)
  return hexId.test(traceId) ? traceId : hash('sha256', traceId, 'hex').slice(0, 32)
}

/** The digits of a UUID. */
const digitsOf = (id: string) =>
  id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24)

/** Bounds the steps of a trace. */
const maxSteps = 100

const noStep: Omit<ObservedStep, 'spanId'> = {
  kind: 'check',
  id: null,
  startedMs: 0,
  endedMs: 0,
  verdict: null,
  error: null,
  status: null,
}

/** Adds a step if the trace is exported. */
export function noteStep(trace: RequestTrace, step: Partial<Omit<ObservedStep, 'spanId'>>): void {
  if (trace.isSampled && trace.steps.length < maxSteps)
    trace.steps.push({ spanId: createSpanId(), ...noStep, ...step })
}

const spanIdDigits = 16
const invalidSpanId = '0'.repeat(spanIdDigits)
/** Random bytes are cheap when many are generated at once. */
const spanIdBytes = Buffer.alloc(2048)
let spanIds = ''
let position = 0

/** The id of a span: 16 hexadecimal digits; not a secret. */
export function createSpanId(): string {
  if (position === spanIds.length) {
    spanIds = randomFillSync(spanIdBytes).toString('hex')
    position = 0
  }
  position += spanIdDigits
  const id = spanIds.slice(position - spanIdDigits, position)
  return id === invalidSpanId ? createSpanId() : id
}
