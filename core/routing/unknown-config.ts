/** The error for a saved config that does not exist; it lists the existing ones of the caller's workspace. */
import { GatewayError } from '@gateway/contract'
import { unknownName } from '@gateway/domain'
import type { Workspace } from '@gateway/flow'

/** @param param the place of the name */
export async function unknownConfig(
  settings: Pick<Workspace, 'listConfigs'>,
  written: string,
  param: string,
): Promise<GatewayError> {
  const known = (await settings.listConfigs()).map(({ id, slug }) => slug ?? id)
  return new GatewayError('unknown_config', unknownName({ what: 'config', written, known }), { param })
}
