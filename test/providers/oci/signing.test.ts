/**
 * Requests to Oracle Cloud are signed as the vendor's published examples are: key, requests and signatures are those of
 * https://docs.oracle.com/iaas/Content/API/Concepts/signingrequests.htm (the key is the sample key of the HTTP
 * signatures draft that the vendor's page refers to).
 */
import { createVerify, generateKeyPairSync } from 'node:crypto'
import type { UpstreamRequest } from '@gateway/contract'
import { type OciCredential, signOci } from '@gateway/provider-kit'
import { expect } from 'chai'
import { gatewayErrorOf } from '../fixtures/thrown.ts'

const publishedKey = `-----BEGIN RSA PRIVATE KEY-----
MIICXgIBAAKBgQDCFENGw33yGihy92pDjZQhl0C36rPJj+CvfSC8+q28hxA161QF
NUd13wuCTUcq0Qd2qsBe/2hFyc2DCJJg0h1L78+6Z4UMR7EOcpfdUE9Hf3m/hs+F
UR45uBJeDK1HSFHD8bHKD6kv8FPGfJTotc+2xjJwoYi+1hqp1fIekaxsyQIDAQAB
AoGBAJR8ZkCUvx5kzv+utdl7T5MnordT1TvoXXJGXK7ZZ+UuvMNUCdN2QPc4sBiA
QWvLw1cSKt5DsKZ8UETpYPy8pPYnnDEz2dDYiaew9+xEpubyeW2oH4Zx71wqBtOK
kqwrXa/pzdpiucRRjk6vE6YY7EBBs/g7uanVpGibOVAEsqH1AkEA7DkjVH28WDUg
f1nqvfn2Kj6CT7nIcE3jGJsZZ7zlZmBmHFDONMLUrXR/Zm3pR5m0tCmBqa5RK95u
412jt1dPIwJBANJT3v8pnkth48bQo/fKel6uEYyboRtA5/uHuHkZ6FQF7OUkGogc
mSJluOdc5t6hI1VsLn0QZEjQZMEOWr+wKSMCQQCC4kXJEsHAve77oP6HtG/IiEn7
kpyUXRNvFsDE0czpJJBvL/aRFUJxuRK91jhjC68sA7NsKMGg5OXb5I5Jj36xAkEA
gIT7aFOYBFwGgQAQkWNKLvySgKbAZRTeLBacpHMuQdl1DfdntvAyqpAZ0lY0RKmW
G6aFKaqQfOXKCyWoUiVknQJAXrlgySFci/2ueKlIE1QqIiLSZ8V8OlpFLRnb1pzI
7U1yQXnTAEFYM560yJlzUpOb1V4cScGd365tiSMvxLOvTA==
-----END RSA PRIVATE KEY-----`

const published: OciCredential = {
  tenancy: 'ocid1.tenancy.oc1..aaaaaaaaba3pv6wkcr4jqae5f15p2b2m2yt2j6rx32uzr4h25vqstifsfdsq',
  user: 'ocid1.user.oc1..aaaaaaaat5nvwcna5j6aqzjcaty5eqbb6qt2jvpkanghtgdaqedqw3rynjq',
  fingerprint: '20:3b:97:13:55:1c:5b:0d:d3:37:d8:50:4e:c5:3a:34',
  privateKey: publishedKey,
}
const date = 'Thu, 05 Jan 2014 21:31:40 GMT'

const get: UpstreamRequest = {
  method: 'GET',
  url: 'https://iaas.us-phoenix-1.oraclecloud.com/20160918/instances?availabilityDomain=Pjwf%3A%20PHX-AD-1&compartmentId=ocid1.compartment.oc1..aaaaaaaam3we6vgnherjq5q2idnccdflvjsnog7mlr6rtdb25gilchfeyjxa&displayName=TeamXInstances&volumeId=ocid1.volume.oc1.phx.abyhqljrgvttnlx73nmrwfaux7kcvzfs3s66izvxf2h4lgvyndsdsnoiwr5q',
  headers: {},
  body: null,
}

const post: UpstreamRequest = {
  method: 'POST',
  url: 'https://iaas.us-phoenix-1.oraclecloud.com/20160918/volumeAttachments',
  headers: { 'content-type': 'application/json' },
  body: `{
    "compartmentId": "ocid1.compartment.oc1..aaaaaaaam3we6vgnherjq5q2idnccdflvjsnog7mlr6rtdb25gilchfeyjxa",
    "instanceId": "ocid1.instance.oc1.phx.abuw4ljrlsfiqw6vzzxb43vyypt4pkodawglp3wqxjqofakrwvou52gb6s5a",
    "volumeId": "ocid1.volume.oc1.phx.abyhqljrgvttnlx73nmrwfaux7kcvzfs3s66izvxf2h4lgvyndsdsnoiwr5q"
}`,
}

