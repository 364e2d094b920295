/**
 * `npm run soak`: two replicas over Postgres and Redis under mixed traffic, while clients leave in storms, the provider breaks
 * off at every byte, stores hang and are cut, configs are reloaded, a key is rotated and both replicas restart. At the end
 * nothing may leak, and every acknowledged write, charge and log entry must be there. It exits with 1 when a check fails.
 */
import { writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { startProgress } from '#core/boot/progress'
import { readFigures } from '../bench/figures.ts'
import { writePage } from '../bench/page.ts'
import { type SoakRecord, soakFile } from '../bench/soak-page.ts'
import { isPostgresInstalled } from '../support/postgres.ts'
import { onScreen } from '../support/progress-output.ts'
import { isRedisInstalled } from '../support/redis.ts'
import {
  type Check,
  checkCharges,
  checkDescriptors,
  checkLogs,
  checkReservations,
  checkSockets,
  checkWrites,
} from './checks.ts'
import { type Cluster, descriptorsOf, startCluster } from './cluster.ts'
import { makeKey, writeConfigs } from './management.ts'
import { watchMemory } from './memory.ts'
import { memoryChecks } from './memory-checks.ts'
import { readOptions, type SoakOptions, USAGE } from './options.ts'
import { createTraffic, type Sent } from './traffic.ts'
import { causeTrouble } from './troubles.ts'

interface Outcome {
  checks: Check[]
  /** The sent requests and their errors. */
  summary: string
}

async function soak(cluster: Cluster, { minutes, rate }: SoakOptions): Promise<Outcome> {
  const startedAt = new Date()
  const keys = { clean: await makeKey(cluster, 'clean'), rough: await makeKey(cluster, 'rough') }
  const traffic = createTraffic(cluster, { clean: keys.clean.key, rough: keys.rough.key })
  // Pools are filled before descriptors are counted.
  await traffic.run(rate, AbortSignal.timeout(3000))
  await wait(8000)
  const descriptors = cluster.nodes.map(({ process }) => descriptorsOf(process.pid))
  const durationMs = minutes * 60_000
  const stop = AbortSignal.timeout(durationMs)
  const memory = watchMemory(cluster)
  const seconds = Math.round(durationMs / 1000)
  const progress = await startProgress(onScreen(), {
    title: 'Soak',
    total: seconds,
    fewest: 0,
    unit: 'seconds',
  })
  const ticks = setInterval(progress.advance, 1000, 1)
  const [written, troubles] = await Promise.all([
    writeConfigs(cluster, stop),
    causeTrouble(cluster, traffic, { keys, durationMs, stop }),
    traffic.run(rate, stop),
  ])
  clearInterval(ticks)
  progress.end()
  memory.stop()
  const summary = `${summaryOf(traffic.sent)}. ${[...troubles].map(([name, count]) => `${name} ${count}`).join(', ')}.`
  console.log(`\n${summary}\n`)
  const checks = [
    ...memoryChecks(memory.growth(), { peakMb: memory.peak(), minutes }),
    await checkSockets(cluster),
    await checkDescriptors(cluster, descriptors),
    await checkWrites(cluster, written),
    await checkCharges(cluster, keys.clean, traffic.sent),
    await checkLogs(cluster, traffic.sent, startedAt),
    await checkReservations(cluster, [traffic.keys.clean, traffic.keys.rough]),
  ]
  return { checks, summary }
}

function summaryOf(sent: readonly Sent[]): string {
  const counts = new Map<string, number>()
  for (const { kind, status } of sent) {
    const name = `${kind} ${status === 0 ? 'without an answer' : status}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const lines = [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
  return `${sent.length} calls: ${lines.map(([name, count]) => `${name} ${count}`).join(', ')}`
}

const tableOf = (checks: readonly Check[]): string =>
  ['| check | figure | |', '|---|---|---|']
    .concat(checks.map(({ name, figure, isMet }) => `| ${name} | ${figure} | ${isMet ? 'met' : 'MISSED'} |`))
    .join('\n')

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2))
  if (options === null) {
    console.error(USAGE)
    return 2
  }
  if (!isPostgresInstalled() || !isRedisInstalled()) {
    console.error('The soak needs Postgres and Redis on this machine.')
    return 2
  }
  const cluster = await startCluster()
  try {
    const { checks, summary } = await soak(cluster, options)
    console.log(
      `Soak of ${options.minutes} minutes at ${options.rate} calls a second, two replicas\n\n${tableOf(checks)}`,
    )
    if (options.isRecorded) {
      const { minutes, rate } = options
      const date = new Date().toISOString().slice(0, 10)
      const soaked: SoakRecord = { date, minutes, rate, summary, checks }
      await writeFile(soakFile, `${JSON.stringify(soaked, null, 1)}\n`)
      writePage(readFigures())
    }
    return checks.every(({ isMet }) => isMet) ? 0 : 1
  } finally {
    await cluster.close()
  }
}

process.exitCode = await main()
