/** Undocumented answers of cloud providers: any JSON is parsed, or refused as invalid. */
import {
  type CallContext,
  type EndpointId,
  isGatewayError,
  isUpstreamFault,
  type JsonObject,
  type ProviderAdapter,
} from '@gateway/contract'
import azure from '@gateway/provider-azure'
import databricks from '@gateway/provider-databricks'
import oracle from '@gateway/provider-oracle'
import workers from '@gateway/provider-workers-ai'
import fc from 'fast-check'
import { assertProperty } from '../support/assert-property.ts'
import { createContext } from './fixtures/context.ts'

const members =
  'result success errors response tool_calls toolCalls function name arguments id index usage choices message delta content text reasoning reasoningContent summary finish_reason finishReason logprobs data image images chatResponse apiFormat chatHistory citations prompt_tokens promptTokens completionTokensDetails error code modelId'
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, 7, '', 'x', 'text', 'TEXT', 'reasoning', 'COHERE', 'COHEREV2', 'GENERIC'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...members.split(' '), 'type'), tie('value'), {
      maxKeys: 5,
      noNullPrototype: true,
    }),
  ),
}))
const body = fc.dictionary(fc.constantFrom(...members.split(' ')), value, { noNullPrototype: true })

function readOrRefuse(run: () => unknown): void {
  try {
    run()
  } catch (error) {
    if (!isGatewayError(error) && !isUpstreamFault(error)) throw error
  }
}

const models = ['m', 'cohere.command-r', 'cohere.command-a-vision']
const endpoints: readonly EndpointId[] = ['chatComplete', 'complete', 'embed', 'imageGenerate']

interface CheckOptions {
  endpoint: EndpointId
  model: string
  strict: boolean
}

function check(adapter: ProviderAdapter, { endpoint, model, strict }: CheckOptions): void {
  const settings = { provider: adapter.name, custom_host: 'http://127.0.0.1:9/v1' }
  const declared = adapter.endpoints[endpoint]
  const chosen = declared?.kind === 'choice' ? declared.choose({ model }, settings) : declared
  if (chosen?.kind !== 'http') return
  const { dialect } = chosen
  const context = (): CallContext =>
    createContext({ endpoint, settings, request: { model }, strict, includeUsage: true })
  assertProperty(
    fc.property(body, (answer) => {
      readOrRefuse(() => dialect.answer(answer as JsonObject, context()))
      readOrRefuse(() => dialect.error?.(500, answer as JsonObject, {}))
    }),
  )
  const { stream } = dialect
  if (typeof stream !== 'function') return
  assertProperty(
    fc.property(fc.array(body, { maxLength: 5 }), (events) => {
      const translator = stream(context())
      readOrRefuse(() => {
        for (const data of events) translator.event({ event: null, data: JSON.stringify(data) })
        translator.event({ event: null, data: '[DONE]' })
        translator.end()
      })
    }),
  )
}

describe('unexpected answers of cloud providers', () => {
  for (const adapter of [...azure, databricks, oracle, workers]) {
    for (const endpoint of endpoints.filter((id) => adapter.endpoints[id] !== undefined)) {
      it(`are parsed or refused by ${adapter.name} for ${endpoint}`, () => {
        for (const model of adapter === oracle ? models : ['m']) {
          for (const strict of [true, false]) check(adapter, { endpoint, model, strict })
        }
      })
    }
  }
})
