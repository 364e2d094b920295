/** Errors of a vendor: status, message and retry-after are kept, and no other data leaks. */
import { expect } from 'chai'
import type { Played, ProviderScene } from './provider-scene.ts'
import { secret } from './provider-settings.ts'

/** The retry-after of each status. After a 429 with a time, the target would be left out for that time. */
const retryAfterByStatus = { 401: '7', 429: '0', 500: '7' }

export function describeErrors(played: Played, scene: ProviderScene): void {
  const { adapter, vendor } = played
  if (vendor.isLocal === true) return

  for (const [name, retryAfter] of Object.entries(retryAfterByStatus)) {
    const status = Number(name)
    it(`returns the vendor's error with ${status}`, async () => {
      scene.play((call) => {
        const answer = vendor.error(status, `The vendor says no to ${secret}`, call)
        return { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } }
      })
      const reply = await scene.ask(played)
      expect(reply.status, reply.text).to.equal(status)
      expect(reply.error.message).to.include('The vendor says no to ***')
      expect(reply.body.provider).to.equal(adapter.name)
      expect(reply.headers.get('retry-after')).to.equal(retryAfter)
      expect(reply.text).to.not.include(secret)
    })
  }

  it('handles an error that is not JSON', async () => {
    const pieces = [Buffer.from('<html>Bad gateway</html>')]
    scene.play(() => ({ status: 503, headers: { 'content-type': 'text/html' }, pieces }))
    const reply = await scene.ask(played)
    expect(reply.status).to.equal(503)
    expect(reply.error.message).to.be.a('string').and.not.include('<html>')
  })

  for (const body of ['{}', '[]', '"text"', '{"choices": 7, "data": {}, "results": "x"}', '{"error":']) {
    it(`handles ${body} instead of an answer`, async () => {
      const pieces = [Buffer.from(body)]
      scene.play(() => ({ status: 200, headers: { 'content-type': 'application/json' }, pieces }))
      const reply = await scene.ask(played)
      // Some formats allow equally empty answers; an invalid answer is 502.
      expect(reply.status, reply.text).to.be.oneOf([200, 502])
      if (reply.status === 502) expect(reply.error.code).to.equal('upstream_invalid_response')
    })
  }
}
