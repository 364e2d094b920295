/**
 * `@gateway/upstream`: calls to providers and other services, over HTTP and WebSockets, and of endpoints that provider
 * packages implement themselves (procedures): connections, host guard, adding credentials, timeouts, bodies, errors.
 * Also the WebSocket messages and close codes that the server uses for its clients.
 */
export { createUpstreamAgent, type UpstreamAgent } from './agent.ts'
export {
  type AttemptClocks,
  type AttemptSignal,
  createAttemptSignal,
  watchIdleTime,
} from './attempt-signal.ts'
export { callHttp, forwarded } from './call-http.ts'
export {
  answerBounds,
  authorize,
  type CallIo,
  createCallIo,
  type ReadBodyOptions,
  readBody,
} from './call-io.ts'
export { callProcedure } from './call-procedure.ts'
export { callProxy } from './call-proxy.ts'
export { decodeAnswer } from './decode.ts'
export { errorBody, readUpstreamError, upstreamErrorAnswer } from './error-answer.ts'
export { failedAnswer } from './failed-answer.ts'
export { createHostGuard, type HostGuard } from './host-guard.ts'
export { openSocket } from './open-socket.ts'
export { createOutbound, type Outbound } from './outbound.ts'
export { passedHeaders } from './passed-headers.ts'
export { checkProxyPath } from './proxy-url.ts'
export { resolves } from './resolves.ts'
export { closeCodes, isSendable, SessionClosed } from './session-closed.ts'
export { type SocketMessages, socketMessages } from './socket-messages.ts'
