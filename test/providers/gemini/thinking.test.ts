/**
 * `reasoning_effort` and `thinking` → `thinkingConfig`, by model.
 * Source: https://ai.google.dev/gemini-api/docs/thinking, https://ai.google.dev/gemini-api/docs/openai#thinking
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import type { ThinkingConfig } from '#kit/dialect/gemini/types'
import { configOf } from './fixtures/chat.ts'

const efforts: [string, string, ThinkingConfig | undefined][] = [
  ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
  ['gemini-2.5-flash', 'minimal', { thinkingBudget: 1024 }],
  ['gemini-2.5-flash', 'low', { thinkingBudget: 1024 }],
  ['gemini-2.5-flash', 'medium', { thinkingBudget: 8192 }],
  ['gemini-2.5-flash', 'high', { thinkingBudget: 24_576 }],
  ['gemini-2.5-pro', 'none', { thinkingBudget: 128 }],
  ['google/gemini-2.5-flash-lite', 'none', { thinkingBudget: 0 }],
  ['gemini-3-flash-preview', 'none', { thinkingLevel: 'MINIMAL' }],
  ['gemini-3.5-flash-lite', 'minimal', { thinkingLevel: 'MINIMAL' }],
  ['gemini-3.8-flash', 'minimal', { thinkingLevel: 'LOW' }],
  ['gemini-3.1-pro-preview', 'none', { thinkingLevel: 'LOW' }],
  ['gemini-4-argon', 'low', { thinkingLevel: 'LOW' }],
  ['gemini-4-argon', 'medium', { thinkingLevel: 'MEDIUM' }],
  ['gemini-4-argon', 'high', { thinkingLevel: 'HIGH' }],
  ['gemini-flash-latest', 'high', { thinkingLevel: 'HIGH' }],
  ['gemini-4-argon', 'of tomorrow', undefined],
  ['gemini-2.0-flash', 'high', undefined],
  ['gemini-2.5-flash-image', 'high', undefined],
  ['gemma-4-31b-it', 'high', undefined],
  ['tunedModels/mine', 'high', undefined],
]

const thoughts: [string, JsonObject, ThinkingConfig | undefined][] = [
  [
    'gemini-2.5-flash',
    { type: 'enabled', budget_tokens: 2000 },
    { thinkingBudget: 2000, includeThoughts: true },
  ],
  [
    'gemini-2.5-flash',
    { type: 'enabled', budget_tokens: 99_999 },
    { thinkingBudget: 24_576, includeThoughts: true },
  ],
  [
    'gemini-2.5-flash-lite',
    { type: 'enabled', budget_tokens: 9 },
    { thinkingBudget: 512, includeThoughts: true },
  ],
  ['gemini-2.5-pro', { type: 'enabled', budget_tokens: 9 }, { thinkingBudget: 128, includeThoughts: true }],
  ['gemini-2.5-pro', { type: 'adaptive' }, { thinkingBudget: -1, includeThoughts: true }],
  ['gemini-2.5-flash', { type: 'disabled' }, { thinkingBudget: 0 }],
  [
    'gemini-3.8-flash',
    { type: 'enabled', budget_tokens: 1024 },
    { thinkingLevel: 'LOW', includeThoughts: true },
  ],
  [
    'gemini-3.8-flash',
    { type: 'enabled', budget_tokens: 5000 },
    { thinkingLevel: 'MEDIUM', includeThoughts: true },
  ],
  [
    'gemini-3.8-flash',
    { type: 'enabled', budget_tokens: 20_000 },
    { thinkingLevel: 'HIGH', includeThoughts: true },
  ],
  ['gemini-3.8-flash', { type: 'enabled' }, { includeThoughts: true }],
  ['gemini-3.8-flash', { type: 'disabled' }, { thinkingLevel: 'LOW' }],
]

describe('Gemini thinking', () => {
  for (const [model, effort, config] of efforts) {
    it(`of ${model} with effort ${effort} is ${JSON.stringify(config)}`, () => {
      expect(configOf({ model, reasoning_effort: effort }).thinkingConfig).to.deep.equal(config)
    })
  }

  for (const [model, thinking, config] of thoughts) {
    it(`of ${model} for ${JSON.stringify(thinking)} is ${JSON.stringify(config)}`, () => {
      expect(configOf({ model, thinking }, { strict: false }).thinkingConfig).to.deep.equal(config)
    })
  }

  it('is sent only without strict compliance', () => {
    const thinking = { type: 'enabled', budget_tokens: 2000 }
    expect(configOf({ thinking }).thinkingConfig).to.equal(undefined)
    expect(configOf({ thinking, reasoning_effort: 'low' }).thinkingConfig).to.deep.equal({
      thinkingBudget: 1024,
    })
  })

  it('overrides the effort, and thoughts are shown with either', () => {
    const body = { thinking: { type: 'enabled', budget_tokens: 2000 }, reasoning_effort: 'minimal' }
    expect(configOf(body, { strict: false }).thinkingConfig).to.deep.include({ thinkingBudget: 2000 })
    expect(configOf({ reasoning_effort: 'high' }, { strict: false }).thinkingConfig).to.deep.equal({
      thinkingBudget: 24_576,
      includeThoughts: true,
    })
  })
})
