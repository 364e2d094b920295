/**
 * SCIM tokens: credentials of an identity provider, valid only on the SCIM routes. Errors: `invalid_api_key` (unknown,
 * archived, another route), `expired_api_key`, `store_unavailable`.
 */
import { hash } from 'node:crypto'
import { type DocumentChange, GatewayError } from '@gateway/contract'
import { hashKeyOf, kinds, type TypedDocuments } from '@gateway/domain'
import type { Caller } from '@gateway/flow'
import { createDocumentCache } from './document-cache.ts'

const maxTokens = 1_000
const scimPath = /^(?:\/v1)?\/scim\//
const scopes: ReadonlySet<string> = new Set(['scim.provision'])

export interface ScimTokens {
  find(token: string, path: string): Promise<Caller>
  forget(changes: readonly DocumentChange[]): void
}

interface Entry {
  /** Milliseconds since the epoch. */
  expiresAt: number
  isActive: boolean
  caller: Caller
}

export function createScimTokens({
  documents,
  now,
}: {
  documents: TypedDocuments
  now(): number
}): ScimTokens {
  const byHash = createDocumentCache({
    kind: kinds.scimToken,
    find: (hashed) => documents.findByKey(kinds.scimToken, hashKeyOf(hashed)),
    make: ({ id, name, status, organisation_id, data }): Entry => ({
      expiresAt: data.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(data.expires_at),
      isActive: status === 'active',
      caller: callerOf(id, name ?? '', organisation_id ?? ''),
    }),
    max: maxTokens,
    now,
  })
  return {
    async find(token, path) {
      if (!scimPath.test(path)) {
        throw new GatewayError('invalid_api_key', 'A SCIM token is valid only for SCIM routes.')
      }
      const entry = await byHash.load(hash('sha256', token))
      if (entry === null || !entry.isActive) {
        throw new GatewayError('invalid_api_key', 'Unknown SCIM token.')
      }
      if (entry.expiresAt <= now()) throw new GatewayError('expired_api_key', 'The SCIM token has expired.')
      return entry.caller
    },
    forget: byHash.forget,
  }
}

const callerOf = (id: string, name: string, organisationId: string): Caller => ({
  identity: {
    type: 'scim',
    keyId: id,
    keyVersion: null,
    name,
    organisationId,
    boundWorkspaceId: null,
    workspace: '',
    workspaceId: '',
    userId: null,
    role: null,
    scopes,
  },
  key: null,
  allowsAddress: null,
})
