/**
 * Checks whether the hosts of the stored credentials answer, through the host guard and without a credential. Also
 * checks the clock.
 */
import { faultReason, isGatewayError } from '@gateway/contract'
import type { OutboundCalls, Settings } from '@gateway/flow'
import { type Finding, failed, ok, warning } from './finding.ts'

const timeoutMs = 15_000
const atOnce = 8

/** A larger difference makes signatures and tokens invalid at some providers. */
const largestSkewMs = 60_000

interface Probe {
  finding: Finding
  /** The time by which the clock of this machine is ahead of the host's; null without an answer. */
  skewMs: number | null
}

export interface ProvidersContext {
  outbound: OutboundCalls
  /** Milliseconds since the epoch. */
  now(): number
}

/** One finding for each host, and one for the clock. */
export async function checkProviders(
  { storedTargets }: Pick<Settings, 'storedTargets'>,
  context: ProvidersContext,
): Promise<Finding[]> {
  const slugs = new Map<string, string[]>()
  for (const [slug, { baseUrl }] of storedTargets) {
    if (baseUrl === null || !URL.canParse(baseUrl)) continue
    const { origin } = new URL(baseUrl)
    slugs.set(origin, [...(slugs.get(origin) ?? []), `@${slug}`])
  }
  const waiting = [...slugs]
  const probes: Probe[] = []
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      probes.push(await probeHost(next[0], next[1].join(', '), context))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const findings = probes.map(({ finding }) => finding).sort((a, b) => (a.check < b.check ? -1 : 1))
  return [
    ...findings,
    checkClock(
      probes.flatMap(({ skewMs }) => skewMs ?? []),
      context.now(),
    ),
  ]
}

async function probeHost(origin: string, names: string, { outbound, now }: ProvidersContext): Promise<Probe> {
  const check = `provider ${names}`
  try {
    const { headers, status } = await outbound.fetch({
      method: 'HEAD',
      url: `${origin}/`,
      headers: {},
      timeoutMs,
    })
    const date = Date.parse(headers.date ?? '')
    const skewMs = Number.isNaN(date) ? null : now() - date
    return { finding: ok(check, `${origin} answers (${status})`), skewMs }
  } catch (error) {
    const isRefused = isGatewayError(error) && error.code === 'host_not_allowed'
    const remedy = isRefused
      ? 'List the address under security.trusted_hosts if the gateway may call it.'
      : "Check the address, DNS, and this machine's firewall and internet access."
    return { finding: failed(check, `${origin}: ${faultReason(error)}`, remedy), skewMs: null }
  }
}

/**
 * The smallest difference counts, because a provider's own clock can be wrong. The answer's time has no milliseconds.
 */
function checkClock(skews: readonly number[], nowMs: number): Finding {
  const time = new Date(nowMs).toISOString()
  const [least] = [...skews].sort((a, b) => Math.abs(a) - Math.abs(b))
  if (least === undefined) return ok('clock', `${time}; no provider to compare with`)
  if (Math.abs(least) <= largestSkewMs) return ok('clock', `${time}, as at the providers`)
  const minutes = Math.round(Math.abs(least) / 60_000)
  return warning(
    'clock',
    `${time} is ${minutes} min ${least > 0 ? 'ahead of' : 'behind'} the providers' clocks`,
    'Synchronise the clock (NTP): signed requests and tokens fail with a wrong time.',
  )
}
