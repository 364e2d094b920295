/**
 * Visibility of the log, row by row (management.md section 5): every setting that refuses against every kind of caller and
 * every answer that shows something of the log.
 */
import { expect } from 'chai'
import {
  type Caller,
  callers,
  exported,
  openVisibleLog,
  type Question,
  questions,
  type Role,
} from './visible-log.ts'

const bodies: readonly Question[] = ['search', 'entry', 'export of requests', 'export of responses']
const byMetadata: readonly Question[] = ['groups by users', 'groups by metadata', 'graph by users']
const metadata: readonly Question[] = [
  'list',
  'stream',
  'trace',
  'feedback',
  ...exported,
  ...bodies,
  ...byMetadata,
]
const analytics: readonly Question[] = [
  ...['summary', 'summary of the cache', 'groups by model', 'graph'],
  ...byMetadata,
] as readonly Question[]

const settings: readonly [setting: string, binds: Role, refused: readonly Question[]][] = [
  ['membersViewLogs', 'member', bodies],
  ['membersViewLogMetadata', 'member', metadata],
  ['membersViewAnalytics', 'member', analytics],
  ['managersViewLogs', 'manager', bodies],
  ['managersViewLogMetadata', 'manager', metadata],
  ['managersViewAnalytics', 'manager', analytics],
  ['organisationAdminsViewLogs', 'admin', bodies],
  ['organisationAdminsViewLogMetadata', 'admin', metadata],
]

describe('log visibility settings', () => {
  const { ask, security, lacks } = openVisibleLog()

  for (const [setting, binds, refused] of settings)
    for (const [caller, role] of Object.entries(callers) as [Caller, Role][])
      it(`${role === binds ? 'deny' : 'allow'} access for ${caller} when ${setting} is false`, async () => {
        await security({ [setting]: false })
        try {
          for (const question of Object.keys(questions) as Question[]) {
            const { status, error } = await ask(caller, question)
            const isRefused = role === binds && refused.includes(question)
            const expected = isRefused
              ? [403, 'forbidden', setting]
              : lacks(role, question)
                ? [403, 'missing_scope', 'logs.export']
                : [200, undefined, undefined]
            // Both settings restrict a member: the error may name either.
            if (isRefused && lacks(role, question)) expect(status, question).to.equal(403)
            else expect([status, error.code, error.param], question).to.deep.equal(expected)
          }
        } finally {
          await security({ [setting]: true })
        }
      })
})
