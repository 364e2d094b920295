/** Documents, their unique keys, the attributes that lists filter by, and the change feed. */
import { sql } from 'kysely'
import { type Migration, typesOf } from '../migrate.ts'

export const documents: Migration = {
  version: 1,
  name: 'documents',
  part: 'main',
  async up(queries, engine) {
    const { text, serial } = typesOf(engine)
    const statements = [
      sql`create table documents (
        kind ${text} not null, id ${text} not null, organisation_id ${text}, workspace_id ${text},
        slug ${text}, name ${text}, status ${text} not null, version bigint not null,
        created_at bigint not null, last_updated_at bigint not null,
        search_text ${text} not null, name_order ${text} not null,
        keys ${text} not null, attributes ${text} not null, data ${text} not null,
        primary key (kind, id))`,
      // Covering indexes for the filters of lists, so that pages are found without reading the documents themselves.
      sql`create index documents_created on documents
        (kind, created_at, id, status, workspace_id, organisation_id)`,
      sql`create index documents_updated on documents
        (kind, last_updated_at, id, status, workspace_id, organisation_id)`,
      sql`create index documents_name on documents
        (kind, name_order, id, status, workspace_id, organisation_id, search_text)`,
      sql`create index documents_workspace on documents
        (kind, workspace_id, created_at, id, status, organisation_id)`,
      sql`create table document_keys (
        kind ${text} not null, key ${text} not null, id ${text} not null, primary key (kind, key))`,
      sql`create index document_keys_owner on document_keys (kind, id)`,
      sql`create table document_attributes (
        kind ${text} not null, name ${text} not null, value ${text} not null, id ${text} not null,
        organisation_id ${text}, workspace_id ${text}, status ${text} not null,
        primary key (kind, name, value, id))`,
      sql`create index document_attributes_owner on document_attributes (kind, id)`,
      sql`create index document_attributes_count on document_attributes
        (kind, name, value, status, workspace_id, organisation_id, id)`,
      sql`create table document_changes (
        revision ${serial}, origin ${text} not null, kind ${text} not null, id ${text} not null,
        organisation_id ${text}, workspace_id ${text}, created_at bigint not null)`,
      sql`create table document_changes_pruned (revision bigint not null)`,
      sql`insert into document_changes_pruned (revision) values (0)`,
    ]
    for (const statement of statements) await statement.execute(queries)
  },
}
