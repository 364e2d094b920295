/** Pairs that shadow traffic appends to a running replay. */
import type { WorkContext } from '@gateway/batches/engine'
import type { LogEntry } from '@gateway/contract'
import { expect } from 'chai'
import { createPairDoor, type PairDoor, type Shadow, type ShadowedPair } from '#replays/door'
import { createReplayStore } from '#replays/store'
import { beginWork, quietLog, quietMetrics } from '../../support/capabilities.ts'
import { openReplays } from './scene.ts'

const { engineOf } = (await import('@gateway/batches/engine')) as {
  engineOf(context: WorkContext): Parameters<typeof createPairDoor>[0]
}

const shadowOf = ({ organisation_id, workspace_id }: LogEntry, key: string): Shadow => ({
  organisationId: organisation_id,
  workspaceId: String(workspace_id),
  key,
  of: key,
  name: 'Shadow of support',
  config: 'cheaper',
  budget: null,
  declared: { config: 'support', path: 'config', sample_percent: 100 },
})

describe('a shadow replay', () => {
  const scene = openReplays()
  const { api } = scene
  const doors: PairDoor[] = []
  afterEach(async () => {
    for (const door of doors.splice(0)) await door.close()
  })

  /** Opens a door as another process would. */
  function openDoor(): PairDoor {
    const { runtime } = api.gateway
    const ports = runtime.store
    const context = {
      beginWork,
      counters: ports.counters,
      documents: ports.documents,
      logEntries: ports.log,
      stopping: new AbortController().signal,
      work: ports.work,
      log: quietLog,
      now: () => Date.now(),
      runInference: async () => ({ status: 500, headers: {}, text: '', stream: null }),
      metrics: quietMetrics,
      batches: () => ({ concurrency: 100, totalConcurrency: 100, pollMs: 1000 }),
    }
    const door = createPairDoor(engineOf(context), createReplayStore(context))
    doors.push(door)
    return door
  }

  async function entry(): Promise<LogEntry> {
    const { id } = await scene.ask()
    const [found] = await api.gateway.runtime.store.log.read([id])
    if (found === undefined) throw new Error('There is no entry.')
    return found
  }

  it('opens with its first pair, takes pairs of several processes, and has a report while it runs', async () => {
    const [one, other] = [openDoor(), openDoor()]
    const [baseline, candidate] = [await entry(), await entry()]
    const shadow = shadowOf(baseline, 'support/config.targets[0]')
    const pair: ShadowedPair = { baseline, candidate, outgoing: [] }
    const id = await one.append(shadow, pair)
    for (const door of [other, one, other]) expect(await door.append(shadow, pair)).to.equal(id)
    await one.close()
    await other.close()
    const { status, body, text } = await api.get(`/v1/replays/${id}`)
    expect(status, text).to.equal(200)
    expect(body).to.deep.include({ type: 'shadow', status: 'running', name: 'Shadow of support' })
    expect(body.counts).to.deep.include({ total: 4, completed: 4 })
    expect(body.baseline).to.deep.include({ requests: 4 })
    const pairs = await api.get(`/v1/replays/${id}/pairs`)
    expect(new Set(pairs.data.map(({ position }) => position)).size).to.equal(4)
  })

  it('is followed by another one after a cancellation', async () => {
    const door = openDoor()
    const [baseline, candidate] = [await entry(), await entry()]
    const key = shadowOf(baseline, 'cancelled')
    const id = await door.append(key, { baseline, candidate, outgoing: [] })
    await door.close()
    expect((await api.post(`/v1/replays/${id}/cancel`)).body.status).to.equal('cancelled')
    const next = await door.append(key, { baseline, candidate, outgoing: [] })
    expect(next).not.to.equal(id)
  })
})
