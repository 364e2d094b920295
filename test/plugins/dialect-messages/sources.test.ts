/** Sources of a chat answer in the Messages format, and how they are sent back to the format's own vendor. */
import type { JsonObject } from '@gateway/contract'
import { messagesDialect as native } from '@gateway/provider-kit'
import { expect } from 'chai'
import { createContext } from '../../providers/fixtures/context.ts'
import { chunkOf, messageEventsOf, messageOf } from './chat-fixtures.ts'

const annotation = (url: string, start_index?: number, end_index?: number) => ({
  type: 'url_citation',
  url_citation: { url, title: 'A page', ...(start_index === undefined ? {} : { start_index, end_index }) },
})
const citation = (url: string) => ({
  type: 'web_search_result_location',
  url,
  title: 'A page',
  cited_text: '',
  encrypted_index: 'gateway.',
})
const page = (url: string) => ({
  type: 'web_search_result',
  url,
  title: 'A page',
  encrypted_content: 'gateway.',
  page_age: null,
})
const offered = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }
const [one, two] = ['https://one.example/', 'https://two.example/']
const content = 'Red. Blue. Green.'

describe('sources of a chat answer, for a caller of /v1/messages', () => {
  it('are the results of the search, and citations of the passages that they support', () => {
    const annotations = [annotation(one, 0, 4), annotation(two, 0, 4), annotation(one, 5, 10)]
    const message = messageOf({ message: { content, annotations } }, {}, offered)
    const id = 'srvtoolu_gateway_1'
    expect(message.content).to.deep.equal([
      { type: 'server_tool_use', id, name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: id, content: [page(one), page(two)] },
      { type: 'text', text: 'Red.', citations: [citation(one), citation(two)] },
      { type: 'text', text: ' ' },
      { type: 'text', text: 'Blue.', citations: [citation(one)] },
      { type: 'text', text: ' Green.' },
    ])
  })

  it('are only citations if no search was offered, of the whole text if there are no offsets', () => {
    const message = messageOf({ message: { content, annotations: [annotation(one)] } })
    expect(message.content).to.deep.equal([{ type: 'text', text: content, citations: [citation(one)] }])
  })

  it('are ignored if they are not web pages', () => {
    const message = messageOf({ message: { content, annotations: [{ type: 'file_citation' }, null] } })
    expect(message.content).to.deep.equal([{ type: 'text', text: content }])
  })

  it('come after the text of a stream, whose events stay valid', () => {
    const events = messageEventsOf(
      [chunkOf({ content: 'Red.' }), chunkOf({ annotations: [annotation(one, 0, 4)] }, 'stop')],
      true,
      { request: offered },
    )
    const started = events.filter(({ type }) => type === 'content_block_start')
    expect(started.map(({ content_block: block }) => (block as JsonObject).type)).to.deep.equal([
      'text',
      'server_tool_use',
      'web_search_tool_result',
    ])
    const deltas = events.filter(({ type }) => type === 'content_block_delta')
    expect(deltas.map(({ index, delta }) => ({ index, delta }))).to.deep.equal([
      { index: 0, delta: { type: 'text_delta', text: 'Red.' } },
      { index: 0, delta: { type: 'citations_delta', citation: citation(one) } },
    ])
  })

  it('do not reach the vendor, which could not read them', () => {
    const said = messageOf({ message: { content, annotations: [annotation(one, 0, 4)] } }, {}, offered)
    const own = { ...citation(two), encrypted_index: 'Eo8B' }
    const blocks = [...(said.content as JsonObject[]), { type: 'text', text: 'x', citations: [own] }]
    const body = { model: 'm', messages: [{ role: 'assistant', content: blocks }] }
    expect(native.request(body, createContext({ request: body })).messages).to.deep.equal([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Red.' },
          { type: 'text', text: ' Blue. Green.' },
          { type: 'text', text: 'x', citations: [own] },
        ],
      },
    ])
  })
})
