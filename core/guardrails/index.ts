/**
 * Compiles hooks and guardrails, runs them on requests, answers, streams and tool calls, and writes their results and
 * denials into answers.
 */
export { checkAnswer } from './check-answer.ts'
export type { CheckEnvironment } from './check-io.ts'
export { checkToolCall } from './check-tool-call.ts'
export { compileHooks } from './compile.ts'
export { denialMessage } from './denial-message.ts'
export { faultsInEitherPhase } from './either-phase.ts'
export { checkEnvironment, runLater } from './environment.ts'
export { createCheckInput, joinTexts, textParts } from './input.ts'
export { runGuardrail } from './run-guardrail.ts'
export {
  denialAnswer,
  type PhaseOutcome,
  recordGuardrails,
  render,
  runHooks,
  StreamDenial,
  withResults,
} from './run-hooks.ts'
