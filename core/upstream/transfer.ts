/**
 * One upstream call as undici's handler: it settles with the answer when its head is there, and feeds the body.
 * Errors: see faults.ts; a cancellation ends the call with its reason, wherever it is.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { Cancellation } from '../flow/cancellation.ts'
import type { UpstreamAnswer } from '../flow/upstream.ts'
import { AnswerBody } from './answer-body.ts'
import { decodeAnswer } from './decode.ts'
import { brokenAnswer, connectionFault } from './faults.ts'

export class Transfer implements Dispatcher.DispatchHandler {
  private readonly resolve: (answer: UpstreamAnswer) => void
  private readonly reject: (error: unknown) => void
  private readonly cancellation: Cancellation
  private readonly onAbort: () => void
  private controller: Dispatcher.DispatchController | null = null
  private body: AnswerBody | null = null
  private isOver = false

  constructor(
    resolve: (answer: UpstreamAnswer) => void,
    reject: (error: unknown) => void,
    cancellation: Cancellation,
  ) {
    this.resolve = resolve
    this.reject = reject
    this.cancellation = cancellation
    this.onAbort = () => this.abort()
    cancellation.listen(this.onAbort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    // Called off while it waited for a connection.
    if (this.isOver) controller.abort(new Error('The call was called off.'))
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return
    this.body = new AnswerBody(controller)
    const answer = { status, headers: plainHeaders(headers), body: this.body }
    if (answer.headers['content-encoding'] === undefined) {
      this.resolve(answer)
      return
    }
    try {
      this.resolve(decodeAnswer(answer))
    } catch (error) {
      this.body.destroy()
      this.reject(error)
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.body?.push(chunk)
  }

  onResponseEnd(): void {
    this.finish()
    this.body?.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.isOver) return
    this.finish()
    if (this.body === null) this.reject(connectionFault(error))
    else this.body.fail(brokenAnswer(error))
  }

  private abort(): void {
    this.finish()
    if (this.body === null) this.reject(this.cancellation.reason)
    else this.body.cancel(this.cancellation.reason)
    this.controller?.abort(new Error('The call was called off.'))
  }

  private finish(): void {
    this.isOver = true
    this.cancellation.forget(this.onAbort)
  }
}

/** Headers as one text each. Cookies are the upstream's business with the gateway, not with its callers. */
export function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || name === 'set-cookie') continue
    plain[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return plain
}
