/** CrowdStrike AIDR. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'crowdstrike-aidr', title: 'CrowdStrike AIDR', checks: [] }

export default plugin
