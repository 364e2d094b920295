/** The local checks: what passes, what fails and what is changed, for each parameter of each check. */
import { type CheckCase, describeChecks } from '@gateway/core/testing'
import plugin from '@gateway/plugin-default'
import { rows as schemaChecks } from './default-json.ts'
import { rows as mutators } from './default-mutators.ts'
import { rows as requestChecks } from './default-request.ts'
import { rows as textChecks } from './default-text.ts'

const rows: CheckCase[] = [...textChecks, ...schemaChecks, ...requestChecks, ...mutators]

describeChecks(plugin, rows)
