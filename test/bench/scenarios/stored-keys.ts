/**
 * Stored keys against the admin key: 100,000 keys in SQLite, requests by a thousand of them in turn, each with a limit
 * of the key, of its workspace and of the provider (requests, tokens and a budget), with the log, against a gateway
 * without limits that only the admin key calls.
 */
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { GATEWAY_KEY, prepareGateway } from '../gateway-config.ts'
import { chatBody, EXPECT_JSON } from '../requests.ts'
import { cpuMicroseconds, medians, perSecond, type Reading, type Values } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import { keyDraft, seedStore } from '../seed.ts'
import type { Server } from '../servers.ts'
import { FILE_LIMITS, KEY_LIMITS, KEYS_IN_USE, keyPattern, keyText } from '../stored-key-load.ts'

const NAME = 'stored-keys'
const KEYS = 100_000
const STORED = 'stored keys'
const ADMIN = 'admin key'
const LEAST_SHARE = 0.9

async function run(bench: Bench): Promise<Row[]> {
  const prepared = prepareGateway(workFolder(), bench.mock.port, FILE_LIMITS)
  await seedStore(`sqlite:${prepared.dataDirectory}/gateway.db`, KEYS, (index) =>
    keyDraft(index, keyText(index), KEY_LIMITS),
  )
  const runs = await withServers(bench, ['gateway'], {
    use: (admin) => {
      const compare = (stored: Server[]) => contest(bench, [...admin, ...stored])
      return withServers(bench, ['gateway'], { use: compare, setting: { label: STORED, prepared } })
    },
    setting: { label: ADMIN },
  })
  const row = (
    figure: string,
    unit: Row['unit'],
    { reading, atLeast }: { reading: Reading; atLeast: number | null },
  ): Row => {
    const values = medians(runs, reading)
    const own: Values = { gateway: values[STORED] ?? Number.NaN, [ADMIN]: values[ADMIN] ?? Number.NaN }
    return makeRow({ scenario: NAME, figure, unit, values: own, ratioTo: { [ADMIN]: atLeast } })
  }
  return [
    row('rate of 100,000 stored keys with limits, c=64', 'req/s', {
      reading: perSecond,
      atLeast: LEAST_SHARE,
    }),
    row('CPU per request of stored keys, c=64', 'µs', { reading: cpuMicroseconds, atLeast: null }),
  ]
}

function contest(bench: Bench, servers: Server[]): ReturnType<typeof runRounds> {
  return runRounds(bench, {
    name: `${NAME} c=64`,
    servers,
    connections: 64,
    body: chatBody({}),
    expect: EXPECT_JSON,
    config: 'plain',
    headers: ({ label }) => ({
      'x-gateway-api-key': label === STORED ? keyPattern : GATEWAY_KEY,
      'x-gateway-config': 'plain',
    }),
    counterBelow: KEYS_IN_USE,
  })
}

export const storedKeys: Scenario = { name: NAME, run }
