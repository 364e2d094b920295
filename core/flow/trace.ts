/** Steps of a request's trace, while it runs. */
import type { ObservedStep, RequestTrace } from '@gateway/contract'
import { createSpanId } from './span-id.ts'

/** Bounds the steps of a trace. */
const most = 100

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
  if (trace.isSampled && trace.steps.length < most)
    trace.steps.push({ spanId: createSpanId(), ...noStep, ...step })
}
