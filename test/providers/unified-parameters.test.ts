/**
 * How every provider treats chat parameters: null counts as absent, an empty stop text is ignored, and unsupported
 * parameters that would change the meaning are refused.
 */
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type HttpEndpoint, isGatewayError, type JsonObject, type ProviderSettings } from '@gateway/contract'
import { expect } from 'chai'
import { discover } from '#core/discovery/discover'
import { modelsOf, targetOf } from '../conformance/provider-settings.ts'
import { createContext } from './fixtures/context.ts'

/** This file is `test/dist/providers/unified-parameters.test.js`. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const { registry } = await discover({ packages: [], disabled: [], directory: root })

/** Models that lead to further dialects of an adapter. */
const more: Readonly<Record<string, readonly string[]>> = {
  google: ['gemini-3.6-flash'],
  oracle: ['cohere.command-a-03-2025', 'cohere.command-a-vision'],
}

interface Chat {
  name: string
  model: string
  endpoint: HttpEndpoint
  settings: ProviderSettings
}

/** Every chat of every adapter that is an HTTP call. */
const chats = [...registry.providers.values()].flatMap((adapter) => {
  const declared = adapter.endpoints.chatComplete
  if (declared === undefined) return []
  const settings = { ...targetOf(adapter.name, 'http://127.0.0.1:1'), provider: adapter.name }
  return [...modelsOf(adapter.name, 'chatComplete'), ...(more[adapter.name] ?? [])].flatMap(
    (model): Chat[] => {
      const chosen = declared.kind === 'choice' ? declared.choose({ model }, settings) : declared
      return chosen.kind === 'http' ? [{ name: adapter.name, model, endpoint: chosen, settings }] : []
    },
  )
})

/** Those whose format is not the compatible one. */
const translated = chats.filter(({ endpoint }) => !endpoint.dialect.name.startsWith('compatible-'))

function sentBy({ endpoint, model, settings }: Chat, given: JsonObject, strict = true): JsonObject {
  const body = { model, messages: [{ role: 'user', content: 'Hi' }], ...given }
  return endpoint.dialect.request(body, createContext({ request: body, settings, strict }))
}

describe('unified parameters', () => {
  const parameters =
    `temperature top_p max_tokens max_completion_tokens n stop stream stream_options seed logprobs
    top_logprobs tools tool_choice parallel_tool_calls functions function_call response_format user logit_bias
    frequency_penalty presence_penalty thinking reasoning_effort modalities metadata service_tier store
    web_search_options`.split(/\s+/)

  for (const parameter of parameters) {
    it(`are ignored when they are null: ${parameter}`, () => {
      for (const chat of translated) {
        for (const strict of [true, false]) {
          expect(sentBy(chat, { [parameter]: null }, strict), chat.name).to.deep.equal(
            sentBy(chat, {}, strict),
          )
        }
      }
    })
  }

  it('limit an answer by the value that is set, under either name', () => {
    for (const chat of chats.filter(({ name }) => name !== 'openai')) {
      const sent = sentBy(chat, { max_tokens: 7 })
      const withNull = sentBy(chat, { max_tokens: 7, max_completion_tokens: null })
      expect(JSON.stringify(withNull), chat.name).to.match(/\b7\b/)
      if (translated.includes(chat)) expect(withNull).to.deep.equal(sent)
    }
  })

  it('ignore an empty stop text', () => {
    for (const chat of translated.filter(({ name }) => name !== 'workers-ai')) {
      expect(sentBy(chat, { stop: '' }), chat.name).to.deep.equal(sentBy(chat, {}))
    }
  })

  /** A provider translates it, or refuses it by name; it is never dropped silently. */
  const meaningful: [what: string, body: JsonObject][] = [
    ['sound', { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }],
    ['a search of the web', { web_search_options: {} }],
    ['several choices', { n: 2 }],
    ['tools', { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['a form', { response_format: { type: 'json_object' } }],
  ]
  for (const [what, body] of meaningful) {
    it(`request ${what} with the provider's own parameter, or are refused`, () => {
      for (const chat of translated) {
        try {
          expect(sentBy(chat, body), chat.name).to.not.deep.equal(sentBy(chat, {}))
        } catch (error) {
          if (!isGatewayError(error)) throw error
          expect(error.code).to.equal('invalid_body')
          expect(error.param).to.match(new RegExp(`^/(?:${Object.keys(body).join('|')})`))
          expect(error.message).to.include(chat.name)
        }
      }
    })
  }
})
