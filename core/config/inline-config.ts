/** A config that a request brings in its header. */

import type { Config } from '@gateway/config-file'
import {
  compileTogether,
  describeJsonFault,
  type Fault,
  faultsError,
  isDeeperThan,
  isObject,
  parseJson,
} from '@gateway/contract'
import { slugPattern } from '@gateway/domain'
import { type ConfigNode, type GatewayOptions, headerError, type Workspace } from '@gateway/flow'
import { toFaults } from '@gateway/validation'
import { compileConfig } from './compile.ts'

const maxDepth = 50

/** Ids of saved configs, with or without a version: `SLUG@N`. */
export const savedId = new RegExp(slugPattern.replace(/\$$/, '(?:@[1-9]\\d{0,8})?$'))

/** Compiles a config that a request brings. Errors: `invalid_header`, `invalid_config`. */
export function compileInline(
  settings: Pick<Workspace, 'context' | 'validateConfig'>,
  options: Pick<GatewayOptions, 'prefix'>,
  text: string,
): ConfigNode {
  const config = parseJson(text)
  // The text may be anything, even a credential, so the message does not repeat it.
  if (!isObject(config)) throw headerError(options, 'config', mistakeOf(text, config))
  if (isDeeperThan(config, maxDepth)) throw headerError(options, 'config', 'is nested too deep')
  const errors = settings.validateConfig(config, text.length)
  const where = `${options.prefix}config`
  if (errors !== null) throw faultsError(toFaults(errors, 'invalid_config', 'config'), where)
  const faults: Fault[] = []
  // The schema that was just passed is the source of the type.
  const node = compileTogether(() =>
    compileConfig(config as Config, settings.context, { param: 'config', faults }),
  )
  if (faults.length > 0) throw faultsError(faults, where)
  return node
}

/** A text that begins like JSON was meant as JSON. */
function mistakeOf(text: string, parsed: unknown): string {
  const rule = 'must be the id of a saved config, or a JSON object'
  return parsed === undefined && /^\s*[{[]/.test(text) ? `${rule}: it ${describeJsonFault(text)}` : rule
}
