/** A process that writes until it is killed, and reports each acknowledged write. */
import sqlStore from '@gateway/store-sql'

const [directory = '', run = ''] = process.argv.slice(2)
const report = (message: string, error: unknown) => console.error(message, error)
const { documents } = await sqlStore.open('sqlite:gateway.db', { directory, report })
if (documents === undefined) throw new Error('There are no documents.')

let written = 0
async function write(): Promise<void> {
  for (;;) {
    written += 1
    const id = `${run}-${written}`
    await documents?.commit([
      {
        op: 'put',
        document: {
          kind: 'config',
          id,
          organisation_id: 'org',
          workspace_id: null,
          slug: null,
          name: id,
          status: 'active',
          created_at: written,
          last_updated_at: written,
          keys: [`name:${id}`],
          attributes: { run: [run] },
          data: {},
        },
      },
    ])
    process.stdout.write(`${id}\n`)
  }
}
await Promise.all(Array.from({ length: 20 }, write))
