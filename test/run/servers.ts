/**
 * The requirements of a lane in addition to the checkout: a server that is started for it, or a program that must be
 * installed.
 */
import { existsSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { isSuiteInstalled } from '../conformance/mcp/suite.ts'
import { isChromiumInstalled } from '../plugins/console/browser.ts'
import { isClickHouseInstalled, startClickHouse } from '../support/clickhouse.ts'
import { isPostgresInstalled, startPostgres } from '../support/postgres.ts'
import type { Lane } from './lanes.ts'

export interface Prepared {
  environment: Readonly<Record<string, string>>
  /** Words that the lane's command gets in addition. */
  words: readonly string[]
  /** The executable of Node. */
  node: string
  close(): Promise<void>
}

const nothing: Prepared = { environment: {}, words: [], node: process.execPath, close: async () => undefined }

/** Null, with a message, if the lane must be left out because a program is not installed. */
const preparations: Readonly<Record<NonNullable<Lane['needs']>, () => Promise<Prepared | string>>> = {
  async postgres() {
    if (!isPostgresInstalled()) return 'Postgres is not installed'
    const server = await startPostgres()
    const environment = { TEST_POSTGRES_URL: await server.createDatabase() }
    return { ...nothing, environment, close: () => server.close() }
  },
  async clickhouse() {
    if (!isClickHouseInstalled()) return 'the package chdb is not installed'
    const server = await startClickHouse()
    return {
      ...nothing,
      environment: { TEST_LOGS_URL: server.createDatabase() },
      close: () => server.close(),
    }
  },
  async chromium() {
    return isChromiumInstalled ? nothing : 'Chromium is not installed'
  },
  async mcp() {
    const directory = process.env.MCP_CONFORMANCE_DIR
    if (directory === undefined || !isSuiteInstalled(directory))
      return 'MCP_CONFORMANCE_DIR names no directory with the suite'
    return { ...nothing, words: [directory] }
  },
  async node24() {
    const node = process.env.TEST_NODE_24
    if (node === undefined || !existsSync(node)) return 'TEST_NODE_24 names no executable of Node 24'
    // Processes of the tests find this Node and its npm first.
    return { ...nothing, node, environment: { PATH: `${dirname(node)}${delimiter}${process.env.PATH}` } }
  },
}

export async function prepare({ name, needs }: Lane): Promise<Prepared | null> {
  if (needs === undefined) return nothing
  const prepared = await preparations[needs]()
  if (typeof prepared !== 'string') return prepared
  console.log(`left out: ${name}, because ${prepared}`)
  return null
}
