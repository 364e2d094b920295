/**
 * A WebSocket session with a provider, as a package relays it. The gateway authenticates the caller, chooses the target, opens
 * both connections, and decides about admission, usage and guardrails; the package knows the protocol's events.
 */
import type { GatewayError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { Usage } from './usage.ts'

export interface SessionProtocol {
  /**
   * Yields the messages for the client, and forwards those of the client. Returns when the session ends. If an error ended it,
   * throws that error, which is sent to the client.
   */
  relay(host: SessionHost): AsyncIterableIterator<Buffer>
}

export interface SessionHost {
  client: SessionClient
  provider: SessionProvider
  /** The idle timeout: the longest time without a message from either side. */
  idleMs: number
  /** The remaining time of the session. */
  totalMs: number
  /** Whether guardrails check what the client sends. */
  checksInput: boolean
  /** Whether guardrails check responses. */
  checksOutput: boolean
  /** Whether one of them may deny or change a response, which must then be held back until it is checked. */
  holdsOutput: boolean
  /**
   * Checks the credentials and limits again before each response, because they may have changed since the session began. Returns
   * the error that must end the session, or null if it continues.
   */
  admit(): Promise<GatewayError | null>
  /** Charges a response's usage. Returns the error that must end the session, or null if it continues. */
  charge(usage: Usage): Promise<GatewayError | null>
  /** Runs the guardrails of a phase on an event. */
  check(phase: 'before' | 'after', event: JsonObject): Promise<CheckedEvent>
}

export interface CheckedEvent {
  /** The message of a denial, which names the guardrail and the reason; null if the event is allowed. */
  denial: string | null
  /** The event, as changed by mutators. */
  body: JsonObject
}

interface SessionSide {
  /** The next message; null when the side has disconnected. */
  next(): Promise<string | null>
  /** Resolves when the message is sent, or when the side has disconnected. */
  send(text: string): Promise<void>
}

export interface SessionClient extends SessionSide {
  /** Fires when the client disconnects. */
  readonly leaving: SessionNotice
  /** Fires when the gateway stops: the session ends after the response in progress. */
  readonly stopping: SessionNotice
}

export interface SessionProvider extends SessionSide {
  /** Throws if the provider dropped the connection or closed it with an error code. */
  checkEnd(): void
  /** Closes the connection with the close code of the client. */
  close(): void
}

export interface SessionNotice {
  readonly aborted: boolean
  /** The error, once it has fired; undefined before. */
  readonly reason: unknown
  /** Calls the listener once; never if it has already fired. */
  listen(listener: () => void): void
  forget(listener: () => void): void
}
