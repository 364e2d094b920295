/** Translated responses have every member that the published types of the format require. */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { writeAnswer } from '#dialect-responses/answer'
import { responsesStream } from '#dialect-responses/stream'
import {
  expectMembers,
  response as required,
  responseEvents,
  responseItems,
} from '../../conformance/required-members.ts'
import { chatAnswer, chatChunks, createContext, runStream } from './support.ts'

const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
const custom = { id: 'd', type: 'function', function: { name: 'patch', arguments: '{"input":"x"}' } }
const request = { tools: [{ type: 'custom', name: 'patch' }] }
const message = { reasoning_content: 'hm', content: 'hi', refusal: 'no', tool_calls: [call, custom] }

const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? (value as JsonObject[]) : [])

function expectResponse(body: JsonObject): void {
  expectMembers(body, required.answer)
  for (const item of listOf(body.output)) {
    expectMembers(item, responseItems[String(item.type)] ?? ['unknown type'])
    for (const part of listOf(item.content)) expectMembers(part, responseItems[String(part.type)] ?? [])
  }
  if (body.usage === null) return
  expectMembers(body.usage, required.usage)
  const { input_tokens_details: input, output_tokens_details: output } = body.usage as JsonObject
  expectMembers(input, required.inputDetails)
  expectMembers(output, required.outputDetails)
}

describe('a translated response', () => {
  it('has all members', () => {
    expectResponse(writeAnswer(chatAnswer(message, 'tool_calls'), createContext(request)))
  })

  it('has all members in its events', () => {
    const deltas = [
      { reasoning_content: 'hm' },
      { content: 'hi' },
      { tool_calls: [{ index: 0, ...call }] },
      { tool_calls: [{ index: 1, ...custom }] },
    ]
    const events = runStream(responsesStream(createContext(request)), chatChunks(deltas, 'tool_calls'))
    const met = new Set<string>()
    for (const event of events) {
      const type = String(event.type)
      met.add(type)
      if (event.response !== undefined) expectResponse(event.response as JsonObject)
      if (responseEvents[type] !== undefined) expectMembers(event, responseEvents[type])
    }
    expect([...met]).to.include.members(Object.keys(responseEvents))
  })

  const tiers: [given: string | null, tier: string][] = [
    ['default', 'default'],
    ['flex', 'flex'],
    ['priority', 'priority'],
    ['scale', 'scale'],
    ['on_demand', 'default'],
    ['standard', 'default'],
    ['performance', 'priority'],
    ['hourly', 'default'],
    ['constructor', 'default'],
    [null, 'default'],
  ]
  for (const [given, tier] of tiers) {
    it(`has the service tier ${tier} for ${given}`, () => {
      const answer = { ...chatAnswer({ content: 'hi' }), service_tier: given }
      expect(writeAnswer(answer, createContext())).to.include({ service_tier: tier })
      const chunks = chatChunks([{ content: 'hi' }]).map((chunk) => ({ ...chunk, service_tier: given }))
      const last = runStream(responsesStream(createContext()), chunks).at(-1)
      expect(last?.response).to.include({ service_tier: tier })
    })
  }

  it("has the request's tier when the provider's is unknown", () => {
    const answer = { ...chatAnswer({ content: 'hi' }), service_tier: 'hourly' }
    expect(writeAnswer(answer, createContext({ service_tier: 'flex' }))).to.include({ service_tier: 'flex' })
  })
})
