/** Visibility of the log (management.md section 5): the settings that restrict callers to the rows of their own keys. */
import { expect } from 'chai'
import type { ManagementReply } from '../../support/management.ts'
import { type Caller, callers, openVisibleLog, type Question, type Role } from './visible-log.ts'

describe('log visibility settings', () => {
  const { api, made, credentials, ask, security, lacks } = openVisibleLog()

  const countOf: Partial<Record<Question, (body: ManagementReply['body']) => unknown>> = {
    list: ({ total }) => total,
    search: ({ total }) => total,
    trace: ({ total }) => total,
    feedback: ({ total }) => total,
    'export of facts': ({ total }) => total,
    summary: ({ requests }) => requests,
    'summary of the cache': ({ total_requests }) => total_requests,
    'groups by model': ({ data }) => sum(data, 'requests'),
    'groups by users': ({ data }) => sum(data, 'requests'),
    'groups by metadata': ({ data }) => sum(data, 'requests'),
    graph: ({ data_points }) => sum(data_points, 'total'),
    'graph by users': ({ data_points }) => sum(data_points, 'total'),
  }
  const sum = (rows: unknown, name: string) =>
    (rows as Record<string, number>[]).reduce((total, row) => total + (row[name] ?? 0), 0)

  for (const setting of ['membersViewAllData', 'managersViewAllData'] as const)
    for (const [caller, role] of Object.entries(callers) as [Caller, Role][]) {
      const isBound = setting.startsWith(`${role}s`)
      const what = isBound ? 'what their own keys made' : 'what everyone made'
      it(`show ${what} to ${caller} when ${setting} is false`, async () => {
        await security({ [setting]: false })
        try {
          for (const [question, read] of Object.entries(countOf) as [
            Question,
            (body: ManagementReply['body']) => unknown,
          ][]) {
            if (lacks(role, question)) continue
            const { status, body } = await ask(caller, question)
            expect([status, read(body)], question).to.deep.equal([200, isBound ? 1 : 3])
          }
          expect((await ask(caller, 'entry')).status).to.equal(isBound ? 404 : 200)
          if (role !== 'member' && role !== 'manager') return
          const own = await api
            .as(null)
            .get(`/v1/logs/${made.own[role]}?workspace_id=${made.workspace}`, credentials.get(caller))
          expect(own.status).to.equal(200)
        } finally {
          await security({ [setting]: true })
        }
      })
    }
})
