/**
 * Signatures of AWS's published Signature Version 4 test suite, and of its own signer. Source:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, the suite as
 * github.com/awslabs/aws-c-auth keeps it (tests/aws-signing-test-suite/v4). Header values are given as HTTP joins them.
 */
import { Sha256 } from '@aws-crypto/sha256-js'
import type { UpstreamRequest } from '@gateway/contract'
import { type AwsCredentials, signRequest } from '@gateway/provider-kit'
import { SignatureV4 } from '@smithy/signature-v4'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../support/assert-property.ts'

const credentials: AwsCredentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
}
const { sessionToken: _none, ...keyPair } = credentials
const options = {
  credentials,
  region: 'us-east-1',
  service: 'service',
  nowMs: Date.UTC(2015, 7, 30, 12, 36, 0),
}
const unreserved = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const token =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=='

interface Vector {
  method?: 'GET' | 'POST'
  path?: string
  headers?: Record<string, string>
  body?: string
  sessionToken?: string
  signed?: string
  signature: string
}

const vanilla = '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'
const postVanilla = '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'
const postQuery = '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11'
const withHeader = 'host;my-header1;x-amz-date'

const vectors: Record<string, Vector> = {
  'get-vanilla': { signature: vanilla },
  'get-header-key-duplicate': {
    headers: { 'my-header1': 'value2,value2,value1' },
    signed: withHeader,
    signature: 'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
  },
  'get-header-value-order': {
    headers: { 'my-header1': 'value4,value1,value3,value2' },
    signed: withHeader,
    signature: '08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01',
  },
  'get-header-value-trim': {
    headers: { 'my-header1': ' value1', 'my-header2': ' "a   b   c"' },
    signed: 'host;my-header1;my-header2;x-amz-date',
    signature: 'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  },
  'get-unreserved': {
    path: `/${unreserved}`,
    signature: '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  },
  'get-utf8': {
    path: '/ሴ',
    signature: '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85',
  },
  'get-vanilla-empty-query-key': {
    path: '/?Param1=value1',
    signature: 'a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb',
  },
  'get-vanilla-query-order-key': {
    path: '/?Param1=value2&Param1=Value1',
    signature: 'eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1',
  },
  'get-vanilla-query-order-key-case': {
    path: '/?Param2=value2&Param1=value1',
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  'get-vanilla-query-order-value': {
    path: '/?Param1=value2&Param1=value1',
    signature: '5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694',
  },
  'get-vanilla-query-unreserved': {
    path: `/?${unreserved}=${unreserved}`,
    signature: '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
  },
  'get-vanilla-utf8-query': {
    path: '/?ሴ=bar',
    signature: '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
  },
  'get-relative': { path: '/example/..', signature: vanilla },
  'get-relative-relative': { path: '/example1/example2/../..', signature: vanilla },
  'get-slash': { path: '//', signature: vanilla },
  'get-slash-dot-slash': { path: '/./', signature: vanilla },
  'get-slash-pointless-dot': {
    path: '/./example',
    signature: 'ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5',
  },
  'get-slashes': {
    path: '//example//',
    signature: '9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84',
  },
  'get-space': {
    path: '/example space/',
    signature: '652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741',
  },
  'post-vanilla': { method: 'POST', signature: postVanilla },
  'post-header-key-sort': {
    method: 'POST',
    headers: { 'my-header1': 'value1' },
    signed: withHeader,
    signature: 'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  },
  'post-header-value-case': {
    method: 'POST',
    headers: { 'my-header1': 'VALUE1' },
    signed: withHeader,
    signature: 'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
  },
  'post-vanilla-query': { method: 'POST', path: '/?Param1=value1', signature: postQuery },
  'post-sts-header-before': {
    method: 'POST',
    sessionToken: token,
    signed: 'host;x-amz-date;x-amz-security-token',
    signature: '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
  },
  'post-x-www-form-urlencoded': {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'Param1=value1',
    signed: 'content-type;host;x-amz-date',
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  },
  'post-x-www-form-urlencoded-parameters': {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf8' },
    body: 'Param1=value1',
    signed: 'content-type;host;x-amz-date',
    signature: '1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe',
  },
}

describe('Signature Version 4', () => {
  for (const [name, vector] of Object.entries(vectors)) {
    it(`signs like the test suite's ${name}`, () => {
      const { method = 'GET', path = '/', headers = {}, body = null, sessionToken = null } = vector
      const request: UpstreamRequest = { method, url: `https://example.amazonaws.com${path}`, headers, body }
      const signed = signRequest(request, { ...options, credentials: { ...credentials, sessionToken } })
      expect(signed.headers.authorization).to.equal(
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
          `SignedHeaders=${vector.signed ?? 'host;x-amz-date'}, Signature=${vector.signature}`,
      )
      expect(signed.headers['x-amz-date']).to.equal('20150830T123600Z')
    })
  }

  it('encodes the path in the signature once more than in the URL', () => {
    const url = 'https://bedrock-runtime.us-east-1.amazonaws.com/model'
    const sign = (path: string) =>
      signRequest({ method: 'POST', url: `${url}/${path}`, headers: {}, body: '{}' }, options).headers
        .authorization
    expect(sign('a%3A0/converse')).not.to.equal(sign('a:0/converse'))
  })

  it("overrides a caller's forwarded signature headers", () => {
    const headers = {
      authorization: 'Bearer x',
      host: 'evil.example',
      'x-amz-date': '20000101T000000Z',
      'x-amz-security-token': 'theirs',
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    }
    const request: UpstreamRequest = {
      method: 'GET',
      url: 'https://example.amazonaws.com/',
      headers,
      body: null,
    }
    const signed = signRequest(request, options)
    expect(signed).to.deep.equal(signRequest({ ...request, headers: {} }, options))
  })

  it('does not change its input', () => {
    const request: UpstreamRequest = {
      method: 'GET',
      url: 'https://example.amazonaws.com/',
      headers: {},
      body: null,
    }
    const before = structuredClone(request)
    signRequest(request, options)
    expect(request).to.deep.equal(before)
  })

  const text = fc.string({ unit: 'grapheme', maxLength: 12 })
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,15}$/)
  const value = fc.stringMatching(/^[ -~]{0,20}$/)
  // The vendor's signer keeps the query in a plain object, which loses this name.
  const queryName = text.filter((key) => key !== '__proto__')
  const query = fc.uniqueArray(fc.tuple(queryName, fc.array(text, { minLength: 1, maxLength: 3 })), {
    selector: ([key]) => key,
    maxLength: 4,
  })
  /** The signer's own headers are replaced here, and kept there. */
  const own = ['authorization', 'date', 'host', 'x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256']

  it("signs every request like the vendor's own signer", async () => {
    await assertProperty(
      fc.asyncProperty(
        fc.record({
          segments: fc.array(text, { maxLength: 4 }),
          query,
          headers: fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }),
          body: fc.option(text),
          sessionToken: fc.option(fc.stringMatching(/^[a-zA-Z0-9+/=]{1,30}$/)),
          nowMs: fc.integer({ min: 0, max: 4_000_000_000_000 }),
        }),
        async ({ segments, query: pairs, headers: drawn, body, sessionToken, nowMs }) => {
          const headers = Object.fromEntries(Object.entries(drawn).filter(([key]) => !own.includes(key)))
          const path = `/${segments.map(encodeURIComponent).join('/')}`
          const search = pairs
            .filter(([key]) => key.toLowerCase() !== 'x-amz-signature')
            .flatMap(([key, values]) =>
              values.map((each) => `${encodeURIComponent(key)}=${encodeURIComponent(each)}`),
            )
          const url = `https://example.amazonaws.com${path}${search.length > 0 ? `?${search.join('&')}` : ''}`
          const keys = { ...credentials, sessionToken }
          const ours = signRequest(
            { method: 'POST', url, headers, body },
            { ...options, credentials: keys, nowMs },
          )
          const signer = new SignatureV4({
            credentials: { ...keyPair, ...(sessionToken === null ? {} : { sessionToken }) },
            region: 'us-east-1',
            service: 'service',
            sha256: Sha256,
            applyChecksum: false,
          })
          const theirs = await signer.sign(
            {
              method: 'POST',
              protocol: 'https:',
              hostname: 'example.amazonaws.com',
              path,
              query: Object.fromEntries(pairs),
              headers: { ...headers, host: 'example.amazonaws.com' },
              body: body ?? undefined,
            },
            { signingDate: new Date(nowMs) },
          )
          expect(ours.headers.authorization).to.equal(theirs.headers.authorization)
        },
      ),
    )
  })
})
