/**
 * A day of a gateway: its processes over one store, the test's webhook receiver, mail server, collector and provider,
 * and a clock that jumps over the hours. It records the requests and their effects.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Documents } from '@gateway/contract'
import { kinds } from '@gateway/domain'
import { createKeyWorker } from '#control-plane/api-keys/worker'
import type { TestClock } from '../../support/clock.ts'
import { type Collector, openCollector } from '../../support/collector.ts'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { createPeople, type People } from '../../support/people.ts'
import { openSmtpSink, type SmtpSink } from '../../support/smtp-sink.ts'
import { until } from '../../support/until.ts'
import { answerOk, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'

/** For tests only; the same in every process of a day. */
const encryptionKey = Buffer.alloc(32, 7).toString('base64')
const hourMs = 3_600_000

interface Asked {
  headers?: Record<string, string>
  body?: unknown
  /** Spans in addition to that of the request itself, such as `CLIENT chat test-model`; null: any number. */
  spans?: readonly string[] | null
  /** Default 200. */
  status?: number
  /** The process that gets the request. Default: they take turns. */
  process?: number
  /** Whether the clock stands still until the answer is there. Default: it advances, because a retry may wait for it. */
  isTimeStopped?: boolean
}

type Body = Record<string, unknown>

export interface Day {
  people: People
  upstream: Upstream
  receiver: Upstream
  sink: SmtpSink
  collector: Collector
  /** The receiver's status from now on. */
  receiverStatus: number
  /** Whether the provider fails. */
  isProviderDown: boolean
  /** The events that the receiver accepted. */
  events: Body[]
  /** The spans that every request must create, by its trace id; null: any number. */
  spans: Map<string, string[] | null>
  ask(method: string, path: string, asked?: Asked): Promise<Body>
  /** A stored document's status, and how many attempts were made, of everything that waits to be sent. */
  attempts(): Promise<number[]>
  /** Resolves once everything was sent. */
  settled(): Promise<void>
  /** Resolves once every process knows of an open circuit. */
  circuitKnown(): Promise<void>
  /** Lets hours pass, while nothing is on its way. */
  skip(hours: number): Promise<void>
  /** Runs the key job of all processes in parallel. */
  tendKeys(): Promise<void>
  /** Waits for a condition while the clock advances normally. */
  wait(what: string, look: () => boolean | Promise<boolean>): Promise<void>
  /** Stops each process and starts it again, one after the other. */
  restart(): Promise<void>
  start(): Promise<void>
  /** Stops all processes, which deliver as much as they can. */
  stop(): Promise<void>
  close(): Promise<void>
}

export interface DayOptions {
  clock: TestClock
  /** The number of running processes. */
  processes: number
  /** `GATEWAY_STORE_URL`, `GATEWAY_REDIS_URL`; null for a file of the day's own. */
  environment: Record<string, string> | null
}

/** The time by which the clock advances at each poll while waiting. */
const lookMs = 20
/** The clock advances at most that often. */
const lookNs = 10_000_000n

