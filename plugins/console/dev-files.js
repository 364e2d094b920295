/**
 * The files of the last build of `npm run console:dev`, and the events that tell a page about a newer build. A page
 * says which build it has when it starts to listen. Otherwise it would miss a build that ended between its script and
 * its first event.
 */
import { createHash } from 'node:crypto'

const hashOf = (content) => createHash('sha256').update(content).digest('hex')

const types = { '.js': 'text/javascript', '.css': 'text/css' }

export function devFiles() {
  /** Files by name, each with its content and a hash of it. */
  let files = new Map()
  /** A hash of all files. It stays the same after a restart if the files do. */
  let version = ''
  const listeners = new Set()

  /** Returns the names of files that a build has added, changed or removed. */
  function changed(next) {
    const names = new Set([...files.keys(), ...next.keys()])
    return [...names].filter((name) => files.get(name)?.hash !== next.get(name)?.hash)
  }

  const eventOf = (updated) => `id: ${version}\nevent: change\ndata: ${JSON.stringify(updated)}\n\n`

  return {
    /** Identifies the current files in the addresses of a page. */
    get version() {
      return version
    },

    /** @param outputs outputs of the bundler: `{ path, contents }` */
    built(outputs) {
      const next = new Map(
        outputs.map(({ path, contents }) => [
          path.slice(path.lastIndexOf('/') + 1),
          { contents, hash: hashOf(contents) },
        ]),
      )
      const updated = changed(next)
      files = next
      if (updated.length === 0) return
      version = hashOf([...files].map(([name, { hash }]) => `${name} ${hash}`).join()).slice(0, 8)
      for (const response of listeners) response.write(eventOf(updated))
    },

    /** Answers with a file of the last build. */
    send(name, response) {
      const file = files.get(name)
      const type = types[name.slice(name.lastIndexOf('.'))] ?? 'application/octet-stream'
      response.writeHead(file === undefined ? 404 : 200, {
        'content-type': type,
        'cache-control': 'no-store',
      })
      response.end(file?.contents)
    },

    /** @param known the version that the page has, or that it was last told */
    listen(known, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      // Earlier changes are not recorded, so the page reloads completely.
      response.write(known === version ? ': connected\n\n' : eventOf([]))
      listeners.add(response)
      response.on('close', () => listeners.delete(response))
    },
  }
}
