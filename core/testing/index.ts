/**
 * `@gateway/testing`: tests for guardrail packages: cases of checks, the requirements for every check, and running one
 * check.
 */
export { checkConformance, type HardText, type Requirement } from './check-conformance.ts'
export {
  type CheckCase,
  type CheckRow,
  casesOf,
  type DescribeOptions,
  describeChecks,
  type Expectation,
} from './describe-checks.ts'
export {
  type CheckOutcome,
  type CheckRun,
  createTestInput,
  createTestIo,
  prepareCheck,
  runCheck,
} from './run-check.ts'
