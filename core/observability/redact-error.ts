/** Redacts the credentials of a request and its targets in an internal error, for the log. */

import { secretsOf, settingsOf } from '@gateway/config'
import { secretsIn } from '@gateway/domain'
import { type ConfigNode, type Ended, gatewayKeyOf, type Ports } from '@gateway/flow'

export interface RedactedError {
  type: string
  message: string
  stack: string | null
  cause: RedactedError | null
}

/** Redacting shorter secrets would also remove ordinary words. */
const shortestSecret = 4
const maxCauses = 3

/** The members of a request, in any phase, that contain secrets. */
type Redacting = Pick<Ended, 'workspace' | 'transport' | 'request' | 'options'> & Partial<Pick<Ended, 'node'>>

export function redactError(ports: Ports<'secrets'>, exchange: Redacting, error: unknown): RedactedError {
  const secrets = secretsNear(ports, exchange).filter(({ length }) => length >= shortestSecret)
  const clean = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  const describe = (fault: unknown, depth: number): RedactedError =>
    fault instanceof Error
      ? {
          type: fault.name,
          message: clean(fault.message),
          stack: clean(fault.stack ?? ''),
          cause: fault.cause === undefined || depth === maxCauses ? null : describe(fault.cause, depth + 1),
        }
      : { type: typeof fault, message: clean(String(fault)), stack: null, cause: null }
  return describe(error, 0)
}

function secretsNear(ports: Ports<'secrets'>, exchange: Redacting): string[] {
  const { options, workspace } = exchange
  const given = options === null ? [] : secretsOf({ ...settingsOf({}, ''), ...options.keys })
  const stored = [
    ...[...workspace.context.credentials.values()].flatMap(secretsOf),
    ...Object.values(workspace.context.pluginSettings).flatMap((own) => secretsIn(own)),
    ...ports.secrets.texts(),
  ]
  const own = [
    gatewayKeyOf(exchange.transport.headers, exchange.request.ownHeaders),
    options?.credential ?? null,
  ].filter((text) => text !== null)
  return [...own, ...given, ...stored, ...(exchange.node == null ? [] : secretsBelow(exchange.node))]
}

const secretsBelow = ({ target, targets }: ConfigNode): string[] => [
  ...(target === null ? [] : secretsOf(target.settings)),
  ...targets.flatMap(secretsBelow),
]
