/** The page of one protocol version: the checks of the suite, and those that it cannot run here. */
import type { ScenarioResult } from './suite.ts'
import { type CoveredVersion, expectedChecks, expectedScenarios, suiteVersion } from './versions.ts'

/** The reason why a failed check is expected; null if it is not expected. */
export const reasonFor = (scenario: string, checkId: string): string | null =>
  expectedScenarios[scenario] ?? expectedChecks[checkId] ?? null

export function renderPage(
  { version, scenariosOf }: CoveredVersion,
  results: readonly ScenarioResult[],
): string {
  const rows = results.map(({ scenario, passed, failed }) => {
    const ids = [...new Set(failed.map(({ id }) => id))].sort()
    return `| ${scenario} | ${passed.length} | ${ids.length === 0 ? '' : ids.join(', ')} |`
  })
  const reasons = results.flatMap(({ scenario, failed }) =>
    [...new Set(failed.map(({ id }) => id))]
      .sort()
      .map((id) => `| ${scenario} | ${id} | ${reasonFor(scenario, id) ?? 'unexpected'} |`),
  )
  const total = results.reduce((sum, { passed }) => sum + passed.length, 0)
  return `# MCP ${version}: conformance

Written by the conformance run of the tests; do not edit. The official suite, \`@modelcontextprotocol/conformance\` ${suiteVersion}, calls the
gateway, behind which a plain server of the official SDK stands. Its client speaks ${version} and runs the scenarios of
${scenariosOf}. ${total} checks passed.

| scenario | checks passed | not checked here |
|---|---|---|
${rows.join('\n')}
${reasons.length === 0 ? '' : `\n## Not checked here\n\n| scenario | check | reason |\n|---|---|---|\n${reasons.join('\n')}\n`}`
}
