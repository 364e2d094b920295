/** The delivery of events to webhooks: retry times, one sender among several processes, a process that dies, floods. */
import { randomBytes } from 'node:crypto'
import { type Documents, type DocumentWrite, GatewayError, type Json } from '@gateway/contract'
import { firstOrganisationId, kinds } from '@gateway/domain'
import { expect } from 'chai'
import { createSender } from '#control-plane/webhooks/deliver'
import { newDelivery } from '#control-plane/webhooks/deliveries'
import { createEventIntake } from '#control-plane/webhooks/emitted'
import { createFanOut } from '#control-plane/webhooks/fan-out'
import { webhookSubject } from '#control-plane/webhooks/index'
import { sealSecretsOf } from '#control-plane/webhooks/secrets'
import type { WebhookDocument } from '#control-plane/webhooks/send'
import { newSecret } from '#control-plane/webhooks/sign'
import { createSealer } from '#core/tenancy/secrets/sealer'
import { createMemoryStore } from '#store/memory/index'
import { answerOf, beginWork, quietLog } from '../../support/capabilities.ts'
import { stopClock } from '../../support/clock.ts'
import { until } from '../../support/until.ts'

const start = Date.parse('2030-01-02T12:00:00.000Z')
const minuteMs = 60_000
const dayMs = 86_400_000

