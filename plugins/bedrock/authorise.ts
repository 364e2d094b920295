/** The headers that authenticate a call: a bearer token, or a signature (version 4) of the request as sent. */
import type { Credential } from './credentials.ts'

export interface Call {
  url: string
  body: string
  /** Milliseconds since the epoch. */
  nowMs: number
}

/** The headers of a POST of JSON. */
export async function authorise({ region, key }: Credential, call: Call): Promise<Record<string, string>> {
  const type = { 'content-type': 'application/json' }
  if (typeof key === 'string') return { ...type, authorization: `Bearer ${key}` }
  const { SignatureV4, Sha256 } = await loadSigner()
  const { protocol, host, hostname, port, pathname } = new URL(call.url)
  const signer = new SignatureV4({ credentials: key, region, service: 'bedrock', sha256: Sha256 })
  const { headers } = await signer.sign(
    {
      method: 'POST',
      protocol,
      hostname,
      ...(port === '' ? {} : { port: Number(port) }),
      path: pathname,
      query: {},
      headers: { ...type, host },
      body: call.body,
    },
    { signingDate: new Date(call.nowMs) },
  )
  return headers
}

let signer: ReturnType<typeof importSigner> | null = null

/** Loaded on demand, because most gateways never sign. */
function loadSigner(): ReturnType<typeof importSigner> {
  signer ??= importSigner()
  return signer
}

async function importSigner() {
  const [{ SignatureV4 }, { Sha256 }] = await Promise.all([
    import('@smithy/signature-v4'),
    import('@aws-crypto/sha256-js'),
  ])
  return { SignatureV4, Sha256 }
}
