/** Relays the messages of a session between a client and a provider, with limits and hooks. */
export { callSession } from './call-session.ts'
