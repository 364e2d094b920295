/** `api_keys` of the config file as keys: hashes, scopes, workspaces, defaults. */

import { compileMandatory } from '@gateway/config'
import { type ConfigFile, fileId, fileWorkspaceId } from '@gateway/config-file'
import type { Fault } from '@gateway/contract'
import { addressMatcher, expandScope, firstOrganisationId, scopesOfClass, unknownName } from '@gateway/domain'
import type { HookContext } from '@gateway/flow'
import type { Key } from './key-ring.ts'

export function createFileKeys(file: ConfigFile, context: HookContext, faults: Fault[]): Key[] {
  return file.api_keys.map((declared, index) => {
    const scopes = declared.scopes.flatMap((written, position) => {
      const given = expandScope(written, 'workspace-service')
      if (given !== null) return given
      const param = `/api_keys/${index}/scopes/${position}`
      faults.push({
        param,
        code: 'unknown_scope',
        message: unknownName({ what: 'scope', written, known: scopesOfClass('workspace-service') }),
      })
      return []
    })
    return {
      identity: {
        type: 'workspace-service',
        keyId: fileId('api_key', declared.key_hash),
        keyVersion: null,
        name: declared.name,
        organisationId: firstOrganisationId,
        boundWorkspaceId: fileWorkspaceId(declared.workspace),
        workspace: declared.workspace,
        workspaceId: fileWorkspaceId(declared.workspace),
        userId: null,
        role: null,
        scopes: new Set(scopes),
      },
      defaults: {
        configId: declared.defaults?.config_id ?? null,
        metadata: declared.defaults?.metadata ?? {},
        allowConfigOverride: declared.defaults?.allow_config_override ?? true,
        mandatory: compileMandatory(declared.defaults, {
          param: `/api_keys/${index}/defaults`,
          context,
          faults,
        }),
      },
      allowsAddress: declared.allowed_ips?.length ? addressMatcher(declared.allowed_ips) : null,
      expiresAt: declared.expires_at === undefined ? null : Date.parse(declared.expires_at),
      hash: Buffer.from(declared.key_hash.slice('sha256:'.length), 'hex'),
    }
  })
}
