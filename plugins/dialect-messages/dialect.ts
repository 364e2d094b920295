/** `/v1/messages` as a client dialect, for chat providers without this endpoint. */
import type { ClientDialect } from '@gateway/contract/dialect'
import { messageAnswer } from './answer.ts'
import { messagesRequest, requestMembers } from './request.ts'
import { messagesStream } from './stream.ts'

export const messagesDialect: ClientDialect = {
  needsExtras: false,
  members: requestMembers,
  request: messagesRequest,
  answer: messageAnswer,
  stream: messagesStream,
}
