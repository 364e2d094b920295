/**
 * Whether a domain is a registered one (`example.com`, `example.co.uk`) rather than a subdomain. Registries that sell
 * names at the third level are recognised by the labels that they use for it.
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

/** Whether the registrant of the domain controls all its subdomains. */
export function isRootDomain(domain: string): boolean {
  const labels = domain.toLowerCase().split('.')
  if (labels.length < 2 || labels.some((label) => label === '')) return false
  const [second = '', last = ''] = labels.slice(-2)
  const isRegistry = countryCode.test(last) && registryLabels.has(second)
  return labels.length === (isRegistry ? 3 : 2)
}
