/**
 * `gateway mcp`: lists the MCP servers of a running gateway, lists the tools of one, and calls a tool: tables and text
 * on a terminal, JSON lines otherwise. It calls the gateway as a client, with the key from the environment.
 */
import { describeJsonFault, isObject, type Json, type JsonObject } from '@gateway/contract'
import { type Command, readArguments } from './command.ts'
import { CallFailure, callGateway, clientOptions, type GatewayClient, openClient } from './gateway-client.ts'
import { table } from './table.ts'
import { exitCodes, type Terminal, UsageError } from './terminal.ts'

const options = { ...clientOptions, arguments: { type: 'string' } } as const

const maxPages = 100

export const command: Command = {
  async run(words, terminal) {
    const { values, positionals } = readArguments(words, options, 2)
    const [server, tool] = positionals
    if (values.arguments !== undefined && tool === undefined)
      throw new UsageError('--arguments needs a server and a tool.')
    const given = readJson(values.arguments)
    const gateway = openClient(values, terminal)
    const isTable = values.json !== true && terminal.isTerminal === true
    try {
      if (server === undefined) return await listServers(gateway, terminal, isTable)
      if (tool === undefined) return await listTools(gateway, server, { terminal, isTable })
      return await callTool(gateway, { server, tool, given }, { terminal, isTable })
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error
      terminal.err(`${error.message}\n`)
      return exitCodes.failed
    }
  },
}

function readJson(text: string | undefined): JsonObject {
  if (text === undefined) return {}
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new UsageError(`--arguments ${describeJsonFault(text)}.`)
  }
  if (!isObject(parsed)) throw new UsageError('--arguments must be a JSON object.')
  return parsed as JsonObject
}

const protocolVersion = '2025-11-25'

const objects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []
const textOf = (value: Json | undefined): string =>
  value === undefined || value === null ? '-' : String(value)

function print(
  rows: readonly JsonObject[],
  columns: readonly string[],
  { terminal, isTable }: { terminal: Terminal; isTable: boolean },
) {
  if (!isTable) {
    for (const row of rows) terminal.out(`${JSON.stringify(row)}\n`)
    return
  }
  const head = columns.map((name) => name.toUpperCase())
  terminal.out(
    table(
      head,
      rows.map((row) => columns.map((name) => oneLine(textOf(row[name])))),
    ),
  )
}

const maxCellChars = 100
const oneLine = (text: string) => {
  const plain = text.replace(/\s+/g, ' ')
  return plain.length > maxCellChars ? `${plain.slice(0, maxCellChars - 1)}…` : plain
}

async function listServers(gateway: GatewayClient, terminal: Terminal, isTable: boolean): Promise<number> {
  const workspace =
    gateway.workspace === undefined ? '' : `&workspace_id=${encodeURIComponent(gateway.workspace)}`
  const found: JsonObject[] = []
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await callGateway(
      gateway,
      `/v1/mcp-servers?current_page=${page}&page_size=1000${workspace}`,
    )
    found.push(...objects(answer.data))
    if (answer.has_more !== true) break
  }
  print(found, ['slug', 'name', 'url', 'description'], { terminal, isTable })
  return exitCodes.done
}

async function request(
  gateway: GatewayClient,
  server: string,
  { method, params }: { method: string; params: JsonObject },
) {
  const path = `/v1/mcp/${encodeURIComponent(server)}`
  const answer = await callGateway(gateway, path, {
    headers: { 'mcp-protocol-version': protocolVersion },
    body: { jsonrpc: '2.0', id: 1, method, params },
  })
  const { error, result } = answer
  if (isObject(error)) {
    const { authorization_url: url } = isObject(error.data) ? error.data : {}
    const where = typeof url === 'string' ? `\nOpen ${url}` : ''
    throw new CallFailure(`${textOf(error.message)} (${textOf(error.code)})${where}`, null)
  }
  return isObject(result) ? result : {}
}

async function listTools(
  gateway: GatewayClient,
  server: string,
  { terminal, isTable }: { terminal: Terminal; isTable: boolean },
) {
  const found: JsonObject[] = []
  let cursor: string | null = null
  for (let page = 0; page < maxPages; page += 1) {
    const result: JsonObject = await request(gateway, server, {
      method: 'tools/list',
      params: cursor === null ? {} : { cursor },
    })
    found.push(...objects(result.tools))
    cursor = typeof result.nextCursor === 'string' ? result.nextCursor : null
    if (cursor === null) break
  }
  print(found, ['name', 'title', 'description'], { terminal, isTable })
  return exitCodes.done
}

interface Asked {
  server: string
  tool: string
  given: JsonObject
}

/** A failed tool call sets exit code 1; its output is still printed. */
async function callTool(
  gateway: GatewayClient,
  { server, tool, given }: Asked,
  { terminal, isTable }: { terminal: Terminal; isTable: boolean },
) {
  const result = await request(gateway, server, {
    method: 'tools/call',
    params: { name: tool, arguments: given },
  })
  if (isTable)
    for (const block of objects(result.content))
      terminal.out(`${block.type === 'text' ? textOf(block.text) : JSON.stringify(block)}\n`)
  else terminal.out(`${JSON.stringify(result)}\n`)
  return result.isError === true ? exitCodes.failed : exitCodes.done
}
