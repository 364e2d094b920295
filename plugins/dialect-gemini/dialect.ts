/** `generateContent` as a client dialect, for chat providers without this endpoint. */
import type { ClientDialect } from '@gateway/contract/dialect'
import { contentAnswer } from './answer.ts'
import { configPaths } from './generation-config.ts'
import { contentRequest, requestMembers } from './request.ts'
import { contentStream } from './stream.ts'

export const contentDialect: ClientDialect = {
  // Thoughts and signatures of other providers are part of the format.
  needsExtras: true,
  members: requestMembers,
  paths: configPaths,
  request: contentRequest,
  answer: contentAnswer,
  stream: contentStream,
}
