/** `/v1/responses` as a client dialect: for chat providers without this endpoint. */
import type { ClientDialect } from '@gateway/contract/dialect'
import { writeAnswer } from './answer.ts'
import { chatPaths, readRequest, requestMembers } from './request.ts'
import { responsesStream } from './stream.ts'

export const responsesDialect: ClientDialect = {
  needsExtras: true,
  members: requestMembers,
  paths: chatPaths,
  request: readRequest,
  answer: writeAnswer,
  stream: responsesStream,
}
