/**
 * `default.validUrls`: the URLs in an answer lead somewhere. Each is asked for by HEAD, or its host's name alone is
 * looked up, through the host guard: a private address is not valid. Only the URL's own host and the gateway's resolver
 * see the request.
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
        description:
          'Whether it is enough that the name of the host has an address. Nothing is asked of the host.',
      }),
    ),
    not,
  },
  { additionalProperties: false },
)

const headTimeoutMs = 3000
/** An answer with more different ones cannot be checked. */
const maxUrls = 100
const atOnce = 10
/** As many places as are reported. */
const maxReported = 10
/** These say that something is there, though not for us or not by HEAD. */
const presentStatuses: ReadonlySet<number> = new Set([401, 403, 405, 429, 501])

type Problem = 'not_a_url' | 'host_unknown' | 'host_not_allowed' | 'unreachable' | `status_${number}`

export const validUrls: Check<Filled<typeof parameters>> = {
  id: 'validUrls',
  title: 'Valid URLs',
  description:
    'Passes when every http or https URL in the content of the answer leads somewhere: HEAD is answered within 3 s by a ' +
    'status below 400 or by 401, 403, 405, 429 or 501, or, with onlyDNS, the host’s name has a public address. An ' +
    `answer without URLs passes; one with more than ${maxUrls} different ones cannot be checked, which is an error. ` +
    'A URL that the model made up is called as well: with onlyDNS only its host’s name is looked up.',
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

/** Gives what is wrong with a URL, null when nothing is. */
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
