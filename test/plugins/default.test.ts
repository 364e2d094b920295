/** The local checks: passing, failing and changed texts for each parameter of each check. */

import plugin from '@gateway/plugin-default'
import { type CheckCase, describeChecks } from '@gateway/testing'
import { rows as codeChecks } from './default-code.ts'
import { rows as formChecks } from './default-form.ts'
import { rows as schemaChecks } from './default-json.ts'
import { rows as languageChecks } from './default-language.ts'
import { rows as mutators } from './default-mutators.ts'
import { rows as networkChecks } from './default-network.ts'
import { rows as policyChecks } from './default-policy.ts'
import { rows as requestChecks } from './default-request.ts'
import { rows as textChecks } from './default-text.ts'
import { rows as tokenChecks } from './jwt-cases.ts'
import { rows as judgeChecks } from './llm-judge-cases.ts'
import { rows as piiChecks } from './pii-cases.ts'
import { rows as injectionChecks } from './prompt-injection-cases.ts'
import { rows as redactions } from './redact-cases.ts'
import { rows as secretChecks } from './secrets-cases.ts'

const rows: CheckCase[] = [
  ...textChecks,
  ...schemaChecks,
  ...requestChecks,
  ...mutators,
  ...formChecks,
  ...codeChecks,
  ...policyChecks,
  ...languageChecks,
  ...networkChecks,
  ...tokenChecks,
  ...secretChecks,
  ...piiChecks,
  ...redactions,
  ...injectionChecks,
  ...judgeChecks,
]

describeChecks(plugin, rows)
