/** Limits, shared by the limit engine and the management API. */
export * from './limits/charges.ts'
export * from './limits/counter-keys.ts'
export * from './limits/rate-window.ts'
export * from './limits/silence-watch.ts'
export * from './limits/usage.ts'
export * from './limits/usage-period.ts'
export * from './limits/wait-for-answer.ts'
