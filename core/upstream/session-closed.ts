/**
 * The end of a WebSocket session, with the close code for the other side. Codes: https://www.rfc-editor.org/rfc/rfc6455#section-7.4
 */
import { type ErrorCode, GatewayError } from '@gateway/contract'

export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  /** A close without a code. */
  none: 1005,
  /** A broken connection. */
  broken: 1006,
  policy: 1008,
  internal: 1011,
} as const

export class SessionClosed extends GatewayError {
  readonly closeCode: number

  constructor(code: ErrorCode, message: string, closeCode: number) {
    super(code, message)
    this.closeCode = closeCode
  }
}

/** Whether a code may be sent. Other codes only describe connections that ended without one. */
export const isSendable = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)

/** Closes the other side of a connection that ended with a reason. */
export const closeCodeOf = (reason: unknown): number =>
  reason instanceof SessionClosed ? reason.closeCode : closeCodes.goingAway
