/**
 * A WebSocket session with a provider, as a package relays it. The gateway authenticates the caller, chooses the target, opens
 * both connections, and decides about admission, usage and guardrails; the package knows the protocol's events.
 */
import type { GatewayError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { Usage } from './usage.ts'

export interface SessionProtocol {
  /**
   * The messages for the client, while those of the client are forwarded. Ends with the session; throws what ended it as an
   * error, which the client is sent.
   */
  relay(host: SessionHost): AsyncIterableIterator<Buffer>
}

export interface SessionHost {
  client: SessionClient
  provider: SessionProvider
  /** How long neither side may send anything. */
  idleMs: number
  /** How long the session may still last. */
  totalMs: number
  /** Whether guardrails check what the client sends. */
  checksInput: boolean
  /** Whether guardrails check responses. */
  checksOutput: boolean
  /** Whether one of them may deny a response or change it, so that it must be held back until it is checked. */
  holdsOutput: boolean
  /**
   * Checks, before each response, what may have changed since the session began: the credentials and the limits. Returns why
   * the session must end; null: it continues.
   */
  admit(): Promise<GatewayError | null>
  /** Charges a response's usage. Returns why the session must end after it; null: it continues. */
  charge(usage: Usage): Promise<GatewayError | null>
  /** Runs the guardrails of a phase on an event. */
  check(phase: 'before' | 'after', event: JsonObject): Promise<CheckedEvent>
}

export interface CheckedEvent {
  isDenied: boolean
  /** The event, or what mutators made of it. */
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
  /** Throws when the provider broke the session off, or closed it with an error code. */
  checkEnd(): void
  /** Closes the connection as the client closed its own. */
  close(): void
}

export interface SessionNotice {
  readonly aborted: boolean
  /** An error; undefined before. */
  readonly reason: unknown
  /** Calls the listener once; never if it has already fired. */
  listen(listener: () => void): void
  forget(listener: () => void): void
}
