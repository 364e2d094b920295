/** Faults during the traffic: stores that are cut or hang, reloads, rotated keys, restarts, storms. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { type Key, rotateKey } from './management.ts'
import type { Traffic } from './traffic.ts'

interface Trouble {
  name: string
  /** False when there was nothing to do this time. */
  run(): Promise<unknown>
}

const hangMs = 2500
const stormCallers = 60

interface CauseTroubleOptions {
  keys: { clean: Key; rough: Key }
  durationMs: number
  stop: AbortSignal
}

/** Runs each in turn, spread over the time, each at least once; returns the number of runs of each. */
export async function causeTrouble(
  cluster: Cluster,
  traffic: Traffic,
  { keys, durationMs, stop }: CauseTroubleOptions,
): Promise<Map<string, number>> {
  const troubles = troublesOf(cluster, traffic, keys)
  const counts = new Map<string, number>()
  const pauseMs = Math.max(4000, Math.min(30_000, durationMs / (troubles.length * 2)))
  let hasRestarted = false
  for (let index = 0; !stop.aborted; index += 1) {
    await wait(pauseMs, undefined, { signal: stop }).catch(() => undefined)
    const trouble = troubles[index % troubles.length]
    if (stop.aborted || trouble === undefined) break
    // Memory is measured from the restart on: there is one, early.
    if (trouble.name === rolling && hasRestarted) continue
    hasRestarted ||= trouble.name === rolling
    if ((await trouble.run()) === false) continue
    counts.set(trouble.name, (counts.get(trouble.name) ?? 0) + 1)
  }
  return counts
}

const rolling = 'rolling restart'

function troublesOf(cluster: Cluster, traffic: Traffic, keys: { clean: Key; rough: Key }): Trouble[] {
  let generation = 0
  const hang = async (server: { pause(): void; resume(): void }) => {
    server.pause()
    await wait(hangMs)
    server.resume()
  }
  let hasRotated = false
  return [
    { name: 'disconnect storm', run: () => traffic.storm(stormCallers) },
    {
      name: rolling,
      async run() {
        for (const node of cluster.nodes) await node.restart()
      },
    },
    { name: 'Redis hangs', run: () => hang(cluster.redis) },
    {
      name: 'reload',
      async run() {
        generation += 1
        for (const node of cluster.nodes) await node.reload(generation)
      },
    },
    { name: 'Postgres hangs', run: () => hang(cluster.postgres) },
    {
      name: 'key rotation',
      async run() {
        // A transition runs for half an hour; a second rotation has to wait for its end.
        if (hasRotated) return false
        hasRotated = true
        traffic.keys.clean = await rotateKey(cluster, keys.clean)
        return true
      },
    },
    {
      name: 'Postgres is cut',
      async run() {
        await cluster.postgres.stop()
        await wait(hangMs)
        await cluster.postgres.start()
      },
    },
    {
      name: 'Redis is cut',
      async run() {
        cluster.redisLine.cut()
        await wait(hangMs)
        cluster.redisLine.mend()
      },
    },
  ]
}
