/** `@gateway/testing`: what a plugin's own tests need. */
export * from './check-conformance.ts'
export * from './describe-checks.ts'
export * from './run-check.ts'
