/** Resolves names of objects that an answer refers to by id. An id without a known name stays unchanged. */
import { type Url, urlOf } from '../api.ts'
import { useQuery } from '../query.tsx'
import { keyScopes } from '../resources.ts'
import { useMay } from '../session.tsx'
import { limitText } from './limit-text.ts'

const idPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
/** The maximum number of ids per request, because a URL is limited in length. */
const most = 50

type Named = '/v1/api-keys' | '/v1/policies/usage-limits' | '/v1/policies/rate-limits' | '/v1/users'

interface Names {
  data: readonly { id: string; name?: string | null; email?: string }[]
}

/** @param api a list, or null to load nothing */
function useNames(api: Named | null, texts: readonly string[]): (text: string) => string {
  const ids = [...new Set(texts.flatMap((text) => text.match(idPattern) ?? []))].slice(0, most)
  const url: Url<Names> | null =
    api === null || ids.length === 0 ? null : urlOf(api, { query: { ids: ids.join(','), page_size: most } })
  const { data } = useQuery(url)
  const names = new Map((data?.data ?? []).map(({ id, name, email }) => [id, name ?? email ?? id]))
  return (text) => text.replaceAll(idPattern, (id) => names.get(id) ?? id)
}

/** Replaces API key ids with names if the user may list keys. */
export const useKeyNames = (texts: readonly string[]) =>
  useNames(useMay()(keyScopes('list')) ? '/v1/api-keys' : null, texts)

/** The same for people, with their e-mail addresses. */
export const useUserNames = (texts: readonly string[]) =>
  useNames(useMay()(['organisation_users.list']) ? '/v1/users' : null, texts)

/** The same for policies of both kinds, in texts that hold `policies/KIND/ID`. */
function usePolicyNames(texts: readonly string[]) {
  const mayList = useMay()(['policies.list'])
  const of = (kind: string) => texts.filter((text) => text.includes(`policies/${kind}/`))
  const [usage, rates] = [of('usage-limits'), of('rate-limits')]
  const withUsage = useNames(mayList ? '/v1/policies/usage-limits' : null, usage)
  const withRates = useNames(mayList ? '/v1/policies/rate-limits' : null, rates)
  return (text: string) => withRates(withUsage(text))
}

/** Limits in words, by the `param` of an error or a decision. */
export function useLimitNames(params: readonly string[]): (param: string) => string {
  const withKeys = useKeyNames(params)
  const withPolicies = usePolicyNames(params)
  return (param) => limitText(withPolicies(withKeys(param)))
}
