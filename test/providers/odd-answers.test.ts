/** Undocumented answers: any JSON is parsed, or refused as invalid. */
import { type Dialect, isGatewayError, isUpstreamFault, type JsonObject } from '@gateway/contract'
import ai21 from '@gateway/provider-ai21'
import {
  cohereDialect,
  cohereEmbedDialect,
  ollamaDialect,
  ollamaEmbedDialect,
  rerankDialect,
} from '@gateway/provider-kit'
import nomic from '@gateway/provider-nomic'
import reka from '@gateway/provider-reka-ai'
import fc from 'fast-check'
import { assertProperty } from '../support/assert-property.ts'
import { createContext } from './fixtures/context.ts'

function dialectOf(adapter: typeof nomic, endpoint: 'chatComplete' | 'embed'): Dialect {
  const declared = adapter.endpoints[endpoint]
  const settings = { provider: adapter.name }
  const chosen = declared?.kind === 'choice' ? declared.choose({}, settings) : declared
  if (chosen?.kind !== 'http') throw new Error(`${adapter.name} has no ${endpoint} over HTTP.`)
  return chosen.dialect
}

const dialects = [
  cohereDialect,
  cohereEmbedDialect,
  ollamaDialect,
  ollamaEmbedDialect,
  rerankDialect({ documentsAsRecords: true, searchUnitsAt: ['meta', 'billed_units', 'search_units'] }),
  dialectOf(ai21, 'chatComplete'),
  dialectOf(reka, 'chatComplete'),
  dialectOf(nomic, 'embed'),
]

/** Members that these formats have, at any place, with values of any kind. */
const members =
  'message content text thinking tool_calls function arguments name parameters citations sources document url usage tokens billed_units logprobs token_ids embeddings float meta responses chunk choices delta results data index score id finish_reason done tool_plan'
const types =
  'message-start content-start content-delta tool-call-start tool-call-delta citation-start message-end'
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, 7, '', 'x', 'null', 'TEXT_CONTENT', 'text', 'thinking', 'tool_calls'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...members.split(' ')), tie('value'), {
      maxKeys: 5,
      noNullPrototype: true,
    }),
  ),
}))
const body = fc.dictionary(fc.constantFrom(...members.split(' ')), value, { noNullPrototype: true })
const event = fc.tuple(body, fc.constantFrom(...types.split(' '))).map(([data, type]) => ({ type, ...data }))

function readOrRefuse(run: () => unknown): void {
  try {
    run()
  } catch (error) {
    if (!isGatewayError(error) && !isUpstreamFault(error)) throw error
  }
}

describe('unexpected answers', () => {
  const request = { model: 'm', documents: ['a'], return_documents: true, encoding_format: 'base64' }
  for (const dialect of dialects) {
    for (const strict of [true, false]) {
      it(`are parsed or refused by ${dialect.name}, ${strict ? 'strict' : 'lenient'}`, () => {
        const context = () => createContext({ request, strict, includeUsage: true })
        assertProperty(
          fc.property(body, (answer) => readOrRefuse(() => dialect.answer(answer as JsonObject, context()))),
        )
        const { stream } = dialect
        if (typeof stream !== 'function') return
        assertProperty(
          fc.property(fc.array(event, { maxLength: 5 }), (events) => {
            const translator = stream(context())
            readOrRefuse(() => {
              for (const data of events) translator.event({ event: null, data: JSON.stringify(data) })
            })
          }),
        )
      })
    }
  }
})
