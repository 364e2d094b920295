/**
 * `@gateway/contract/dialect`: the API for writing client dialects, the formats in which callers use every provider. It has the
 * types of their declarations, and pure functions that dialects share. It accesses neither the network nor the settings.
 */
export { contentOf, contentText, eachBlock, isFilled, reasoningOf, textPart } from './chat-content.ts'
export type { BodyDialect, ClientDialect, ClientStream, DialectContext } from './client-dialect.ts'
export type { AnswerList, EndpointTraits, TextReader, Translation } from './endpoint.ts'
export { estimateTokensOf } from './estimate-tokens.ts'
export { faultOf, writeEvent, writeNamedEvent } from './events.ts'
export { messageUsage } from './message-usage.ts'
export type {
  DialectEndpoint,
  DialectModel,
  DialectPlugin,
  DialectRoute,
  ModelPage,
  StoredResponseQuery,
  StreamFraming,
} from './plugin.ts'
export {
  addText,
  addTexts,
  createStringReader,
  eachObject,
  indexed,
  inputTexts,
  promptText,
  readEveryText,
  type TextSink,
  toolDefinition,
  withTools,
} from './read-texts.ts'
export { createBlocks, type Thought, thoughtsOf } from './reasoning.ts'
export { type Reader, refuse } from './refuse.ts'
export type { RequestSocket, SocketRequest } from './request-socket.ts'
export type {
  History,
  KeptAnswers,
  KeptResponse,
  Recalled,
  ResponseReader,
  ResponseState,
  StateSeal,
} from './response-state.ts'
export type {
  CheckedEvent,
  SessionClient,
  SessionHost,
  SessionNotice,
  SessionProtocol,
  SessionProvider,
} from './session.ts'
export type {
  Delta,
  ErrorAbout,
  Repair,
  RepairContext,
  StreamFailure,
  StreamFormat,
  WrittenText,
} from './stream-format.ts'
export { isStrict } from './strict-schema.ts'
export { type ToolRow, treatmentOf } from './tool-row.ts'
export {
  addUsage,
  cachedNames,
  cachedTokensOf,
  count,
  noteUsage,
  noUsage,
  readUsage,
  type Usage,
  type UsageNote,
  usageNoteOf,
  withUnits,
} from './usage.ts'
