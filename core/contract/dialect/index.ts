/**
 * `@gateway/contract/dialect`: the API for writing client dialects, the formats in which callers use every provider. It has the
 * types of their declarations, and pure functions that dialects share. It accesses neither the network nor the settings.
 */
export * from './chat-content.ts'
export type * from './client-dialect.ts'
export type * from './endpoint.ts'
export * from './estimate-tokens.ts'
export * from './events.ts'
export * from './message-usage.ts'
export type * from './plugin.ts'
export * from './read-texts.ts'
export * from './reasoning.ts'
export * from './refuse.ts'
export type * from './request-socket.ts'
export type * from './response-state.ts'
export type * from './session.ts'
export type * from './stream-format.ts'
export * from './strict-schema.ts'
export * from './tool-row.ts'
export * from './usage.ts'
