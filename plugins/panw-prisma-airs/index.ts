/** Palo Alto Networks Prisma AIRS. */
import type { GuardrailPlugin } from '@gateway/core/contract'

const plugin: GuardrailPlugin = { name: 'panw-prisma-airs', title: 'Palo Alto Networks Prisma AIRS', checks: [] }

export default plugin
