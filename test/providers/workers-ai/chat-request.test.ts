/**
 * Chat requests → what models of Workers AI take.
 * Source: https://developers.cloudflare.com/workers-ai/models/llama-3.3-70b-instruct-fp8-fast/,
 * https://developers.cloudflare.com/workers-ai/models/kimi-k2.6/
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { createContext } from '../fixtures/context.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import { dialectOf, kimi, llama, sentFor, user, weather } from './fixtures.ts'

const sent = (body: JsonObject, strict = true) =>
  sentFor('chatComplete', { messages: [user], ...body }, { strict })
const messagesFor = (...messages: JsonObject[]) => sent({ messages }).messages as JsonObject[]

describe('Workers AI chat requests', () => {
  it('contain no model, which is in the path', () => {
    expect(sent({})).to.deep.equal({ messages: [user] })
  })

  it('contain text as content, and no null', () => {
    const parts = [
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B' },
    ]
    expect(messagesFor({ role: 'developer', content: 'D' }, { role: 'user', content: parts })).to.deep.equal([
      { role: 'system', content: 'D' },
      { role: 'user', content: 'AB' },
    ])
  })

  it('keep images', () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
    ]
    expect(messagesFor({ role: 'user', content })).to.deep.equal([{ role: 'user', content }])
  })

  it('keep calls with their ids, and add the function name to a result', () => {
    const calls = ['a', 'b'].map((id) => ({
      id,
      type: 'function',
      function: { name: `f_${id}`, arguments: '{"x":1}' },
    }))
    const messages = messagesFor(
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'b', content: '2' },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: '1' }] },
    )
    expect(messages).to.deep.equal([
      { role: 'assistant', content: '', tool_calls: calls },
      { role: 'tool', tool_call_id: 'b', name: 'f_b', content: '2' },
      { role: 'tool', tool_call_id: 'a', name: 'f_a', content: '1' },
    ])
  })

  const fields: [string, JsonObject, JsonObject][] = [
    ['the newer bound on tokens', { max_completion_tokens: 9 }, { max_tokens: 9 }],
    ['the older bound', { max_tokens: 7 }, { max_tokens: 7 }],
    ['a seed of 0', { seed: 0 }, { seed: 1 }],
    ['a top_p of 0', { top_p: 0 }, { top_p: 0.001 }],
    [
      'what it has in common',
      { temperature: 1.5, stop: ['x'], frequency_penalty: 1 },
      {
        temperature: 1.5,
        stop: ['x'],
        frequency_penalty: 1,
      },
    ],
    ['native parameters', { top_k: 5, lora: 'mine' }, { top_k: 5, lora: 'mine' }],
    ['a null', { temperature: null }, {}],
    ['the default format', { response_format: { type: 'text' } }, {}],
    ['JSON mode', { response_format: { type: 'json_object' } }, { response_format: { type: 'json_object' } }],
    ['a stream', { stream: true }, { stream: true }],
  ]
  for (const [what, body, expected] of fields) {
    it(`are correct for ${what}`, () => expect(sent(body)).to.deep.equal({ messages: [user], ...expected }))
  }

  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const format = { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } }
  it('contain the plain schema for older models, and the whole format for newer ones', () => {
    expect(sent({ response_format: format }).response_format).to.deep.equal({
      type: 'json_schema',
      json_schema: schema,
    })
    expect(sent({ model: kimi, response_format: format }).response_format).to.deep.equal(format)
  })

  const other = { type: 'function', function: { name: 'other', parameters: { type: 'object' } } }
  const named = { type: 'function', function: { name: 'get_weather' } }
  const choices: [string, JsonObject, string[], unknown][] = [
    ['no choice', {}, ['get_weather', 'other'], undefined],
    ['auto', { tool_choice: 'auto' }, ['get_weather', 'other'], 'auto'],
    ['required', { tool_choice: 'required' }, ['get_weather', 'other'], 'required'],
    ['a named function', { tool_choice: named }, ['get_weather'], 'required'],
    ['none', { tool_choice: 'none' }, [], undefined],
  ]
  for (const [what, body, names, choice] of choices) {
    it(`contain the tools for ${what}`, () => {
      const { tools = [], tool_choice } = sent({ tools: [weather, other], ...body })
      const offered = (tools as { function: JsonObject }[]).map((tool) => tool.function.name)
      expect({ offered, tool_choice }).to.deep.equal({ offered: names, tool_choice: choice })
    })
  }

  it('contain tools for the legacy functions', () => {
    const body = sent({ functions: [weather.function as JsonObject], function_call: 'auto' })
    expect(body).to.deep.equal({ messages: [user], tools: [weather], tool_choice: 'auto' })
  })

  it('are refused for tools that are not functions', () => {
    expect(gatewayErrorOf(() => sent({ tools: [{ type: 'custom', custom: { name: 'c' } }] }))).to.include({
      code: 'invalid_body',
      param: '/tools/0/type',
    })
  })

  it('set thinking only without strict compliance', () => {
    const thinking = { type: 'disabled' }
    expect(sent({ thinking })).to.deep.equal({ messages: [user] })
    expect(sent({ thinking }, false)).to.deep.equal({
      messages: [user],
      chat_template_kwargs: { enable_thinking: false },
    })
  })

  it('do not change their input', () => {
    const body: JsonObject = { model: llama, messages: [user], seed: 0, tools: [weather] }
    const before = structuredClone(body)
    dialectOf('chatComplete').request(body, createContext({ request: body }))
    expect(body).to.deep.equal(before)
  })
})
