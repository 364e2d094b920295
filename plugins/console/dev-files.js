/**
 * The files of the last build of `npm run console:dev`, and the events by which a page learns of a newer build. A page
 * says which build it has when it starts to listen: a build that ended between its script and its first event would
 * otherwise be missed.
 */
import { createHash } from 'node:crypto'

const hashOf = (content) => createHash('sha256').update(content).digest('hex')

const types = { '.js': 'text/javascript', '.css': 'text/css' }

export function devFiles() {
  /** By their names; each has its content and a hash of it. */
  let files = new Map()
  /** A hash of all files, so that it is the same after a restart if they are. */
  let version = ''
  const listeners = new Set()

  /** Names of files that a build has made, changed or removed. */
  function changed(next) {
    const names = new Set([...files.keys(), ...next.keys()])
    return [...names].filter((name) => files.get(name)?.hash !== next.get(name)?.hash)
  }

  const eventOf = (updated) => `id: ${version}\nevent: change\ndata: ${JSON.stringify(updated)}\n\n`

  return {
    /** A name for the files as they are now, for the addresses of a page. */
    get version() {
      return version
    },

    /** @param outputs of the bundler: `{ path, contents }` */
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

    /** @param known the version that the page has, or that it last heard of */
    listen(known, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      // What has changed since then is not kept: the page loads all of it again.
      response.write(known === version ? ': connected\n\n' : eventOf([]))
      listeners.add(response)
      response.on('close', () => listeners.delete(response))
    },
  }
}
