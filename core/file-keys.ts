/** `api_keys` of the config file as keys: hashes, scopes, workspaces, defaults. */
import { compileMandatory, type HookContext } from './checks/compile.ts'
import type { ConfigFile } from './config/file.ts'
import type { Fault } from './contract/index.ts'
import type { Key } from './keys.ts'
import { normaliseScope } from './scopes.ts'

export function createFileKeys(file: ConfigFile, context: HookContext, faults: Fault[]): Key[] {
  return file.api_keys.map((declared, index) => {
    const scopes = declared.scopes.flatMap((written, position) => {
      const scope = normaliseScope(written)
      if (scope !== null) return [scope]
      const param = `/api_keys/${index}/scopes/${position}`
      faults.push({ param, code: 'unknown_scope', message: `There is no scope "${written}".` })
      return []
    })
    return {
      identity: {
        keyId: `file:${declared.key_hash.slice(7, 19)}`,
        name: declared.name,
        workspace: declared.workspace,
        scopes: new Set(scopes),
      },
      defaults: {
        configId: declared.defaults?.config_id ?? null,
        metadata: declared.defaults?.metadata ?? {},
        allowConfigOverride: declared.defaults?.allow_config_override ?? true,
        mandatory: compileMandatory(declared.defaults, `/api_keys/${index}/defaults`, context, faults),
      },
      expiresAt: declared.expires_at === undefined ? null : Date.parse(declared.expires_at),
      hash: Buffer.from(declared.key_hash.slice('sha256:'.length), 'hex'),
    }
  })
}
