/**
 * `@gateway/testing`: tests for guardrail packages: cases of checks, the requirements for every check, and running one
 * check.
 */
export * from './check-conformance.ts'
export * from './describe-checks.ts'
export * from './run-check.ts'
