/** The gateway's own work, measured in this process: the search of the semantic cache, and the decision trace. */
import { completeFile } from '#config-file/complete'
import { Canceller } from '#flow/cancellation'
import { createExchange } from '#flow/exchange'
import { elapsedMs, nodePath, recordDecision } from '#flow/ledger'
import type { Workspace } from '#flow/settings'
import type { Stores } from '#flow/stores'
import type { Transport } from '#flow/transport'
import { SignIndex } from '#store-sql/vector-scan/sign-index'
import type { Scenario } from '../bench.ts'
import { makeRow, type Row } from '../rows.ts'
import { median } from '../statistics.ts'

const NAME = 'own-work'
const vectors = 100_000
const bytes = 1536 / 8
const rounds = 40
const requests = 20_000

function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const medianMs = (work: () => void): number =>
  median(Array.from({ length: rounds }, () => cpuMs(work)).slice(rounds / 4))

function searchMs(): number {
  const index = new SignIndex(bytes)
  const signs = () => Uint8Array.from({ length: bytes }, () => Math.floor(Math.random() * 256))
  for (let count = 0; count < vectors; count += 1)
    index.put({ id: `vector-${count}`, signs: signs(), expires_at: null })
  return medianMs(() => void index.nearest(signs(), 100, 0))
}

/** The decisions of a plain call: the config, a limit, the call, the end. */
function decisionsMicroseconds(): number {
  const workspace = { file: completeFile({}) } as Partial<Workspace> as Workspace
  const transport = { headers: {} } as unknown as Transport
  const exchanges = Array.from({ length: requests }, () =>
    createExchange({
      workspace,
      stores: {} as Stores,
      transport,
      leaving: new Canceller(),
      traceId: 'trace',
    }),
  )
  const decide = () => {
    for (const exchange of exchanges) {
      exchange.request.ledger.decisions.length = 0
      recordDecision(exchange, {
        step: 'config',
        path: nodePath(exchange),
        at_ms: elapsedMs(exchange),
        source: 'header',
        id: 'prod',
        version: 1,
      })
      recordDecision(exchange, {
        step: 'limit',
        path: nodePath(exchange),
        at_ms: elapsedMs(exchange),
        param: 'rate_limits/0',
        admitted: true,
        remaining: 9,
      })
      recordDecision(exchange, {
        step: 'call',
        path: nodePath(exchange),
        at_ms: elapsedMs(exchange),
        attempt: 0,
        provider: 'openai',
        model: 'm',
        status: 200,
        duration_ms: 1,
        hedge: false,
        aborted: false,
      })
      recordDecision(exchange, {
        step: 'end',
        path: nodePath(exchange),
        at_ms: elapsedMs(exchange),
        status: 200,
        cost: 0.1,
      })
    }
  }
  return (medianMs(decide) * 1000) / requests
}

const run = (): Promise<Row[]> =>
  Promise.resolve([
    makeRow({
      scenario: NAME,
      figure: 'nearest of 100,000 vectors of 1536 members by their signs, CPU of the thread that searches',
      unit: 'ms',
      values: { gateway: searchMs() },
      atMost: 25,
    }),
    makeRow({
      scenario: NAME,
      figure: 'the decisions of a call, CPU',
      unit: 'µs',
      values: { gateway: decisionsMicroseconds() },
      atMost: 5,
    }),
  ])

export const ownWork: Scenario = { name: NAME, run }
