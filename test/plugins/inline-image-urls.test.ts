/** Images that a request names by URL, fetched by a gateway from a real server and sent on to a real one. */
import { expect } from 'chai'
import { configHeader, startGateway, type TestGateway, target } from '../support/gateway.ts'
import { answerOk, openUpstream, type Upstream } from '../support/upstream.ts'

const png = Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1')

describe('images by URL', () => {
  let upstream: Upstream
  let gateway: TestGateway

  before(async () => {
    upstream = await openUpstream((request, response, count) => {
      if (request.path !== '/a.png') return answerOk(request, response, count)
      response.writeHead(200, { 'content-type': 'application/octet-stream' })
      response.end(png)
    })
    gateway = await startGateway()
  })
  beforeEach(() => {
    upstream.seen.length = 0
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
  })

  const ask = async (url: string, parameters: object = {}) => {
    const body = {
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    }
    const config = target(`${upstream.origin}/v1`, {
      input_guardrails: [{ id: 'images', deny: true, inlineImageUrls: parameters }],
    })
    const response = await gateway.post('/v1/chat/completions', body, {
      ...configHeader(config),
      authorization: 'Bearer theirs',
    })
    const sent = upstream.seen.findLast(({ path }) => path.startsWith('/v1'))?.json
    return { status: response.status, sent }
  }
  const sentUrl = (sent: unknown) =>
    (sent as { messages: [{ content: [{ image_url: { url: string } }] }] }).messages[0].content[0].image_url
      .url

  it("reach the target as data, and the image host receives none of the caller's headers", async () => {
    const { status, sent } = await ask(`${upstream.origin}/a.png`)
    expect(status).to.equal(200)
    expect(sentUrl(sent)).to.equal(`data:image/png;base64,${png.toString('base64')}`)
    const fetched = upstream.seen.filter(({ path }) => path === '/a.png')
    expect(fetched.map(({ method }) => method)).to.deep.equal(['GET'])
    expect(fetched[0]?.headers).not.to.have.any.keys('authorization', 'x-gateway-api-key', 'cookie')
  })

  it('are unchanged for other providers', async () => {
    const url = `${upstream.origin}/a.png`
    expect(sentUrl((await ask(url, { providers: ['bedrock'] })).sent)).to.equal(url)
    expect(sentUrl((await ask(url, { providers: ['openai'] })).sent)).to.match(/^data:/)
  })

  it('are not fetched from private addresses', async () => {
    const url = 'http://169.254.169.254/a.png'
    expect(sentUrl((await ask(url)).sent)).to.equal(url)
    expect((await ask(url, { failOnError: true })).status).to.equal(446)
  })

  it('are refused above the size limit', async () => {
    const url = `${upstream.origin}/a.png`
    expect((await ask(url, { failOnError: true, maxSizeBytes: png.length })).status).to.equal(200)
    expect((await ask(url, { failOnError: true, maxSizeBytes: png.length - 1 })).status).to.equal(446)
  })
})
