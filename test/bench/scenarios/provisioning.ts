/**
 * Provisioning with SCIM, on SQLite: 10,000 users and 500 groups one by one next to 40,000 existing users, an equality
 * filter at 50,000, a PATCH of 1,000 members; and the response times of the management API meanwhile.
 */
import { Agent, request } from 'node:http'
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { workFolder } from '../children.ts'
import { GATEWAY_KEY, prepareGateway } from '../gateway-config.ts'
import { makeRow, type Row } from '../rows.ts'
import { seedStore, userDraft, userEmail } from '../seed.ts'

const NAME = 'provisioning'
const SEEDED = 40_000
const USERS = 10_000
const GROUPS = 500
const MEMBERS_PER_GROUP = 20
const PATCHED_MEMBERS = 1000
const FILTERS = 500
const PATCHES = 10
const MOST_PROVISIONING_MS = 180_000
const MOST_FILTER_MS = 5
const MOST_PATCH_MS = 300
const MOST_TIMES_SLOWER = 2
/** The number of requests between two calls of the management API. */
const LOOK_EVERY = 20
const LOOKS_BEFORE = 500

interface Caller {
  /** Milliseconds to the last byte, and the parsed body. */
  call(method: string, path: string, body?: unknown): Promise<{ ms: number; body: Record<string, unknown> }>
  close(): void
}

function createCaller(port: number): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    call: (method, path, body) =>
      new Promise((resolve, reject) => {
        const startedAt = performance.now()
        const text = body === undefined ? '' : JSON.stringify(body)
        const headers = {
          'x-gateway-api-key': GATEWAY_KEY,
          ...(text === ''
            ? {}
            : { 'content-type': 'application/scim+json', 'content-length': Buffer.byteLength(text) }),
        }
        const sent = request({ host: '127.0.0.1', port, path, method, agent, headers }, (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('error', reject)
          answer.on('end', () => {
            const ms = performance.now() - startedAt
            const read = Buffer.concat(chunks).toString('utf8')
            if ((answer.statusCode ?? 500) >= 300) {
              reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${read.slice(0, 300)}`))
            } else resolve({ ms, body: read === '' ? {} : (JSON.parse(read) as Record<string, unknown>) })
          })
        })
        sent.on('error', reject)
        sent.end(text)
      }),
    close: () => agent.destroy(),
  }
}

async function run(bench: Bench): Promise<Row[]> {
  const prepared = prepareGateway(workFolder(), bench.mock.port)
  await seedStore(`sqlite:${prepared.dataDirectory}/gateway.db`, SEEDED, userDraft)
  return withServers(bench, ['gateway'], {
    use: async ([server]) => {
      if (server === undefined) return []
      const caller = createCaller(server.port)
      try {
        return await measure(caller)
      } finally {
        caller.close()
      }
    },
    setting: { prepared },
  })
}

async function measure({ call }: Caller): Promise<Row[]> {
  const look = async () => (await call('GET', '/v1/users?page_size=20')).ms
  const before: number[] = []
  for (let index = 0; index < LOOKS_BEFORE; index += 1) before.push(await look())

  const meanwhile: number[] = []
  const ids: string[] = []
  let lookingMs = 0
  const startedAt = performance.now()
  const lookNow = async (index: number) => {
    if (index % LOOK_EVERY !== 0) return
    const ms = await look()
    lookingMs += ms
    meanwhile.push(ms)
  }
  for (let index = 0; index < USERS; index += 1) {
    const { body } = await call('POST', '/scim/v2/Users', userBody(index))
    ids.push(String(body.id))
    await lookNow(index)
  }
  for (let index = 0; index < GROUPS; index += 1) {
    const first = (index * MEMBERS_PER_GROUP) % USERS
    const members = ids.slice(first, first + MEMBERS_PER_GROUP).map((value) => ({ value }))
    await call('POST', '/scim/v2/Groups', { displayName: `Group ${index}`, members })
    await lookNow(index)
  }
  const provisioningMs = performance.now() - startedAt - lookingMs

  const filters: number[] = []
  for (let index = 0; index < FILTERS; index += 1) {
    const filter = `userName eq "${userEmail(Math.floor(Math.random() * SEEDED))}"`
    filters.push((await call('GET', `/scim/v2/Users?filter=${encodeURIComponent(filter)}`)).ms)
  }

  const patches: number[] = []
  for (let index = 0; index < PATCHES; index += 1) {
    const { body } = await call('POST', '/scim/v2/Groups', { displayName: `ws-Patched ${index}-role-member` })
    const members = ids.slice(index * 100, index * 100 + PATCHED_MEMBERS).map((value) => ({ value }))
    const operations = { Operations: [{ op: 'Add', path: 'members', value: members }] }
    patches.push((await call('PATCH', `/scim/v2/Groups/${String(body.id)}`, operations)).ms)
  }

  const row = (figure: string, value: number, atMost: number | null) =>
    makeRow({
      scenario: NAME,
      figure,
      unit: 'ms',
      values: { gateway: value },
      ...(atMost === null ? {} : { atMost: Math.round(atMost) }),
    })
  return [
    row('10,000 users and 500 groups', provisioningMs, MOST_PROVISIONING_MS),
    row('filter eq p99 at 50,000 users', p99(filters), MOST_FILTER_MS),
    row('PATCH of 1,000 members of a mapped group, median', median(patches), MOST_PATCH_MS),
    row('page of users p99 before', p99(before), null),
    row('page of users p99 meanwhile', p99(meanwhile), p99(before) * MOST_TIMES_SLOWER),
  ]
}

const userBody = (index: number) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: `provisioned-${index}@example.com`,
  externalId: `external-${index}`,
  name: { givenName: `Given ${index}`, familyName: `Family ${index}` },
  emails: [{ value: `provisioned-${index}@example.com`, type: 'work', primary: true }],
  active: true,
})

const sorted = (times: readonly number[]) => [...times].sort((left, right) => left - right)
const p99 = (times: readonly number[]) => sorted(times)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN
const median = (times: readonly number[]) => sorted(times)[Math.floor(times.length / 2)] ?? Number.NaN

export const provisioning: Scenario = { name: NAME, run }
