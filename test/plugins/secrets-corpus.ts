/**
 * Texts with and without secrets, by category. Every key is generated here from random letters in the alphabet and the
 * length that its issuer documents: none was ever valid, and none is written in this file.
 */

let state = 7
function random(length: number, alphabet: string): string {
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return alphabet[Math.floor((state / 2 ** 32) * alphabet.length)]
  }).join('')
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const alnum = (length: number) => random(length, `${letters}0123456789`)
const hex = (length: number) => random(length, '0123456789abcdef')
const url = (length: number) => `${random(length - 1, `${letters}0123456789_-`)}a`
const base64 = (length: number) => random(length, `${letters}0123456789+/`)
const upper = (length: number) => random(length, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')
const json = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const pem = (label: string) =>
  `-----BEGIN ${label}-----\n${base64(64)}\n${base64(64)}\n-----END ${label}-----`
const marked = (secret: string, before = '', behind = '') => `${before}‹${secret}›${behind}`

export const found: Readonly<Record<string, readonly string[]>> = {
  aws: [
    marked(`AKIA${upper(16)}`, 'key ', '.'),
    marked(`ASIA${upper(16)}`),
    marked(base64(40), 'aws_secret_access_key = '),
    marked(`ABSK${alnum(120)}`),
  ],
  gcp: [
    marked(`AIza${url(35)}`, '?key='),
    marked(`GOCSPX-${url(28)}`),
    marked(`ya29.${url(60)}`),
    `{"type":"service_account","private_key":"‹${pem('PRIVATE KEY').replaceAll('\n', '\\n')}›\\n"}`,
  ],
  azure: [
    marked(`${base64(86)}==`, 'AccountName=a;AccountKey=', ';EndpointSuffix=core'),
    marked(`${base64(43)}=`, 'SharedAccessKey='),
    marked(`abc8Q~${alnum(34)}`),
    marked(`${alnum(52)}JQQJ99${alnum(26)}`),
  ],
  github: [
    marked(`ghp_${alnum(36)}`),
    marked(`ghs_${alnum(36)}`),
    marked(`github_pat_${alnum(22)}_${alnum(59)}`),
  ],
  gitlab: [marked(`glpat-${url(20)}`), marked(`glrt-${url(20)}`), marked(`GR1348941${url(20)}`)],
  slack: [
    marked(`xoxb-123456789012-1234567890123-${alnum(24)}`),
    marked(`https://hooks.slack.com/services/T00000000/B00000000/${alnum(24)}`),
  ],
  stripe: [marked(`sk_live_${alnum(24)}`), marked(`rk_test_${alnum(40)}`), marked(`whsec_${alnum(32)}`)],
  openai: [marked(`sk-${alnum(48)}`), marked(`sk-proj-${url(120)}`), marked(`sk-svcacct-${url(120)}`)],
  anthropic: [marked(`sk-ant-api03-${url(95)}`, 'x-api-key: '), marked(`sk-ant-admin01-${url(95)}`)],
  ai_vendor: [
    marked(`hf_${random(34, letters)}`),
    marked(`gsk_${alnum(52)}`),
    marked(`xai-${alnum(80)}`),
    marked(`pplx-${alnum(48)}`),
    marked(`nvapi-${url(64)}`),
    marked(`sk-or-v1-${hex(64)}`),
  ],
  npm: [marked(`npm_${alnum(36)}`, '//registry.npmjs.org/:_authToken=')],
  pypi: [marked(`pypi-AgEIcHlwaS5vcmc${url(100)}`)],
  infrastructure: [
    marked(`dop_v1_${hex(64)}`),
    marked(`dapi${hex(32)}`),
    marked(`hvs.${url(95)}`),
    marked(`${alnum(14)}.atlasv1.${alnum(65)}`),
    marked(`dckr_pat_${url(27)}`),
  ],
  saas: [
    marked(`SG.${url(22)}.${url(43)}`),
    marked(`SK${hex(32)}`),
    marked(`shpat_${hex(32)}`),
    marked(`123456789:AA${url(33)}`),
    marked(`${hex(32)}-us12`),
    marked(`${Buffer.from('123456789012345678').toString('base64')}.Gabcde.${url(38)}`),
  ],
  jwt: [
    marked(`${json({ alg: 'HS256', typ: 'JWT' })}.${json({ sub: '1' })}.${url(43)}`, 'Bearer '),
    marked(`${json({ alg: 'none' })}.${json({ sub: '1' })}.`, '', ' is unsigned'),
  ],
  private_key: [
    marked(pem('RSA PRIVATE KEY'), 'here:\n', '\nthat was it'),
    marked(pem('OPENSSH PRIVATE KEY')),
    marked(pem('PGP PRIVATE KEY BLOCK')),
    marked(`-----BEGIN PRIVATE KEY-----\n${base64(64)}`),
    marked(`AGE-SECRET-KEY-1${random(58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')}`),
  ],
  connection_string: [
    marked('postgres://app:s3cr3tpw@db.example.com:5432/app', 'url: '),
    marked('redis://:hunter22@cache:6379'),
    marked('mongodb+srv://u:p4ssw0rd!@c.example.net/x', '"', '"'),
    marked('https://bob:letmein@example.com/path', '(', ')'),
    marked('Xy12!abc', 'Server=db;Database=x;User Id=sa;Password=', ';'),
    marked('Zz9zz9', 'jdbc:mysql://h/db?user=a&password='),
  ],
  high_entropy: [
    marked(alnum(32), 'api_key = "', '"'),
    marked(alnum(40), '{"client_secret": "', '"}'),
    marked(hex(40), 'SESSION_TOKEN='),
    marked(alnum(40), 'Authorization: Bearer '),
    marked(`${base64(43)}=`, 'encryption_key: '),
    marked(alnum(24), "password => '", "'"),
  ],
}

/** Texts that are not secrets, or cannot be recognised as such. */
export const unfound: readonly string[] = [
  'https://user:pass@example.com and https://user:password@example.com',
  'https://example.com/a:b@c and user@example.com:22',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder as configurations have it
  'postgres://user:${DB_PASSWORD}@h/db, postgres://user:<password>@h, postgres://u:***@h',
  'Password=hunter2 without a server',
  'password: correct-horse-battery-staple',
  'api_key = "your_api_key_goes_here_1234"',
  'api_key: xxxxxxxxxxxxxxxxxxxxxxxx',
  'secret_name = "my-application-secret-name-v2"',
  'token: 123e4567-e89b-12d3-a456-426614174000',
  'max_tokens = 40960000000000000',
  'const secretKeyProviderFactory = createSecretKeyProviderFactory',
  'token = getAccessTokenFromEnvironment2()',
  'HTTP_API_KEY_AUTH = HttpApiKeyAuthLocation',
  `commit ${hex(40)}`,
  `sha256:${hex(64)}`,
  `key: ${alnum(32)}`,
  'A'.repeat(40),
  `ghp_${'x'.repeat(36)}`,
  'risk-management-strategy-document',
  'sk-learn-classifier-pipeline-v2',
  'https://example.com/very/long/path/with-many-segments-and-words',
  `data:image/png;base64,${base64(200)}`,
  pem('CERTIFICATE'),
  pem('PUBLIC KEY'),
  `${json({ typ: 'none of them' })}.${json({ sub: '1' })}.${url(43)}`,
  'pk_live_is-for-everybody-to-see',
]
