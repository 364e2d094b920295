/**
 * `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent`, for every provider with this endpoint or
 * chat completions.
 */
import type { DialectEndpoint } from '@gateway/contract/dialect'
import { arrayFraming } from './array-framing.ts'
import { generateContentAnswer, generateContentRequest } from './bodies.ts'
import { contentBody, pathsOf } from './body.ts'
import { contentDialect } from './dialect.ts'
import { contentFormat } from './format.ts'
import { contentRequestTexts, readAnswer } from './texts.ts'

const tag = 'Gemini'
const example = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }

export const generateContent: DialectEndpoint = {
  id: 'generateContent',
  request: generateContentRequest,
  isRepeatable: true,
  completeBody: contentBody,
  answerList: { member: 'candidates', isRequired: false },
  streams: true,
  format: contentFormat,
  conversation: 'contents',
  requestTexts: contentRequestTexts,
  answerTexts: readAnswer,
  translation: { kind: 'chat', needs: ['chatComplete'], dialect: contentDialect },
  routes: [
    {
      serves: 'inference',
      ...pathsOf('generateContent'),
      operationId: 'generateContent',
      summary: 'Generates content in the Gemini format',
      description:
        'Takes and answers the Gemini format. The gateway translates it for providers that have another format. The model in the path may contain slashes, such as `@slug/model`.',
      example,
      tag,
      answer: generateContentAnswer,
      media: { body: ['application/json'], answer: ['application/json'] },
    },
    {
      serves: 'inference',
      ...pathsOf('streamGenerateContent'),
      operationId: 'streamGenerateContent',
      summary: 'Streams content in the Gemini format',
      description:
        'With `alt=sse` the answer is a stream of server-sent events, otherwise a JSON array whose items arrive one by one.',
      example,
      tag,
      answer: generateContentAnswer,
      event: generateContentAnswer,
      media: { body: ['application/json'], answer: ['text/event-stream', 'application/json'] },
      framing: (query) => (query.get('alt') === 'sse' ? null : arrayFraming),
    },
  ],
}
