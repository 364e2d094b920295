/**
 * The store of the tests' gateways: in memory, unless `TEST_STORE` names an engine (`run-suites.ts` runs the management
 * tests on each). Each gateway has a separate file or database.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { openPostgresStore } from '#store-sql/open-postgres'

/** @param directory the directory of the gateway, for files */
export async function testStoreUrl(directory: string): Promise<string> {
  const { TEST_STORE: engine = 'memory', TEST_POSTGRES_URL: postgresUrl } = process.env
  if (engine === 'memory') return 'memory:'
  if (engine === 'sqlite') return `sqlite:${directory}/gateway.db`
  if (engine !== 'postgres' || postgresUrl === undefined)
    throw new Error(`TEST_STORE names no engine: ${engine}`)
  return createDatabase(postgresUrl)
}

/** The store of their logs: the main store, unless `TEST_LOGS_URL` specifies a server, on which each has a database. */
export function testLogsUrl(): Record<string, string> {
  const { TEST_LOGS_URL: serverUrl } = process.env
  if (serverUrl === undefined) return {}
  const url = new URL(serverUrl)
  url.pathname = `/test_${randomUUID().replaceAll('-', '')}`
  return { GATEWAY_LOGS_URL: url.href }
}

/** The database with all tables from which this process copies its databases: a copy takes a third of a migration. */
let migrated: Promise<string> | null = null

async function createDatabase(serverUrl: string): Promise<string> {
  migrated ??= createMigrated(serverUrl)
  return await createFrom(serverUrl, await migrated)
}

async function createMigrated(serverUrl: string): Promise<string> {
  const url = await createFrom(serverUrl, 'template1')
  const store = await openPostgresStore(url, { directory: '.', report: () => undefined })
  await store.close()
  return new URL(url).pathname.slice(1)
}

async function createFrom(serverUrl: string, template: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  // Names of our own making: letters, digits and underscores.
  await client.query(`create database ${name} template ${template}`)
  await client.end()
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
