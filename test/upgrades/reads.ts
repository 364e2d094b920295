/** Reads all of a gateway's data through its API, and compares two readings. */
import { type Client, dataOf, type Json } from './scene.ts'

/** Answers by path. */
export type Reading = Record<string, unknown>

const lists = [
  'workspaces',
  'users',
  'users/invites',
  'api-keys',
  'integrations',
  'providers',
  'secret-references',
  'configs',
  'guardrails',
  'prompts',
  'prompts/partials',
  'labels',
  'collections',
  'policies/rate-limits',
  'policies/usage-limits',
  'webhooks',
  'mcp-integrations',
  'agent-integrations',
  'files',
  'batches',
  'fine_tuning/jobs',
  'logs/exports',
  'logs',
  'replays',
].map((name) => `/v1/${name}`)

/** The parts to read of each item of a list. */
const parts: Readonly<Record<string, readonly string[]>> = {
  '/v1/configs': ['versions'],
  '/v1/prompts': ['versions'],
  '/v1/integrations': ['workspaces', 'models'],
  '/v1/replays': ['pairs'],
}

const single = ['/v1/organisation', '/v1/organisation/defaults', '/v1/feedback', '/v1/traces/trace-kept']

/** Graphs of the analytics over the hours around a time. */
function graphsAt(timeMs: number): string[] {
  const hourMs = 3_600_000
  const range = [-2, 1].map((hours) => new Date(timeMs + hours * hourMs).toISOString())
  const query = `time_of_generation_min=${range[0]}&time_of_generation_max=${range[1]}`
  return ['requests', 'cost', 'tokens', 'errors', 'users', 'feedbacks'].map(
    (name) => `/v1/analytics/graphs/${name}?${query}`,
  )
}

export async function readEverything(client: Client, timeMs: number): Promise<Reading> {
  const { paths } = (await client.get('/v1/openapi.json')) as { paths: Json }
  const reading: Reading = {}
  const read = async (path: string) => {
    const answer = await client.get(path)
    reading[path] = answer
    return answer
  }
  for (const path of lists.filter((each) => each in paths)) {
    const items = dataOf(await read(`${path}${path.startsWith('/v1/fine') ? '' : '?page_size=100'}`))
    for (const { id } of items.filter(isStored)) {
      await read(`${path}/${id}`)
      for (const part of parts[path] ?? []) await read(`${path}/${id}/${part}`)
    }
  }
  for (const path of [...single, ...graphsAt(timeMs)]) await read(path)
  reading['/v1/audit-logs'] = await client.get('/v1/audit-logs?page_size=100')
  return reading
}

/** Objects of the config file have the time of the start. */
const isStored = ({ source }: Json) => source !== 'file'

/**
 * The differences between a reading and the recorded one. Members that only the new reading has are not differences.
 */
export function differences(recorded: unknown, read: unknown, at = ''): string[] {
  if (Array.isArray(recorded) && Array.isArray(read)) return listDifferences(recorded, read, at)
  if (isObject(recorded) && isObject(read)) {
    if (!isStored(recorded)) return differences(recorded.slug, read.slug, `${at} slug`)
    return Object.entries(recorded).flatMap(([name, value]) =>
      differences(value, read[name], `${at} ${name}`),
    )
  }
  if (Object.is(recorded, read)) return []
  return [`${at}: ${JSON.stringify(recorded)} is now ${JSON.stringify(read)}`]
}

function listDifferences(recorded: unknown[], read: unknown[], at: string): string[] {
  // A role gets the rights of new features.
  if (at.endsWith(' scopes'))
    return recorded.filter((scope) => !read.includes(scope)).map((scope) => `${at}: ${scope} is missing`)
  if (recorded.length !== read.length) return [`${at}: ${recorded.length} items are now ${read.length}`]
  return recorded.flatMap((item, index) => differences(item, read[index], `${at}[${index}]`))
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null
