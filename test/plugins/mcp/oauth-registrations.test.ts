/** Registrations of OAuth clients are limited for each address. */
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

describe('OAuth registrations from one address', () => {
  const api = openManagement()
  // An invalid registration counts like a valid one.
  const register = async (body: object = {}) => {
    const response = await fetch(`${api.gateway.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }

  it('are limited to 300 a minute', async () => {
    for (let sent = 0; sent < 300; sent += 50) {
      const replies = await Promise.all(Array.from({ length: 50 }, () => register()))
      for (const { status, text } of replies) expect(status, text).to.equal(400)
    }
    const { status, text } = await register({ redirect_uris: ['https://client.example/callback'] })
    expect(status).to.equal(429)
    expect(JSON.parse(text)).to.include({ error: 'invalid_request' })
  })
})
