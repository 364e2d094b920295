/**
 * Keys that identify their issuer by a prefix, followed by a number of characters of an alphabet. Prefixes and lengths
 * are those that the issuers document, or publish for secret scanning:
 * https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns
 */
import { isDigit, isHex, isLetter, isWord } from '../characters.ts'
import type { SecretCategory } from './categories.ts'

type Alphabet = 'hex' | 'alnum' | 'upper' | 'word' | 'url'

/** The characters after the prefix: exactly `least`, unless there is a maximum. */
type Rest = readonly [alphabet: Alphabet, least: number, most?: number]

interface PrefixRule {
  category: SecretCategory
  prefix: string
  alphabet: Alphabet
  least: number
  most: number
}

const more = 4096

function rules(
  category: SecretCategory,
  [alphabet, least, most = least]: Rest,
  prefixes: string,
): PrefixRule[] {
  return prefixes.split(' ').map((prefix) => ({ category, prefix, alphabet, least, most }))
}

/** `url` is the alphabet of base64url. A key ends at the first character outside of its alphabet. */
const allRules: readonly PrefixRule[] = [
  ...rules('aws', ['upper', 16], 'AKIA ASIA ABIA ACCA'),
  ...rules('aws', ['alnum', 100, more], 'ABSK'),
  ...rules('aws', ['url', 30, more], 'bedrock-api-key-'),
  ...rules('gcp', ['url', 35], 'AIza'),
  ...rules('gcp', ['url', 24, 40], 'GOCSPX-'),
  ...rules('github', ['alnum', 36, 255], 'ghp_ gho_ ghu_ ghs_ ghr_'),
  ...rules('github', ['word', 70, 255], 'github_pat_'),
  ...rules(
    'gitlab',
    ['url', 20, 300],
    'glpat- gldt- glrt- glft- glsoat- glcbt- glimt- glagent- glptt- gloas- glffct-',
  ),
  ...rules('gitlab', ['url', 20], 'GR1348941'),
  ...rules('slack', ['url', 20, 300], 'xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xapp-'),
  ...rules('stripe', ['alnum', 10, 255], 'sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_'),
  ...rules('stripe', ['alnum', 24, 255], 'whsec_'),
  ...rules('anthropic', ['url', 32, 300], 'sk-ant-'),
  ...rules('ai_vendor', ['hex', 64], 'sk-or-v1-'),
  ...rules('openai', ['url', 40, 300], 'sk-proj- sk-svcacct- sk-admin- sk-None-'),
  ...rules('openai', ['alnum', 32, 64], 'sk-'),
  ...rules('ai_vendor', ['alnum', 30, 40], 'hf_ api_org_ r8_'),
  ...rules('ai_vendor', ['alnum', 40, 64], 'gsk_ pplx-'),
  ...rules('ai_vendor', ['alnum', 60, 100], 'xai-'),
  ...rules('ai_vendor', ['url', 60, 80], 'nvapi-'),
  ...rules('ai_vendor', ['url', 40, 60], 'tgp_v1_'),
  ...rules('ai_vendor', ['alnum', 40, 60], 'csk-'),
  ...rules('npm', ['alnum', 36], 'npm_'),
  ...rules('pypi', ['url', 50, more], 'pypi-'),
  ...rules('infrastructure', ['hex', 64], 'dop_v1_ doo_v1_ dor_v1_'),
  ...rules('infrastructure', ['hex', 32, 34], 'dapi'),
  ...rules('infrastructure', ['url', 20, 60], 'dckr_pat_ dckr_oat_'),
  ...rules('infrastructure', ['url', 43, more], 'fo1_'),
  ...rules('infrastructure', ['alnum', 60, more], 'fm1a_ fm1r_ fm2_'),
  ...rules('infrastructure', ['hex', 40], 'pul- sbp_'),
  ...rules('infrastructure', ['hex', 48], 'rubygems_'),
  ...rules('infrastructure', ['url', 32, 64], 'pscale_tkn_ pscale_pw_ pscale_oauth_'),
  ...rules('infrastructure', ['url', 40, 400], 'glsa_ glc_'),
  ...rules('infrastructure', ['url', 58], 'HRKU-AA'),
  ...rules('infrastructure', ['alnum', 36], 'pnu_'),
  ...rules('infrastructure', ['alnum', 69], 'AKCp'),
  ...rules('infrastructure', ['alnum', 20], 'LTAI'),
  ...rules('infrastructure', ['alnum', 60], 'CLOJARS_'),
  ...rules('saas', ['hex', 32], 'shpat_ shpca_ shppa_ shpss_'),
  ...rules('saas', ['url', 22, 60], 'sq0atp- sq0csp- EAAA'),
  ...rules('saas', ['hex', 32], 'SK key-'),
  ...rules('saas', ['alnum', 40], 'lin_api_'),
  ...rules('saas', ['alnum', 43, 50], 'ntn_'),
  ...rules('saas', ['url', 40], 'figd_'),
  ...rules('saas', ['url', 59], 'PMAK-'),
  ...rules('saas', ['hex', 64], 'sntryu_'),
  ...rules('saas', ['url', 60, 400], 'sntrys_'),
  ...rules('saas', ['alnum', 27], 'NRAK-'),
  ...rules('saas', ['url', 100, 400], 'ATATT3 ATCTT3'),
  ...rules('saas', ['url', 81], 'xkeysib-'),
  ...rules('saas', ['url', 43], 'CFPAT- duffel_live_ duffel_test_'),
  ...rules('saas', ['alnum', 54], 'EZAK EZTK'),
  ...rules('saas', ['hex', 40], 'shippo_live_ shippo_test_ sgp_'),
  ...rules('saas', ['alnum', 70], 'rdme_'),
  ...rules('saas', ['alnum', 100, more], 'EAAM EAAC'),
  ...rules('saas', ['url', 100, more], 'ops_eyJ'),
  ...rules('saas', ['url', 36], 'pat-na1- pat-eu1-'),
  ...rules('private_key', ['upper', 58], 'AGE-SECRET-KEY-1'),
]

/** By the first two characters, which every prefix has; long prefixes before short ones. */
const byHead = new Map<string, PrefixRule[]>()
for (const rule of allRules.toSorted((left, right) => right.prefix.length - left.prefix.length)) {
  const head = rule.prefix.slice(0, 2)
  byHead.set(head, [...(byHead.get(head) ?? []), rule])
}

const alphabets: Readonly<Record<Alphabet, (code: number) => boolean>> = {
  hex: isHex,
  alnum: (code) => isDigit(code) || isLetter(code),
  upper: (code) => isDigit(code) || (code >= 65 && code <= 90),
  word: isWord,
  url: (code) => isWord(code) || code === 45,
}

/** The key that begins at a token, with its end, or null. */
export function matchPrefix(
  text: string,
  start: number,
  end: number,
): { category: SecretCategory; end: number } | null {
  const candidates = byHead.get(text.slice(start, start + 2))
  if (candidates === undefined) return null
  for (const { category, prefix, alphabet, least, most } of candidates) {
    if (!text.startsWith(prefix, start)) continue
    const begin = start + prefix.length
    let at = begin
    while (at < end && at - begin <= most && alphabets[alphabet](text.charCodeAt(at))) at++
    const length = at - begin
    if (length >= least && length <= most && isRandom(text.slice(begin, at))) return { category, end: at }
  }
  return null
}

/** A key is neither a word nor one repeated letter, as in examples. */
function isRandom(rest: string): boolean {
  return new Set(rest).size >= 6 && (/\d/.test(rest) || (/[a-z]/.test(rest) && /[A-Z]/.test(rest)))
}
