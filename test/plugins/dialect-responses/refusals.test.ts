/** Requests that this provider does not support: 400 with the path in the caller's body and the provider's name. */
import { expect } from 'chai'
import { readRequest } from '#dialect-responses/request'
import { gatewayErrorOf } from '../../providers/fixtures/thrown.ts'
import { createContext } from './support.ts'

describe('a response request that cannot be translated to chat', () => {
  const message = (part: object) => ({ input: [{ role: 'user', content: [part] }] })
  const refused: [string, object, string][] = [
    ['a run in the background', { background: true }, '/background'],
    ['a conversation', { conversation: 'conv_1' }, '/conversation'],
    ['a prompt of the vendor', { prompt: { id: 'pmpt_1' } }, '/prompt'],
    ['moderation by the vendor', { moderation: { model: 'm' } }, '/moderation'],
    ['compaction', { context_management: [{ type: 'compaction' }] }, '/context_management'],
    ['no model', { model: undefined }, '/model'],
    ['no input', { input: undefined }, '/input'],
    ['an empty input', { input: [] }, '/input'],
    ...['web_search', 'file_search', 'computer', 'mcp', 'code_interpreter', 'image_generation'].map(
      (type): [string, object, string] => [
        `the tool ${type}`,
        { tools: [{ type, name: 'x' }] },
        '/tools/0/type',
      ],
    ),
    ['the choice of such a tool', { tool_choice: { type: 'mcp', server_label: 's' } }, '/tool_choice/type'],
    [
      'the choice among such tools',
      { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp' }] } },
      '/tool_choice/tools/0',
    ],
    ['a call that must be, without tools', { tool_choice: 'required' }, '/tool_choice'],
    [
      'an image by file id',
      message({ type: 'input_image', file_id: 'f', detail: 'auto' }),
      '/input/0/content/0/image_url',
    ],
    ['a file without content', message({ type: 'input_file', filename: 'a' }), '/input/0/content/0'],
    ['a part of another kind', message({ type: 'input_video' }), '/input/0/content/0/type'],
    ['an invalid text', message({ type: 'input_text' }), '/input/0/content/0/text'],
    ['a call of such a tool', { input: [{ type: 'file_search_call', id: 'fs_1' }] }, '/input/0/type'],
    ['items of types that are not known alone', { input: [{ type: 'newer_item' }] }, '/input/0/type'],
    [
      'an encrypted summary of the vendor',
      {
        input: [
          { type: 'compaction', encrypted_content: 'x' },
          { role: 'user', content: 'x' },
        ],
      },
      '/input/0/type',
    ],
    [
      'a call without an id',
      { input: [{ type: 'function_call', name: 'f', arguments: '' }] },
      '/input/0/call_id',
    ],
    ['an item that is not kept', { input: [{ type: 'item_reference', id: 'msg_1' }] }, '/input/0/id'],
    ['an item that is not kept, in short', { input: [{ id: 'msg_1' }] }, '/input/0/id'],
    ['a role of another kind', { input: [{ role: 'robot', content: 'x' }] }, '/input/0/role'],
    ['a format of another kind', { text: { format: { type: 'grammar' } } }, '/text/format/type'],
  ]
  for (const [name, body, param] of refused) {
    it(`refuses ${name}`, () => {
      const whole = { model: 'm', input: 'hi', ...body }
      const error = gatewayErrorOf(() => readRequest(whole as never, createContext(whole)))
      expect(error).to.include({ code: 'invalid_body', param })
      expect(error.message).to.contain('test-provider')
    })
  }

  it('does not find a response that the gateway has not stored', () => {
    const whole = { model: 'm', input: 'hi', previous_response_id: 'resp_x' }
    const error = gatewayErrorOf(() => readRequest(whole, createContext(whole)))
    expect(error).to.include({ code: 'previous_response_not_found', param: '/previous_response_id' })
  })
})
