/** General helpers, independent of the gateway's domain: timers, buffers, progress bars, text. */

export { atMost } from './at-most.ts'
export {
  type BufferBudget,
  createBufferBudget,
  type HeldBuffer,
  isOverload,
  RequestBuffers,
  uncounted,
} from './buffer-budget.ts'
export { cookieOf } from './cookies.ts'
export { createProgressReporter, type Progress, type ProgressOutput, startProgress } from './progress.ts'
export { closeCodeOf, closeCodes, isSendable, SessionClosed } from './session-closed.ts'
export { sleep } from './sleep.ts'
export { type SocketMessages, socketMessages } from './socket-messages.ts'
export { createSpanId } from './span-id.ts'
