/** Zscaler AI Guard. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'zscaler', title: 'Zscaler AI Guard', checks: [] }

export default plugin
