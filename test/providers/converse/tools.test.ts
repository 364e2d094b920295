/**
 * Tools and the choice among them.
 * Source: https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import {
  claude,
  claude45,
  llama,
  nova,
  profile,
  requestOf,
  type WireRequest,
  weather,
  weatherSpec,
} from './fixtures/chat.ts'

const mistral = 'mistral.mistral-large-2407-v1:0'
const time: JsonObject = { type: 'function', function: { name: 'get_time' } }
const timeSpec = {
  toolSpec: { name: 'get_time', inputSchema: { json: { type: 'object', properties: {} } } },
}
const named = { type: 'function', function: { name: 'get_weather' } }

describe('Converse tools', () => {
  it('contain name, description and schema, and an empty object schema without parameters', () => {
    const expected: WireRequest['toolConfig'] = { tools: [weatherSpec, timeSpec] }
    expect(requestOf({ tools: [weather, time] }).toolConfig).to.deep.equal(expected)
  })

  const choices: [string, JsonObject['tool_choice'], string, WireRequest['toolConfig']][] = [
    ['auto', 'auto', claude, { tools: [weatherSpec, timeSpec] }],
    ['required', 'required', claude, { tools: [weatherSpec, timeSpec], toolChoice: { any: {} } }],
    [
      'a function',
      named,
      nova,
      { tools: [weatherSpec, timeSpec], toolChoice: { tool: { name: 'get_weather' } } },
    ],
    [
      'a function that only offering it alone can force',
      named,
      mistral,
      { tools: [weatherSpec], toolChoice: { any: {} } },
    ],
    ['nothing', null, claude, { tools: [weatherSpec, timeSpec] }],
  ]
  for (const [what, tool_choice, model, expected] of choices) {
    it(`with a choice of ${what} (${model})`, () => {
      expect(requestOf({ model, tools: [weather, time], tool_choice }).toolConfig).to.deep.equal(expected)
    })
  }

  it('are not sent with tool_choice none', () => {
    expect(requestOf({ tools: [weather], tool_choice: 'none' })).not.to.have.property('toolConfig')
  })

  const singles: [string, JsonObject, JsonObject | undefined][] = [
    [claude45, {}, { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
    [
      claude45,
      { tool_choice: 'required' },
      { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    ],
    [
      claude45,
      { tool_choice: named },
      { tool_choice: { type: 'tool', name: 'get_weather', disable_parallel_tool_use: true } },
    ],
    [claude, {}, undefined],
    [llama, {}, undefined],
  ]
  for (const [model, more, fields] of singles) {
    it(`are called one at a time: ${model} ${JSON.stringify(more)}`, () => {
      const request = requestOf({ model, tools: [weather], parallel_tool_calls: false, ...more })
      expect(request.additionalModelRequestFields).to.deep.equal(fields)
      // The model's own choice and the API's must not contradict each other.
      if (fields !== undefined) expect(request.toolConfig).to.deep.equal({ tools: [weatherSpec] })
    })
  }

  const strict: [string, boolean][] = [
    [claude45, true],
    ['openai.gpt-oss-120b-1:0', true],
    [claude, false],
    [nova, false],
    [profile, false],
  ]
  for (const [model, isKept] of strict) {
    it(`with strict ${isKept ? 'keep it' : 'lose it'} for ${model}`, () => {
      const tool = { type: 'function', function: { name: 'f', strict: true } }
      const [sent] = requestOf({ model, tools: [tool] }).toolConfig?.tools ?? []
      expect(sent?.toolSpec?.strict).to.equal(isKept ? true : undefined)
    })
  }

  const refused: [string, string, JsonObject][] = [
    ['that are no functions', '/tools/0/type', { tools: [{ type: 'web_search' }] }],
    ['when the request has no tools to choose from', '/tool_choice', { tool_choice: 'required' }],
    ['with a choice of another', '/tool_choice/function/name', { tools: [time], tool_choice: named }],
  ]
  for (const [what, param, body] of refused) {
    it(`are refused ${what}`, () => {
      expect(gatewayErrorOf(() => requestOf(body))).to.include({ code: 'invalid_body', param })
    })
  }
})
