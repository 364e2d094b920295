/**
 * Where a release comes from: an in-toto statement with SLSA provenance over its files, and its signature.
 * https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md, https://slsa.dev/spec/v1.0/provenance,
 * https://github.com/secure-systems-lab/dsse/blob/master/protocol.md
 */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'

const payloadType = 'application/vnd.in-toto+json'

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')

/**
 * @param files `{ name, digest }` of the released files
 * @param source `{ version, commit, lockDigest, npm, startedAt, finishedAt }`
 */
export function statementOf(files, { version, commit, lockDigest, npm, startedAt, finishedAt }) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map(({ name, digest }) => ({ name, digest: { sha256: digest } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:gateway:release:1',
        externalParameters: { version },
        internalParameters: {},
        resolvedDependencies: [
          { name: 'source', uri: `git+commit:${commit}`, digest: { gitCommit: commit } },
          { name: 'package-lock.json', uri: 'file:package-lock.json', digest: { sha256: lockDigest } },
        ],
      },
      runDetails: {
        builder: {
          id: `urn:gateway:release-script:node-${process.versions.node}`,
          version: { node: process.versions.node, npm, platform: `${process.platform}-${process.arch}` },
        },
        metadata: { startedOn: startedAt, finishedOn: finishedAt },
      },
    },
  }
}

/** A DSSE envelope around the statement. The key is a private key in PEM (Ed25519, EC or RSA). */
export function signStatement(text, keyPem) {
  const key = createPrivateKey(keyPem)
  const payload = Buffer.from(text)
  const encoded = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
    payload,
  ])
  const algorithm = key.asymmetricKeyType?.startsWith('ed') === true ? null : 'sha256'
  const keyid = sha256(createPublicKey(key).export({ type: 'spki', format: 'der' }))
  const signatures = [{ keyid, sig: sign(algorithm, encoded, key).toString('base64') }]
  return { payloadType, payload: payload.toString('base64'), signatures }
}
