/** Secrets stored by an earlier version are sealed once the store answers, and not after the gateway has stopped. */
import { type Documents, GatewayError } from '@gateway/contract'
import { expect } from 'chai'
import pino from 'pino'
import { sealOldSecrets } from '#core/boot/seal-old-secrets'
import { turnUntil } from '../../support/clock.ts'
import { startGateway } from '../../support/gateway.ts'

const log = pino({ level: 'silent' })

/** A store that is unavailable until it is told to answer, and counts its calls. */
function createStore() {
  const store = { isAway: true, asked: 0 }
  const documents: Partial<Documents> = {
    get: async () => {
      store.asked += 1
      if (store.isAway) throw new GatewayError('store_unavailable', 'The store is away.')
      return null
    },
    scan: async () => [],
    commit: async () => [],
  }
  return Object.assign(store, { documents: documents as Documents })
}

describe('the search for unsealed secrets of an earlier version', () => {
  /** Waits end when the test ends them. */
  const waits: (() => void)[] = []
  const wait = (_ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      waits.push(resolve)
      signal.addEventListener('abort', () => resolve())
    })
  const open = async (store: ReturnType<typeof createStore>) => {
    const gateway = await startGateway()
    const { sealer } = gateway.runtime
    await gateway.stop()
    return sealOldSecrets({ documents: store.documents, sealer, log, wait })
  }
  beforeEach(() => waits.splice(0))

  it('is repeated until the store answers', async () => {
    const store = createStore()
    const sealing = await open(store)
    expect(store.asked).to.equal(1)
    waits.pop()?.()
    await turnUntil(() => waits.length === 1, 'the second try')
    expect(store.asked).to.equal(2)
    store.isAway = false
    waits.pop()?.()
    await sealing.done
    // Two reads are for the fingerprint of the key and the mark of the migration.
    expect(store.asked).to.equal(4)
    expect(waits).to.have.length(0)
  })

  it('stops when the gateway stops', async () => {
    const store = createStore()
    const sealing = await open(store)
    await sealing.stop()
    expect(store.asked).to.equal(1)
    expect(waits).to.have.length(1)
  })
})
