/** Palo Alto Networks Prisma AIRS: one check, by a security profile. */
import type { GuardrailPlugin } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { intercept } from './intercept.ts'

const plugin: GuardrailPlugin = {
  name: 'panw-prisma-airs',
  title: 'Palo Alto Networks Prisma AIRS',
  checks: [intercept],
  settings: Type.Object(
    {
      AIRS_API_KEY: secret('A key of Strata Cloud Manager.'),
      baseUrl: address(
        'Default: https://service.api.aisecurity.paloaltonetworks.com. Set it for another region.',
      ),
    },
    { additionalProperties: false },
  ),
}

export default plugin