export async function openDay({ clock, processes, environment }: DayOptions): Promise<Day> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-day-'))
  const [sink, collector] = await Promise.all([openSmtpSink(), openCollector()])
  const upstream = await openUpstream((request, response, count) => answer(day, request, response, count))
  const receiver = await openUpstream((request, response) => {
    if (day.receiverStatus < 300) day.events.push(request.json ?? {})
    sendJson(response, day.receiverStatus, {})
  })
  const config = {
    public_url: 'https://gateway.example',
    email: { smtp_url: sink.url, from: 'gateway@example.com' },
    telemetry: { otlp_endpoint: collector.origin, export_interval_ms: 100 },
    providers: { main: { provider: 'openai', api_key: 'sk-test', custom_host: upstream.url } },
  }
  const start = () =>
    startGateway(config, {
      environment: {
        GATEWAY_ADMIN_KEY: adminKey,
        GATEWAY_ENCRYPTION_KEY: encryptionKey,
        GATEWAY_DATA_DIR: directory,
        ...(environment ?? { GATEWAY_STORE_URL: `sqlite:${directory}/gateway.db` }),
      },
    })
  let turn = 0
  const gateways: TestGateway[] = []
  const documents = () => gateways[0]?.runtime.store.documents as Documents

  /** Resolves with the result of something that may need the clock. */
  async function run<T>(work: Promise<T>): Promise<T> {
    let isOver = false
    const over = () => {
      isOver = true
    }
    work.then(over, over)
    await wait('work', () => isOver)
    return work
  }

  let nextTickAt = 0n
  /** Those that wait at the same time share the ticks of the clock. */
  async function wait(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
    await until(
      what,
      async () => {
        if (await look()) return true
        const now = process.hrtime.bigint()
        if (now < nextTickAt) return false
        nextTickAt = now + lookNs
        await clock.tick(lookMs)
        return false
      },
      180_000,
    )
  }

  const waiting = async () => {
    const outboxes = [kinds.webhookDelivery, kinds.mail]
    const found = await Promise.all(outboxes.map((kind) => documents().scan(kind, null, 1000)))
    return found.flat().filter(({ status }) => status === 'pending')
  }
  const hasEvents = async () => (await documents().scan(kinds.event, null, 1)).length > 0
  const isTraced = () => {
    const served = new Set(
      collector.spans.filter(({ kind }) => kind === 'SERVER').map(({ traceId }) => traceId),
    )
    return [...day.spans.keys()].every((id) => served.has(id))
  }

  const day: Day = {
    people: createPeople(documents),
    upstream,
    receiver,
    sink,
    collector,
    receiverStatus: 200,
    isProviderDown: false,
    events: [],
    spans: new Map(),
    async ask(
      method,
      path,
      { headers = {}, body, spans = [], status = 200, process, isTimeStopped = false } = {},
    ) {
      const gateway = gateways[process ?? turn++ % gateways.length]
      const traceId = randomBytes(16).toString('hex')
      day.spans.set(traceId, spans === null ? null : [...spans].sort())
      const isForm = body instanceof FormData
      const asked = fetch(`${gateway?.url}${path}`, {
        method,
        headers: {
          'x-gateway-api-key': adminKey,
          traceparent: `00-${traceId}-b7ad6b7169203331-01`,
          ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      }).then(async (response) => ({ status: response.status, text: await response.text() }))
      const answered = await (isTimeStopped ? asked : run(asked))
      if (answered.status !== status) {
        throw new Error(`${method} ${path} answered ${answered.status}: ${answered.text}`)
      }
      return answered.text.startsWith('{') ? (JSON.parse(answered.text) as Body) : {}
    },
    attempts: async () => (await waiting()).map(({ data }) => Number(data.attempt)),
    async settled() {
      const isOver = async () => !(await hasEvents()) && (await waiting()).length === 0
      await wait('everything is sent', async () => isTraced() && (await isOver()))
    },
    async skip(hours) {
      // A line of a batch that is being answered would time out, and the batch would end otherwise.
      await wait('no request is being answered', () =>
        gateways.every(({ runtime }) => runtime.inFlight.requests === 0),
      )
      clock.jump(hours * hourMs)
    },
    circuitKnown: () =>
      wait('every process knows the open circuit', () =>
        gateways.every(({ runtime }) => {
          const { open, half_open } = runtime.breakers.states()
          return open + half_open > 0
        }),
      ),
    async tendKeys() {
      const workers = gateways.map(({ runtime: { store, sealer } }) => {
        return createKeyWorker({
          documents: store.documents,
          sealer,
          keyPrefix: 'gw-',
          now: () => Date.now(),
        })
      })
      await run(Promise.all(workers.map((worker) => worker.run(Date.now()))))
    },
    wait,
    async restart() {
      for (const [index, gateway] of gateways.entries()) {
        await run(gateway.stop())
        gateways[index] = await run(start())
      }
    },
    async start() {
      for (let count = 0; count < processes; count += 1) gateways.push(await run(start()))
    },
    async stop() {
      for (const gateway of gateways.splice(0)) await run(gateway.stop())
    },
    async close() {
      await day.stop()
      await Promise.all([upstream.close(), receiver.close(), sink.close(), collector.close()])
      await rm(directory, { recursive: true, force: true })
    },
  }
  await day.start()
  return day
}

/**
 * A provider that always asks callers of some texts to wait, fails at first with others, and may be down. It keeps asking them to
 * wait while it is down: a failure would end the line of a batch, which is tried again at any time.
 */
function answer(day: Day, ...[request, response, count]: Parameters<typeof answerOk>): void {
  const [message] = (request.json?.messages ?? []) as { content?: string }[]
  const text = String(message?.content)
  const before = day.upstream.seen.filter(({ text: other }) => other === request.text).length
  if (text.startsWith('slow')) {
    sendJson(response, { status: 429, headers: { 'retry-after': '600' } }, { error: { message: 'later' } })
  } else if (day.isProviderDown || (text.startsWith('flaky') && before === 1)) {
    sendJson(response, 503, { error: { message: 'down' } })
  } else void answerOk(request, response, count)
}
