/**
 * A day of traffic with restarts, as seen by the test's webhook receiver, mail server and collector: exactly the
 * events, messages and spans of the script, each once.
 */
import { eventTypes } from '@gateway/domain'
import { expect } from 'chai'
import { stopClock } from '../../support/clock.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../../support/postgres.ts'
import { isRedisInstalled, type RedisServer, startRedis } from '../../support/redis.ts'
import { type Day, type DayOptions, openDay } from './day.ts'
import { script } from './script.ts'

const everybody = ['owner@example.com', 'admin@example.com']

describe('a scripted day', function () {
  this.timeout(900_000)
  let postgres: PostgresServer | undefined
  let redis: RedisServer | undefined
  let day: Day | undefined
  before(async () => {
    if (isPostgresInstalled()) postgres = await startPostgres()
    if (isRedisInstalled()) redis = await startRedis()
  })
  after(() => Promise.all([postgres?.close(), redis?.stop()]))
  // This runs before the clock is restored, because work that waits for it has to end.
  afterEach(async () => {
    await day?.close()
    day = undefined
  })
  const clock = stopClock()

  async function live(options: Omit<DayOptions, 'clock'>): Promise<void> {
    const begun = await openDay({ clock, ...options })
    day = begun
    let expected = 0
    for (const { what, act, events = [] } of script) {
      expected += events.length
      await act(begun).catch((error: unknown) => {
        throw new Error(`${what}: ${error instanceof Error ? error.message : 'error'}`, { cause: error })
      })
      // Jobs find some changes only after a while.
      await begun.wait(`the events of ${what}`, () => begun.events.length >= expected)
      await begun.settled()
    }
    await begun.stop()
    const { spans } = begun.collector
    for (const ids of [spans.map(({ spanId }) => spanId), begun.events.map(({ id }) => id)])
      expect(new Set(ids).size, 'ids that differ').to.equal(ids.length)
    expect(begun.events.map(eventText).sort()).to.deep.equal(
      script.flatMap(({ events = [] }) => events).sort(),
    )
    expect(mailTexts(begun)).to.deep.equal(expectedMails())
    expect(spansSeen(begun)).to.deep.equal(Object.fromEntries(begun.spans))
    expect(measured(begun)).to.deep.equal(measurable(begun))
  }

  it('produces each event, message and span once on one process', () =>
    live({ processes: 1, environment: null }))

  it('produces them once on two replicas with Postgres and Redis', async function () {
    if (postgres === undefined || redis === undefined) return this.skip()
    const environment = { GATEWAY_STORE_URL: await postgres.createDatabase(), GATEWAY_REDIS_URL: redis.url }
    await live({ processes: 2, environment })
  })

  it('produces them once on two replicas with Postgres only', async function () {
    if (postgres === undefined) return this.skip()
    await live({ processes: 2, environment: { GATEWAY_STORE_URL: await postgres.createDatabase() } })
  })

  it('includes every type of event', () => {
    const types = script.flatMap(({ events = [] }) => events.map((event) => event.split(' ')[0]))
    expect([...new Set(types)].sort()).to.deep.equal([...eventTypes].sort())
  })
})

function eventText({ type, data }: Record<string, unknown>): string {
  const { name, email, state, phase, status, subject } = data as Record<string, unknown> & {
    subject?: { type: string }
  }
  return [type, name ?? email ?? state ?? phase ?? status ?? subject?.type]
    .filter((part) => part !== undefined)
    .join(' ')
}

const expectedMails = (): string[] =>
  script
    .flatMap(({ mails = [] }) => mails)
    .flatMap(({ subject, to = [], isToEverybody = true }) =>
      [...(isToEverybody ? everybody : []), ...to].map((address) => `${address}: ${subject}`),
    )
    .sort()

const mailTexts = ({ sink }: Day): string[] =>
  sink.mails
    .flatMap(({ to, headers }) =>
      to.map((address) => `${address}: ${headers.subject?.replace(/ on \d{4}-.*UTC$/, ' on …')}`),
    )
    .sort()

/** The spans in addition to that of the request, by trace. */
function spansSeen({ collector, spans }: Day): Record<string, string[] | null> {
  const traces: Record<string, string[]> = {}
  for (const { traceId, kind, name } of collector.spans) {
    const trace = traces[traceId] ?? ['no SERVER span']
    traces[traceId] = trace
    const missing = kind === 'SERVER' ? trace.indexOf('no SERVER span') : -1
    if (missing >= 0) trace.splice(missing, 1)
    else trace.push(`${kind} ${name}`)
  }
  const seen = Object.entries(traces).map(([id, names]): [string, string[] | null] =>
    spans.get(id) === null && !names.includes('no SERVER span') ? [id, null] : [id, names.sort()],
  )
  return Object.fromEntries(seen)
}

/**
 * The expected number of recordings of each histogram, from the spans of the same requests, all of which are sampled.
 */
function measurable({ collector: { spans } }: Day): Record<string, number> {
  const calls = spans.filter(({ kind }) => kind === 'CLIENT')
  const tokens = calls.flatMap(({ attributes }) => [
    attributes['gen_ai.usage.input_tokens'],
    attributes['gen_ai.usage.output_tokens'],
  ])
  return {
    'http.server.request.duration': spans.filter(({ kind }) => kind === 'SERVER').length,
    'gen_ai.client.operation.duration': calls.length,
    'gen_ai.client.token.usage': tokens.filter((count) => count !== undefined).length,
    // Recorded for each request that called a provider.
    'gateway.overhead.duration': new Set(calls.map(({ parentSpanId }) => parentSpanId)).size,
  }
}

/** The last counts of each process, added up by histogram. */
function measured({ collector }: Day): Record<string, number> {
  const counts = new Map<string, { name: string; count: number }>()
  for (const { path, text } of collector.requests) {
    if (path !== '/v1/metrics') continue
    for (const { resource, scopeMetrics } of (JSON.parse(text) as MetricsExport).resourceMetrics) {
      const process = resource.attributes.find(({ key }) => key === 'service.instance.id')?.value.stringValue
      for (const { name, histogram } of scopeMetrics.flatMap(({ metrics }) => metrics))
        if (histogram !== undefined)
          counts.set(`${process} ${name}`, {
            name,
            count: histogram.dataPoints.reduce((sum, { count }) => sum + Number(count), 0),
          })
    }
  }
  const sums: Record<string, number> = {}
  for (const { name, count } of counts.values()) sums[name] = (sums[name] ?? 0) + count
  return sums
}

interface MetricsExport {
  resourceMetrics: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] }
    scopeMetrics: { metrics: { name: string; histogram?: { dataPoints: { count: number | string }[] } }[] }[]
  }[]
}
