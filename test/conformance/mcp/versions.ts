/**
 * The versions that the official suite covers, and its checks that cannot pass behind a gateway without sessions, with
 * the reasons.
 */

/** Exactly this one: another may have other scenarios. `.ci/run` installs it, and the newer Node that it needs. */
export const suiteVersion = '0.2.0-alpha.12'

export interface CoveredVersion {
  /** The protocol version of all messages of the run. */
  version: string
  /** The version whose scenarios run: the suite has none for the oldest one. */
  scenariosOf: string
}

export const coveredVersions: readonly CoveredVersion[] = [
  { version: '2025-03-26', scenariosOf: '2025-06-18' },
  { version: '2025-06-18', scenariosOf: '2025-06-18' },
  { version: '2025-11-25', scenariosOf: '2025-11-25' },
  { version: '2026-07-28', scenariosOf: '2026-07-28' },
]

const asks =
  'The upstream would send a request to the client. The gateway keeps no session that leads back to it.'
const subscriptions =
  'Subscriptions need a session that leads back to the client; the gateway does not offer them.'
const ownTools =
  'It asks for a diagnostic tool of a server that speaks 2026-07-28; the plain upstream of this run speaks 2025-11-25. What the gateway does with such tools is tested in `test/plugins/mcp/stateless-upstream.test.ts`.'

/** Scenarios of which every failed check is expected. */
export const expectedScenarios: Readonly<Record<string, string>> = {
  'tools-call-sampling': asks,
  'tools-call-elicitation': asks,
  'elicitation-sep1034-defaults': asks,
  'elicitation-sep1330-enums': asks,
  'resources-subscribe': subscriptions,
  'resources-unsubscribe': subscriptions,
  'input-required-result-basic-elicitation': ownTools,
  'input-required-result-basic-sampling': ownTools,
  'input-required-result-basic-list-roots': ownTools,
  'input-required-result-request-state': ownTools,
  'input-required-result-multiple-input-requests': ownTools,
  'input-required-result-multi-round': ownTools,
  'input-required-result-non-tool-request': ownTools,
  'input-required-result-result-type': ownTools,
  'input-required-result-tampered-state': ownTools,
  'input-required-result-capability-check': ownTools,
}

/** Single checks, by id, of scenarios whose other checks pass. */
export const expectedChecks: Readonly<Record<string, string>> = {
  'sep-2575-server-rejects-undeclared-capability': ownTools,
  'sep-2575-missing-capability-http-400': ownTools,
  'sep-2575-http-server-no-independent-requests-on-stream': ownTools,
}
