/** `@gateway/core/contract`: all that a provider, guardrail, store or service package needs to know of the gateway. */
export * from './carried.ts'
export * from './endpoint.ts'
export * from './errors.ts'
export * from './guardrail.ts'
export * from './json.ts'
export * from './pattern.ts'
export * from './provider.ts'
export * from './service.ts'
export * from './store.ts'
export { specifiedParameters } from './wire/index.ts'

/** The version that a package's `"gateway": {"contract": …}` must name. */
export const contractVersion = 1
