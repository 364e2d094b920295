/** `@gateway/testing`: helpers for a plugin's tests. */
export * from './check-conformance.ts'
export * from './describe-checks.ts'
export * from './run-check.ts'
