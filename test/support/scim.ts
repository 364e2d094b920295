/** A gateway, its management API, and calls of an identity provider with a SCIM token. */
import { expect } from 'chai'
import { type Management, type ManagementReply, openManagement } from './management.ts'

const urn = 'urn:ietf:params:scim:'
export const userUrn = `${urn}schemas:core:2.0:User`
export const enterpriseUrn = `${urn}schemas:extension:enterprise:2.0:User`
export const groupUrn = `${urn}schemas:core:2.0:Group`
export const patchUrn = `${urn}api:messages:2.0:PatchOp`
export const errorUrn = `${urn}api:messages:2.0:Error`
export const listUrn = `${urn}api:messages:2.0:ListResponse`

type Sent = Record<string, string>
type Described = Record<string, unknown>

export interface Scim {
  management: Management
  call(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Sent | undefined },
  ): Promise<ManagementReply>
  get(path: string, headers?: Sent): Promise<ManagementReply>
  post(path: string, body?: unknown): Promise<ManagementReply>
  put(path: string, body?: unknown, headers?: Sent): Promise<ManagementReply>
  patch(path: string, operations: readonly Described[], headers?: Sent): Promise<ManagementReply>
  delete(path: string): Promise<ManagementReply>
  /** The resources that a filter finds. */
  find(path: '/Users' | '/Groups', filter: string, more?: string): Promise<Described[]>
  /** Creates a user and returns its id. */
  user(userName: string, more?: Described): Promise<string>
  /** Creates a group and returns its id. */
  group(displayName: string, members?: readonly string[]): Promise<string>
}

/** Opens a gateway before the tests of this block; the token is made with the admin key. */
export function openScim(config: Described = {}): Scim {
  const management = openManagement(config)
  let token = ''
  before(async () => {
    const made = await management.post('/v1/scim/tokens', { name: 'identity provider' })
    expect(made.status, made.text).to.equal(200)
    token = String(made.body.token)
  })

  const call: Scim['call'] = (method, path, { body, headers = {} } = {}) =>
    management.as(null).call(method, `/scim/v2${path}`, {
      body,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json; charset=utf-8' }),
        ...headers,
      },
    })
  const scim: Scim = {
    management,
    call,
    get: (path, headers) => call('GET', path, { headers }),
    post: (path, body) => call('POST', path, { body }),
    put: (path, body, headers) => call('PUT', path, { body, headers }),
    patch: (path, operations, headers) =>
      call('PATCH', path, { body: { schemas: [patchUrn], Operations: operations }, headers }),
    delete: (path) => call('DELETE', path),
    async find(path, filter, more = '') {
      const reply = await call('GET', `${path}?filter=${encodeURIComponent(filter)}${more}`)
      expect(reply.status, reply.text).to.equal(200)
      return reply.body.Resources as Described[]
    },
    async user(userName, more = {}) {
      const reply = await call('POST', '/Users', { body: { schemas: [userUrn], userName, ...more } })
      expect(reply.status, reply.text).to.equal(201)
      return String(reply.body.id)
    },
    async group(displayName, members = []) {
      const body = { schemas: [groupUrn], displayName, members: members.map((value) => ({ value })) }
      const reply = await call('POST', '/Groups', { body })
      expect(reply.status, reply.text).to.equal(201)
      return String(reply.body.id)
    },
  }
  return scim
}
