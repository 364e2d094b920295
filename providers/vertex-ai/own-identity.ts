/**
 * Hosts to which the process's own identity may be sent: Vertex AI, in a region or behind a private endpoint, and
 * Cloud Storage, for files.
 */
import type { OwnIdentity } from '@gateway/contract'
import { usesOwnIdentity } from '@gateway/provider-kit'

export const ownIdentity: OwnIdentity = {
  isLent: usesOwnIdentity,
  hosts:
    /^(?:[a-z0-9-]+-)?aiplatform(?:\.googleapis\.com|\.[a-z0-9-]+\.rep\.googleapis\.com|-[a-z0-9-]+\.p\.googleapis\.com)$/,
  fileHosts: /^storage\.googleapis\.com$/,
}
