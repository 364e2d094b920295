/** The Gemini format is a package: a gateway without it works, and does not know its paths. */
import { expect } from 'chai'
import { chat, configHeader, json, startGateway, type TestGateway } from '../../support/gateway.ts'
import { objectOf } from '../../support/openapi.ts'

const path = '/v1beta/models/@echo/echo-1:generateContent'
const body = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }

for (const disabled of ['@gateway/dialect-gemini', 'dialect-gemini']) {
  describe(`a gateway with plugins.disabled: [${disabled}]`, () => {
    let gateway: TestGateway
    before(async () => {
      gateway = await startGateway({ plugins: { disabled: [disabled] } })
    })
    after(() => gateway.stop())

    it('answers 404 at the paths of the format', async () => {
      const response = await gateway.post(path, body)
      expect(response.status).to.equal(404)
      expect((await json(response)).error).to.include({ code: 'not_found' })
      expect((await gateway.get('/v1beta/models')).status).to.equal(404)
    })

    it('answers chat requests', async () => {
      const response = await gateway.post('/v1/chat/completions', chat(), configHeader({ provider: 'echo' }))
      expect(response.status).to.equal(200)
    })

    it('describes no path of the format', async () => {
      const { paths } = await json(await gateway.get('/v1/openapi.json'))
      const described = Object.keys(objectOf(paths))
      expect(described).to.include('/v1/chat/completions')
      expect(described.filter((each) => each.startsWith('/v1beta'))).to.deep.equal([])
    })
  })
}
