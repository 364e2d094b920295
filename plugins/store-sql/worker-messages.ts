/** Messages between the gateway's thread and the SQLite thread: calls and results. */
import { type DocumentChange, type ErrorCode, GatewayError } from '@gateway/contract'
import { toStoreError } from './guard.ts'

export interface WorkerOptions {
  /** The path of the main part's file. */
  mainPath: string
  /** The path of the file for the log, blobs and vectors. */
  logPath: string
}

/** Several calls of one turn are sent together. */
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
  /** A prepared thread waits for its {@link WorkerOptions}. */
  | { type: 'loaded' }
  /** Progress of a migration, before `open`. */
  | { type: 'progress'; title: string; done: number; total: number }
  /** A migration may be committed once the gateway's thread has answered with a {@link Confirmation}. */
  | { type: 'confirm' }
  /** Migrated and ready. */
  | { type: 'open' }

/** Whether a migration may be committed; before `open` the only message to the thread. */
export interface Confirmation {
  fault: PlainError | null
}

export interface PlainError {
  code: ErrorCode
  message: string
  /** The error that the engine reported, without values. */
  storeFault: string | null
}

export function toPlainError(error: unknown): PlainError {
  const { code, message, storeFault } = toStoreError(error)
  return { code, message, storeFault }
}

export function fromPlainError({ code, message, storeFault }: PlainError): GatewayError {
  return new GatewayError(code, message, { storeFault })
}
