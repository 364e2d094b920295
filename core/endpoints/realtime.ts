/**
 * `GET /v1/realtime`: a WebSocket relayed to a provider that supports it. Each message is one event as JSON. Reference:
 * https://platform.openai.com/docs/api-reference/realtime
 */
import { GatewayError } from '@gateway/contract'
import { readEveryText } from '@gateway/contract/dialect'
import { Type } from '@sinclair/typebox'
import { declareEndpoint } from './declare-endpoint.ts'

export const realtime = declareEndpoint({
  id: 'realtime',
  isSession: true,
  routes: [
    {
      method: 'GET',
      path: '/v1/realtime',
      operationId: 'realtime',
      summary: 'Opens a realtime session over a WebSocket',
      tag: 'Realtime',
      otherAnswers: { 101: Type.Null() },
      query: Type.Object({ model: Type.Optional(Type.String()) }),
      pipeline: 'session',
      async serve(exchange, _params, run) {
        if (exchange.transport.session === null) {
          const message = 'This route takes WebSocket connections: send upgrade: websocket.'
          throw new GatewayError('invalid_header', message, { param: 'header/upgrade' })
        }
        const model = exchange.transport.query.get('model')
        exchange.body = model === null ? {} : { model }
        exchange.record.asked = exchange.body
        return run(exchange)
      },
    },
  ],
  requestTexts: (body, parts) => readEveryText(body, 'input', parts),
  answerTexts: (body, parts) => readEveryText(body, 'assistant', parts),
  // Sessions are charged by their reported usage.
  isMetered: false,
  mayCache: () => false,
})
