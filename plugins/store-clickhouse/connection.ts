/**
 * The connection to ClickHouse, over its HTTP interface. Tables are created before the first query, because the server
 * may be unavailable when the gateway starts. https://clickhouse.com/docs/integrations/javascript Errors:
 * `store_unavailable` for a server that is unreachable, refuses the credentials or is overloaded; `internal_error` for
 * a query or values that it rejects. The server's message is not shown; it is the cause, for the log.
 */
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { GatewayError, isGatewayError, systemReason } from '@gateway/contract'
import type { Address } from './address.ts'
import type { Parameters } from './bound.ts'
import { tableStatements } from './tables.ts'

export interface Connection {
  /** The rows of a `select`. */
  rows<Row>(query: string, parameters?: Parameters): Promise<Row[]>
  /** Runs a statement without rows. */
  run(statement: string, parameters?: Parameters): Promise<void>
  insert(table: string, rows: readonly object[]): Promise<void>
  ping(): Promise<void>
  close(): Promise<void>
}

const requestTimeoutMs = 60_000
const unknownDatabase = '81'

/**
 * Error codes that concern values and queries, not the server's state:
 * https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
 */
const ofQuery: ReadonlySet<string> = new Set(
  '6 16 20 25 26 27 36 38 41 42 43 44 46 47 53 62 69 70 72 117 130 184 215 321 349 376 386 407 441 457 467'.split(
    ' ',
  ),
)

export function connect(address: Address): Connection {
  const { database, batchMs: _, queueBytes: __, ...server } = address
  const open = (name: string | undefined) =>
    createClient({
      ...server,
      ...(name === undefined ? {} : { database: name }),
      application: 'gateway',
      request_timeout: requestTimeoutMs,
      // Keeps long lists of ids out of the URL, whose length proxies limit.
      use_multipart_params_auto: true,
      log: { level: ClickHouseLogLevel.OFF },
      clickhouse_settings: {
        output_format_json_quote_64bit_integers: 0,
        input_format_skip_unknown_fields: 1,
        mutations_sync: '1',
      },
    })
  const client = open(database)
  let prepared: Promise<void> | null = null

  function prepare(): Promise<void> {
    prepared ??= makeTables(client, () => open(undefined), database).catch((error: unknown) => {
      prepared = null
      throw error
    })
    return prepared
  }

  async function ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    try {
      await prepare()
      return await question()
    } catch (error) {
      throw toStoreError(error)
    }
  }

  return {
    rows: <Row>(query: string, parameters: Parameters = {}) =>
      ask(async () => {
        const found = await client.query({ query, query_params: parameters, format: 'JSONEachRow' })
        return found.json<Row>()
      }),
    run: (statement, parameters = {}) =>
      ask(async () => {
        await client.command({ query: statement, query_params: parameters })
      }),
    insert: (table, rows) =>
      ask(async () => {
        await client.insert({ table, values: rows, format: 'JSONEachRow' })
      }),
    ping: () => ask(async () => void (await client.command({ query: 'select 1' }))),
    close: () => client.close(),
  }
}

async function makeTables(
  client: ClickHouseClient,
  openWithoutDatabase: () => ClickHouseClient,
  database: string,
): Promise<void> {
  try {
    await client.command({ query: 'select 1' })
  } catch (error) {
    if (!(error instanceof ClickHouseError) || error.code !== unknownDatabase) throw error
    const other = openWithoutDatabase()
    try {
      await other.command({
        query: 'create database if not exists {name:Identifier}',
        query_params: { name: database },
      })
    } finally {
      await other.close()
    }
  }
  for (const query of tableStatements) await client.command({ query })
}

function toStoreError(error: unknown): GatewayError {
  if (isGatewayError(error)) return error
  const options = { cause: error, storeFault: describeFault(error) }
  return error instanceof ClickHouseError && ofQuery.has(error.code)
    ? new GatewayError('internal_error', 'ClickHouse rejected a query of the log.', options)
    : new GatewayError('store_unavailable', 'ClickHouse is not available.', options)
}

/** Describes a server error only by its code and type, because the message may quote values. */
function describeFault(error: unknown): string | null {
  if (error instanceof ClickHouseError)
    return error.type === undefined ? error.code : `${error.code} ${error.type}`
  return systemReason(error) ?? (error instanceof Error ? error.name : null)
}
