/**
 * Replicate: its predictions are forwarded through the proxy (`/v1/proxy/*`); it has none of the unified endpoints.
 * Reference: https://replicate.com/docs/reference/http
 */
import type { ProviderAdapter } from '@gateway/contract'
import { bearer } from '@gateway/provider-kit'

const adapter: ProviderAdapter = {
  name: 'replicate',
  title: 'Replicate',
  docs: 'https://replicate.com/docs/reference/http',
  baseUrl: 'https://api.replicate.com/v1',
  credential: 'required',
  auth: bearer(),
  endpoints: {},
  notes: {
    remarks: ['Its own endpoints (`/predictions`, `/models`, …) are available through `/v1/proxy/…`.'],
  },
}

export default adapter
