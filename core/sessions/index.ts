/** WebSocket sessions with a provider: opened, admitted, charged and checked here, relayed by the package of their protocol. */
export { callSession } from './call-session.ts'