const keyId = `${published.tenancy}/${published.user}/${published.fingerprint}`

describe('Oracle Cloud signatures', () => {
  it('equal the published one for a request without a body', () => {
    expect(signOci(get, published, date).headers).to.deep.equal({
      date,
      authorization: `Signature version="1",headers="date (request-target) host",keyId="${keyId}",algorithm="rsa-sha256",signature="GBas7grhyrhSKHP6AVIj/h5/Vp8bd/peM79H9Wv8kjoaCivujVXlpbKLjMPeDUhxkFIWtTtLBj3sUzaFj34XE6YZAHc9r2DmE4pMwOAy/kiITcZxa1oHPOeRheC0jP2dqbTll8fmTZVwKZOKHYPtrLJIJQHJjNvxFWeHQjMaR7M="`,
    })
  })

  it('equal the published one for a request with a body', () => {
    expect(signOci(post, published, date).headers).to.deep.equal({
      'content-type': 'application/json',
      date,
      'x-content-sha256': 'V9Z20UJTvkvpJ50flBzKE32+6m2zJjweHpDMX/U4Uy0=',
      authorization: `Signature version="1",headers="date (request-target) host content-length content-type x-content-sha256",keyId="${keyId}",algorithm="rsa-sha256",signature="Mje8vIDPlwIHmD/cTDwRxE7HaAvBg16JnVcsuqaNRim23fFPgQfLoOOxae6WqKb1uPjYEl0qIdazWaBy/Ml8DRhqlocMwoSXv0fbukP8J5N80LCmzT/FFBvIvTB91XuXI3hYfP9Zt1l7S6ieVadHUfqBedWH0itrtPJBgKmrWso="`,
    })
  })

  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = (passphrase?: string) =>
    privateKey.export({
      type: 'pkcs8',
      format: 'pem',
      ...(passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase }),
    }) as string
  const keys: [string, Pick<OciCredential, 'privateKey' | 'passphrase'>][] = [
    ['a key of PKCS 8', { privateKey: pem() }],
    ['a key with \\n for its line ends', { privateKey: pem().replaceAll('\n', '\\n') }],
    ['an encrypted key', { privateKey: pem('s3cret'), passphrase: 's3cret' }],
  ]
  for (const [what, given] of keys) {
    it(`made with ${what} are verified by the public key, even for a body with multi-byte characters`, () => {
      const request = { ...post, url: 'http://127.0.0.1:8080/a/b?c=d%20e', body: '{"text":"Grüße, 世界"}' }
      const { headers } = signOci(request, { ...published, ...given }, date)
      const signed = [
        `date: ${date}`,
        '(request-target): post /a/b?c=d%20e',
        'host: 127.0.0.1:8080',
        `content-length: ${Buffer.byteLength(request.body)}`,
        'content-type: application/json',
        `x-content-sha256: ${headers['x-content-sha256']}`,
      ].join('\n')
      const signature = /signature="([^"]+)"/.exec(headers.authorization ?? '')?.[1] ?? ''
      expect(createVerify('RSA-SHA256').update(signed).verify(publicKey, signature, 'base64')).to.equal(true)
    })
  }

  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const unusable: [string, Partial<OciCredential>][] = [
    ['is no key', { privateKey: 'SECRET-TEXT' }],
    ['has another passphrase', { privateKey: pem('s3cret'), passphrase: 'other' }],
    ['is of another kind', { privateKey: elliptic.export({ type: 'pkcs8', format: 'pem' }) as string }],
  ]
  for (const [what, given] of unusable) {
    it(`cannot be made with a key that ${what}, and the error contains nothing of it`, () => {
      const error = gatewayErrorOf(() => signOci(post, { ...published, ...given }, date))
      expect(error.code).to.equal('dependency_unavailable')
      expect(error.message).to.not.match(/SECRET|s3cret|BEGIN/)
    })
  }

  it('do not change their input', () => {
    const frozen = Object.freeze({ ...post, headers: Object.freeze({ ...post.headers }) })
    signOci(frozen, published, date)
    expect(frozen).to.deep.equal(post)
  })
})
