/** Pillar. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'pillar', title: 'Pillar', checks: [] }

export default plugin
