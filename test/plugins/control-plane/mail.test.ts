/** Mail (management contract, section 21): the six occasions and invites, to whom, once each, and a server that is away. */
import { kinds } from '@gateway/domain'
import { expect } from 'chai'
import { createKeyWorker } from '#control-plane/api-keys/worker'
import { createMailSender } from '#control-plane/shared/mail/sender'
import { beginWork, quietLog } from '../../support/capabilities.ts'
import { adminKey, chat, configHeader, target } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { openSmtpSink, type SmtpSink, type SunkMail } from '../../support/smtp-sink.ts'
import { until } from '../../support/until.ts'
import { openUpstream, type Upstream } from '../../support/upstream.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const publicUrl = 'https://gateway.example'

describe('mail', () => {
  const config = {
    security: { trusted_hosts: ['127.0.0.1'] },
    public_url: publicUrl,
    email: { smtp_url: '', from: 'gateway@example.com' },
  }
  let sink: SmtpSink
  let upstream: Upstream
  before(async () => {
    sink = await openSmtpSink({ user: 'mailer', pass: 'p-1' })
    config.email.smtp_url = sink.url
    upstream = await openUpstream()
  })
  const api = openManagement(config)
  let person = ''
  after(async () => {
    await sink.close()
    await upstream.close()
  })
  beforeEach(async () => {
    sink.mails.length = 0
    sink.offered = 0
    sink.refusal = null
    if (person !== '') return
    await api.people.user('owner@example.com', 'owner')
    await api.people.user('admin@example.com', 'admin')
    await api.people.user('member@example.com')
    person = await api.people.user('person@example.com')
  })

  const about = (words: string) => sink.mails.filter(({ headers }) => headers.subject?.includes(words))
  const addresses = (mails: SunkMail[]) => mails.flatMap(({ to }) => to).sort()
  /** Waits for mail with these words in its subject, and until nothing waits. */
  async function mailed(words: string, count: number): Promise<SunkMail[]> {
    await until(`${count} messages about ${words}`, () => about(words).length >= count)
    await settled()
    return about(words)
  }
  const settled = () =>
    until('an empty outbox', async () => {
      const { documents } = api.gateway.runtime.store
      const events = await documents.scan(kinds.event, null, 10)
      const mails = await documents.scan(kinds.mail, null, 1000)
      return events.length === 0 && mails.every(({ status }) => status !== 'pending')
    })

  /** The context of services, at another time. */
  const contextAt = (nowMs: number) => {
    const { sealer, store } = api.gateway.runtime
    return {
      documents: store.documents,
      shared: store.shared,
      sealer,
      log: quietLog,
      keyPrefix: 'gw-',
      beginWork,
      now: () => nowMs,
    }
  }
  const runKeysAt = (nowMs: number) => createKeyWorker(contextAt(nowMs)).run(nowMs)
  const createKey = async (more: object) => {
    const own = { name: 'CI', workspace_id: 'default', scopes: ['completions.write'], ...more }
    const { body, status } = await api.post('/v1/api-keys/workspace/service', own)
    expect(status, JSON.stringify(body)).to.equal(200)
    return body
  }
  const leaders = ['admin@example.com', 'owner@example.com']

  it('contains the link of an invite, which works once', async () => {
    const { body } = await api.post('/v1/users/invites', { email: 'new@example.com', role: 'member' })
    const [mail] = await mailed('You are invited', 1)
    expect(mail?.to).to.deep.equal(['new@example.com'])
    expect(mail?.from).to.equal('gateway@example.com')
    expect(mail?.text).to.include(String(body.invite_link))
    expect(mail?.html).to.include(`href="${String(body.invite_link)}"`)
    expect(String(body.invite_link)).to.match(/^https:\/\/gateway\.example\/console\/accept-invite\?token=/)
    const again = await api.post(`/v1/users/invites/${body.id}/resend`)
    const [, second] = await mailed('You are invited', 2)
    expect(second?.text).to.include(String(again.body.invite_link))
    expect(about('You are invited')).to.have.length(2)
  })

  it('is stored encrypted until it is sent, and deleted afterwards', async () => {
    sink.refusal = 451
    const { body } = await api.post('/v1/users/invites', { email: 'sealed@example.com', role: 'member' })
    await until('a try', () => sink.offered > 0)
    const token = String(body.invite_link).split('token=')[1] ?? ''
    const own = async () =>
      (await api.gateway.runtime.store.documents.scan(kinds.mail, null, 1000)).find(
        ({ data }) => data.to === 'sealed@example.com',
      )
    const waiting = await until('a record of the try', async () => {
      const mail = await own()
      return mail?.data.attempt === 1 ? mail : null
    })
    expect(waiting.data.sealed).to.be.a('string')
    expect(JSON.stringify(waiting)).not.to.include(token)
    expect(waiting.data.error).to.include('451')
    sink.refusal = null
    const later = Date.now() + 2 * 60_000
    const context = { ...contextAt(later), email: () => config.email, countMail: () => undefined }
    await createMailSender(context).begin(later)
    await until('the message', () => sink.mails.some(({ to }) => to.includes('sealed@example.com')))
    await settled()
    expect((await own())?.data).to.include({ sealed: null, error: null, attempt: 2 })
  })

  it("reports a rotation to the key's user, alert_emails, owners and admins, once each", async () => {
    const key = await createKey({ alert_emails: ['Team@example.com', 'owner@example.com'] })
    await api.post(`/v1/api-keys/${key.id}/rotate`)
    const mails = await mailed('"CI" was rotated', 3)
    expect(addresses(mails)).to.deep.equal([...leaders, 'team@example.com'].sort())
    const [mail] = mails
    expect(mail?.text).to.include(`${publicUrl}/console/keys/${key.id}`)
    expect(sink.mails.map(({ raw }) => raw).join()).not.to.include(String(key.key))
  })

  it('reports the events of a key to its user', async () => {
    const { body: workspace } = await api.post('/v1/workspaces', { name: 'Mine' })
    await api.people.member(String(workspace.id), person, 'member')
    const { body: key } = await api.post('/v1/api-keys/workspace/user', {
      name: 'Mine',
      workspace_id: workspace.id,
      user_id: person,
      scopes: ['completions.write'],
    })
    await api.post(`/v1/api-keys/${key.id}/rotate`)
    expect(addresses(await mailed('"Mine" was rotated', 3))).to.deep.equal([...leaders, 'person@example.com'])
  })

  it('announces an automatic rotation and the end of a transition 24 hours before', async () => {
    const next = new Date(Date.now() + 2 * dayMs).toISOString()
    await createKey({
      name: 'Auto',
      rotation_policy: { next_rotation_at: next, key_transition_period_ms: 3 * dayMs },
    })
    await runKeysAt(Date.parse(next) - 25 * hourMs)
    await settled()
    expect(about('"Auto"')).to.deep.equal([])
    await runKeysAt(Date.parse(next) - 23 * hourMs)
    await runKeysAt(Date.parse(next) - 22 * hourMs)
    expect(addresses(await mailed('"Auto" will be rotated', 2))).to.deep.equal(leaders)
    await runKeysAt(Date.parse(next) + hourMs)
    expect(addresses(await mailed('"Auto" was rotated', 2))).to.deep.equal(leaders)
    await runKeysAt(Date.parse(next) + hourMs + 2 * dayMs + hourMs)
    expect(addresses(await mailed('former secret of API key "Auto" ends', 2))).to.deep.equal(leaders)
  })

  it('announces the expiry of a key 7 days and 1 day before', async () => {
    const expires_at = new Date(Date.now() + 10 * dayMs).toISOString()
    await createKey({ name: 'Short', expires_at })
    const at = Date.parse(expires_at)
    for (const before of [8 * dayMs, 6 * dayMs, 5 * dayMs]) await runKeysAt(at - before)
    expect(addresses(await mailed('"Short" expires on', 2))).to.deep.equal(leaders)
    for (const before of [23 * hourMs, 22 * hourMs]) await runKeysAt(at - before)
    expect(addresses(await mailed('"Short" expires on', 4))).to.deep.equal([...leaders, ...leaders].sort())
  })

  it('reports a threshold and an exhausted limit', async () => {
    const key = await createKey({
      name: 'Limited',
      usage_limits: [{ type: 'requests', credit_limit: 2, alert_threshold: 1 }],
      alert_emails: ['team@example.com'],
    })
    const ask = () =>
      fetch(`${api.gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gateway-api-key': String(key.key),
          ...configHeader(target(upstream.url)),
        },
        body: JSON.stringify(chat()),
      })
    const statuses: number[] = []
    for (let count = 0; count < 4; count += 1) statuses.push((await ask()).status)
    expect(statuses.slice(0, 2)).to.deep.equal([200, 200])
    const everybody = [...leaders, 'team@example.com']
    const reached = await mailed('"Limited" has reached its threshold', 3)
    expect(addresses(reached)).to.deep.equal(everybody)
    const used = await mailed('"Limited" is used up', 3)
    expect(addresses(used)).to.deep.equal(everybody)
    expect(used[0]?.text).to.include('Limit: 2 requests')
  })

  it('reports a workspace limit to its admins and managers, too', async () => {
    const { body: workspace } = await api.post('/v1/workspaces', {
      name: 'Budgeted',
      usage_limits: [{ type: 'requests', credit_limit: 1 }],
    })
    const boss = await api.people.user('boss@example.com')
    const manager = await api.people.user('manager@example.com')
    await api.people.member(String(workspace.id), boss, 'admin')
    await api.people.member(String(workspace.id), manager, 'manager')
    await api.people.member(String(workspace.id), person, 'member')
    const headers = { ...configHeader(target(upstream.url)), 'x-gateway-workspace-id': String(workspace.id) }
    await api.gateway.post('/v1/chat/completions', chat(), { 'x-gateway-api-key': adminKey, ...headers })
    const mails = await mailed('"Budgeted" is used up', 4)
    const expected = [...leaders, 'boss@example.com', 'manager@example.com'].sort()
    expect(addresses(mails)).to.deep.equal(expected)
  })

  it('has plain text and simple HTML, and escapes hostile names in headers and tags', async () => {
    const name = 'Evil <img src=x> & "Co"\u202E'
    const key = await createKey({ name })
    await api.post(`/v1/api-keys/${key.id}/rotate`)
    const [mail] = await mailed('Evil', 2)
    expect(mail?.headers['content-type']).to.match(/^multipart\/alternative/)
    expect(mail?.html).to.include('&lt;img src=x&gt; &amp; &quot;Co&quot;')
    expect(mail?.html).not.to.match(/<img|<script|\u202E/)
    expect(mail?.text).to.include('Evil <img src=x> & "Co"')
    expect(mail?.headers['auto-submitted']).to.equal('auto-generated')
    expect(mail?.headers['message-id']).to.match(/^<[0-9a-f-]{36}@127\.0\.0\.1>$/)
  })

  it('is retried five times within an hour while the server refuses it, and then recorded in the audit log', async () => {
    sink.refusal = 451
    const { status } = await api.post('/v1/users/invites', { email: 'away@example.com', role: 'member' })
    expect(status).to.equal(200)
    const own = async () =>
      (await api.gateway.runtime.store.documents.scan(kinds.mail, null, 1000)).find(
        ({ data }) => data.to === 'away@example.com',
      )
    await until('a first try', async () => (await own())?.data.attempt === 1)
    const counted: string[] = []
    const delays: number[] = []
    let nowMs = Date.now()
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      const dueAt = Date.parse(String((await own())?.data.next_attempt_at))
      delays.push(Math.round((dueAt - nowMs) / 60_000))
      nowMs = dueAt
      const context = {
        ...contextAt(nowMs),
        email: () => config.email,
        countMail: (outcome: string) => void counted.push(outcome),
      }
      await createMailSender(context).begin(nowMs)
      await until('a try', async () => (await own())?.data.attempt === attempt)
    }
    expect(delays).to.deep.equal([1, 5, 15, 39])
    expect(counted).to.deep.equal(['retried', 'retried', 'retried', 'failed'])
    expect(await own()).to.include({ status: 'failed' })
    const [record] = await api.audit(`resource_type=mail&end_time=${new Date(nowMs + hourMs).toISOString()}`)
    expect(record).to.include({ action: 'alert', resource_type: 'mail', response_status_code: 502 })
    expect(JSON.stringify(record)).not.to.include('p-1')
    expect(sink.mails).to.deep.equal([])
  })
})

describe('mail without a server', () => {
  const api = openManagement()

  it('stores no message, and audits the event', async () => {
    await api.people.user('owner@example.com', 'owner')
    const { body: key } = await api.post('/v1/api-keys/organisation/service', {
      name: 'CI',
      scopes: ['logs.list'],
    })
    await api.post(`/v1/api-keys/${key.id}/rotate`)
    await until('events handed over', async () => {
      const events = await api.gateway.runtime.store.documents.scan(kinds.event, null, 10)
      return events.length === 0
    })
    expect(await api.gateway.runtime.store.documents.scan(kinds.mail, null, 10)).to.deep.equal([])
    expect(await api.audit(`resource_type=api-key&action=rotate`)).to.have.length(1)
  })
})
