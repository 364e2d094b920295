/**
 * Records what happens to requests: log lines, entries of the request log, attempts and decisions, traces, metrics and
 * events, without credentials. The columns of the request log are declared in the contract (`store/log-columns.ts`);
 * reading it is in `plugins/observability`.
 */
export { attemptsHeader, attemptText, becauseOf, endedAttempts, reportAttempt } from './attempts.ts'
export { emitEvent } from './emit-event.ts'
export { checkExplain, explained } from './explain.ts'
export { createLog, type LogOutput } from './log.ts'
export {
  decisionsOf,
  gatewayTime,
  hooksOf,
  inputResultsOf,
  type Logged,
  logEntryOf,
  recordEnd,
  roundCents,
  upstreamTime,
  withLateHooks,
} from './log-entry.ts'
export { createLogQueue, type LogQueue } from './log-queue.ts'
export { logRetention } from './log-retention.ts'
export { createMetrics, type Metrics, type MetricsText, metricsText } from './metrics.ts'
export { noteAgent } from './note-agent.ts'
export { noteDenial } from './note-denial.ts'
export { observedRequest } from './observed-request.ts'
export { redactError } from './redact-error.ts'
export { serviceEntriesOf } from './service-entry.ts'
export { traceCall } from './trace-call.ts'
export { joinMetrics, serveMetrics } from './worker-metrics.ts'
