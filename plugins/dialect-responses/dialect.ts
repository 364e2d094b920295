/** `/v1/responses` as a client dialect, for chat providers without this endpoint. */
import type { JsonObject } from '@gateway/contract'
import type { ClientDialect } from '@gateway/contract/dialect'
import { writeAnswer } from './answer.ts'
import { asksForCompaction } from './compaction.ts'
import { triggeredDialect } from './compaction-trigger.ts'
import { chatPaths, readRequest, requestMembers } from './request.ts'
import { responsesStream } from './stream.ts'

const turn: Pick<ClientDialect, 'request' | 'answer' | 'stream'> = {
  request: readRequest,
  answer: writeAnswer,
  stream: responsesStream,
}

const dialectFor = (body: JsonObject) => (asksForCompaction(body) ? triggeredDialect : turn)

export const responsesDialect: ClientDialect = {
  needsExtras: true,
  members: requestMembers,
  paths: chatPaths,
  mayShorten: asksForCompaction,
  request: (body, context) => dialectFor(body).request(body, context),
  answer: (answer, context) => dialectFor(context.request).answer(answer, context),
  stream: (context) => dialectFor(context.request).stream(context),
}
