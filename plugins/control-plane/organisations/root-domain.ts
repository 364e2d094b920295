/**
 * Whether a domain is one that somebody registers (`example.com`, `example.co.uk`) rather than a name below one.
 * Registries that sell names at their third level are known by the labels that they use for it.
 */
const registryLabels: ReadonlySet<string> = new Set([
  ...[
    'ac',
    'asn',
    'co',
    'com',
    'edu',
    'gen',
    'go',
    'gob',
    'gouv',
    'gov',
    'govt',
    'gv',
    'id',
    'idv',
    'ind',
    'info',
  ],
  ...[
    'int',
    'iwi',
    'k12',
    'kiwi',
    'lg',
    'ltd',
    'maori',
    'me',
    'mil',
    'name',
    'ne',
    'net',
    'nhs',
    'nic',
    'nom',
    'or',
  ],
  ...[
    'org',
    'plc',
    'police',
    'presse',
    'pro',
    'res',
    'sch',
    'school',
    'web',
    'firm',
    'geek',
    'ed',
    'gr',
    'ad',
  ],
])

const countryCode = /^[a-z]{2}$/

/** Whether sub-domains of it all belong to whoever registered it. */
export function isRootDomain(domain: string): boolean {
  const labels = domain.toLowerCase().split('.')
  if (labels.length < 2 || labels.some((label) => label === '')) return false
  const [second = '', last = ''] = labels.slice(-2)
  const isRegistry = countryCode.test(last) && registryLabels.has(second)
  return labels.length === (isRegistry ? 3 : 2)
}

/** Whether a user of this e-mail address may belong to an organisation with these domains; none listed: any. */
export function isDomainAllowed(
  email: string,
  domains: readonly { domain: string; allow_subdomains?: boolean }[],
): boolean {
  if (domains.length === 0) return true
  const own = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return domains.some(({ domain, allow_subdomains = false }) => {
    const listed = domain.toLowerCase()
    return own === listed || (allow_subdomains && own.endsWith(`.${listed}`))
  })
}
