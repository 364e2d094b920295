/** Non-ASCII headers of a provider reach the caller with unchanged bytes, for any kind of body. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openScene } from '../../support/scene.ts'
import { chatAnswer, chatEvents, sendEvents, sendJson } from '../../support/upstream.ts'

describe('headers with non-ASCII bytes', () => {
  const scene = openScene()
  const value = Buffer.from('Zürich …', 'utf8').toString('latin1')

  for (const stream of [false, true]) {
    it(`are forwarded ${stream ? 'with a stream' : 'with a plain answer'}`, async () => {
      scene.answers = {
        a: (_request, response) => {
          response.setHeader('x-region', value)
          if (stream) sendEvents(response, chatEvents('hi'))
          else sendJson(response, 200, chatAnswer('hi'))
        },
      }
      const { headers } = await scene.ask(scene.leaf('a'), { body: chat('hi', { stream }) })
      expect(headers.get('x-region')).to.equal(value)
    })
  }
})
