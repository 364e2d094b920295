/**
 * ClickHouse as a library, behind as much of the server's HTTP interface as the client uses: a query in the body, or in the
 * URL with rows in the body; `param_…`, settings and `database` in the URL or as parts of a form; exceptions with their code.
 * One query runs at a time. Started by `clickhouse.ts` with a directory and a port.
 * https://clickhouse.com/docs/interfaces/http
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { text as readText } from 'node:stream/consumers'
import { clickHousePackage, clickHousePassword } from './clickhouse.ts'

interface Session {
  queryAsync(query: string, options: { format: string }): Promise<{ bytes(): Uint8Array }>
}

const [directory = '', port = '0'] = process.argv.slice(2)
const { Session: ChdbSession } = createRequire(import.meta.url)(clickHousePackage) as {
  Session: new (path: string) => Session
}
const session = new ChdbSession(directory)
let last: Promise<unknown> = Promise.resolve()

/** A text as a literal of SQL. */
const literal = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

async function run(given: URLSearchParams, body: string): Promise<Uint8Array> {
  const ask = (query: string) => session.queryAsync(query, { format: 'TabSeparated' })
  const query = given.get('query')
  for (const [name, value] of given) {
    if (name === 'query' || name === 'query_id') continue
    if (name === 'database') await ask(`use ${value}`)
    else await ask(`set ${name} = ${literal(value)}`)
  }
  const found = await ask(query === null ? body : `${query}\n${body}`)
  return found.bytes()
}

async function readGiven(request: IncomingMessage): Promise<[URLSearchParams, string]> {
  const given = new URL(request.url ?? '/', 'http://local').searchParams
  const body = await readText(request)
  const { 'content-type': type = '' } = request.headers
  if (!type.startsWith('multipart/form-data')) return [given, body]
  const form = await new Response(body, { headers: { 'content-type': type } }).formData()
  for (const [name, value] of form) given.set(name, String(value))
  return [given, '']
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const fail = (status: number, code: string, text: string) => {
    response.writeHead(status, { 'x-clickhouse-exception-code': code })
    response.end(text)
  }
  const [given, body] = await readGiven(request)
  const credentials = Buffer.from(
    request.headers.authorization?.slice('Basic '.length) ?? '',
    'base64',
  ).toString()
  if (credentials !== `default:${clickHousePassword}`)
    return fail(
      403,
      '516',
      'Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)',
    )
  const answered = last.then(() => run(given, body))
  last = answered.catch(() => undefined)
  try {
    const bytes = await answered
    response.writeHead(200)
    response.end(bytes)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    fail(500, /Code: (\d+)/.exec(message)?.[1] ?? '0', message)
  }
}

const server = createServer({ maxHeaderSize: 1_048_576 }, (request, response) => {
  answer(request, response).catch((error: unknown) => response.destroy(error as Error))
})
server.listen(Number(port), '127.0.0.1', () => console.log('ready'))
