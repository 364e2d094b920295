/** A logged request and its answer in readable form, for the format of every endpoint. */
import { expect } from 'chai'
import { loadWebModule } from './web-module.ts'

interface Part {
  kind: string
  text?: string
  name?: string
  url?: string | null
}
interface Turn {
  role: string
  parts: readonly Part[]
}

type Reader = (body: unknown) => Turn[]

describe('a conversation in the log', () => {
  let requestTurns: Reader
  let answerTurns: Reader
  before(async () => {
    const module = await loadWebModule<{ requestTurns: Reader; answerTurns: Reader }>('parts/conversation.ts')
    requestTurns = module.requestTurns
    answerTurns = module.answerTurns
  })

  const weather = { city: 'Paris' }
  const said = (turns: readonly Turn[]) =>
    turns.map(({ role, parts }) => [role, ...parts.map(({ kind, name, text }) => `${kind} ${name ?? text}`)])

  it('has the roles, tools, images and thinking of a chat completion', () => {
    const turns = requestTurns({
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Where is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Look it up.',
          tool_calls: [{ id: '1', function: { name: 'weather', arguments: JSON.stringify(weather) } }],
        },
        { role: 'tool', tool_call_id: '1', content: 'clear' },
      ],
    })
    expect(said(turns)).to.deep.equal([
      ['system', 'text Be brief.'],
      ['user', 'text Where is this?', 'media Image'],
      ['assistant', 'thinking Look it up.', 'call weather'],
      ['tool', 'result '],
    ])
    expect(turns[1]?.parts[1]?.url).to.equal('data:image/png;base64,AAAA')
    expect(turns[2]?.parts[1]?.text).to.equal(JSON.stringify(weather, null, 2))
    expect(turns[3]?.parts[0]?.text).to.equal('clear')
    expect(
      said(answerTurns({ choices: [{ message: { role: 'assistant', content: 'Paris.' } }] })),
    ).to.deep.equal([['assistant', 'text Paris.']])
  })

  it('is read from the Messages API', () => {
    expect(
      said(
        requestTurns({
          system: [{ type: 'text', text: 'Be brief.' }],
          messages: [
            { role: 'user', content: 'Weather?' },
            {
              role: 'user',
              content: [
                { type: 'tool_result', tool_use_id: '1', content: [{ type: 'text', text: 'clear' }] },
              ],
            },
          ],
        }),
      ),
    ).to.deep.equal([
      ['system', 'text Be brief.'],
      ['user', 'text Weather?'],
      ['user', 'result '],
    ])
    expect(
      said(
        answerTurns({
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.' },
            { type: 'text', text: 'I ask.' },
            { type: 'tool_use', name: 'weather', input: weather },
          ],
        }),
      ),
    ).to.deep.equal([['assistant', 'thinking Hm.', 'text I ask.', 'call weather']])
  })

  it('is read from the Responses API, with consecutive items of the assistant as one turn', () => {
    expect(said(requestTurns({ instructions: 'Be brief.', input: 'Weather?' }))).to.deep.equal([
      ['system', 'text Be brief.'],
      ['user', 'text Weather?'],
    ])
    expect(
      said(
        answerTurns({
          output: [
            { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
            { type: 'function_call', name: 'weather', arguments: '{"city":"Paris"}' },
            { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Clear.' }] },
          ],
        }),
      ),
    ).to.deep.equal([['assistant', 'thinking Hm.', 'call weather', 'text Clear.']])
  })

  it('is read from contents with parts', () => {
    expect(
      said(
        requestTurns({
          systemInstruction: { parts: [{ text: 'Be brief.' }] },
          contents: [
            {
              role: 'user',
              parts: [{ text: 'This?' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
            },
            { role: 'model', parts: [{ functionCall: { name: 'weather', args: weather } }] },
          ],
        }),
      ),
    ).to.deep.equal([
      ['system', 'text Be brief.'],
      ['user', 'text This?', 'media Image'],
      ['model', 'call weather'],
    ])
    expect(
      said(
        answerTurns({
          candidates: [{ content: { parts: [{ text: 'Hm.', thought: true }, { text: 'Clear.' }] } }],
        }),
      ),
    ).to.deep.equal([['assistant', 'thinking Hm.', 'text Clear.']])
  })

  it('has no turns for any other body', () => {
    for (const body of [null, 'text', [], { data: [{ embedding: [1] }] }, { choices: 'none' }]) {
      expect(requestTurns(body)).to.deep.equal([])
      expect(answerTurns(body)).to.deep.equal([])
    }
  })
})
