/** The audit log hides the values of misspelt keys in refused bodies. */
import { unknownKey } from '@gateway/domain'
import { expect } from 'chai'
import { keyInMessage } from '#domain/unknown-name'
import { openManagement } from '../../support/management.ts'

const secret = 'value-that-nobody-may-see'

describe('the audit log of refused bodies', () => {
  const api = openManagement()

  const bodies: [what: string, path: string, body: Record<string, unknown>][] = [
    ['a misspelt key of the body', '/v1/configs', { name: 'a', config: {}, aws_secret_access_kye: secret }],
    [
      'a misspelt credential',
      '/v1/integrations',
      { name: 'a', ai_provider_id: 'bedrock', configurations: { aws_secret_access_kye: secret } },
    ],
    ['a list under a misspelt key', '/v1/configs', { name: 'a', config: {}, kyes: [secret, { a: secret }] }],
    ['a very long key', '/v1/configs', { name: 'a', config: {}, ['k'.repeat(300)]: secret }],
    [
      'one of more keys than an error lists',
      '/v1/configs',
      Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`kye${index}`, secret])),
    ],
  ]
  for (const [what, path, body] of bodies)
    it(`hides the value of ${what}`, async () => {
      const reply = await api.post(path, body)
      expect(reply.status, reply.text).to.equal(400)
      expect(reply.text).not.to.include(secret)
      const records = JSON.stringify(await api.audit(`uri=${path}`))
      expect(records).to.include('"response_status_code":400')
      expect(records, reply.text + records).not.to.include(secret)
    })

  it('keeps the values of known keys', async () => {
    await api.post('/v1/configs', { name: 'kept-name', config: {}, colour: 'blue' })
    expect(JSON.stringify(await api.audit('uri=/v1/configs'))).to.include('kept-name')
  })

  it('finds the key in every message about an unknown one', () => {
    for (const key of ['modle', 'a "quoted" one', 'x'.repeat(99)]) {
      expect(keyInMessage(unknownKey(key, ['model']))).to.equal(key)
      expect(keyInMessage(`/a: ${unknownKey(key, [])} (and 2 more, see details)`)).to.equal(key)
    }
    expect(keyInMessage('must be a string')).to.equal(null)
  })
})
