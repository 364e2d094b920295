/**
 * Configured headers cannot change the framing or the destination of a message, nor use names reserved for the gateway.
 */
import { configuredHeaderFault } from '@gateway/contract'
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'

const refused = [
  ...['content-length', 'Transfer-Encoding', 'host', 'HOST', 'connection', 'keep-alive', 'te', 'trailer'],
  ...[
    'upgrade',
    'proxy-authorization',
    'proxy-connection',
    'expect',
    'x-gateway-api-key',
    'X-Gateway-Config',
  ],
]

describe('a configured header', () => {
  const api = openManagement()

  for (const name of refused) {
    const headers = { [name]: '5' }
    it(`cannot be ${name}: in checks, credentials and models`, async () => {
      const check = (id: string, url: string) => ({
        name: `guard ${name} ${id}`,
        workspace_id: 'default',
        checks: [{ id: `default.${id}`, parameters: { [url]: 'https://example.com', headers } }],
      })
      const integration = { name: `i ${name}`, ai_provider_id: 'openai', key: 'sk-0123456789abcdef' }
      const stored = await api.post('/v1/integrations', { ...integration, name: `m ${name}` })
      const replies = [
        await api.post('/v1/guardrails', check('webhook', 'webhookURL')),
        await api.post('/v1/guardrails', check('log', 'logURL')),
        await api.post('/v1/integrations', { ...integration, configurations: { custom_headers: headers } }),
        await api.put(`/v1/integrations/${String(stored.body.id)}/models`, {
          models: [
            { slug: 'm', is_custom: true, enabled: true, configurations: { custom_headers: headers } },
          ],
        }),
      ]
      for (const reply of replies) {
        expect(reply.status, reply.text).to.equal(400)
      }
    })
  }

  it('can have any other name', async () => {
    for (const name of ['authorization', 'x-secret', 'content-type', 'user-agent']) {
      expect(configuredHeaderFault(name, 'value')).to.equal(null)
    }
    const reply = await api.post('/v1/guardrails', {
      name: 'fine',
      workspace_id: 'default',
      checks: [
        {
          id: 'default.webhook',
          parameters: { webhookURL: 'https://example.com', headers: { 'x-secret': 's' } },
        },
      ],
    })
    expect(reply.status, reply.text).to.equal(200)
  })

  it('cannot contain a line break', () => {
    expect(configuredHeaderFault('x-a', 'a\r\nb: c')).to.equal('contains characters not allowed in a header')
  })
})
