/**
 * A WebSocket whose messages are requests of an endpoint, one after another. The gateway opens it, and authenticates, limits,
 * runs and logs each message as a request; the events of its answer are sent as messages. Unlike in a session
 * (`SessionProtocol`), no connection to a provider stays open. Responses that are not stored can be continued on the same
 * socket.
 */
import type { JsonObject } from '../json.ts'
import type { History, KeptResponse } from './response-state.ts'

export interface SocketRequest {
  body: JsonObject
  /** Whether no output is asked for: the request is only {@link RequestSocket.prepare prepared}. */
  isPrepared: boolean
}

export interface RequestSocket {
  /** Where it opens; the first one is also the path of the endpoint. */
  readonly paths: readonly string[]
  /** The request of a message. Errors: `invalid_body`. */
  read(message: JsonObject): SocketRequest
  /** The messages that answer such a request, and the response that continues it. @param body has passed the schema */
  prepare(body: JsonObject, history: History): Promise<{ messages: JsonObject[]; kept: KeptResponse }>
  /** The message of an error. @param body of the error's answer */
  writeError(status: number, body: JsonObject): JsonObject
}
