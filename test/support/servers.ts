/**
 * Selects the suites that register themselves: `TEST_SERVERS=none` leaves out those that start Postgres, Redis or
 * ClickHouse, and `TEST_SERVERS=only` leaves out the others of the same files. The two parts of a test run then repeat
 * nothing (test/run/lanes.ts). By default, all register.
 */
const { TEST_SERVERS: choice } = process.env

export const runsServers = choice !== 'none'

export const runsEmbedded = choice !== 'only'

/** `describe` for a suite that needs no server, in a file with suites that do. */
export function describeEmbedded(title: string, suite: (this: Mocha.Suite) => void): void {
  if (runsEmbedded) describe(title, suite)
}

/** `it` for such a test, in a suite that both parts run. */
export function itEmbedded(title: string, test: Mocha.AsyncFunc | Mocha.Func): void {
  if (runsEmbedded) it(title, test as Mocha.Func)
}
