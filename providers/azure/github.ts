/**
 * GitHub Models: the compatible format with a GitHub token. `compat_organization` attributes the use to an
 * organisation. Reference: https://docs.github.com/rest/models/inference
 */
import type { ProviderAdapter, ProviderSettings } from '@gateway/contract'
import {
  bearer,
  compatibleProvider,
  fortyCharacters,
  nineOfMistral,
  pathSegment,
} from '@gateway/provider-kit'

const origin = 'https://models.github.ai'

function baseUrl({ compat_organization: organisation, provider }: ProviderSettings): string {
  if (organisation === undefined) return `${origin}/inference`
  return `${origin}/orgs/${pathSegment(organisation, 'compat_organization', provider)}/inference`
}

export const github: ProviderAdapter = {
  ...compatibleProvider({
    name: 'github',
    title: 'GitHub Models',
    docs: 'https://docs.github.com/rest/models/inference',
    baseUrl: `${origin}/inference`,
    endpoints: ['chatComplete', 'complete', 'embed'],
    rules: { chatComplete: { toolCallIds: [nineOfMistral, fortyCharacters] } },
    auth: bearer({ headers: () => ({ 'x-github-api-version': '2022-11-28' }) }),
  }),
  baseUrl,
}