describe('webhook deliveries', () => {
  async function open() {
    const ports = createMemoryStore({ maxEntries: 10, maxBytes: 1000 })
    const sealer = createSealer(randomBytes(32))
    const clock = { now: start }
    const counted: string[] = []
    const bodies: Record<string, Json>[] = []
    let answer: () => Promise<number> = async () => 200
    const context = {
      documents: ports.documents,
      shared: ports.shared,
      counters: ports.counters,
      fileDocuments: () => [],
      filePath: 'gateway.yaml',
      validator: () => () => [],
      sealer,
      now: () => clock.now,
      beginWork,
      countDeliveries: (outcome: string) => void counted.push(outcome),
      log: quietLog,
      async send({ body }: { body?: unknown }) {
        bodies.push(JSON.parse(String(body)))
        return answerOf(await answer())
      },
    }
    const hook: WebhookDocument = {
      kind: kinds.webhook,
      id: 'hook',
      organisation_id: firstOrganisationId,
      workspace_id: null,
      slug: null,
      name: null,
      status: 'active',
      created_at: start,
      last_updated_at: start,
      keys: [],
      attributes: { events: ['*'] },
      version: 0,
      data: {
        url: 'https://hooks.example/',
        events: ['*'],
        format: 'standard',
        description: null,
        paused_reason: null,
        sealed: '',
        former_secret_ends_at: null,
      },
    }
    sealSecretsOf(hook, { secret: newSecret() }, context)
    const { version: _, ...document } = hook
    await ports.documents.commit([{ op: 'put', document: { ...document, data: { ...document.data } } }])
    return {
      ports,
      context,
      clock,
      counted,
      bodies,
      answerWith(next: () => Promise<number>) {
        answer = next
      },
      async deliver() {
        const event = { id: 'e-1', type: 'export.completed' }
        const place = { organisation_id: firstOrganisationId, workspace_id: null }
        const body = JSON.stringify({ ...event, created_at: '2030-01-02T12:00:00.000Z', ...place, data: {} })
        const draft = newDelivery(hook, { ...event, body }, clock.now)
        await ports.documents.commit([{ op: 'put', document: { ...draft, data: { ...draft.data } } }])
      },
      deliveries: () => ports.documents.scan(kinds.webhookDelivery, null, 1000),
    }
  }

  it('are retried after 5 s, 1 min, 10 min, 1 h and 6 h, and then fail', async () => {
    const { context, clock, counted, bodies, answerWith, deliver, deliveries } = await open()
    answerWith(async () => 500)
    await deliver()
    const sender = createSender(context)
    const waits: number[] = []
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      const [delivery] = await until('a recorded attempt', async () => {
        await sender.begin(clock.now)
        const found = await deliveries()
        return found[0]?.data.attempt === attempt ? found : null
      })
      const next = delivery?.data.next_attempt_at
      if (typeof next !== 'string') break
      // Not earlier.
      await sender.begin(Date.parse(next) - 1)
      expect(bodies).to.have.length(attempt)
      waits.push((Date.parse(next) - clock.now) / 1000)
      clock.now = Date.parse(next)
    }
    expect(waits).to.deep.equal([5, 60, 600, 3600, 21_600])
    expect(counted).to.deep.equal([...Array(5).fill('retried'), 'failed'])
    expect((await deliveries())[0]).to.include({ status: 'failed' })
    expect(new Set(bodies.map(({ id }) => id))).to.deep.equal(new Set(['e-1']))
  })

  it('are sent once by several processes', async () => {
    const { context, clock, bodies, deliver, deliveries } = await open()
    for (let count = 0; count < 10; count += 1) await deliver()
    const senders = [createSender(context), createSender(context), createSender(context)]
    for (let round = 0; round < 5; round += 1)
      await Promise.all(senders.map((sender) => sender.begin(clock.now)))
    await until('all of them', async () => (await deliveries()).every(({ status }) => status === 'succeeded'))
    for (const sender of senders) await sender.begin(clock.now)
    expect(bodies).to.have.length(10)
  })

  it('are sent by another process when their process dies, after the lease has expired', async () => {
    const { context, ports, clock, bodies, answerWith, deliver, deliveries } = await open()
    await deliver()
    answerWith(() => new Promise(() => undefined))
    await createSender(context).begin(clock.now)
    await until('a first attempt', () => bodies.length === 1)
    answerWith(async () => 200)
    const other = createSender(context)
    await other.begin(clock.now)
    expect(bodies).to.have.length(1)
    await ports.shared.delete('webhook:hook')
    await other.begin(clock.now)
    await until('success', async () => (await deliveries())[0]?.status === 'succeeded')
    expect(bodies.map(({ id }) => id)).to.deep.equal(['e-1', 'e-1'])
  })

  it('are limited to 60 a minute, and the next one reports how many were skipped', async () => {
    const { context, clock, deliveries } = await open()
    const take = createEventIntake(context)
    const fanOut = createFanOut(context, [])
    const event = {
      type: 'guardrail.denied',
      organisation_id: firstOrganisationId,
      workspace_id: null,
      data: {},
    }
    for (let count = 0; count < 100; count += 1) await take(event)
    await fanOut()
    expect(await deliveries()).to.have.length(60)
    clock.now += minuteMs
    await take(event)
    await fanOut()
    const found = await deliveries()
    expect(found).to.have.length(61)
    const newest = found.find(({ created_at }) => created_at === clock.now)
    expect(JSON.parse(String(newest?.data.body)).data).to.deep.equal({ suppressed: 40 })
  })

  describe('of an event that the store does not accept at first', () => {
    const clock = stopClock()
    const event = {
      type: 'breaker.opened',
      organisation_id: firstOrganisationId,
      workspace_id: null,
      data: {},
    }
    /** A store whose first commits are answered with an error, before or after they are stored. */
    function failing(documents: Documents, failures: readonly ('before' | 'after')[]) {
      const left = [...failures]
      const commit = async (writes: readonly DocumentWrite[]) => {
        const failure = left.shift()
        if (failure === 'before') throw unavailable()
        const stored = await documents.commit(writes)
        if (failure === 'after') throw unavailable()
        return stored
      }
      return { ...documents, commit }
    }
    const unavailable = () => new GatewayError('store_unavailable', 'The store does not answer.')

    it('are created once, whether the store failed before or after it had stored the event', async () => {
      const { context, deliveries } = await open()
      const documents = failing(context.documents, ['before', 'after'])
      await clock.run(createEventIntake({ ...context, documents })(event))
      await createFanOut(context, [])()
      expect(await deliveries()).to.have.length(1)
    })

    it('are missing if the store keeps failing, which the caller learns', async () => {
      const { context, deliveries } = await open()
      const documents = failing(
        context.documents,
        Array.from({ length: 10 }, () => 'before'),
      )
      const failure = await clock
        .run(createEventIntake({ ...context, documents })(event))
        .catch((error: unknown) => error)
      expect(failure).to.include({ code: 'store_unavailable' })
      await createFanOut(context, [])()
      expect(await deliveries()).to.deep.equal([])
    })
  })

  it('are created once per event, whichever of two processes handles it', async () => {
    const { context, deliveries, ports } = await open()
    const take = createEventIntake(context)
    const event = {
      type: 'export.completed',
      organisation_id: firstOrganisationId,
      workspace_id: null,
      data: {},
    }
    for (let count = 0; count < 20; count += 1) await take(event)
    await Promise.all([createFanOut(context, [])(), createFanOut(context, [])()])
    expect(await deliveries()).to.have.length(20)
    expect(await ports.documents.scan(kinds.event, null, 10)).to.deep.equal([])
  })

  it('are deleted after 7 days, like mail, with any status', async () => {
    const { context, ports, clock, deliver, deliveries } = await open()
    const mail = () => ports.documents.scan(kinds.mail, null, 10)
    await deliver()
    const [delivery] = await deliveries()
    if (delivery === undefined) throw new Error('Nothing is stored.')
    const { version: _, ...draft } = delivery
    await ports.documents.commit([{ op: 'put', document: { ...draft, kind: kinds.mail, status: 'failed' } }])
    const whole = {
      ...context,
      checkUrl: () => null,
      countMail: () => undefined,
      email: () => null,
      publicUrl: () => '',
    }
    const jobs = (webhookSubject.jobs ?? []).map((make) => make(whole))
    const forget = (nowMs: number) =>
      Promise.all(jobs.filter(({ name }) => name !== 'events').map((job) => job.run(nowMs)))
    await forget(clock.now + 7 * dayMs - 1)
    expect([await deliveries(), await mail()].map(({ length }) => length)).to.deep.equal([1, 1])
    await forget(clock.now + 7 * dayMs + 1)
    expect([await deliveries(), await mail()].map(({ length }) => length)).to.deep.equal([0, 0])
  })
})
