/** Bodies that the cases of several checks look at. */
import type { JsonObject } from '@gateway/contract'

export const model = 'm'
export const user = (content: string) => ({ role: 'user', content })
export const dialogue = {
  model,
  messages: [{ role: 'system', content: 'Never say zebra.' }, user('one two'), user('the last one')],
}
export const image = { type: 'image_url', image_url: { url: 'https://images.example/zebra.png' } }
export const toolCall = {
  message: {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'send', arguments: '{"to":"zebra"}' } }],
  },
}
export const answers = (...texts: string[]): JsonObject => ({
  choices: texts.map((content, index) => ({ index, message: { role: 'assistant', content } })),
})
