/**
 * The script of the day, in order, and its effects according to the management contract, section 21: events by type and
 * name, mail by subject. `everybody` stands for the owner and the administrator of the organisation.
 */
import { formOf } from '../../plugins/batches/fixtures.ts'
import { chat, configHeader, target } from '../../support/gateway.ts'
import type { Day } from './day.ts'

type Body = Record<string, unknown>

export interface Scene {
  what: string
  act(day: Day): Promise<void>
  /** Type and object, such as `api_key.created Plain`. */
  events?: readonly string[]
  /** Subjects, and recipients in addition to everybody; null: only these. */
  mails?: readonly { subject: string; to?: readonly string[]; isToEverybody?: boolean }[]
}

const dayMs = 86_400_000
const hourMs = 3_600_000
const team = 'team@example.com'
const call = 'CLIENT chat test-model'
/** Made by one scene, used by a later one. */
const made: Record<string, Body> = {}

const inHours = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString()

async function createKey(day: Day, name: string, more: Body = {}): Promise<void> {
  made[name] = await day.ask('POST', '/v1/api-keys/workspace/service', {
    body: { name, workspace_id: 'default', scopes: ['completions.write'], ...more },
  })
}
const keyPath = (name: string) => `/v1/api-keys/${made[name]?.id}`
const withKey = (name: string) => ({ 'x-gateway-api-key': String(made[name]?.key) })
const stored = configHeader({ provider: '@main' })
const longBreaker = configHeader({
  provider: '@main',
  cb_config: { failure_threshold: 1, cooldown_interval: 60_000 },
})

interface Chat {
  spans: readonly string[]
  headers?: Record<string, string>
  status?: number
  process?: number
  isTimeStopped?: boolean
}
const ask = (day: Day, text: string, { headers = stored, ...asked }: Chat) =>
  day.ask('POST', '/v1/chat/completions', { body: chat(text), headers, ...asked })

const line = (content: string, rest: Record<string, unknown> = {}) =>
  JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: chat(content, rest) })

/** A separate model: once the provider asks a caller to wait, no other request for that model is sent. */
const slow = { model: 'slow-model' }

async function upload(day: Day, content: string, purpose = 'batch'): Promise<unknown> {
  return (await day.ask('POST', '/v1/files', { body: formOf(content, { purpose }) })).id
}
/** Lines are requests of their own, in the trace that made the batch. */
async function createBatch(day: Day, content: string, spans: readonly string[] | null = []): Promise<Body> {
  const body = { input_file_id: await upload(day, content), endpoint: '/v1/chat/completions' }
  return day.ask('POST', '/v1/batches', {
    headers: { 'x-gateway-virtual-key': 'main' },
    spans,
    body: { ...body, completion_window: 'immediate' },
  })
}
async function createJob(day: Day, content: string): Promise<Body> {
  const training_file = await upload(day, content, 'fine-tune')
  const method = { type: 'supervised', supervised: { hyperparameters: { n_epochs: 3 } } }
  return day.ask('POST', '/v1/fine_tuning/jobs', {
    headers: { 'x-gateway-provider': 'echo' },
    body: { model: 'm', training_file, suffix: 's', method },
  })
}
async function invite(day: Day, email: string): Promise<string | null> {
  const body = { email, role: 'member' }
  const { invite_link } = await day.ask('POST', '/v1/users/invites', { body })
  return new URL(String(invite_link)).searchParams.get('token')
}
const invited = (email: string) => ({
  subject: 'You are invited to Default organisation',
  to: [email],
  isToEverybody: false,
})

