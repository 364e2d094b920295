/** The number of documents of a kind by status and place, so that totals of lists need no scan. */
import { sql } from 'kysely'
import { type Migration, typesOf } from '../migrate.ts'

export const documentCounts: Migration = {
  version: 7,
  name: 'document counts',
  part: 'main',
  async up(queries, engine) {
    const { text } = typesOf(engine)
    await sql`create table document_counts (
      kind ${text} not null, organisation_id ${text} not null, workspace_id ${text} not null,
      status ${text} not null, count bigint not null,
      primary key (kind, organisation_id, workspace_id, status))`.execute(queries)
    await sql`insert into document_counts (kind, organisation_id, workspace_id, status, count)
      select kind, coalesce(organisation_id, ''), coalesce(workspace_id, ''), status, count(*)
      from documents group by 1, 2, 3, 4`.execute(queries)
  },
}
