/**
 * Kills a gateway repeatedly while it writes and while requests hold reservations, and checks afterwards whether any
 * acknowledged write is missing.
 */

import { leaseMs } from '#counters/waiting-settlements'
import { createCounters } from '#store-sql/counters'
import { openPostgres } from '#store-sql/postgres-database'
import { chat } from './gateway.ts'
import { type Replica, replicaAdminKey } from './replica.ts'

export interface KillResult {
  /** Writes that were answered 200. */
  acknowledged: number
  /** Acknowledged writes that are missing after the restart, or differ from the answer. */
  lost: string[]
}

export interface KillOptions {
  rounds: number
  /** Writes that are acknowledged before the kill. */
  writesPerRound: number
  /** A key with a limit of which requests hold a reservation when they are killed; their upstream never answers. */
  holdingKey: string
}

const writers = 4
const holders = 4

export async function killUnderLoad(replica: Replica, options: KillOptions): Promise<KillResult> {
  const names = new Map<string, string>()
  for (let round = 1; round <= options.rounds; round += 1) {
    await killOnce(replica, options, { round, names })
    await replica.restart()
  }
  const lost: string[] = []
  for (const [id, name] of names) {
    const { status, body } = await replica.call(replicaAdminKey, `GET /v1/configs/${id}`)
    if (status !== 200 || body.name !== name) lost.push(id)
  }
  return { acknowledged: names.size, lost }
}

async function killOnce(
  replica: Replica,
  { writesPerRound, holdingKey }: KillOptions,
  { round, names }: { round: number; names: Map<string, string> },
): Promise<void> {
  const target = names.size + writesPerRound
  let isKilled = false
  async function write(writer: number): Promise<void> {
    for (let count = 0; !isKilled; count += 1) {
      const name = `round ${round} writer ${writer} number ${count}`
      const body = { name, workspace_id: 'default', config: { provider: 'echo' } }
      // Writes that the kill interrupted were not acknowledged.
      const reply = await replica.call(replicaAdminKey, 'POST /v1/configs', { body }).catch(() => null)
      if (reply?.status === 200) names.set(String(reply.body.id), name)
      else if (!isKilled) throw new Error(`A write failed before the kill: ${reply?.status} ${reply?.text}`)
    }
  }
  const held = Array.from({ length: holders }, () =>
    replica
      .call(holdingKey, 'POST /v1/chat/completions', {
        body: chat(),
        headers: { 'x-gateway-config': 'silent' },
      })
      .catch(() => null),
  )
  const written = Array.from({ length: writers }, (_, writer) => write(writer))
  const killed = (async () => {
    while (names.size < target) await new Promise((resolve) => setTimeout(resolve, 5))
    isKilled = true
    await replica.crash()
  })()
  await Promise.all([...written, ...held, killed])
}

/** The total reservations of all budgets on a Postgres: now, and when every current lease has ended. */
export async function reservedOnPostgres(url: string): Promise<{ now: number; later: number }> {
  const database = openPostgres(url, { report: () => undefined })
  try {
    const counters = createCounters(database, { clock: 'caller' })
    const keys = (await counters.list('', null, 1000)).map(({ key }) => ({ key, window: null }))
    const sumAt = async (nowMs: number) =>
      (await counters.read(keys, nowMs)).reduce((sum, { reserved }) => sum + reserved, 0)
    return { now: await sumAt(Date.now()), later: await sumAt(Date.now() + leaseMs) }
  } finally {
    await database.close()
  }
}
