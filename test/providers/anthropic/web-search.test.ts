/**
 * `web_search_options` → the vendor's tool of that kind; its citations → annotations.
 * Source: https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool
 */
import type { WebSearchTool20250305 } from '@anthropic-ai/sdk/resources/messages'
import type { JsonObject } from '@gateway/contract'
import { anthropicDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import { runStream, translatorOf } from '../fixtures/streams.ts'
import { answerOf, requestOf, weather, weatherTool } from './fixtures/chat.ts'
import { blockDelta, blockStart, blockStop, ending, start, stop, textBlock } from './fixtures/streams.ts'

const search = { type: 'web_search_20250305', name: 'web_search' } satisfies WebSearchTool20250305
const citation: JsonObject = {
  type: 'web_search_result_location',
  url: 'https://example.com/a',
  title: 'A',
  encrypted_index: 'x',
  cited_text: 'warm',
}
const annotation = {
  type: 'url_citation',
  url_citation: { start_index: 4, end_index: 8, url: 'https://example.com/a', title: 'A' },
}

describe('Anthropic web search', () => {
  it("uses the vendor's tool", () => {
    const request = requestOf({ web_search_options: { search_context_size: 'low' } })
    expect(request.tools).to.deep.equal([search])
    expect(request).to.not.have.property('tool_choice')
  })

  it("can be combined with the caller's tools", () => {
    const request = requestOf({ web_search_options: {}, tools: [weather] })
    expect(request.tools).to.deep.equal([weatherTool, search])
  })

  it("sends the user's location", () => {
    const approximate = { city: 'Bern', country: 'CH', region: '' }
    const request = requestOf({
      web_search_options: { user_location: { type: 'approximate', approximate } },
    })
    const user_location = { type: 'approximate', city: 'Bern', country: 'CH' } as const
    expect(request.tools).to.deep.equal([{ ...search, user_location } satisfies WebSearchTool20250305])
  })

  it('returns sources as annotations on the passages that they support', () => {
    const content = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'weather' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      { type: 'text', text: 'It: ' },
      { type: 'text', text: 'warm', citations: [citation] },
      { type: 'text', text: ' (book)', citations: [{ type: 'char_location', document_title: 'B' }] },
    ]
    const answer = answerOf({ id: 'msg_1', content, stop_reason: 'end_turn' })
    expect(answer.choices).to.have.deep.nested.property('[0].message', {
      role: 'assistant',
      content: 'It: warm (book)',
      refusal: null,
      annotations: [annotation],
    })
  })

  it('returns them in a stream once their passage is complete', () => {
    const events = [
      start,
      ...textBlock(0, 'It: '),
      blockStart(1, { type: 'text', text: '', citations: [] }),
      blockDelta(1, { type: 'citations_delta', citation }),
      blockDelta(1, { type: 'text_delta', text: 'wa' }),
      blockDelta(1, { type: 'text_delta', text: 'rm' }),
      blockStop(1),
      ending('end_turn'),
      stop,
    ]
    const { chunks } = runStream(translatorOf(anthropicDialect), events)
    const deltas = chunks.flatMap(({ choices }) =>
      (choices as { delta: JsonObject }[]).map((one) => one.delta),
    )
    expect(deltas.slice(1)).to.deep.equal([
      { content: 'It: ' },
      { content: 'wa' },
      { content: 'rm' },
      { annotations: [annotation] },
      {},
    ])
  })
})
