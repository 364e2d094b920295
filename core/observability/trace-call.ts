/** Adds calls of MCP servers and agents to the trace of their request. */
import type { CallTrace, ObservedCall, TracedCall } from '@gateway/contract'
import { createSpanId, type Received, traceParentOf } from '@gateway/flow'

const untraced: CallTrace = { headers: {}, end: () => undefined }

/** A batch may contain many calls. */
const mostCalls = 100

/** Names chosen by a client are kept only if they look like names. */
const plainName = /^[\w./:-]{1,128}$/
const named = (text: string) => (plainName.test(text) ? text : 'other')

export function traceCall({ request: { ledger, startedAt } }: Received, call: TracedCall): CallTrace {
  const { trace } = ledger
  if (trace === null) return untraced
  const spanId = createSpanId()
  const headers = { traceparent: traceParentOf(trace, spanId) }
  if (!trace.isSampled || trace.calls.length >= mostCalls) return { ...untraced, headers }
  const observed: ObservedCall = {
    spanId,
    endpoint: call.endpoint,
    server: call.server,
    method: named(call.method),
    tool: call.tool === null ? null : named(call.tool),
    startedMs: performance.now() - startedAt,
    endedMs: null,
    fault: null,
  }
  trace.calls.push(observed)
  return {
    headers,
    end(fault) {
      observed.endedMs = performance.now() - startedAt
      observed.fault = fault
    },
  }
}
