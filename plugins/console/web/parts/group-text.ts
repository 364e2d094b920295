/** The groups of a policy in words: what requests are grouped by, and one group. */
import { endpointText } from './endpoint-text.ts'

const words: Readonly<Record<string, string>> = {
  api_key: 'key',
  workspace_id: 'workspace',
  organisation_id: 'organisation',
  virtual_key: 'stored provider',
  endpoint_type: 'endpoint',
}

/** @param keys such as `api_key` or `metadata._user` */
export const groupKeysText = (keys: readonly string[]): string =>
  keys.map((key) => words[key] ?? key.replace(/^metadata\./, 'metadata ')).join(', ') || 'nothing'

/** @param text such as `api_key:Web shop` or `metadata._user:ada` */
export const groupText = (text: string): string =>
  text
    .replaceAll(/\bapi_key:/g, 'Key ')
    .replaceAll(/\bendpoint_type:(\w+)/g, (_, id: string) => `Endpoint ${endpointText(id)}`)
    .replaceAll(/\bmetadata\.([^:]+):/g, '$1 ')
