/** Which address counts as the caller's if there are proxies. */
import { expect } from 'chai'
import { clientAddress } from '#core/server/client-address'
import { parseTrustedHost } from '#domain/trusted-hosts'
import { startGateway } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

const proxies = ['10.0.0.0/8', '127.0.0.1', 'fd00::/8'].map(parseTrustedHost)

describe('the client address', () => {
  const cases: [name: string, remote: string, forwarded: string | undefined, address: string][] = [
    ['without a proxy is that of the connection', '192.0.2.1', undefined, '192.0.2.1'],
    ['that is not a trusted proxy is its own, whatever it sends', '192.0.2.1', '198.51.100.1', '192.0.2.1'],
    ['behind a proxy is the address that the proxy reports', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    [
      'is the rightmost that is not a proxy',
      '10.0.0.1',
      '203.0.113.9, 198.51.100.1, 10.2.3.4',
      '198.51.100.1',
    ],
    ['is found after invalid entries', '10.0.0.1', '198.51.100.1, unknown, _hidden', '198.51.100.1'],
    ['may have a port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['may be of IPv6', 'fd00::1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['is the farthest proxy where all are proxies', '10.0.0.1', '10.9.9.9, 10.1.1.1', '10.9.9.9'],
    ['is that of the connection where nothing can be read', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['is seen through a mapped address', '::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ]
  for (const [name, remote, forwarded, address] of cases) {
    it(name, () => {
      expect(clientAddress(remote, forwarded, proxies)).to.equal(address)
    })
  }

  it('is that of the connection without trusted proxies', () => {
    expect(clientAddress('10.0.0.1', '198.51.100.1', [])).to.equal('10.0.0.1')
  })

  it('stops the start when an entry of trusted_proxies is not an address', async () => {
    const failure = await startGateway({
      server: { trusted_proxies: ['10.0.0.0/8', 'proxy.example'] },
    }).catch((error: unknown) => error)
    expect(String(failure)).to.contain('/server/trusted_proxies/1')
  })

  describe('behind a trusted proxy', () => {
    const api = openManagement({ server: { trusted_proxies: ['127.0.0.1', '::1'] } })

    it('is recorded in the audit log', async () => {
      const body = { name: 'seen', description: 'd' }
      await api.post('/v1/workspaces', body, { 'x-forwarded-for': '203.0.113.9, 198.51.100.1' })
      const [record] = await api.audit('action=create&resource_type=workspace')
      expect(record?.client_ip).to.equal('198.51.100.1')
    })
  })
})
