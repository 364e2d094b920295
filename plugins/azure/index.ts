/** Azure AI Content Safety and Azure AI Language: harm categories, attacks on prompts, protected material, personal data. */
import type { GuardrailPlugin } from '@gateway/contract'
import { contentSafety } from './content-safety.ts'
import { pii } from './pii.ts'
import { protectedMaterial } from './protected-material.ts'
import { ownIdentity, settings } from './shared/settings.ts'
import { shieldPrompt } from './shield-prompt.ts'

const plugin: GuardrailPlugin = {
  name: 'azure',
  title: 'Azure AI Content Safety and Language',
  checks: [contentSafety, pii, shieldPrompt, protectedMaterial],
  settings,
  ownIdentity,
}

export default plugin
