/** F5 AI Guardrails. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'f5-guardrails', title: 'F5 AI Guardrails', checks: [] }

export default plugin
