/** The error about a saved config that does not exist, with those of the caller's workspace that do. */
import { GatewayError } from '@gateway/contract'
import { unknownName } from '../domain/unknown-name.ts'
import type { Settings } from '../flow/settings.ts'

/** @param param where the name was written */
export async function unknownConfig(
  settings: Pick<Settings, 'listConfigs'>,
  written: string,
  param: string,
): Promise<GatewayError> {
  const known = (await settings.listConfigs()).map(({ id, slug }) => slug ?? id)
  return new GatewayError('unknown_config', unknownName({ what: 'config', written, known }), { param })
}
