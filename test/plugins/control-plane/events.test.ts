/**
 * Every event type of the management contract, section 21: the action that causes it sends it exactly once. Actions are
 * API calls, or jobs of the gateway with a changed time.
 */
import { eventTypes, firstOrganisationId, kinds } from '@gateway/domain'
import { expect } from 'chai'
import { createKeyWorker } from '#control-plane/api-keys/worker'
import { configs } from '#control-plane/configs/resource'
import { createRolloutWorker } from '#control-plane/configs/rollouts/worker'
import { createUsageResets } from '#control-plane/policies/usage-resets'
import { flushedBy } from '../../support/capabilities.ts'
import { adminKey, chat, configHeader, target } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { until } from '../../support/until.ts'
import { answerOk, openUpstream, type SeenRequest, sendJson, type Upstream } from '../../support/upstream.ts'
import { ask, upload } from '../batches/fixtures.ts'

const dayMs = 86_400_000

type Body = Record<string, unknown>

interface Sent {
  id: string
  type: string
  organisation_id: string
  workspace_id: string | null
  data: Body & { subject?: { type: string; id: string } }
}

describe('events', () => {
  const api = openManagement({ security: { trusted_hosts: ['127.0.0.1'] } })
  let receiver: Upstream
  let upstream: Upstream
  let hook = ''
  let isFailing = false
  const received: SeenRequest[] = []
  before(async () => {
    receiver = await openUpstream((request, response) => {
      received.push(request)
      sendJson(response, 200, {})
    })
    upstream = await openUpstream((request, response, count) =>
      isFailing ? sendJson(response, 500, {}) : answerOk(request, response, count),
    )
  })
  after(async () => {
    await receiver.close()
    await upstream.close()
  })
  beforeEach(async () => {
    isFailing = false
    if (hook === '') {
      const { body } = await api.post('/v1/webhooks', { url: `${receiver.origin}/hook`, events: ['*'] })
      hook = String(body.id)
    }
    await settled()
    received.length = 0
  })

  const sent = (type: string): Sent[] =>
    received.map(({ text }) => JSON.parse(text) as Sent).filter((event) => event.type === type)

  /** Waits until no event and no delivery is pending. */
  const settled = () =>
    until('nothing waits', async () => {
      const { documents } = api.gateway.runtime.store
      const events = await documents.scan(kinds.event, null, 1)
      const waiting = await documents.list(
        kinds.webhookDelivery,
        { statuses: ['pending'] },
        { offset: 0, limit: 1 },
      )
      return events.length === 0 && waiting.documents.length === 0
    })

  const contextAt = (nowMs: number) => {
    const { sealer, store } = api.gateway.runtime
    return { documents: store.documents, sealer, keyPrefix: 'gw-', now: () => nowMs }
  }
  const runKeysAt = (nowMs: number) => createKeyWorker(contextAt(nowMs)).run(nowMs)
  const made = async (path: string, body: Body): Promise<Body> => {
    const reply = await api.post(path, body)
    expect(reply.status, reply.text).to.equal(200)
    return reply.body
  }
  const changed = async (path: string, body: Body): Promise<Body> => {
    const reply = await api.put(path, body)
    expect(reply.status, reply.text).to.equal(200)
    return reply.body
  }
  const createKey = (more: Body = {}) =>
    made('/v1/api-keys/workspace/service', {
      name: 'CI',
      workspace_id: 'default',
      scopes: ['completions.write'],
      ...more,
    })
  const limit = { type: 'requests', credit_limit: 4, alert_threshold: 2 }
  const call = async (headers: Record<string, string>, body: Body = chat()) => {
    const answer = await fetch(`${api.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...configHeader(target(upstream.url)), ...headers },
      body: JSON.stringify(body),
    })
    await answer.arrayBuffer()
    return answer.status
  }
  const callWith = (key: Body) => call({ 'x-gateway-api-key': String(key.key) })
  const createPrompt = () =>
    made('/v1/prompts', {
      name: 'Greet',
      collection_id: 'default',
      workspace_id: 'default',
      string: JSON.stringify([{ role: 'user', content: 'Hello' }]),
      parameters: { model: 'm' },
    })
  const createBatch = async (lines: Body[], endpoint = '/v1/chat/completions') => {
    const file = await upload(api.gateway, lines.map((each) => JSON.stringify(each)).join('\n'))
    return ask(api.gateway, 'POST /v1/batches', {
      headers: { 'x-gateway-provider': 'echo' },
      body: { input_file_id: file.body.id, endpoint, completion_window: 'immediate' },
    })
  }
  const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: chat() }
  const createJob = async (content: string) => {
    const file = await upload(api.gateway, content, { purpose: 'fine-tune' })
    const method = { type: 'supervised', supervised: { hyperparameters: { n_epochs: 3 } } }
    const { body, status } = await ask(api.gateway, 'POST /v1/fine_tuning/jobs', {
      headers: { 'x-gateway-provider': 'echo' },
      body: { model: 'm', training_file: file.body.id, suffix: 's', method },
    })
    expect(status, JSON.stringify(body)).to.equal(200)
    return body
  }
  const createInvite = async (email: string) => {
    const { invite_link } = await made('/v1/users/invites', { email, role: 'member' })
    return new URL(String(invite_link)).searchParams.get('token')
  }
  const accept = async (email: string) =>
    made('/v1/users/invites/accept', {
      token: await createInvite(email),
      first_name: 'New',
      password: 'a-long-password-1',
    })

  const resets: [string, () => Promise<string>][] = [
    [
      'a key',
      async () => {
        const key = await createKey({ usage_limits: [limit] })
        await changed(`/v1/api-keys/${key.id}`, { reset_usage: true })
        return `api-key ${key.id}`
      },
    ],
    [
      'a key that is rotated',
      async () => {
        const key = await createKey({ usage_limits: [limit] })
        await made(`/v1/api-keys/${key.id}/rotate`, { reset_usage: true })
        return `api-key ${key.id}`
      },
    ],
    [
      'a workspace',
      async () => {
        const workspace = await made('/v1/workspaces', { name: 'Budget', usage_limits: [limit] })
        await changed(`/v1/workspaces/${workspace.id}`, { reset_usage: true })
        return `workspace ${workspace.id}`
      },
    ],
    [
      'a workspace in an integration',
      async () => {
        const integration = await made('/v1/integrations', {
          name: 'House',
          ai_provider_id: 'openai',
          key: 'sk-test',
        })
        const workspace = await made('/v1/workspaces', { name: 'Renting' })
        const path = `/v1/integrations/${integration.id}/workspaces`
        await changed(path, { workspaces: [{ id: workspace.id, enabled: true, usage_limits: [limit] }] })
        await settled()
        received.length = 0
        await changed(path, { workspaces: [{ id: workspace.id, enabled: true, reset_usage: true }] })
        return `integration ${integration.id}`
      },
    ],
    [
      'a provider',
      async () => {
        const integration = await made('/v1/integrations', {
          name: 'Own',
          ai_provider_id: 'openai',
          key: 'sk-test',
        })
        const path = `/v1/integrations/${integration.id}/workspaces`
        const workspace = await made('/v1/workspaces', { name: 'Using' })
        await changed(path, {
          workspaces: [{ id: workspace.id, enabled: true, create_default_provider: false }],
        })
        const provider = await made('/v1/providers', {
          name: 'Used',
          workspace_id: workspace.id,
          integration_id: integration.id,
          usage_limits: limit,
        })
        await changed(`/v1/providers/${provider.id}`, { reset_usage: true })
        return `provider ${provider.id}`
      },
    ],
    [
      'a group of a policy',
      async () => {
        const policy = await made('/v1/policies/usage-limits', {
          name: 'Each',
          workspace_id: 'default',
          conditions: [{ key: 'api_key', value: '*' }],
          group_by: [{ key: 'api_key' }],
          ...limit,
        })
        await changed(`/v1/policies/usage-limits/${policy.id}`, { reset_usage_for_value: 'api_key:x' })
        return `policy-usage-limits ${policy.id}`
      },
    ],
    [
      'a period that is over',
      async () => {
        const key = await createKey({ usage_limits: [{ ...limit, periodic_reset: 'weekly' }] })
        const later = Date.now() + 8 * dayMs
        const { counters } = api.gateway.runtime.store
        await createUsageResets({ ...contextAt(later), counters }).run(later)
        return `api-key ${key.id}`
      },
    ],
  ]
  for (const [what, act] of resets) {
    it(`sends usage_limit.reset once for the limit of ${what}`, async () => {
      const subject = await act()
      await settled()
      const events = sent('usage_limit.reset').filter(
        ({ data }) => `${data.subject?.type} ${data.subject?.id}` === subject,
      )
      expect(events).to.have.length(1)
      expect(events[0]?.data).to.deep.include({ current_usage: 0 })
      expect(events[0]?.data.limit).to.deep.include({ type: 'requests', credit_limit: 4 })
    })
  }

  /** Each action returns the expected `data` of its event. */
  const acts: Record<string, () => Promise<Body>> = {
    'api_key.created': async () => ({ id: (await createKey()).id, object: 'api-key' }),
    'api_key.rotated': async () => {
      const { id } = await createKey()
      await made(`/v1/api-keys/${id}/rotate`, {})
      return { id, rotation_mode: 'manual' }
    },
    'api_key.rotation_upcoming': async () => {
      const next_rotation_at = new Date(Date.now() + 2 * dayMs).toISOString()
      const { id } = await createKey({ rotation_policy: { next_rotation_at } })
      await runKeysAt(Date.parse(next_rotation_at) - dayMs / 2)
      await runKeysAt(Date.parse(next_rotation_at) - dayMs / 3)
      return { id, at: next_rotation_at }
    },
    'api_key.transition_expiring': async () => {
      const { id } = await createKey()
      const rotated = await made(`/v1/api-keys/${id}/rotate`, { key_transition_period_ms: 3 * dayMs })
      const endsAt = Date.parse(String(rotated.key_transition_expires_at))
      await runKeysAt(endsAt - dayMs / 2)
      await runKeysAt(endsAt - dayMs / 3)
      return { id }
    },
    'api_key.expiring': async () => {
      const expires_at = new Date(Date.now() + 9 * dayMs).toISOString()
      const { id } = await createKey({ expires_at })
      await runKeysAt(Date.parse(expires_at) - 6 * dayMs)
      await runKeysAt(Date.parse(expires_at) - 5 * dayMs)
      return { id, at: expires_at }
    },
    'api_key.expired': async () => {
      const expires_at = new Date(Date.now() + dayMs / 2).toISOString()
      const { id } = await createKey({ expires_at })
      await runKeysAt(Date.parse(expires_at) + 1000)
      await runKeysAt(Date.parse(expires_at) + 2000)
      return { id }
    },
    'api_key.archived': async () => {
      const { id } = await createKey()
      await api.delete(`/v1/api-keys/${id}`)
      return { id, status: 'archived' }
    },
    'usage_limit.threshold': async () => {
      const key = await createKey({ usage_limits: [limit] })
      for (let count = 0; count < 3; count += 1) await callWith(key)
      return { subject: { type: 'api-key', id: key.id } }
    },
    'usage_limit.exhausted': async () => {
      const key = await createKey({ usage_limits: [limit] })
      for (let count = 0; count < 6; count += 1) await callWith(key)
      return { subject: { type: 'api-key', id: key.id } }
    },
    'batch.completed': async () => ({ id: (await createBatch([line])).body.id, status: 'completed' }),
    'batch.failed': async () => ({ id: (await createBatch([{ nothing: true }])).body.id, status: 'failed' }),
    'batch.cancelled': async () => {
      const many = Array.from({ length: 300 }, (_, index) => ({ ...line, custom_id: `c${index}` }))
      const { body } = await createBatch(many)
      await ask(api.gateway, `POST /v1/batches/${body.id}/cancel`)
      return { id: body.id, status: 'cancelled' }
    },
    'fine_tuning.job.succeeded': async () => {
      const { id } = await createJob('{"messages":[]}\n')
      return { id, status: 'succeeded' }
    },
    'fine_tuning.job.failed': async () => ({ id: (await createJob('no JSON')).id, status: 'failed' }),
    'fine_tuning.job.cancelled': async () => {
      const { id } = await createJob('{"messages":[]}\n')
      await ask(api.gateway, `POST /v1/fine_tuning/jobs/${id}/cancel`)
      return { id, status: 'cancelled' }
    },
    'breaker.opened': async () => {
      isFailing = true
      const cb_config = { failure_threshold: 1, cooldown_interval: 30_000 }
      const headers = configHeader({ ...target(upstream.url), cb_config })
      for (let count = 0; count < 3; count += 1) await call({ 'x-gateway-api-key': adminKey, ...headers })
      return { provider: 'openai', model: 'test-model', host_kind: 'custom', state: 'open' }
    },
    'guardrail.denied': async () => {
      const check = { 'default.contains': { operator: 'none', words: ['forbidden'] }, deny: true }
      const headers = configHeader({ ...target(upstream.url), input_guardrails: [check] })
      expect(await call({ 'x-gateway-api-key': adminKey, ...headers }, chat('a forbidden text'))).to.equal(
        446,
      )
      return { phase: 'input' }
    },
    'prompt.published': async () => {
      const { id } = await createPrompt()
      await changed(`/v1/prompts/${id}`, {
        patch: true,
        string: JSON.stringify([{ role: 'user', content: 'Bye' }]),
      })
      await changed(`/v1/prompts/${id}/makeDefault`, { version: 2 })
      return { id }
    },
    'config.updated': async () => {
      const { id } = await made('/v1/configs', {
        name: 'Routing',
        workspace_id: 'default',
        config: { retry: { attempts: 1 } },
      })
      await changed(`/v1/configs/${id}`, { config: { retry: { attempts: 2 } } })
      return { id }
    },
    'config.rollout_aborted': async () => {
      const saved = target(upstream.url)
      const { id, slug } = await made('/v1/configs', {
        name: 'Rolled out',
        workspace_id: 'default',
        config: saved,
      })
      await changed(`/v1/configs/${id}`, { config: { ...saved, retry: { attempts: 1 } }, publish: false })
      await made(`/v1/configs/${id}/rollout`, { to: 2, percent: 100, abort_if: { p95_ms: 0 } })
      for (let count = 0; count < 50; count += 1)
        await call({ 'x-gateway-api-key': adminKey, 'x-gateway-config': String(slug) })
      const now = Date.now()
      const { log, logs, store } = api.gateway.runtime
      const worker = createRolloutWorker(
        {
          ...contextAt(now),
          checkConfig: async () => [],
          log,
          logEntries: store.log,
          logs: flushedBy(() => logs.flush()),
        },
        () => configs,
      )
      await worker.run(now)
      const { reason } = (await api.get(`/v1/configs/${id}/rollout`)).body
      return { id, reason }
    },
    'user.joined': async () => {
      await accept('joined@example.com')
      return { email: 'joined@example.com' }
    },
    'user.removed': async () => {
      await accept('removed@example.com')
      const { data } = await api.get('/v1/users?email=removed@example.com')
      expect((await api.delete(`/v1/users/${data[0]?.id}`)).status).to.equal(200)
      return { email: 'removed@example.com' }
    },
    'export.completed': async () => {
      const { id } = await made('/v1/logs/exports', {
        workspace_id: 'default',
        filters: {},
        requested_data: ['trace_id'],
      })
      await made(`/v1/logs/exports/${id}/start`, {})
      return { id }
    },
    'webhook.test': async () => {
      await made(`/v1/webhooks/${hook}/test`, {})
      return { webhook_id: hook }
    },
  }

  for (const [type, act] of Object.entries(acts)) {
    it(`sends ${type} once`, async () => {
      const expected = await act()
      const matches = ({ data }: Sent) =>
        Object.entries(expected).every(([key, value]) => JSON.stringify(data[key]) === JSON.stringify(value))
      await until(type, () => sent(type).some(matches))
      await settled()
      const events = sent(type).filter(matches)
      expect(events, JSON.stringify(sent(type).map(({ data }) => data))).to.have.length(1)
      expect(events[0]).to.include({ organisation_id: firstOrganisationId })
      expect(received.map(({ text }) => text).join()).not.to.match(/forbidden|gw-[0-9a-f]{20}|sk-test|whsec_/)
    })
  }

  // These take half a minute and a day: the scripted day has them (test/e2e/scripted-day).
  it('covers every type that does not need time to pass', () => {
    const elsewhere = ['usage_limit.reset', 'breaker.closed', 'batch.expired']
    expect([...Object.keys(acts), ...elsewhere].sort()).to.deep.equal([...eventTypes].sort())
  })
})
