/**
 * A key with a token budget: two workers over SQLite, for which the primary counts, against one process, which counts
 * itself. Both may use two cores, which the load generator and the mock share on a machine that has no more.
 */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { prepareGateway } from '../gateway-config.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { cpuMicroseconds, medians, perSecond, type Reading } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import { keyDraft, seedStore } from '../seed.ts'
import type { Server } from '../servers.ts'
import { BUDGET, keyText } from '../stored-key-load.ts'

const NAME = 'budgets'
const ONE = 'one process'
const TWO = 'two workers'
/** A key with a budget loses at most a fifth of its rate. */
const LEAST_SHARE = 0.8

async function run(bench: Bench): Promise<Row[]> {
  const runs = await withBudget(bench, { label: ONE, workers: 1 }, (one) =>
    withBudget(bench, { label: TWO, workers: 2 }, (two) => contest(bench, [...one, ...two])),
  )
  const row = (
    figure: string,
    unit: Row['unit'],
    { reading, atLeast }: { reading: Reading; atLeast: number | null },
  ): Row => {
    const values = medians(runs, reading)
    const own = { gateway: values[TWO] ?? Number.NaN, [ONE]: values[ONE] ?? Number.NaN }
    return makeRow({ scenario: NAME, figure, unit, values: own, ratioTo: { [ONE]: atLeast } })
  }
  return [
    row('rate of a key with a budget on two workers, c=64', 'req/s', {
      reading: perSecond,
      atLeast: LEAST_SHARE,
    }),
    row('CPU per request of a key with a budget on two workers, c=64', 'µs', {
      reading: cpuMicroseconds,
      atLeast: null,
    }),
  ]
}

/** Each gateway has its own store, with one key. */
async function withBudget<Result>(
  bench: Bench,
  { label, workers }: { label: string; workers: number },
  use: (servers: Server[]) => Promise<Result>,
): Promise<Result> {
  const prepared = prepareGateway(workFolder(), bench.mock.port)
  await seedStore(`sqlite:${prepared.dataDirectory}/gateway.db`, 1, (index) =>
    keyDraft(index, keyText(index), BUDGET),
  )
  const { pins } = bench.machine
  const cores = pins === null ? {} : { cores: pins.workers }
  return withServers(bench, ['gateway'], { use, setting: { ...cores, workers, label, prepared } })
}

function contest(bench: Bench, servers: Server[]): ReturnType<typeof runRounds> {
  return runRounds(bench, {
    name: `${NAME} c=64`,
    servers,
    connections: 64,
    body: chatBody({}),
    expect: EXPECT_JSON,
    config: 'plain',
    headers: () => ({ 'x-gateway-api-key': keyText(0), 'x-gateway-config': 'plain' }),
  })
}

export const budgets: Scenario = { name: NAME, run }