export const script: readonly Scene[] = [
  {
    what: 'the people of the organisation and a webhook',
    async act(day) {
      await day.people.user('owner@example.com', 'owner')
      await day.people.user('admin@example.com', 'admin')
      await day.people.user('member@example.com')
      made.webhook = await day.ask('POST', '/v1/webhooks', {
        body: { url: `${day.receiver.origin}/hook`, events: ['*'] },
      })
    },
  },
  {
    what: 'keys with different futures',
    async act(day) {
      await createKey(day, 'Plain', { alert_emails: [team] })
      await createKey(day, 'Auto', { rotation_policy: { next_rotation_at: inHours(30) } })
      await createKey(day, 'Short', { expires_at: inHours(20) })
      await createKey(day, 'Week', { expires_at: inHours(7 * 24 + 5) })
      await createKey(day, 'Gone')
      await day.ask('DELETE', keyPath('Gone'))
      await day.ask('POST', `${keyPath('Plain')}/rotate`, { body: { key_transition_period_ms: 30 * hourMs } })
    },
    events: [
      ...['Plain', 'Auto', 'Short', 'Week', 'Gone'].map((name) => `api_key.created ${name}`),
      'api_key.archived Gone',
      'api_key.rotated Plain',
    ],
    mails: [{ subject: 'API key "Plain" was rotated', to: [team] }],
  },
  {
    what: 'requests, one with a retry, two that share an answer',
    async act(day) {
      for (const text of ['one', 'two', 'three', 'four']) await ask(day, text, { spans: [call] })
      const retried = configHeader({ provider: '@main', retry: { attempts: 2, on_status_codes: [503] } })
      await ask(day, 'flaky', { headers: retried, spans: [call, call] })
      const headers = configHeader({ provider: '@main', cache: { mode: 'simple' } })
      await ask(day, 'cached', { headers, spans: ['INTERNAL cache lookup', call], process: 0 })
      await ask(day, 'cached', { headers, spans: ['INTERNAL cache lookup'], process: 0 })
    },
  },
  {
    what: 'a request that a guardrail denies',
    async act(day) {
      const check = { 'default.contains': { operator: 'none', words: ['forbidden'] }, deny: true }
      const headers = configHeader({ ...target(day.upstream.url), input_guardrails: [check] })
      await ask(day, 'a forbidden text', {
        headers,
        spans: ['INTERNAL guardrail default.contains'],
        status: 446,
      })
    },
    events: ['guardrail.denied input'],
  },
  {
    what: 'a limit that is used up over all processes, and reset',
    async act(day) {
      const usage_limits = [{ type: 'requests', credit_limit: 4, alert_threshold: 2 }]
      await createKey(day, 'Limited', { usage_limits, alert_emails: [team] })
      const headers = { ...stored, ...withKey('Limited') }
      for (const text of ['a', 'b', 'c', 'd']) await ask(day, text, { headers, spans: [call] })
      for (const text of ['e', 'f']) await ask(day, text, { headers, spans: [], status: 412 })
      await day.settled()
      await day.ask('PUT', keyPath('Limited'), { body: { reset_usage: true } })
    },
    events: [
      'api_key.created Limited',
      ...['threshold', 'exhausted', 'reset'].map((end) => `usage_limit.${end} api-key`),
    ],
    mails: ['has reached its threshold', 'is used up'].map((end) => ({
      subject: `Usage limit of API key "Limited" ${end}`,
      to: [team],
    })),
  },
  {
    what: 'batches that end in each way, one only after its day',
    async act(day) {
      const once = [call, 'SERVER POST /v1/chat/completions']
      await createBatch(day, line('one'), once)
      await createBatch(day, '{"nothing":true}')
      const { id } = await createBatch(day, line('slow and cancelled', slow), [
        'CLIENT chat slow-model',
        'SERVER POST /v1/chat/completions',
      ])
      const isTried = () => day.upstream.seen.some(({ text }) => text.includes('slow and cancelled'))
      await day.wait('a first try', isTried)
      await day.ask('POST', `/v1/batches/${id}/cancel`)
      // The number of retries depends on the processes that stop and start meanwhile.
      made.slow = await createBatch(day, line('slow', slow), null)
    },
    events: ['batch.completed', 'batch.failed', 'batch.cancelled'].map((type) => `${type} ${type.slice(6)}`),
  },
  {
    what: 'fine-tuning jobs that end in each way',
    async act(day) {
      await createJob(day, '{"messages":[]}\n')
      await createJob(day, 'no JSON')
      const { id } = await createJob(day, '{"messages":[]}\n')
      await day.ask('POST', `/v1/fine_tuning/jobs/${id}/cancel`)
    },
    events: ['succeeded', 'failed', 'cancelled'].map((end) => `fine_tuning.job.${end} ${end}`),
  },
  {
    what: 'content that changes, an export, a test of the webhook',
    async act(day) {
      const place = { workspace_id: 'default' }
      const string = (content: string) => JSON.stringify([{ role: 'user', content }])
      const prompt = await day.ask('POST', '/v1/prompts', {
        body: {
          ...place,
          name: 'Greet',
          collection_id: 'default',
          string: string('Hi'),
          parameters: { model: 'm' },
        },
      })
      await day.ask('PUT', `/v1/prompts/${prompt.id}`, { body: { patch: true, string: string('Bye') } })
      await day.ask('PUT', `/v1/prompts/${prompt.id}/makeDefault`, { body: { version: 2 } })
      const config = await day.ask('POST', '/v1/configs', {
        body: { ...place, name: 'Routing', config: { retry: { attempts: 1 } } },
      })
      await day.ask('PUT', `/v1/configs/${config.id}`, { body: { config: { retry: { attempts: 2 } } } })
      const exported = await day.ask('POST', '/v1/logs/exports', {
        body: { ...place, filters: {}, requested_data: ['trace_id'] },
      })
      await day.ask('POST', `/v1/logs/exports/${exported.id}/start`, { body: {} })
      await day.ask('POST', `/v1/webhooks/${made.webhook?.id}/test`, { body: {} })
    },
    events: ['prompt.published Greet', 'config.updated Routing', 'export.completed success', 'webhook.test'],
  },
  {
    what: 'a new version of a config that is slower than allowed',
    async act(day) {
      const { id, slug } = await day.ask('POST', '/v1/configs', {
        body: { workspace_id: 'default', name: 'Rolled out', config: { provider: '@main' } },
      })
      const config = { provider: '@main', retry: { attempts: 1 } }
      await day.ask('PUT', `/v1/configs/${id}`, { body: { config, publish: false } })
      await day.ask('POST', `/v1/configs/${id}/rollout`, {
        body: { to: 2, percent: 100, abort_if: { p95_ms: 0 } },
      })
      const headers = { 'x-gateway-config': String(slug) }
      // At the same time, because the last five minutes are judged.
      const asked = { headers, spans: [call], isTimeStopped: true }
      await Promise.all(Array.from({ length: 50 }, (_, count) => ask(day, `rolled out ${count}`, asked)))
    },
    events: ['config.updated Rolled out', 'config.rollout_aborted Rolled out'],
  },
  {
    what: 'somebody who joins and leaves',
    async act(day) {
      const token = await invite(day, 'new@example.com')
      const joined = { token, first_name: 'New', password: 'a-long-password-1' }
      const { user_id } = await day.ask('POST', '/v1/users/invites/accept', { body: joined })
      await day.ask('DELETE', `/v1/users/${user_id}`)
    },
    events: ['user.joined new@example.com', 'user.removed new@example.com'],
    mails: [invited('new@example.com')],
  },
  {
    what: 'a provider that fails until its circuit opens',
    async act(day) {
      day.isProviderDown = true
      const config = { provider: '@main', cb_config: { failure_threshold: 1, cooldown_interval: 30_000 } }
      await ask(day, 'fails', { headers: configHeader(config), spans: [call], status: 503, process: 0 })
      day.isProviderDown = false
    },
    events: ['breaker.opened open'],
  },
  { what: 'a restart of every process', act: (day) => day.restart() },
  {
    what: 'seven hours later: warnings',
    async act(day) {
      await day.skip(7)
      await day.tendKeys()
      await day.tendKeys()
    },
    events: [
      'api_key.rotation_upcoming Auto',
      'api_key.transition_expiring Plain',
      'api_key.expiring Short',
      'api_key.expiring Week',
    ],
    mails: [
      { subject: 'API key "Auto" will be rotated on …' },
      { subject: 'The former secret of API key "Plain" ends on …', to: [team] },
      { subject: 'API key "Short" expires on …' },
      { subject: 'API key "Week" expires on …' },
    ],
  },
  {
    what: 'a webhook receiver and a mail server that are away, while all processes stop for an hour',
    async act(day) {
      day.receiverStatus = 500
      day.sink.refusal = 451
      await createKey(day, 'Outage')
      await day.ask('POST', `${keyPath('Outage')}/rotate`, { body: {} })
      await invite(day, 'outage@example.com')
      const tries = async () => {
        const attempts = await day.attempts()
        // Two deliveries; mail to two people about the key, and of the invite.
        return attempts.length === 5 && attempts.every((count) => count > 0)
      }
      await day.wait('a first try of each', tries)
      await day.stop()
      day.receiverStatus = 200
      day.sink.refusal = null
      await day.skip(1)
      await day.start()
    },
    events: ['api_key.created Outage', 'api_key.rotated Outage'],
    mails: [{ subject: 'API key "Outage" was rotated' }, invited('outage@example.com')],
  },
  {
    what: 'a provider that fails again',
    async act(day) {
      day.isProviderDown = true
      await ask(day, 'fails again', { headers: longBreaker, spans: [call], status: 503, process: 0 })
      day.isProviderDown = false
    },
    events: ['breaker.opened open'],
  },
  {
    what: 'the provider that comes back an hour later',
    async act(day) {
      // A process that first hears of the failure an hour later would report the circuit again.
      await day.circuitKnown()
      await day.skip(1)
      await ask(day, 'is back', { headers: longBreaker, spans: [call], process: 0 })
    },
    events: ['breaker.closed closed'],
  },
  {
    what: 'fourteen hours later: a key expires',
    async act(day) {
      await day.skip(14)
      await day.tendKeys()
    },
    events: ['api_key.expired Short'],
  },
  {
    what: 'the end of the day of a batch',
    async act(day) {
      await day.skip(dayMs / hourMs - 22)
      await day.wait('the end of the batch', async () => {
        const batch = await day.ask('GET', `/v1/batches/${made.slow?.id}`)
        if (batch.status === 'completed') {
          const file = batch.output_file_id ?? batch.error_file_id
          const result = await day.ask('GET', `/v1/files/${file}/content`)
          throw new Error(`The slow line was answered: ${JSON.stringify(result)}`)
        }
        return batch.status === 'expired'
      })
    },
    events: ['batch.expired expired'],
  },
  { what: 'another restart of every process', act: (day) => day.restart() },
  {
    what: 'a key that rotates by itself',
    async act(day) {
      await day.skip(7)
      await day.tendKeys()
    },
    events: ['api_key.rotated Auto'],
    mails: [{ subject: 'API key "Auto" was rotated' }],
  },
]
