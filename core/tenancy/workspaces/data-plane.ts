/**
 * Enforces settings that an organisation's requests must not override (management contract, section 5). Errors:
 * `invalid_header` for a config that may not be overridden, 400 `inline_…_blocked`.
 */
import { GatewayError } from '@gateway/contract'
import { type DataPlane, type GatewayOptions, headerError, headerParam } from '@gateway/flow'

export function checkDataPlane(
  { allowsConfigOverride, blocksInlineConfig }: DataPlane,
  options: GatewayOptions,
): void {
  if (!allowsConfigOverride && options.config !== null)
    throw headerError(options, 'config', 'The organisation does not allow requests to set a config.')
  if (!blocksInlineConfig) return
  const { config, provider, customHost, forwardHeaders } = options
  if (config?.trimStart().startsWith('{') === true)
    throw blocked('inline_config_blocked', 'Use a saved config.', headerParam(options, 'config'))
  if (provider !== null && !provider.startsWith('@'))
    throw blocked(
      'inline_provider_blocked',
      'Use a stored provider: @slug.',
      headerParam(options, 'provider'),
    )
  if (customHost !== null)
    throw blocked(
      'inline_custom_host_blocked',
      'Hosts can be set only on stored providers.',
      headerParam(options, 'custom-host'),
    )
  if (forwardHeaders !== null)
    throw blocked(
      'inline_forward_headers_blocked',
      'Headers to forward can be set only in saved configs.',
      headerParam(options, 'forward-headers'),
    )
}

type Blocked = Extract<GatewayError['code'], `inline_${string}`>

const blocked = (code: Blocked, what: string, param: string) =>
  new GatewayError(code, `The organisation does not allow this in a request. ${what}`, { param })
