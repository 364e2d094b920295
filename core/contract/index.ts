/**
 * `@gateway/contract`: the API for provider, guardrail, store, service and secret manager packages. Dialects are in
 * `@gateway/contract/dialect`, schemas of bodies in `@gateway/contract/wire`.
 */
export {
  compilePattern,
  compileTogether,
  countSize,
  type Pattern,
  runInTurns,
  TooLargeError,
  type Turns,
} from '@gateway/pattern'
export * from './carried.ts'
export * from './configured-headers.ts'
export * from './custom-tools.ts'
export { decodeSegment } from './decode-segment.ts'
export { noteUsage, type UsageNote, usageNoteOf } from './dialect/usage.ts'
export * from './endpoint.ts'
export * from './errors.ts'
export * from './event-stream.ts'
export { faultReason, systemReason } from './fault-reason.ts'
export type * from './form.ts'
export * from './guardrail.ts'
export type * from './identity.ts'
export * from './json.ts'
export * from './json-fault.ts'
export type * from './observer.ts'
export * from './pricing.ts'
export * from './provider.ts'
export * from './said-order.ts'
export type * from './secret-manager.ts'
export * from './service.ts'
export { logColumns, logSorts } from './store/log-columns.ts'
export type * from './store.ts'
export * from './well-formed.ts'
export { specifiedParameters } from './wire/specified-parameters.ts'

/** The version that a package's `"gateway": {"contract": …}` must name. */
export const contractVersion = 1
