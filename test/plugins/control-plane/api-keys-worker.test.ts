/** Automatic changes of API keys (management contract, section 10): rotations, transitions, expiry, warnings. */
import { createHash, randomBytes } from 'node:crypto'
import type { StoredDocument } from '@gateway/contract'
import { firstOrganisationId, hashKeyOf, type ManagedKeyData, recordOf } from '@gateway/domain'
import { expect } from 'chai'
import { dueDays } from '#control-plane/api-keys/due'
import { createKeyWorker } from '#control-plane/api-keys/worker'
import { createSealer } from '#core/tenancy/secrets/sealer'
import { createMemoryStore } from '#store/memory/index'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** A Wednesday. */
const start = Date.parse('2030-01-02T12:00:00.000Z')
const monday = '2030-01-07T00:00:00.000Z'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('the API key worker', () => {
  function open() {
    const sealer = createSealer(randomBytes(32))
    const clock = { now: start }
    const { documents } = createMemoryStore({ maxEntries: 10, maxBytes: 1000 })
    const context = { documents, sealer, keyPrefix: 'gw-', now: () => clock.now }
    let worker = createKeyWorker(context)
    return {
      sealer,
      /** Another process takes over. */
      restart() {
        worker = createKeyWorker(context)
      },
      async runAt(nowMs: number) {
        clock.now = nowMs
        await worker.run(nowMs)
      },
      async put(more: Partial<ManagedKeyData>, status = 'active') {
        const data: ManagedKeyData = {
          type: 'workspace-service',
          user_id: null,
          scopes: ['completions.write'],
          defaults: {
            metadata: null,
            config_id: null,
            allow_config_override: true,
            input_guardrails: null,
            output_guardrails: null,
          },
          description: null,
          expires_at: null,
          alert_emails: [],
          secrets: [
            {
              key_version: 1,
              hash: sha256('gw-first'),
              prefix: 'gw-',
              first: 'gw-',
              last: 'irst',
              ends_at: null,
            },
          ],
          rotation_policy: null,
          last_reset_at: null,
          usage_limits: [],
          rate_limits: [],
          creation_mode: 'api',
          last_rotated_at: null,
          unread: null,
          notices: [],
          ...more,
        }
        await documents.commit([
          {
            op: 'put',
            document: {
              kind: 'api_key',
              id: 'key',
              organisation_id: firstOrganisationId,
              workspace_id: null,
              slug: null,
              name: 'key',
              status,
              created_at: start,
              last_updated_at: start,
              keys: data.secrets.map(({ hash }) => hashKeyOf(hash)),
              attributes: { type: [data.type], due: dueDays({ data, status }) },
              data: { ...data },
            },
          },
        ])
      },
      async key(): Promise<Omit<StoredDocument, 'data'> & { data: ManagedKeyData }> {
        const found = await documents.get('api_key', 'key')
        if (found === null) throw new Error('The key is gone.')
        return found as unknown as Omit<StoredDocument, 'data'> & { data: ManagedKeyData }
      },
      async acts(): Promise<unknown[]> {
        const page = await documents.list('audit', {}, { order: 'asc', offset: 0, limit: 100 })
        return page.documents.map(({ data }) => data.action)
      },
    }
  }

  const weekly = {
    rotation_period: 'weekly' as const,
    next_rotation_at: monday,
    key_transition_period_ms: hourMs,
  }

  it('rotates a key that is due, lets its owner read the new secret, and ends the old one with the transition', async () => {
    const world = open()
    await world.put({ rotation_policy: weekly })
    await world.runAt(Date.parse(monday) - minuteMs)
    expect((await world.key()).data.secrets).to.have.length(1)
    await world.runAt(Date.parse(monday))
    const rotated = await world.key()
    const [current, old] = rotated.data.secrets
    expect(rotated.data.rotation_policy?.next_rotation_at).to.equal('2030-01-14T00:00:00.000Z')
    expect(old?.ends_at).to.equal('2030-01-07T01:00:00.000Z')
    expect(rotated.keys).to.have.members([hashKeyOf(current?.hash ?? ''), hashKeyOf(sha256('gw-first'))])
    expect(rotated.data.unread?.until).to.equal('2030-01-07T01:00:00.000Z')
    expect(sha256(world.sealer.open(rotated.data.unread?.sealed ?? '', recordOf(rotated)))).to.equal(
      current?.hash,
    )
    await world.runAt(Date.parse(monday) + hourMs)
    const ended = await world.key()
    expect(ended.data.secrets).to.deep.equal([current])
    expect(ended.keys).to.deep.equal([hashKeyOf(current?.hash ?? '')])
    expect(ended.data.unread).to.equal(null)
    expect(await world.acts()).to.deep.equal(['rotation_upcoming', 'rotate', 'end_transition'])
  })

  it('catches up on missed rotations once', async () => {
    const world = open()
    await world.put({ rotation_policy: weekly })
    world.restart()
    await world.runAt(Date.parse(monday) + 30 * dayMs)
    const { data } = await world.key()
    expect(data.secrets.map(({ key_version }) => key_version)).to.deep.equal([2, 1])
    expect(data.rotation_policy?.next_rotation_at).to.equal('2030-02-11T00:00:00.000Z')
  })

  it('finds keys that become due at every later run, not only at its first', async () => {
    const world = open()
    await world.put({ rotation_policy: weekly })
    for (let nowMs = start; nowMs <= Date.parse(monday) + 2 * hourMs; nowMs += hourMs)
      await world.runAt(nowMs)
    expect(await world.acts()).to.deep.equal(['rotation_upcoming', 'rotate', 'end_transition'])
  })

  it('rotates once when only a time was set', async () => {
    const world = open()
    await world.put({ rotation_policy: { ...weekly, rotation_period: null } })
    await world.runAt(Date.parse(monday))
    const { data } = await world.key()
    expect(data.secrets).to.have.length(2)
    expect(data.rotation_policy).to.equal(null)
  })

  it('skips inactive keys, and keys whose transition has not ended', async () => {
    const paused = open()
    await paused.put({ rotation_policy: weekly }, 'exhausted')
    await paused.runAt(Date.parse(monday))
    expect((await paused.key()).data.secrets).to.have.length(1)
    const running = open()
    await running.put({
      rotation_policy: weekly,
      secrets: [
        { key_version: 2, hash: sha256('b'), prefix: 'gw-', first: 'gw-', last: 'b', ends_at: null },
        {
          key_version: 1,
          hash: sha256('a'),
          prefix: 'gw-',
          first: 'gw-',
          last: 'a',
          ends_at: '2030-01-07T00:10:00.000Z',
        },
      ],
    })
    await running.runAt(Date.parse(monday))
    expect((await running.key()).data.secrets.map(({ key_version }) => key_version)).to.deep.equal([2, 1])
    await running.runAt(Date.parse(monday) + 10 * minuteMs)
    expect((await running.key()).data.secrets.map(({ key_version }) => key_version)).to.deep.equal([3, 2])
  })

  it('records that a key has expired, and warns seven days and one day before, once each', async () => {
    const world = open()
    const expiry = start + 10 * dayMs
    await world.put({ expires_at: new Date(expiry).toISOString() })
    for (let nowMs = start; nowMs <= expiry + hourMs; nowMs += 6 * hourMs) await world.runAt(nowMs)
    expect((await world.key()).status).to.equal('expired')
    expect(await world.acts()).to.deep.equal(['expiring', 'expiring', 'expire'])
  })

  it('deletes a secret that was not fetched in time', async () => {
    const world = open()
    const until = new Date(start + 30 * dayMs).toISOString()
    await world.put({ unread: { sealed: world.sealer.seal('gw-secret', 'api_key/any'), until } })
    await world.runAt(start + 30 * dayMs)
    expect((await world.key()).data.unread).to.equal(null)
  })
})
