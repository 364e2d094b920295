/**
 * `default.validUrls`: the URLs in an answer exist. Each is requested with HEAD, or only its host name is resolved,
 * through the host guard: a private address is not valid. Only the URL's own host and the gateway's resolver see the
 * request.
 */
import { type Check, type CheckIo, isGatewayError } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { type FoundURL, findURLs } from './shared/find-urls.ts'
import { inParallel } from './shared/in-parallel.ts'
import { type Filled, not } from './shared/parameters.ts'
import { choiceContents } from './shared/parts.ts'

const parameters = Type.Object(
  {
    onlyDNS: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether it suffices that the host name resolves. The host itself is not called.',
      }),
    ),
    not,
  },
  { additionalProperties: false },
)

const headTimeoutMs = 3000
/** An answer with more distinct URLs cannot be checked. */
const maxUrls = 100
const atOnce = 10
/** The most places that are reported. */
const maxReported = 10
/** These statuses show that the resource exists, though not for this client or not with HEAD. */
const presentStatuses: ReadonlySet<number> = new Set([401, 403, 405, 429, 501])

type Problem = 'not_a_url' | 'host_unknown' | 'host_not_allowed' | 'unreachable' | `status_${number}`

export const validUrls: Check<Filled<typeof parameters>> = {
  id: 'validUrls',
  title: 'Valid URLs',
  description:
    'Passes when every http or https URL in the content of the answer exists: HEAD is answered within 3 s with a ' +
    'status below 400, or with 401, 403, 405, 429 or 501, or, with onlyDNS, the host name has a public address. An ' +
    `answer without URLs passes; one with more than ${maxUrls} distinct ones cannot be checked, which is an error. ` +
    'URLs that the model invented are called too; with onlyDNS only their host names are resolved.',
  kind: 'guardrail',
  phases: ['after'],
  parameters,
  prepare({ onlyDNS, not }) {
    const examine = onlyDNS ? examineName : examineURL
    return {
      async run(input, io) {
        const found = choiceContents(input)
          .flat()
          .flatMap(({ path, text }) => findURLs(text).map((place) => ({ path, ...place })))
        const urls = [...new Set(found.map(({ url }) => url))]
        if (urls.length > maxUrls) throw new Error(`the answer has more than ${maxUrls} URLs`)
        const problems = new Map(
          await inParallel(urls, atOnce, async (url) => [url, await examine(url, io)] as const),
        )
        const isInvalid = ({ url }: FoundURL) => (problems.get(url) ?? null) !== null
        const invalid = found
          .filter(isInvalid)
          .map(({ path, start, url }) => ({ path, start, problem: problems.get(url) }))
        return {
          verdict: (invalid.length === 0) !== not,
          data: { urls: urls.length, invalid: invalid.slice(0, maxReported) },
        }
      },
    }
  },
}

/** Returns the problem of a URL, or null. */
async function examineURL(url: string, io: CheckIo): Promise<Problem | null> {
  if (!URL.canParse(url)) return 'not_a_url'
  try {
    const head = { method: 'HEAD', timeoutMs: headTimeoutMs, isForeign: true } as const
    const { status } = await io.fetch({ ...head, url: withoutFragment(url) })
    return status < 400 || presentStatuses.has(status) ? null : `status_${status}`
  } catch (error) {
    if (io.signal.aborted || !isGatewayError(error)) throw error
    if (error.code === 'host_not_allowed') return 'host_not_allowed'
    if (error.code === 'dependency_unavailable') return 'unreachable'
    throw error
  }
}

async function examineName(url: string, io: CheckIo): Promise<Problem | null> {
  if (!URL.canParse(url)) return 'not_a_url'
  return (await io.resolves(new URL(url).hostname)) ? null : 'host_unknown'
}

function withoutFragment(url: string): string {
  const parsed = new URL(url)
  parsed.hash = ''
  return parsed.href
}
