/** A log with entries of several callers, and the requests that show something of it. */
import { type ManagementReply, openManagement } from '../../support/management.ts'
import { callEcho } from './support.ts'

const scopes = [
  ...['completions.write', 'logs.list', 'logs.view', 'logs.export', 'analytics.view'],
  ...['feedbacks.read', 'feedbacks.write'],
]

export type Role = 'member' | 'manager' | 'admin' | 'owner' | null

/** The callers, and the role that the settings restrict; null: none. */
export const callers = {
  'the key of a member': 'member',
  'the session of a member': 'member',
  'the key of a manager': 'manager',
  'the session of a manager': 'manager',
  'the session of an organisation admin': 'admin',
  'the session of an owner': 'owner',
  'a service key of the workspace': null,
  'a service key of the organisation': null,
  'the admin key': null,
} as const satisfies Record<string, Role>
export type Caller = keyof typeof callers

/** The requests, by a name for the rows below. */
export const questions = {
  list: 'GET /v1/logs?',
  search: 'GET /v1/logs?search=hello&',
  stream: 'GET /v1/logs/stream?',
  entry: 'GET /v1/logs/ENTRY?',
  trace: 'GET /v1/traces/TRACE?',
  feedback: 'GET /v1/feedback?',
  'export of facts': 'POST /v1/logs/exports id',
  'export of requests': 'POST /v1/logs/exports request',
  'export of responses': 'POST /v1/logs/exports response',
  summary: 'GET /v1/analytics/summary?',
  'summary of the cache': 'GET /v1/analytics/summary/cache?',
  'groups by model': 'GET /v1/analytics/groups/model?',
  'groups by users': 'GET /v1/analytics/groups/users?',
  'groups by metadata': 'GET /v1/logs/groups/metadata/team?',
  graph: 'GET /v1/analytics/graphs/requests?',
  'graph by users': 'GET /v1/analytics/graphs/requests?group_by=users&',
} as const
export type Question = keyof typeof questions

export const exported: readonly Question[] = ['export of facts', 'export of requests', 'export of responses']

/** Registers its hooks in the current suite. */
export function openVisibleLog() {
  const api = openManagement()
  const credentials = new Map<Caller, Record<string, string>>()
  const made = { workspace: '', entry: '', own: { member: '', manager: '' } }
  const trace = 'seen-by-some'

  before(async () => {
    made.workspace = await api.people.workspace('Visible Logs')
    const workspace = made.workspace
    const service = await api.people.key({ type: 'workspace-service', workspace, scopes })
    for (const role of ['member', 'manager'] as const) {
      const user = await api.people.user(`visible-${role}@example.com`)
      await api.people.member(workspace, user, role)
      const key = await api.people.key({ type: 'workspace-user', workspace, user, scopes })
      credentials.set(`the key of a ${role}`, { 'x-gateway-api-key': key })
      credentials.set(`the session of a ${role}`, {
        authorization: `Bearer ${await api.people.session(user)}`,
      })
      made.own[role] = (await call(key)).id
      await api.as(key).post('/v1/feedback', { trace_id: trace, value: 1 })
    }
    for (const [role, caller] of [
      ['admin', 'the session of an organisation admin'],
      ['owner', 'the session of an owner'],
    ] as const) {
      const user = await api.people.user(`visible-${role}@example.com`, role)
      credentials.set(caller, { authorization: `Bearer ${await api.people.session(user)}` })
    }
    credentials.set('a service key of the workspace', { 'x-gateway-api-key': service })
    const whole = await api.people.key({
      type: 'organisation-service',
      scopes: ['logs.list', 'logs.view', 'logs.export', 'analytics.view', 'feedbacks.read'],
    })
    credentials.set('a service key of the organisation', { 'x-gateway-api-key': whole })
    credentials.set('the admin key', { 'x-gateway-api-key': 'test-admin-key-0123456789' })
    made.entry = (await call(service)).id
    await api.as(service).post('/v1/feedback', { trace_id: trace, value: 1 })
  })

  const call = (key: string) =>
    callEcho(api, {
      'x-gateway-api-key': key,
      'x-gateway-trace-id': trace,
      'x-gateway-metadata': JSON.stringify({ _user: 'ann', team: 'core' }),
    })
  const security = (values: object) =>
    api.put('/v1/organisation', { settings: { security_settings: values } })

  async function ask(
    caller: Caller,
    question: Question,
  ): Promise<Pick<ManagementReply, 'status' | 'error' | 'body'>> {
    const headers = credentials.get(caller) ?? {}
    const [method, path = '', field] = questions[question].split(' ')
    if (method === 'POST')
      return api
        .as(null)
        .post(path, { filters: {}, requested_data: [field], workspace_id: made.workspace }, headers)
    const named = path.replace('ENTRY', made.entry).replace('TRACE', trace)
    const full = `${named}workspace_id=${made.workspace}`
    if (question !== 'stream') return api.as(null).get(full, headers)
    const ended = new AbortController()
    const response = await fetch(api.gateway.url + full, { headers, signal: ended.signal })
    const { status } = response
    const body: ManagementReply['body'] =
      status === 200 ? {} : ((await response.json()) as ManagementReply['body'])
    ended.abort()
    return { status, body, error: (body.error ?? {}) as ManagementReply['error'] }
  }

  /** Members never export, with any setting. */
  const lacks = (role: Role, question: Question) => role === 'member' && exported.includes(question)
  return { api, made, credentials, ask, security, lacks }
}
