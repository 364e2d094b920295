/** Limits with concurrent requests: on one process, and on two that share a store. */
import { expect } from 'chai'
import { asKey, limitedKey, reports, usageOf } from '../../core/metering/limits/scene.ts'
import { adminKey, chat, startGateway, type TestGateway, target } from '../../support/gateway.ts'
import { startPostgres } from '../../support/postgres.ts'
import { startRedis } from '../../support/redis.ts'
import { openUpstream, type Upstream } from '../../support/upstream.ts'
import type { Row, Table } from './table.ts'

const limit = 20
const callers = 60
const tokensOfCall = 5

const kinds: readonly {
  what: string
  limits: (value: number) => Record<string, unknown>
  value: number
  refused: number
  outcome: string
  isRight(admitted: number): boolean
}[] = [
  {
    what: `${limit} requests per day`,
    limits: (value) => ({ rate_limits: { type: 'requests', unit: 'rpd', value } }),
    value: limit,
    refused: 429,
    outcome: `exactly ${limit} requests are admitted; the others get 429`,
    isRight: (admitted) => admitted === limit,
  },
  {
    what: `a budget of ${limit} requests`,
    limits: (value) => ({ usage_limits: { type: 'requests', credit_limit: value } }),
    value: limit,
    refused: 412,
    outcome: `exactly ${limit} requests are admitted; the others get 412`,
    isRight: (admitted) => admitted === limit,
  },
  {
    what: `${limit * tokensOfCall} tokens per day`,
    limits: (value) => ({ rate_limits: { type: 'tokens', unit: 'rpd', value } }),
    value: limit * tokensOfCall,
    refused: 429,
    outcome: 'never more tokens than the limit are admitted; other requests get 429',
    isRight: (admitted) => admitted > 0 && admitted <= limit,
  },
]

type Start = (config: Record<string, unknown>) => Promise<Places>

interface Places {
  gateways: readonly TestGateway[]
  close(): Promise<void>
}

const places: Readonly<Record<string, Start>> = {
  'one process': async (config) => {
    const gateway = await startGateway(config)
    return { gateways: [gateway], close: () => gateway.stop() }
  },
  'two processes with Postgres': async (config) => {
    const postgres = await startPostgres()
    const environment = { GATEWAY_STORE_URL: await postgres.createDatabase() }
    const gateways = await startTwo(config, [environment, environment])
    return { gateways, close: () => close(gateways, () => postgres.close()) }
  },
  'two processes with Redis': async (config) => {
    const redis = await startRedis()
    const environment = { GATEWAY_STORE_URL: 'memory:', GATEWAY_REDIS_URL: redis.url }
    const gateways = await startTwo(config, [environment, environment])
    return { gateways, close: () => close(gateways, () => redis.stop()) }
  },
}

async function startTwo(
  config: Record<string, unknown>,
  environments: readonly Record<string, string>[],
): Promise<TestGateway[]> {
  const gateways: TestGateway[] = []
  for (const environment of environments)
    gateways.push(
      await startGateway(config, {
        environment: {
          GATEWAY_ADMIN_KEY: adminKey,
          GATEWAY_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
          ...environment,
        },
      }),
    )
  return gateways
}

async function close(gateways: readonly TestGateway[], last: () => Promise<void>): Promise<void> {
  for (const gateway of gateways) await gateway.stop()
  await last()
}

const keyOf = (index: number) => `gw-key-of-limit-number-${index}`

/** Opens the gateways for its rows before the first and closes them after the last. */
export function limitTable(): Table {
  const opened = new Map<string, Places>()
  let upstream: Upstream
  before(async () => {
    upstream = await openUpstream(reports(usageOf(3, 2)))
    const config = {
      api_keys: kinds.map(({ limits, value }, index) => ({
        ...limitedKey(limits(value), keyOf(index)),
        name: `limited-${index}`,
      })),
      configs: { main: target(upstream.url) },
    }
    for (const [name, start] of Object.entries(places)) opened.set(name, await start(config))
  })
  after(async () => {
    for (const place of opened.values()) await place.close()
    await upstream.close()
  })

  const rows = kinds.flatMap((kind, index) =>
    Object.keys(places).map(
      (name): Row => ({
        cells: [kind.what, name, kind.outcome],
        async run() {
          const gateways = opened.get(name)?.gateways ?? []
          const headers = { ...asKey(keyOf(index)), 'x-gateway-config': 'main' }
          const body = chat('hello', { max_tokens: tokensOfCall })
          const answers = await Promise.all(
            Array.from({ length: callers }, (_, at) =>
              gateways[at % gateways.length]?.post('/v1/chat/completions', body, headers),
            ),
          )
          const statuses = answers.map((answer) => answer?.status ?? 0)
          const admitted = statuses.filter((status) => status === 200).length
          expect(
            statuses.filter((status) => status === kind.refused),
            statuses.join(),
          ).to.have.length(callers - admitted)
          expect(kind.isRight(admitted), `${admitted} were admitted`).to.equal(true)
        },
      }),
    ),
  )
  return {
    title: 'Limits under concurrent requests',
    text: `${callers} concurrent requests with ${tokensOfCall} tokens each.`,
    columns: ['limit of the key', 'gateways', 'outcome'],
    rows,
  }
}
