/**
 * `gateway mcp`: lists the MCP servers of a running gateway, lists the tools of one, and calls a tool: tables and text
 * on a terminal, JSON lines otherwise. It calls the gateway as a client, with the key from the environment.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { type Command, readArguments } from './command.ts'
import { table } from './table.ts'
import { exitCodes, type Terminal, UsageError } from './terminal.ts'

const options = {
  url: { type: 'string' },
  arguments: { type: 'string' },
  workspace: { type: 'string' },
  json: { type: 'boolean' },
} as const

interface Gateway {
  /** Without a trailing slash. */
  url: string
  key: string
  workspace: string | undefined
}

/** A message for people; the exit code is 1. */
class Failure extends Error {}

const timeoutMs = 120_000
const maxPages = 100

export const command: Command = {
  async run(words, terminal) {
    const { values, positionals } = readArguments(words, options, 2)
    const [server, tool] = positionals
    if (values.arguments !== undefined && tool === undefined)
      throw new UsageError('--arguments needs a server and a tool.')
    const given = readJson(values.arguments)
    const gateway = gatewayOf(values, terminal)
    const isTable = values.json !== true && terminal.isTerminal === true
    try {
      if (server === undefined) return await listServers(gateway, terminal, isTable)
      if (tool === undefined) return await listTools(gateway, server, terminal, isTable)
      return await callTool(gateway, { server, tool, given }, terminal, isTable)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
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
    throw new UsageError('--arguments is not JSON.')
  }
  if (!isObject(parsed)) throw new UsageError('--arguments must be a JSON object.')
  return parsed as JsonObject
}

function gatewayOf(
  { url, workspace }: { url?: string; workspace?: string },
  { environment }: Terminal,
): Gateway {
  const { GATEWAY_HOST: host = '127.0.0.1', GATEWAY_PORT: port = '8787' } = environment
  const written = url ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  if (!URL.canParse(written) || !/^https?:/.test(written))
    throw new UsageError('--url must be an http(s) URL.')
  const key = environment.GATEWAY_API_KEY ?? environment.GATEWAY_ADMIN_KEY
  if (key === undefined || key === '')
    throw new UsageError('No key: set GATEWAY_API_KEY (or GATEWAY_ADMIN_KEY) in the environment.')
  return { url: written.replace(/\/+$/, ''), key, workspace }
}

/** The JSON object of an answer; a JSON-RPC error is also an answer. */
async function ask(
  { url, key, workspace }: Gateway,
  path: string,
  message?: JsonObject,
): Promise<JsonObject> {
  let text: string
  let status: number
  try {
    const response = await fetch(url + path, {
      method: message === undefined ? 'GET' : 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        'x-gateway-api-key': key,
        ...(workspace === undefined ? {} : { 'x-gateway-workspace-id': workspace }),
        ...(message === undefined
          ? {}
          : { 'content-type': 'application/json', 'mcp-protocol-version': protocolVersion }),
        accept: 'application/json',
      },
      ...(message === undefined ? {} : { body: JSON.stringify(message) }),
    })
    status = response.status
    text = await response.text()
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
    throw new Failure(`The gateway at ${url} cannot be reached${cause}. Is it running? --url names another.`)
  }
  const parsed = parse(text)
  if (parsed === null) throw new Failure(`${url}${path} answered ${status} without JSON.`)
  const { error, jsonrpc } = parsed
  if (status >= 400 && jsonrpc === undefined) {
    const said = isObject(error) && typeof error.message === 'string' ? error.message : 'The gateway refused.'
    throw new Failure(`${said} (${status})`)
  }
  return parsed
}

const protocolVersion = '2025-11-25'

function parse(text: string): JsonObject | null {
  try {
    const parsed: unknown = JSON.parse(text)
    return isObject(parsed) ? (parsed as JsonObject) : null
  } catch {
    return null
  }
}

const objects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []
const textOf = (value: Json | undefined): string =>
  value === undefined || value === null ? '-' : String(value)

function print(
  rows: readonly JsonObject[],
  columns: readonly string[],
  terminal: Terminal,
  isTable: boolean,
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

async function listServers(gateway: Gateway, terminal: Terminal, isTable: boolean): Promise<number> {
  const workspace =
    gateway.workspace === undefined ? '' : `&workspace_id=${encodeURIComponent(gateway.workspace)}`
  const found: JsonObject[] = []
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await ask(gateway, `/v1/mcp-servers?current_page=${page}&page_size=1000${workspace}`)
    found.push(...objects(answer.data))
    if (answer.has_more !== true) break
  }
  print(found, ['slug', 'name', 'url', 'description'], terminal, isTable)
  return exitCodes.done
}

async function request(gateway: Gateway, server: string, method: string, params: JsonObject) {
  const path = `/v1/mcp/${encodeURIComponent(server)}`
  const answer = await ask(gateway, path, { jsonrpc: '2.0', id: 1, method, params })
  const { error, result } = answer
  if (isObject(error)) {
    const { authorization_url: url } = isObject(error.data) ? error.data : {}
    const where = typeof url === 'string' ? `\nOpen ${url}` : ''
    throw new Failure(`${textOf(error.message)} (${textOf(error.code)})${where}`)
  }
  return isObject(result) ? result : {}
}

async function listTools(gateway: Gateway, server: string, terminal: Terminal, isTable: boolean) {
  const found: JsonObject[] = []
  let cursor: string | null = null
  for (let page = 0; page < maxPages; page += 1) {
    const result: JsonObject = await request(gateway, server, 'tools/list', cursor === null ? {} : { cursor })
    found.push(...objects(result.tools))
    cursor = typeof result.nextCursor === 'string' ? result.nextCursor : null
    if (cursor === null) break
  }
  print(found, ['name', 'title', 'description'], terminal, isTable)
  return exitCodes.done
}

interface Asked {
  server: string
  tool: string
  given: JsonObject
}

/** A failed tool sets exit code 1; its output is still printed. */
async function callTool(
  gateway: Gateway,
  { server, tool, given }: Asked,
  terminal: Terminal,
  isTable: boolean,
) {
  const result = await request(gateway, server, 'tools/call', { name: tool, arguments: given })
  if (isTable)
    for (const block of objects(result.content))
      terminal.out(`${block.type === 'text' ? textOf(block.text) : JSON.stringify(block)}\n`)
  else terminal.out(`${JSON.stringify(result)}\n`)
  return result.isError === true ? exitCodes.failed : exitCodes.done
}
