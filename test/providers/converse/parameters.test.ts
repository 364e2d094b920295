/**
 * Bounds, sampling, reasoning, output forms, and the vendor's own parameters.
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InferenceConfiguration.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html,
 * https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
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
} from './fixtures/chat.ts'

const plain: WireRequest = { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] }
const nova2 = 'us.amazon.nova-2-lite-v1:0'
const gptOss = 'openai.gpt-oss-120b-1:0'
const opus47 = 'anthropic.claude-opus-4-7-v1:0'

describe('Converse parameters', () => {
  const bounds: [JsonObject, WireRequest['inferenceConfig']][] = [
    [{ max_tokens: 5 }, { maxTokens: 5 }],
    [{ max_tokens: 5, max_completion_tokens: 7 }, { maxTokens: 7 }],
    [
      { temperature: 0.3, top_p: 0.9 },
      { temperature: 0.3, topP: 0.9 },
    ],
    [{ temperature: 1.7 }, { temperature: 1 }],
    [{ stop: 'END' }, { stopSequences: ['END'] }],
    [{ stop: ['a', '', 'b'] }, { stopSequences: ['a', 'b'] }],
    [{ stop: null, temperature: null, max_tokens: null }, undefined],
  ]
  for (const [body, inferenceConfig] of bounds) {
    it(`of inference are translated: ${JSON.stringify(body)}`, () => {
      expect(requestOf(body).inferenceConfig).to.deep.equal(inferenceConfig)
    })
  }

  const topK: [string, JsonObject | undefined][] = [
    [claude, { top_k: 20 }],
    [profile, { top_k: 20 }],
    ['mistral.mistral-large-2407-v1:0', { top_k: 20 }],
    [nova, { inferenceConfig: { topK: 20 } }],
    ['cohere.command-r-plus-v1:0', { k: 20 }],
    [llama, undefined],
  ]
  for (const [model, fields] of topK) {
    it(`of top_k are translated for ${model}`, () => {
      expect(requestOf({ model, top_k: 20 }).additionalModelRequestFields).to.deep.equal(fields)
    })
  }

  const budget = { thinking: { type: 'enabled', budget_tokens: 2000 } }
  const thinking: [string, JsonObject, JsonObject | undefined][] = [
    [claude45, budget, { thinking: { type: 'enabled', budget_tokens: 2000 } }],
    [profile, budget, { thinking: { type: 'enabled', budget_tokens: 2000 } }],
    [opus47, budget, { thinking: { type: 'adaptive' } }],
    [claude45, { thinking: { type: 'disabled' } }, { thinking: { type: 'disabled' } }],
    [nova2, budget, { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } }],
    [
      nova2,
      { ...budget, reasoning_effort: 'high' },
      { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } },
    ],
    [nova2, { thinking: { type: 'disabled' } }, { reasoningConfig: { type: 'disabled' } }],
    [llama, budget, undefined],
    ['qwen.qwen3-32b-v1:0', budget, undefined],
    [nova, budget, undefined],
  ]
  for (const [model, body, fields] of thinking) {
    it(`of thinking ${JSON.stringify(body)} for ${model} are sent only without strict compliance`, () => {
      const loose = requestOf({ model, ...body }, { strict: false })
      expect(loose.additionalModelRequestFields).to.deep.equal(fields)
      if (body.reasoning_effort === undefined) expect(requestOf({ model, ...body })).to.deep.equal(plain)
    })
  }

  const efforts: [string, string, Partial<WireRequest>][] = [
    [opus47, 'minimal', { outputConfig: { effort: 'low' } }],
    [opus47, 'xhigh', { outputConfig: { effort: 'high' } }],
    ['anthropic.claude-opus-4-5-20251101-v1:0', 'medium', { outputConfig: { effort: 'medium' } }],
    [claude45, 'medium', {}],
    [
      nova2,
      'low',
      { additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } } },
    ],
    [gptOss, 'xhigh', { additionalModelRequestFields: { reasoning_effort: 'high' } }],
    ['us.openai.gpt-5.2', 'xhigh', { additionalModelRequestFields: { reasoning: { effort: 'xhigh' } } }],
    [gptOss, 'none', {}],
    [llama, 'high', {}],
  ]
  for (const [model, reasoning_effort, expected] of efforts) {
    it(`of reasoning effort ${reasoning_effort} are translated for ${model}`, () => {
      expect(requestOf({ model, reasoning_effort })).to.deep.equal({ ...plain, ...expected })
    })
  }

  const schema = {
    type: 'object',
    properties: { city: { type: 'string', minLength: 1 } },
    required: ['city'],
  }
  const asked = {
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'place', description: 'A place', strict: true, schema },
    },
  }

  it('of a JSON schema become an output configuration for a model with structured outputs', () => {
    const { outputConfig, toolConfig } = requestOf({ model: claude45, ...asked })
    const { schema: sent, ...named } = outputConfig?.textFormat?.structure?.jsonSchema ?? {}
    expect(outputConfig?.textFormat?.type).to.equal('json_schema')
    expect(named).to.deep.equal({ name: 'place', description: 'A place' })
    expect(JSON.parse(sent ?? '')).to.deep.equal({
      type: 'object',
      properties: { city: { type: 'string', description: 'minLength: 1' } },
      required: ['city'],
      additionalProperties: false,
    })
    expect(toolConfig).to.equal(undefined)
  })

  it('of a JSON schema become a forced tool call for a model that supports it', () => {
    const expected: WireRequest = {
      ...plain,
      toolConfig: {
        tools: [{ toolSpec: { name: 'json_output', description: 'A place', inputSchema: { json: schema } } }],
        toolChoice: { tool: { name: 'json_output' } },
      },
    }
    expect(requestOf({ model: nova, ...asked })).to.deep.equal(expected)
  })

  const instructed: [string, JsonObject, boolean][] = [
    ['a model that cannot be made to call a tool', { model: llama }, true],
    ['tools of the caller’s own', { model: nova, tools: [weather] }, true],
    ['thinking', { thinking: { type: 'enabled', budget_tokens: 1024 } }, false],
    [
      'a schema that is not an object',
      { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'array' } } } },
      true,
    ],
  ]
  for (const [what, body, strict] of instructed) {
    it(`of a JSON schema become an instruction with ${what}`, () => {
      const { system, toolConfig } = requestOf({ ...asked, ...body }, { strict })
      expect(system?.at(-1)?.text).to.include('"type":')
      expect(JSON.stringify(toolConfig ?? {})).not.to.include('json_output')
    })
  }

  it('of JSON without a schema become an instruction after the system prompt', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ]
    const { system } = requestOf({ model: claude45, messages, response_format: { type: 'json_object' } })
    expect(system).to.have.length(2)
    expect(system?.[1]?.text).to.include('JSON')
  })

  it('of an unknown response format are refused', () => {
    const error = gatewayErrorOf(() => requestOf({ response_format: { type: 'grammar' } }))
    expect(error).to.include({ code: 'invalid_body', param: '/response_format/type' })
  })

  it('for several choices are refused', () => {
    expect(gatewayErrorOf(() => requestOf({ n: 2 }))).to.include({ code: 'invalid_body', param: '/n' })
  })

  const tiers: [string, WireRequest['serviceTier']][] = [
    ['flex', { type: 'flex' }],
    ['priority', { type: 'priority' }],
    ['default', { type: 'default' }],
    ['auto', undefined],
    ['scale', undefined],
  ]
  for (const [service_tier, expected] of tiers) {
    it(`of the service tier ${service_tier} are translated`, () => {
      expect(requestOf({ service_tier }).serviceTier).to.deep.equal(expected)
    })
  }

  const own = {
    guardrailConfig: { guardrailIdentifier: 'g', guardrailVersion: '1', trace: 'enabled' },
    performanceConfig: { latency: 'optimized' },
    requestMetadata: { team: 'a' },
    promptVariables: { name: { text: 'x' } },
    additionalModelResponseFieldPaths: ['/stop_sequence'],
  } satisfies Partial<WireRequest>
  it("in the vendor's format are forwarded unchanged", () => {
    expect(requestOf({ ...own })).to.deep.equal({ ...plain, ...own })
  })

  it("in the vendor's format can be written in snake_case", () => {
    const request = requestOf({
      guardrail_config: own.guardrailConfig,
      performance_config: own.performanceConfig,
    })
    expect(request).to.deep.equal({
      ...plain,
      guardrailConfig: own.guardrailConfig,
      performanceConfig: own.performanceConfig,
    })
  })

  it("in the vendor's format override translated ones", () => {
    const request = requestOf({ top_k: 5, additionalModelRequestFields: { top_k: 9, anthropic_beta: ['b'] } })
    expect(request.additionalModelRequestFields).to.deep.equal({ top_k: 9, anthropic_beta: ['b'] })
  })

  it('without an equivalent are dropped', () => {
    const dropped = {
      seed: 1,
      user: 'u',
      logit_bias: { a: 1 },
      logprobs: true,
      frequency_penalty: 1,
      stream: true,
    }
    expect(requestOf(dropped)).to.deep.equal(plain)
  })
})
