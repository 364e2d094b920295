/**
 * Contents as the caller speaks them, at a provider that speaks them itself.
 * Source: https://ai.google.dev/api/generate-content
 */
import type { JsonObject } from '@gateway/contract'
import { generateContentDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import { createContext } from '../fixtures/context.ts'

const call = (id: string) => ({ functionCall: { id, name: 'look', args: {} } })
const result = (id?: string) => ({
  functionResponse: { ...(id === undefined ? {} : { id }), name: 'look', response: { output: 'x' } },
})
const sent = (parts: object[]) => {
  const contents = [
    { role: 'user', parts: [{ text: 'hi' }] },
    { role: 'model', parts: [call('a'), call('b')] },
    { role: 'user', parts },
  ]
  const body = { model: 'gemini-2.5-pro', contents } as JsonObject
  const request = generateContentDialect.request(body, createContext({ request: body }))
  return (request.contents as { parts: object[] }[])[2]?.parts
}

describe('native contents', () => {
  it('have each result once, because the vendor refuses more results than calls', () => {
    expect(sent([result('a'), result('a'), result('b')])).to.deep.equal([result('a'), result('b')])
  })

  it('keep results without ids, which may be those of different calls', () => {
    const parts = [result(), result()]
    expect(sent(parts)).to.equal(parts)
  })
})
