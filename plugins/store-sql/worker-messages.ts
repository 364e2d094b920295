/** Messages between the gateway's thread and the SQLite thread: calls and results. */
import { type DocumentChange, type ErrorCode, GatewayError } from '@gateway/contract'
import { codeOf, toStoreError } from './guard.ts'

export interface WorkerOptions {
  /** Of the main part. */
  mainPath: string
  /** Of the log, blobs and vectors. */
  logPath: string
}

/** Several of one turn travel together. */
export interface Call {
  id: number
  port: string
  method: string
  given: unknown[]
}

export type Reply =
  | { type: 'value'; id: number; value: unknown }
  | { type: 'error'; id: number; error: PlainError }
  | { type: 'changes'; changes: readonly DocumentChange[] }
  | { type: 'fault'; error: PlainError }
  /** Of a migration; before `open`. */
  | { type: 'progress'; title: string; done: number; total: number }
  /** Migrated and ready. */
  | { type: 'open' }

export interface PlainError {
  code: ErrorCode
  message: string
  cause: string | null
}

export function toPlainError(error: unknown): PlainError {
  const { code, message, cause } = toStoreError(error)
  const text = cause instanceof Error ? cause.message : cause === undefined ? null : String(cause)
  const causeCode = codeOf(cause)
  return { code, message, cause: text === null || causeCode === undefined ? text : `${causeCode}: ${text}` }
}

export function fromPlainError({ code, message, cause }: PlainError): GatewayError {
  return new GatewayError(code, message, cause === null ? {} : { cause: new Error(cause) })
}
