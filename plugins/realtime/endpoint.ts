/**
 * `GET /v1/realtime`: a WebSocket relayed to a provider that supports it. Each message is one event as JSON. Reference:
 * https://platform.openai.com/docs/api-reference/realtime
 */
import { type DialectEndpoint, readEveryText } from '@gateway/contract/dialect'
import { Type } from '@sinclair/typebox'
import { relay } from './relay.ts'

export const realtime: DialectEndpoint = {
  id: 'realtime',
  session: { relay },
  routes: [
    {
      serves: 'session',
      path: '/v1/realtime',
      operationId: 'realtime',
      summary: 'Opens a realtime session over a WebSocket',
      tag: 'Realtime',
      otherAnswers: { 101: Type.Null() },
      query: Type.Object({ model: Type.Optional(Type.String()) }),
      bodyOf(query) {
        const model = query.get('model')
        return model === null ? {} : { model }
      },
    },
  ],
  requestTexts: (body, parts) => readEveryText(body, 'input', parts),
  answerTexts: (body, parts) => readEveryText(body, 'assistant', parts),
  // Sessions are charged by their reported usage.
  isMetered: false,
  mayCache: () => false,
}
